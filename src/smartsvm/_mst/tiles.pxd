from libc.stdint cimport uint32_t

from smartsvm._mst.lists cimport Lists, Nodes

cdef enum:
    # Rows and columns of a tile at most; it stays in a cache of the second level.
    BLOCK = 256
    # Room of a row: a multiple of the groups of tile_rows.h, and no power of two.
    WIDTH = BLOCK + 16


cdef struct Grid:
    # Blocks of the left set against blocks of the right set, which may be the same.
    Nodes *nodes
    const float *left           # float32 coordinates, each set about its own centre
    const float *right
    float product               # factor of an inner product in a squared distance
    const float *constant       # node -> its own part of a lower bound
    bint symmetric
    Py_ssize_t n_left           # blocks
    Py_ssize_t n_right
    const Py_ssize_t *left_start    # block -> first node
    const Py_ssize_t *right_start
    float *least                # (n_left, n_right) lower bound of all edges of a tile


cdef struct Scratch:
    float *tile                 # (BLOCK, WIDTH)
    float *gathered             # (BLOCK, d)
    float *never                # (WIDTH,) thresholds that nothing passes
    uint32_t *rows              # (BLOCK,)


cdef inline const float *coordinates_of(const Grid *grid, Py_ssize_t i) noexcept nogil:
    if i < grid.nodes.n_left:
        return grid.left + i * grid.nodes.d
    return grid.right + (i - grid.nodes.n_left) * grid.nodes.d


cdef Scratch *new_scratch(Py_ssize_t d) noexcept nogil
cdef void free_scratch(Scratch *scratch) noexcept nogil
cdef void prepare_blas(Py_ssize_t d) noexcept nogil
cdef void fill_tile(
    const Grid *grid, const float *coordinates, const uint32_t *rows, Py_ssize_t first,
    Py_ssize_t n_rows, Py_ssize_t column, Py_ssize_t n_columns, float *tile,
) noexcept nogil
cdef float scan_tile(
    const Grid *grid, Lists *lists, const uint32_t *rows, Py_ssize_t first, Py_ssize_t n_rows,
    Py_ssize_t column, Py_ssize_t n_columns, bint both_sides, bint apart, Scratch *scratch,
) noexcept nogil

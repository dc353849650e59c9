from libc.stdint cimport uint16_t, uint32_t

from smartsvm._mst.products.edge_lists cimport Lists, Nodes

cdef enum:
    # Rows and columns of a tile at most; it stays in a cache of the second level.
    BLOCK = 256
    # Room of a row: a multiple of the groups of tile_rows.h, and no power of two.
    WIDTH = BLOCK + 16
    # Panels of a block at most; see tile_products.h.
    BLOCK_PANELS = BLOCK // 8


cdef extern from "products/tile_kernel.h" nogil:
    enum: PANEL
    Py_ssize_t most_features_packed()
    ctypedef struct Hit:
        uint16_t row
        uint16_t column
        float entry


cdef struct Grid:
    # Blocks of the left set against blocks of the right set, which may be the same.
    Nodes *nodes
    Py_ssize_t d                # coordinates of these, which may be projections
    const float *left           # float32 coordinates, each set about its own centre,
    const float *right
    const float *left_packed    # or the same in panels; NULL if products are left to BLAS
    const float *right_packed
    bint multiplies_packed      # whether panels are multiplied where they lie
    const Py_ssize_t *left_panel    # block -> first panel
    const Py_ssize_t *right_panel
    const float *left_reach     # (panels, n_right) towards blocks, see gaps.pyx; may be NULL
    const float *right_reach    # (panels, n_left)
    float product               # factor of an inner product in a squared distance
    const float *constant       # node -> its own part of a lower bound
    bint symmetric
    Py_ssize_t n_left           # blocks
    Py_ssize_t n_right
    Py_ssize_t largest          # nodes of a block at most
    const Py_ssize_t *left_start    # block -> first node
    const Py_ssize_t *right_start
    float *least                # (n_left, n_right) lower bound of all edges of a tile


cdef struct Side:
    # Of the rows or columns of a tile, divided by the factor of products.
    float constant[BLOCK]
    float level[BLOCK]
    # Of its panels: the highest threshold, and how far they reach towards the other side.
    float threshold[BLOCK_PANELS]
    float reach[BLOCK_PANELS]


cdef struct Scratch:
    float *tile                 # (largest, WIDTH)
    float *gathered             # (largest, d) rows, where they are not together in memory
    float *columns              # (largest, d) the same
    float *never                # (WIDTH,) thresholds that nothing passes
    uint32_t *rows              # (largest,)
    Hit *hits                   # (largest * largest,) as pages, those that are needed
    Side row_side
    Side column_side


cdef Scratch *new_scratch(const Grid *grid) noexcept nogil
cdef void free_scratch(Scratch *scratch) noexcept nogil
cdef void prepare_blas(Py_ssize_t d) noexcept nogil
cdef void gather(
    const Grid *grid, Py_ssize_t block, const uint32_t *rows, Py_ssize_t n_rows, float *room,
) noexcept nogil
cdef void fill_tile(
    const Grid *grid, const float *coordinates, const uint32_t *rows, Py_ssize_t first,
    Py_ssize_t n_rows, Py_ssize_t block, Py_ssize_t column, Py_ssize_t n_columns,
    Scratch *scratch,
) noexcept nogil
cdef const float *coordinates_of(
    const Grid *grid, Py_ssize_t block, float *room,
) noexcept nogil
cdef float scan_tile(
    const Grid *grid, Lists *lists, const uint32_t *rows, Py_ssize_t first, Py_ssize_t n_rows,
    Py_ssize_t column, Py_ssize_t n_columns, bint both_sides, bint apart, Scratch *scratch,
) noexcept nogil
cdef void read_levels(
    const Grid *grid, const Lists *lists, Py_ssize_t first, Py_ssize_t n, Side *side,
) noexcept nogil
cdef Py_ssize_t find_tile_hits(
    const Grid *grid, Py_ssize_t a, Py_ssize_t b, Scratch *scratch, float *least,
) noexcept nogil
cdef void offer_hits(
    const Grid *grid, Lists *lists, Py_ssize_t row, Py_ssize_t n_rows, Py_ssize_t column,
    Py_ssize_t n_columns, const Hit *hits, Py_ssize_t n_hits,
) noexcept nogil

# Tiles of float32 inner products, and the edges that they propose for the lists of their nodes.
#
# Idea. Let x and y be points of two sets, about centres that differ by g. Their squared distance is
# |x+g|^2 + (|y|^2 - 2 y.g) - 2 x.y: a constant of the row, one of the column, and an inner product,
# so a matrix product of two blocks gives a tile of them. In float32 that form loses digits: it only
# proposes. Whatever is within a list's threshold is computed again by edge_order.h, and that
# decides. x and y may be projections (projection.py), which are no farther apart than the points;
# the constants are made from the rounded coordinates, so that an entry is a distance of those.
#
# Invariant. An entry never exceeds the squared distance of edge_order.h in the same unit (but for
# what `as_threshold` adds): the constants are lowered by `rounding_slack` (index.pyx). Where
# float32 cannot resolve, entries are merely too low, and more is computed in float64.
#
# Cost: one inner product and one vector comparison for each entry; tiles of blocks that are too far
# apart are skipped (block_bounds.pyx, search.pyx).
from cpython.pythread cimport PyThread_type_lock
from libc.math cimport INFINITY
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy
from scipy.linalg.cython_blas cimport sgemm

from smartsvm._mst.products.tile_loops cimport (
    Hit, PANEL, TILE_GROUP, TileEdge, TileLoops, WIDTH,
)

cdef struct Block:
    Py_ssize_t number           # blocks of a second set follow those of the first
    Py_ssize_t first            # node
    Py_ssize_t size
    const float *single         # float32 coordinates, point after point
    const float *packed         # the same in panels, or NULL
    uint32_t component          # that of all its nodes, or UINT32_MAX
    float highest               # threshold of its nodes
    PyThread_type_lock lock     # of their lists; NULL if there is one thread


cdef struct Grid:
    # Rows of tiles are blocks of the first set, columns those of the second, or of the first.
    Nodes *nodes
    const TileLoops *loops
    Block *blocks
    Py_ssize_t n_blocks
    Py_ssize_t n_left           # blocks of the first set
    Py_ssize_t n_right          # blocks of the second set, or of the first if it is the only one
    bint symmetric              # there is one set
    Py_ssize_t largest          # nodes of a block at most
    Py_ssize_t d                # coordinates of these, which may be projections
    bint multiplies_packed      # whether panels are multiplied where they lie
    float product               # factor of an inner product in a squared distance
    float *constant             # node -> its own part of a lower bound
    float *least                # (n_left, n_right) lower bound of all edges of a tile


cdef struct Scratch:
    # Working memory of one thread.
    float *tile                 # (largest, WIDTH)
    float *rows                 # (largest, d) coordinates, where they are not together in memory
    float *never                # (WIDTH,) thresholds that nothing passes, behind the tile
    uint32_t *querying            # (largest,) nodes
    Hit *hits                   # (largest * largest,) as pages, those that are needed
    TileEdge of_rows
    TileEdge of_columns


cdef inline const Block *row_block(const Grid *grid, Py_ssize_t tile) noexcept nogil:
    return grid.blocks + tile // grid.n_right


cdef inline const Block *column_block(const Grid *grid, Py_ssize_t tile) noexcept nogil:
    return grid.blocks + (0 if grid.symmetric else grid.n_left) + tile % grid.n_right


cdef inline Scratch *new_scratch(const Grid *grid) noexcept nogil:
    cdef Scratch *scratch = <Scratch *> calloc(1, sizeof(Scratch))
    cdef Py_ssize_t e, d = grid.d, most = (grid.largest + PANEL - 1) // PANEL * PANEL
    if scratch == NULL:
        return NULL
    scratch.tile = <float *> malloc((most + 1) * WIDTH * sizeof(float))
    scratch.rows = <float *> malloc(most * d * sizeof(float))
    scratch.querying = <uint32_t *> malloc(most * sizeof(uint32_t))
    scratch.hits = <Hit *> malloc(most * most * sizeof(Hit))
    if not (scratch.tile and scratch.rows and scratch.querying and scratch.hits):
        free_scratch(scratch)
        return NULL
    scratch.never = scratch.tile + most * WIDTH
    for e in range(WIDTH):
        scratch.never[e] = -INFINITY
    return scratch


cdef inline void free_scratch(Scratch *scratch) noexcept nogil:
    free(scratch.tile)
    free(scratch.rows)
    free(scratch.querying)
    free(scratch.hits)
    free(scratch)


cdef inline Py_ssize_t _node(
    const Block *block, const uint32_t *chosen, Py_ssize_t r,
) noexcept nogil:
    """The node of a row of a tile, whose rows are all nodes of a block or those chosen."""
    return block.first + r if chosen == NULL else chosen[r]


cdef inline const float *_coordinates(
    const Grid *grid, const Block *block, const uint32_t *chosen, Py_ssize_t n, float *room,
) noexcept nogil:
    """Coordinates of the nodes of a block, or of n chosen ones, point after point."""
    cdef Py_ssize_t d = grid.d, r
    if chosen == NULL:
        return block.single
    for r in range(n):
        memcpy(room + r * d, block.single + (chosen[r] - block.first) * d, d * sizeof(float))
    return room


cdef inline void fill_tile(
    const Grid *grid, const Block *rows, const uint32_t *chosen, Py_ssize_t n_rows,
    const Block *columns, Scratch *scratch,
) noexcept nogil:
    """The lower bounds of a tile of all rows, or those chosen; the padding is infinite."""
    cdef int m = <int> columns.size, n = <int> n_rows, d = <int> grid.d, width = WIDTH
    cdef float one = 1, product = grid.product, constant
    cdef float *tile = scratch.tile
    cdef const float *of_rows = _coordinates(grid, rows, chosen, n_rows, scratch.rows)
    cdef Py_ssize_t r, c
    for r in range(n_rows):
        constant = grid.constant[_node(rows, chosen, r)]
        for c in range(m):
            tile[r * WIDTH + c] = constant + grid.constant[columns.first + c]
        for c in range(m, (m + TILE_GROUP - 1) // TILE_GROUP * TILE_GROUP):
            tile[r * WIDTH + c] = INFINITY
    sgemm(
        b"T", b"N", &m, &n, &d, &product, <float *> columns.single, &d, <float *> of_rows, &d,
        &one, tile, &width,
    )


cdef inline void _insert(
    const Nodes *nodes, Lists *lists, Py_ssize_t i, Py_ssize_t j, float entry, bint to_j,
) noexcept nogil:
    """Compute an edge within the threshold of i, or of j, and insert it there."""
    cdef bint of_i = entry <= lists.threshold[i], of_j = to_j and entry <= lists.threshold[j]
    cdef double value, direct
    cdef uint64_t tie = 0
    if nodes.core != NULL:
        value = max(nodes.core[i], nodes.core[j])
        of_i, of_j = of_i and value <= lists.limit[i], of_j and value <= lists.limit[j]
    if not (of_i or of_j) or nodes.component[i] == nodes.component[j]:
        return
    direct = distance(nodes, i, j)
    value = edge_length(nodes, i, j, direct)
    if of_i:
        insert(nodes, lists, i, j, value, direct, &tie)
    if of_j:
        insert(nodes, lists, j, i, value, direct, &tie)


cdef inline float scan_tile(
    const Grid *grid, Lists *lists, const Block *rows, const uint32_t *chosen, Py_ssize_t n_rows,
    const Block *columns, bint to_columns, bint apart, Scratch *scratch,
) noexcept nogil:
    """Insert the edges within the thresholds of rows, or columns; return the smallest entry."""
    cdef Nodes *nodes = grid.nodes
    cdef Py_ssize_t r, c, i, group, n_columns = columns.size
    cdef float least = INFINITY
    cdef float *tile
    cdef const float *threshold = lists.threshold + columns.first if to_columns else scratch.never
    for r in range(n_rows):
        i = _node(rows, chosen, r)
        tile = scratch.tile + r * WIDTH
        group = 0
        while True:
            group = grid.loops.next_group(
                tile, threshold, nodes.component + columns.first, group, n_columns,
                lists.threshold[i], nodes.component[i], &least, apart,
            )
            if group >= n_columns:
                break
            for c in range(group, min(group + TILE_GROUP, n_columns)):
                _insert(nodes, lists, i, columns.first + c, tile[c], to_columns)
            group += TILE_GROUP
    return least


cdef inline void read_edge(
    const Grid *grid, const Lists *lists, const Block *block, TileEdge *edge,
) noexcept nogil:
    """The present thresholds of a block's nodes, which can only fall, for `find_hits`."""
    cdef float factor = 1 / grid.product
    cdef Py_ssize_t i
    for i in range((block.size + TILE_GROUP - 1) // TILE_GROUP * TILE_GROUP):
        edge.constant[i] = -INFINITY
        edge.level[i] = INFINITY
    for i in range(block.size):
        edge.constant[i] = grid.constant[block.first + i] * factor
        edge.level[i] = lists.threshold[block.first + i] * factor


cdef inline void insert_hits(
    const Grid *grid, Lists *lists, const Block *rows, const Block *columns, const Hit *hits,
    Py_ssize_t n_hits,
) noexcept nogil:
    """Insert the hits that are still within thresholds, except those in the padding."""
    cdef Py_ssize_t e
    for e in range(n_hits):
        if hits[e].row < rows.size and hits[e].column < columns.size:
            _insert(
                grid.nodes, lists, rows.first + hits[e].row, columns.first + hits[e].column,
                hits[e].entry, True,
            )

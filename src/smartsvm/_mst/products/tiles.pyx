"""Tiles of float32 inner products, and what they offer to the lists of their points.

Idea. Let x and y be points of two sets, about centres that differ by g. Their
squared distance is |x+g|^2 + (|y|^2 - 2 y.g) - 2 x.y: a constant of the row, one of
the column, and an inner product, so a matrix product of two blocks of points gives
a tile of them. In float32 that form has lost digits; it only proposes. Whatever is
within a list's threshold is computed again by order.h, and that decides. x and y may be
projections (basis.py), which are no farther apart than the points; the constants are made
from the rounded coordinates, so that an entry is a distance of those.

Invariant. An entry never exceeds the squared distance of order.h in the same unit
(but for what `as_threshold` adds). With N = |x| + |y| + |g| and u = 2^-24 the
roundings are at most: of the coordinates to float32 4 u N^2, of the product (any order of
summation, fused or not) 2 gamma_d |x||y| <= (d u / (1 - d u)) N^2 / 2, of the two constants
and the two additions 4 u N^2. N^2 <= 3 (|x|^2 + |y|^2 + |g|^2), so the constants are lowered
by 3 (d / 2 + 9) 1.1 u times these squares (`shrink`); 1.1 is ample for d < 10^6. Where
float32 cannot resolve, entries are merely too low, and more is computed in float64.

Cost: one inner product and one vector comparison for each entry.
"""
from libc.math cimport INFINITY
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy
from scipy.linalg.cython_blas cimport sgemm

from smartsvm._mst.products.edge_lists cimport Lists, Nodes, distance, highest_threshold, offer


cdef extern from "products/tile_scan.h" nogil:
    enum: TILE_GROUP
    Py_ssize_t next_group(
        const float *entry, const float *threshold, const uint32_t *component, Py_ssize_t start,
        Py_ssize_t n, float row_threshold, uint32_t row_component, float *least, bint apart,
    )

cdef extern from "products/tile_kernel.h" nogil:
    Py_ssize_t find_hits(
        const float *rows, Py_ssize_t n_rows, const float *columns, Py_ssize_t n_columns,
        Py_ssize_t d, const float *row_constant, const float *column_constant,
        const float *row_level, const float *column_level, const float *row_threshold,
        const float *column_threshold, const float *row_reach, const float *column_reach,
        float factor, Hit *hits, float *least,
    )


cdef enum:
    MOST_AT_ONCE = 64


cdef Scratch *new_scratch(const Grid *grid) noexcept nogil:
    cdef Scratch *scratch = <Scratch *> calloc(1, sizeof(Scratch))
    cdef Py_ssize_t e, d = grid.d, most = (grid.largest + PANEL - 1) // PANEL * PANEL
    if scratch == NULL:
        return NULL
    scratch.tile = <float *> malloc(most * WIDTH * sizeof(float))
    scratch.gathered = <float *> malloc(most * d * sizeof(float))
    scratch.columns = <float *> malloc(most * d * sizeof(float))
    scratch.never = <float *> malloc(WIDTH * sizeof(float))
    scratch.rows = <uint32_t *> malloc(most * sizeof(uint32_t))
    scratch.hits = <Hit *> malloc(most * most * sizeof(Hit))
    if not (
        scratch.tile and scratch.gathered and scratch.columns and scratch.never and scratch.rows
        and scratch.hits
    ):
        free_scratch(scratch)
        return NULL
    for e in range(WIDTH):
        scratch.never[e] = -INFINITY
    return scratch


cdef void free_scratch(Scratch *scratch) noexcept nogil:
    free(scratch.tile)
    free(scratch.gathered)
    free(scratch.columns)
    free(scratch.never)
    free(scratch.rows)
    free(scratch.hits)
    free(scratch)


cdef void prepare_blas(Py_ssize_t d) noexcept nogil:
    """Let BLAS touch more of its buffer than tiles will use.

    The kernels of OpenBLAS prefetch beyond the block they have packed. In a fresh thread these
    pages are not mapped yet, and each prefetch walks the page table in vain: twice
    the time at d = 16.
    """
    cdef int m = 2 * BLOCK, n = 4, k = <int> d
    cdef float zero = 0, one = 1
    cdef float *factors = <float *> calloc(m * d, sizeof(float))
    cdef float *product = <float *> calloc(m * n, sizeof(float))
    if factors != NULL and product != NULL:
        sgemm(b"T", b"N", &m, &n, &k, &one, factors, &k, factors, &k, &zero, product, &m)
    free(factors)
    free(product)


cdef inline Py_ssize_t _node(const uint32_t *rows, Py_ssize_t first, Py_ssize_t r) noexcept nogil:
    """Rows of a tile are listed or consecutive."""
    return first + r if rows == NULL else rows[r]


cdef inline bint _is_left(const Grid *grid, Py_ssize_t block) noexcept nogil:
    """Blocks of the right set are counted after those of the left one, if it is another."""
    return grid.symmetric or block < grid.n_left


cdef void gather(
    const Grid *grid, Py_ssize_t block, const uint32_t *rows, Py_ssize_t n_rows, float *room,
) noexcept nogil:
    """Coordinates of some nodes of a block; of its first ones without a list."""
    cdef bint left = _is_left(grid, block)
    cdef Py_ssize_t b = block if left else block - grid.n_left, d = grid.d, i, r, k
    cdef Py_ssize_t first = grid.left_start[b] if left else grid.right_start[b]
    cdef Py_ssize_t offset = first if left else first - grid.nodes.n_left
    cdef const float *points = grid.left if left else grid.right
    cdef const float *panels
    if grid.left_packed == NULL:
        for r in range(n_rows):
            i = offset + _node(rows, first, r) - first
            memcpy(room + r * d, points + i * d, d * sizeof(float))
        return
    panels = (
        grid.left_packed + grid.left_panel[b] * PANEL * d if left
        else grid.right_packed + grid.right_panel[b] * PANEL * d
    )
    for r in range(n_rows):
        i = _node(rows, first, r) - first
        for k in range(d):
            room[r * d + k] = panels[(i // PANEL * d + k) * PANEL + i % PANEL]


cdef const float *coordinates_of(
    const Grid *grid, Py_ssize_t block, float *room,
) noexcept nogil:
    """Coordinates of a block; `room` is used if they are packed."""
    cdef bint left = _is_left(grid, block)
    cdef Py_ssize_t b = block if left else block - grid.n_left
    cdef const Py_ssize_t *start = grid.left_start + b if left else grid.right_start + b
    if grid.left_packed != NULL:
        gather(grid, block, NULL, start[1] - start[0], room)
        return room
    if left:
        return grid.left + start[0] * grid.d
    return grid.right + (start[0] - grid.nodes.n_left) * grid.d


cdef void fill_tile(
    const Grid *grid, const float *coordinates, const uint32_t *rows, Py_ssize_t first,
    Py_ssize_t n_rows, Py_ssize_t block, Py_ssize_t column, Py_ssize_t n_columns,
    Scratch *scratch,
) noexcept nogil:
    """The lower bounds of a tile of some rows and all nodes of a block; padding is infinite."""
    cdef int m = <int> n_columns, n = <int> n_rows, d = <int> grid.d, width = WIDTH
    cdef float one = 1, product = grid.product, constant
    cdef float *tile = scratch.tile
    cdef const float *columns = coordinates_of(grid, block, scratch.columns)
    cdef Py_ssize_t r, c
    for r in range(n_rows):
        constant = grid.constant[_node(rows, first, r)]
        for c in range(n_columns):
            tile[r * WIDTH + c] = constant + grid.constant[column + c]
        for c in range(n_columns, (n_columns + TILE_GROUP - 1) // TILE_GROUP * TILE_GROUP):
            tile[r * WIDTH + c] = INFINITY
    sgemm(
        b"T", b"N", &m, &n, &d, &product, <float *> columns, &d, <float *> coordinates, &d, &one,
        tile, &width,
    )


cdef inline void _offer(
    const Nodes *nodes, Lists *lists, Py_ssize_t i, Py_ssize_t j, bint to_i, bint to_j,
) noexcept nogil:
    """Compute an edge and list it where it is wanted."""
    cdef double value = distance(nodes, i, j)
    cdef uint64_t tie = 0
    if to_i:
        offer(nodes, lists, i, j, value, &tie)
    if to_j:
        offer(nodes, lists, j, i, value, &tie)


cdef void _begin_list(
    const Nodes *nodes, Lists *lists, Py_ssize_t i, float *tile, Py_ssize_t column,
    Py_ssize_t n_columns, const float *threshold,
) noexcept nogil:
    """Offer an empty list what looks nearest, so that few others are computed."""
    cdef float smallest[MOST_AT_ONCE]
    cdef Py_ssize_t where[MOST_AT_ONCE]
    cdef Py_ssize_t c, e, found = 0, wanted = min(lists.k, <Py_ssize_t> MOST_AT_ONCE)
    for c in range(n_columns):
        if found == wanted and tile[c] >= smallest[found - 1]:
            continue
        if nodes.component[column + c] == nodes.component[i]:
            continue
        if found < wanted:
            found += 1
        e = found - 1
        while e > 0 and smallest[e - 1] > tile[c]:
            smallest[e] = smallest[e - 1]
            where[e] = where[e - 1]
            e -= 1
        smallest[e] = tile[c]
        where[e] = c
    for e in range(found):
        c = where[e]
        _offer(nodes, lists, i, column + c, True, smallest[e] <= threshold[c])
        tile[c] = INFINITY  # not to be offered twice


cdef float scan_tile(
    const Grid *grid, Lists *lists, const uint32_t *rows, Py_ssize_t first, Py_ssize_t n_rows,
    Py_ssize_t column, Py_ssize_t n_columns, bint both_sides, bint apart, Scratch *scratch,
) noexcept nogil:
    """Offer what the tile proposes; its smallest entry."""
    cdef Nodes *nodes = grid.nodes
    cdef Py_ssize_t r, c, i, j, group
    cdef float least = INFINITY
    cdef bint of_row, of_column
    cdef float *tile
    cdef const float *threshold = lists.threshold + column if both_sides else scratch.never
    for r in range(n_rows):
        i = _node(rows, first, r)
        tile = scratch.tile + r * WIDTH
        if lists.threshold[i] == INFINITY and lists.length[i] == 0:
            for c in range(n_columns):
                least = min(least, tile[c])
            _begin_list(nodes, lists, i, tile, column, n_columns, threshold)
        group = 0
        while True:
            group = next_group(
                tile, threshold, nodes.component + column, group, n_columns, lists.threshold[i],
                nodes.component[i], &least, apart,
            )
            if group >= n_columns:
                break
            for c in range(group, min(group + TILE_GROUP, n_columns)):
                j = column + c
                of_row = tile[c] <= lists.threshold[i]
                of_column = tile[c] <= threshold[c]
                if (
                    (of_row or of_column) and nodes.component[i] != nodes.component[j]
                    and tile[c] < INFINITY
                ):
                    _offer(nodes, lists, i, j, of_row, of_column)
            group += TILE_GROUP
    return least


cdef void read_levels(
    const Grid *grid, const Lists *lists, Py_ssize_t first, Py_ssize_t n, Side *side,
) noexcept nogil:
    """What products of these nodes are compared with, for now: thresholds can only fall."""
    cdef float factor = 1 / grid.product
    cdef Py_ssize_t i, n_padded = (n + PANEL - 1) // PANEL * PANEL
    for i in range(n):
        side.constant[i] = grid.constant[first + i] * factor
        side.level[i] = lists.threshold[first + i] * factor
    for i in range(n, n_padded):
        side.constant[i] = -INFINITY
        side.level[i] = INFINITY
    for i in range(n_padded // PANEL):
        side.threshold[i] = highest_threshold(
            lists, first + i * PANEL, first + min((i + 1) * PANEL, n)
        )


cdef inline void _read_reach(
    const float *reach, Py_ssize_t first, Py_ssize_t n, Py_ssize_t block, Py_ssize_t n_blocks,
    Side *side,
) noexcept nogil:
    cdef Py_ssize_t p
    for p in range((n + PANEL - 1) // PANEL):
        side.reach[p] = INFINITY if reach == NULL else reach[(first + p) * n_blocks + block]


cdef Py_ssize_t find_tile_hits(
    const Grid *grid, Py_ssize_t a, Py_ssize_t b, Scratch *scratch, float *least,
) noexcept nogil:
    """The entries of a tile within the levels that were read, and a bound of all others."""
    cdef Py_ssize_t d = grid.d
    cdef Py_ssize_t n_rows = grid.left_start[a + 1] - grid.left_start[a]
    cdef Py_ssize_t n_columns = grid.right_start[b + 1] - grid.right_start[b]
    cdef Side *rows = &scratch.row_side
    cdef Side *columns = &scratch.column_side
    _read_reach(grid.left_reach, grid.left_panel[a], n_rows, b, grid.n_right, rows)
    _read_reach(grid.right_reach, grid.right_panel[b], n_columns, a, grid.n_left, columns)
    return find_hits(
        grid.left_packed + grid.left_panel[a] * PANEL * d, n_rows,
        grid.right_packed + grid.right_panel[b] * PANEL * d, n_columns,
        d, rows.constant, columns.constant, rows.level, columns.level, rows.threshold,
        columns.threshold, rows.reach, columns.reach, grid.product, scratch.hits, least,
    )


cdef void offer_hits(
    const Grid *grid, Lists *lists, Py_ssize_t row, Py_ssize_t n_rows, Py_ssize_t column,
    Py_ssize_t n_columns, const Hit *hits, Py_ssize_t n_hits,
) noexcept nogil:
    """Offer what is within thresholds still; hits in the padding are none."""
    cdef Nodes *nodes = grid.nodes
    cdef Py_ssize_t e, i, j
    cdef bint of_row, of_column
    for e in range(n_hits):
        i, j = row + hits[e].row, column + hits[e].column
        of_row = hits[e].entry <= lists.threshold[i]
        of_column = hits[e].entry <= lists.threshold[j]
        if not (of_row or of_column) or hits[e].row >= n_rows or hits[e].column >= n_columns:
            continue
        if nodes.component[i] == nodes.component[j]:
            continue
        _offer(nodes, lists, i, j, of_row, of_column)

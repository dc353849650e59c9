# Passes over tiles that fill the lists of the nodes of both blocks.
#
# A first sweep computes every tile that the bounds between its blocks do not exclude, and
# records its smallest entry. A refresh visits only tiles whose recorded entry is within the
# threshold of a node that asks, with the rows that ask gathered when they are few.
#
# Threads take tiles from one queue. The lists of a block are read and written under the block's
# lock (rows before columns), the limits of components under a lock of their own.
#
# Cost: n^2/2 entries of a matrix product, one vector comparison each.
from cpython.pythread cimport (
    NOWAIT_LOCK, PyThread_acquire_lock, PyThread_release_lock, PyThread_type_lock, WAIT_LOCK,
)
from libc.math cimport INFINITY
from libc.stdint cimport UINT32_MAX, uint8_t, uint32_t
from libc.string cimport memset

from smartsvm._mst.products.edge_lists cimport (
    Lists, Nodes, distance, highest_threshold, is_open, set_limit,
)
from smartsvm._mst.products.tiles cimport (
    Block, Grid, Scratch, column_block, fill_tile, offer_hits, read_edge, row_block, scan_tile,
)

cdef enum:
    # Times that a lock is tried before a thread sleeps.
    SPINS = 1 << 11
    # The lock of the limits comes before those of the blocks.
    LIMITS_LOCK = 0
    BLOCK_LOCKS = 1


cdef struct Sweep:
    Grid *grid
    Lists *lists
    bint is_refresh
    double *limit               # component -> the best edge it knows
    uint32_t *block_component   # block -> the component of all its nodes, if it is one
    const Py_ssize_t *tiles     # numbers, row by row of the grid, in the order of the visits
    Py_ssize_t n_tiles
    Py_ssize_t next             # n_tiles or more once all are taken, or the sweep is cancelled
    # That of the limits, then one for each block; NULL if there is one thread.
    PyThread_type_lock *locks


cdef inline void lock(const Sweep *sweep, Py_ssize_t number) noexcept nogil:
    """Locks are held for microseconds, but waking a thread that sleeps takes tens of them."""
    cdef Py_ssize_t _t
    if sweep.locks == NULL:
        return
    for _t in range(SPINS):
        if PyThread_acquire_lock(sweep.locks[number], NOWAIT_LOCK):
            return
    PyThread_acquire_lock(sweep.locks[number], WAIT_LOCK)


cdef inline void unlock(const Sweep *sweep, Py_ssize_t number) noexcept nogil:
    if sweep.locks != NULL:
        PyThread_release_lock(sweep.locks[number])


cdef inline void _lock_both(Sweep *sweep, const Block *rows, const Block *columns) noexcept nogil:
    lock(sweep, BLOCK_LOCKS + rows.number)
    if columns != rows:
        lock(sweep, BLOCK_LOCKS + columns.number)


cdef inline void _unlock_both(
    Sweep *sweep, const Block *rows, const Block *columns,
) noexcept nogil:
    if columns != rows:
        unlock(sweep, BLOCK_LOCKS + columns.number)
    unlock(sweep, BLOCK_LOCKS + rows.number)


cdef inline void _read_limits(Sweep *sweep, const Block *block) noexcept nogil:
    """Nodes ask for nothing above the best edge that their component knows."""
    cdef Py_ssize_t i
    lock(sweep, LIMITS_LOCK)
    for i in range(block.first, block.first + block.size):
        if sweep.lists.threshold[i] > -INFINITY:
            set_limit(
                sweep.grid.nodes, sweep.lists, i, sweep.limit[sweep.grid.nodes.component[i]]
            )
    unlock(sweep, LIMITS_LOCK)


cdef inline void _lower_limits(Sweep *sweep, const Block *block) noexcept nogil:
    """Tell components about the edges that their nodes have found."""
    cdef Py_ssize_t i
    cdef double *limit
    lock(sweep, LIMITS_LOCK)
    for i in range(block.first, block.first + block.size):
        if sweep.lists.threshold[i] > -INFINITY and sweep.lists.length[i] > 0:
            limit = &sweep.limit[sweep.grid.nodes.component[i]]
            limit[0] = min(limit[0], sweep.lists.distance[i * sweep.lists.k])
    unlock(sweep, LIMITS_LOCK)


cdef inline Py_ssize_t _find_asking(
    Sweep *sweep, const Block *block, float least, uint32_t other, uint32_t *asking,
) noexcept nogil:
    """The nodes that a tile of entries >= least against component `other` may serve."""
    cdef Py_ssize_t i, n = 0
    for i in range(block.first, block.first + block.size):
        if sweep.lists.threshold[i] >= least and sweep.grid.nodes.component[i] != other:
            asking[n] = <uint32_t> i
            n += 1
    return n


cdef inline void _serve(
    Sweep *sweep, const Block *block, const Block *others, float least, Scratch *scratch,
) noexcept nogil:
    """The nodes of one block that ask, against all nodes of another."""
    cdef Py_ssize_t n_rows
    lock(sweep, BLOCK_LOCKS + block.number)
    n_rows = _find_asking(
        sweep, block, least, sweep.block_component[others.number], scratch.asking
    )
    unlock(sweep, BLOCK_LOCKS + block.number)
    if n_rows == 0:
        return
    fill_tile(sweep.grid, block, scratch.asking, n_rows, others, scratch)
    lock(sweep, BLOCK_LOCKS + block.number)
    scan_tile(
        sweep.grid, sweep.lists, block, scratch.asking, n_rows, others, False, False, scratch
    )
    _lower_limits(sweep, block)
    unlock(sweep, BLOCK_LOCKS + block.number)


cdef inline void _compute_tile(
    Sweep *sweep, const Block *rows, const Block *columns, bint packed, float *least,
    Scratch *scratch,
) noexcept nogil:
    """All entries of a tile, offered to both blocks; `least` becomes the smallest."""
    cdef Grid *grid = sweep.grid
    cdef Py_ssize_t n_hits
    cdef float found = -INFINITY
    if packed:
        n_hits = grid.loops.find_hits(
            rows.packed, rows.size, columns.packed, columns.size, grid.d, &scratch.of_rows,
            &scratch.of_columns, grid.product, scratch.hits, &found,
        )
    else:
        fill_tile(grid, rows, NULL, rows.size, columns, scratch)
    _lock_both(sweep, rows, columns)
    if packed:
        offer_hits(grid, sweep.lists, rows, columns, scratch.hits, n_hits)
        least[0] = max(least[0], found)
    else:
        # On the diagonal each row meets every column, so that rows are enough.
        least[0] = scan_tile(
            grid, sweep.lists, rows, NULL, rows.size, columns, rows != columns,
            not sweep.is_refresh, scratch,
        )
    if sweep.is_refresh:
        _lower_limits(sweep, rows)
        _lower_limits(sweep, columns)
    _unlock_both(sweep, rows, columns)


cdef inline void visit_tile(Sweep *sweep, Py_ssize_t tile, Scratch *scratch) noexcept nogil:
    cdef Grid *grid = sweep.grid
    cdef const Block *rows = row_block(grid, tile)
    cdef const Block *columns = column_block(grid, tile)
    cdef float *least = grid.least + tile
    cdef uint32_t of_rows = UINT32_MAX, of_columns = UINT32_MAX
    cdef Py_ssize_t asked = 0, area = rows.size * columns.size
    cdef float highest
    cdef bint packed
    if sweep.is_refresh:
        of_rows = sweep.block_component[rows.number]
        of_columns = sweep.block_component[columns.number]
        if of_rows == of_columns and of_rows != UINT32_MAX:
            return
    _lock_both(sweep, rows, columns)
    if sweep.is_refresh:
        _read_limits(sweep, rows)
        _read_limits(sweep, columns)
    highest = max(
        highest_threshold(sweep.lists, rows.first, rows.size),
        highest_threshold(sweep.lists, columns.first, columns.size),
    )
    if highest >= least[0] and sweep.is_refresh:
        asked = _find_asking(sweep, rows, least[0], of_columns, scratch.asking) * columns.size
        if rows != columns:
            asked += _find_asking(sweep, columns, least[0], of_rows, scratch.asking) * rows.size
    elif highest >= least[0]:
        asked = 2 * area  # whole tiles, whose smallest entries are recorded
    # Empty lists would make hits of all entries, and a point is none of its own.
    packed = (
        grid.multiplies_packed and rows != columns and highest < INFINITY and 4 * asked >= area
    )
    if packed:
        read_edge(grid, sweep.lists, rows, tile % grid.n_right, grid.n_right, &scratch.of_rows)
        read_edge(
            grid, sweep.lists, columns, tile // grid.n_right, grid.n_left, &scratch.of_columns
        )
    _unlock_both(sweep, rows, columns)
    if asked == 0:
        return
    if packed or (asked >= area and not (sweep.is_refresh and rows == columns)):
        _compute_tile(sweep, rows, columns, packed, least, scratch)
        return
    _serve(sweep, rows, columns, least[0], scratch)
    if rows != columns:
        _serve(sweep, columns, rows, least[0], scratch)


cdef inline Py_ssize_t _nearest(
    const Nodes *nodes, Py_ssize_t i, const Block *block, double *least,
) noexcept nogil:
    """The node of a block that is nearest to i and may be joined with it; i if there is none."""
    cdef Py_ssize_t j, nearest = i
    cdef double value
    least[0] = INFINITY
    for j in range(block.first, block.first + block.size):
        value = distance(nodes, i, j)
        if value < least[0] and is_open(nodes, i, j):
            least[0] = value
            nearest = j
    return nearest


cdef inline double _short_edge(
    const Nodes *nodes, const Block *rows, const Block *columns,
) noexcept nogil:
    """The squared length of a short edge between two blocks, each of one component."""
    cdef double least
    # Alternating nearest neighbours, from the centre of a block: no step can be longer.
    cdef Py_ssize_t i = _nearest(nodes, columns.first, rows, &least)
    if least == INFINITY:
        return least
    i = _nearest(nodes, i, columns, &least)
    _nearest(nodes, i, rows, &least)
    return least


cdef inline Py_ssize_t find_wanted(
    const Grid *grid, const Lists *lists, const Py_ssize_t *tiles, Py_ssize_t n_tiles,
    float *highest, Py_ssize_t *wanted,
) noexcept nogil:
    """Those of the tiles that may have something for a list, possibly in place; how many.

    `highest` has room for a number of each block.
    """
    cdef Py_ssize_t t, b, n_wanted = 0
    cdef float level
    for b in range(grid.n_blocks):
        highest[b] = highest_threshold(lists, grid.blocks[b].first, grid.blocks[b].size)
    for t in range(n_tiles):
        level = max(
            highest[row_block(grid, tiles[t]).number],
            highest[column_block(grid, tiles[t]).number],
        )
        if level > -INFINITY and level >= grid.least[tiles[t]]:
            wanted[n_wanted] = tiles[t]
            n_wanted += 1
    return n_wanted


cdef inline void lower_all_limits(
    const Grid *grid, Lists *lists, const uint32_t *block_component, const Py_ssize_t *tiles,
    Py_ssize_t n_tiles, uint8_t *has_edge, double *limit,
) noexcept nogil:
    """Keep nodes from asking for more than a short edge of their component.

    A component that knows no edge to another would ask all its nodes for lists of them. But
    it takes one edge, and one that is nearly the shortest keeps all from asking for more:
    it is looked for in the first tile that joins two components, promising tiles first.
    `has_edge` has room for a byte of each node.
    """
    cdef Nodes *nodes = grid.nodes
    cdef Py_ssize_t t, i
    cdef const Block *rows
    cdef const Block *columns
    cdef uint32_t left, right
    cdef double length
    memset(has_edge, 0, nodes.n)
    for t in range(n_tiles):
        rows, columns = row_block(grid, tiles[t]), column_block(grid, tiles[t])
        left, right = block_component[rows.number], block_component[columns.number]
        if (
            left == right or left == UINT32_MAX or right == UINT32_MAX
            or (has_edge[left] and has_edge[right])
        ):
            continue
        length = _short_edge(nodes, rows, columns)
        has_edge[left] = has_edge[right] = 1
        limit[left] = min(limit[left], length)
        limit[right] = min(limit[right], length)
    for i in range(nodes.n):
        if lists.threshold[i] > -INFINITY:
            set_limit(nodes, lists, i, limit[nodes.component[i]])

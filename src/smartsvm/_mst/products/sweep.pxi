# Passes over tiles that fill the lists of the nodes of both blocks.
#
# A first sweep computes every tile that the bounds between its blocks do not exclude, and
# records its smallest entry. A refresh visits only tiles whose recorded entry is within the
# threshold of a querying node, and gathers the querying rows when they are few.
#
# Threads take tiles from one queue. The lists of a block are read and written under the block's
# lock (rows before columns).
#
# Cost: n^2/2 entries of a matrix product, one vector comparison each.
from cpython.pythread cimport (
    NOWAIT_LOCK, PyThread_acquire_lock, PyThread_release_lock, WAIT_LOCK,
)
from libc.math cimport INFINITY
from libc.stdint cimport UINT32_MAX, uint32_t

cdef extern from "common/shared.h" nogil:
    Py_ssize_t shared_take(Py_ssize_t *next, Py_ssize_t chunk)
    double shared_read(const double *x)
    bint shared_lower(double *x, double value)

cdef enum:
    # Times that a lock is tried before a thread sleeps.
    SPINS = 1 << 11


cdef struct Sweep:
    Grid *grid
    Lists *lists
    Component *components       # NULL in a first sweep, which knows none
    const Py_ssize_t *tiles     # numbers, row by row of the grid, in the order of the visits
    Py_ssize_t n_tiles
    Py_ssize_t next             # n_tiles or more once all are taken, or the sweep is cancelled


cdef inline void _lock(const Block *block) noexcept nogil:
    """Spin before sleeping: locks are held for microseconds, and waking takes tens of them."""
    cdef Py_ssize_t _t
    if block.lock == NULL:
        return
    for _t in range(SPINS):
        if PyThread_acquire_lock(block.lock, NOWAIT_LOCK):
            return
    PyThread_acquire_lock(block.lock, WAIT_LOCK)


cdef inline void _lock_both(const Block *rows, const Block *columns) noexcept nogil:
    _lock(rows)
    if columns != rows:
        _lock(columns)


cdef inline void _unlock_both(const Block *rows, const Block *columns) noexcept nogil:
    if rows.lock != NULL:
        PyThread_release_lock(rows.lock)
        if columns != rows:
            PyThread_release_lock(columns.lock)


cdef inline void _limit_by_short_edge(
    Sweep *sweep, const Block *rows, const Block *columns,
) noexcept nogil:
    """Limit components without an edge to one that is nearly their shortest."""
    cdef Nodes *nodes = sweep.grid.nodes
    cdef Component *left = sweep.components + rows.component
    cdef Component *right = sweep.components + columns.component
    cdef const Block *others = columns
    cdef Py_ssize_t _t, i, j, nearest = rows.first
    cdef double value, least
    if shared_read(&left.limit) < INFINITY and shared_read(&right.limit) < INFINITY:
        return
    # Alternating nearest neighbours: no step is longer than the one before.
    for _t in range(3):
        i, least = nearest, INFINITY
        for j in range(others.first, others.first + others.size):
            value = edge_length(nodes, i, j, distance(nodes, i, j))
            if value < least and not is_used(nodes, i, j):
                least, nearest = value, j
        if least == INFINITY:
            return
        shared_lower(&left.limit, least)
        shared_lower(&right.limit, least)
        others = rows if others == columns else columns


cdef inline void _read_limits(Sweep *sweep, const Block *block) noexcept nogil:
    """Limit the search of nodes to the shortest edge so far of their component."""
    cdef Nodes *nodes = sweep.grid.nodes
    cdef Py_ssize_t i
    for i in range(block.first, block.first + block.size):
        if sweep.lists.threshold[i] > -INFINITY:
            set_limit(
                nodes, sweep.lists, i, shared_read(&sweep.components[nodes.component[i]].limit)
            )


cdef inline void _lower_limits(Sweep *sweep, const Block *block) noexcept nogil:
    """Lower the limits of components to the shortest edges of their nodes."""
    cdef Py_ssize_t i
    cdef Component *component
    for i in range(block.first, block.first + block.size):
        if sweep.lists.threshold[i] > -INFINITY and sweep.lists.length[i] > 0:
            component = sweep.components + sweep.grid.nodes.component[i]
            shared_lower(&component.limit, sweep.lists.distance[i * sweep.lists.k])


cdef inline Py_ssize_t _find_querying(
    Sweep *sweep, const Block *block, float least, uint32_t other, uint32_t *querying,
) noexcept nogil:
    """Find nodes whose lists a tile of entries >= least with component `other` may change."""
    cdef Py_ssize_t i, n = 0
    for i in range(block.first, block.first + block.size):
        if sweep.lists.threshold[i] >= least and sweep.grid.nodes.component[i] != other:
            querying[n] = <uint32_t> i
            n += 1
    return n


cdef inline void _scan_for(
    Sweep *sweep, const Block *block, const Block *others, float least, Scratch *scratch,
) noexcept nogil:
    """Compare the querying nodes of one block with all nodes of another."""
    cdef Py_ssize_t n_rows
    _lock_both(block, block)
    n_rows = _find_querying(sweep, block, least, others.component, scratch.querying)
    _unlock_both(block, block)
    if n_rows == 0:
        return
    fill_tile(sweep.grid, block, scratch.querying, n_rows, others, scratch)
    _lock_both(block, block)
    scan_tile(
        sweep.grid, sweep.lists, block, scratch.querying, n_rows, others, False, False, scratch
    )
    _lower_limits(sweep, block)
    _unlock_both(block, block)


cdef inline void _compute_tile(
    Sweep *sweep, const Block *rows, const Block *columns, bint packed, float *least,
    Scratch *scratch,
) noexcept nogil:
    """Compute a tile, and insert its edges for both blocks; `least` becomes its smallest entry."""
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
    _lock_both(rows, columns)
    if packed:
        insert_hits(grid, sweep.lists, rows, columns, scratch.hits, n_hits)
        least[0] = max(least[0], found)
    else:
        # On the diagonal each row meets every column, so that rows are enough.
        least[0] = scan_tile(
            grid, sweep.lists, rows, NULL, rows.size, columns, rows != columns,
            sweep.components == NULL, scratch,
        )
    if sweep.components != NULL:
        _lower_limits(sweep, rows)
        _lower_limits(sweep, columns)
    _unlock_both(rows, columns)


cdef inline void visit_tile(Sweep *sweep, Py_ssize_t tile, Scratch *scratch) noexcept nogil:
    cdef Grid *grid = sweep.grid
    cdef const Block *rows = row_block(grid, tile)
    cdef const Block *columns = column_block(grid, tile)
    cdef float *least = grid.least + tile
    cdef Py_ssize_t n_queried = 0, area = rows.size * columns.size
    cdef float highest
    cdef bint packed, is_refresh = sweep.components != NULL
    if rows.component == columns.component and rows.component != UINT32_MAX:
        return
    if is_refresh and rows.component != UINT32_MAX and columns.component != UINT32_MAX:
        _limit_by_short_edge(sweep, rows, columns)
    _lock_both(rows, columns)
    if is_refresh:
        _read_limits(sweep, rows)
        _read_limits(sweep, columns)
    highest = max(
        highest_threshold(sweep.lists, rows.first, rows.size),
        highest_threshold(sweep.lists, columns.first, columns.size),
    )
    if highest >= least[0] and is_refresh:
        n_queried = columns.size * _find_querying(
            sweep, rows, least[0], columns.component, scratch.querying
        )
        if rows != columns:
            n_queried += rows.size * _find_querying(
                sweep, columns, least[0], rows.component, scratch.querying
            )
    elif highest >= least[0]:
        n_queried = 2 * area  # whole tiles, whose smallest entries are recorded
    # Empty lists would make hits of all entries, and a point is none of its own.
    packed = (
        grid.multiplies_packed and rows != columns and highest < INFINITY and 4 * n_queried >= area
    )
    if packed:
        read_edge(grid, sweep.lists, rows, &scratch.of_rows)
        read_edge(grid, sweep.lists, columns, &scratch.of_columns)
    _unlock_both(rows, columns)
    if n_queried == 0:
        return
    if packed or (n_queried >= area and not (is_refresh and rows == columns)):
        _compute_tile(sweep, rows, columns, packed, least, scratch)
        return
    _scan_for(sweep, rows, columns, least[0], scratch)
    if rows != columns:
        _scan_for(sweep, columns, rows, least[0], scratch)


cdef inline void find_components(const Grid *grid) noexcept nogil:
    """Store the component of every block that lies in a single one."""
    cdef Py_ssize_t b, i
    cdef Block *block
    for b in range(grid.n_blocks):
        block = grid.blocks + b
        block.component = grid.nodes.component[block.first]
        for i in range(block.first, block.first + block.size):
            if grid.nodes.component[i] != block.component:
                block.component = UINT32_MAX


cdef inline Py_ssize_t find_wanted(
    const Grid *grid, const Lists *lists, const Py_ssize_t *tiles, Py_ssize_t n_tiles,
    Py_ssize_t *wanted,
) noexcept nogil:
    """Select the tiles that may change a list, possibly in place; return how many."""
    cdef Py_ssize_t t, b, n_wanted = 0
    cdef float level
    for b in range(grid.n_blocks):
        grid.blocks[b].highest = highest_threshold(
            lists, grid.blocks[b].first, grid.blocks[b].size
        )
    for t in range(n_tiles):
        level = max(row_block(grid, tiles[t]).highest, column_block(grid, tiles[t]).highest)
        if level > -INFINITY and level >= grid.least[tiles[t]]:
            wanted[n_wanted] = tiles[t]
            n_wanted += 1
    return n_wanted

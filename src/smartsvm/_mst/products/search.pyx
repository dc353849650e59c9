"""One search of the blocked kernel: all that it works on, and its passes over the data.

A `Search` owns the memory of its lists, tiles, components and locks, and its threads hold it:
a thread that ends late can never meet memory that was freed. It is laid out once, by
`__init__`; blocked.pyx then calls its phases, and those of list_boruvka.pxd.
"""
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.pythread cimport PyThread_allocate_lock, PyThread_free_lock, PyThread_type_lock
from libc.math cimport INFINITY, ldexp
from libc.stdint cimport UINT32_MAX, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

import numpy as np

from smartsvm._mst.common.equal_points cimport Sites
from smartsvm._mst.common.used_edges cimport index_used
from smartsvm._mst.products.block_bounds import (
    ball_distances, block_centres, panel_reaches, projected_distances, squared_bounds,
)
from smartsvm._mst.products.edge_lists cimport (
    Lists, Nodes, clear_list, distance, highest_threshold, is_open, set_limit,
)
from smartsvm._mst.products.index cimport Index, rounding_slack
from smartsvm._mst.products.list_boruvka cimport Forest, Known
from smartsvm._mst.products.set_edges cimport SetEdges
from smartsvm._mst.products.sweep cimport Sweep, lock, queue_lock, unlock, visit_tile
from smartsvm._mst.products.tiles cimport (
    BLOCK, PANEL, Block, Grid, Scratch, column_block, free_scratch, new_scratch, prepare_blas,
    row_block,
)
from smartsvm._threads cimport check_interrupt
from smartsvm._threads import run_chunks

cdef enum:
    # Vector loops read whole groups, beyond the last node.
    PADDING = 16
    # Entries of a list: for one tree, and for each further one.
    FIRST_TREE = 8
    LATER_TREE = 4
    # Of the lists between two sets, where known edges do most of the work.
    FIRST_CROSS = 4
    LATER_CROSS = 3
    MOST_ENTRIES = 64
    # Reaches of panels that are worth their memory.
    MOST_REACHES = 1 << 22
    # Inner-product terms below which threads cost more than they bring.
    WORK_WORTH_A_THREAD = 1 << 24
    # Features up to which a tile is so little work that page faults show.
    MOST_PREPARED = 128
    TILES_BETWEEN_SIGNAL_CHECKS = 16

# What is divided by a factor nearer to zero would leave the range of float32.
cdef float LEAST_FACTOR = 2.0 ** -20


cdef class Search:
    """All that one call works on."""

    def __init__(
        self, Index left, Index right, Sites sites, uint64_t seed, Py_ssize_t n_trees, n_threads,
        Py_ssize_t n_neighbors=0,
    ):
        cdef bint symmetric = right is None
        cdef Py_ssize_t first = FIRST_TREE if symmetric else FIRST_CROSS
        cdef Py_ssize_t later = LATER_TREE if symmetric else LATER_CROSS
        cdef Py_ssize_t k
        self.left, self.right = left, left if symmetric else right
        self.n = left.n if symmetric else left.n + right.n
        self.n_threads, self.of_sites, self.kept = n_threads, sites is not None, []
        # A point that has an edge left gets one in every forest: after n - 1 there are none.
        self.n_trees = n_trees if self.of_sites else min(n_trees, self.n - 1)
        self.longest = np.full(self.n, np.inf)
        self._lay_out_nodes(seed, sites)
        self._lay_out_grid(symmetric)
        if n_neighbors > 0:
            # No tree will follow: the first lists are all that is wanted.
            self._lay_out_lists(&self.base, n_neighbors)
            return
        k = min(first + (n_trees - 1) * later, MOST_ENTRIES, self.n)
        self._lay_out_lists(&self.base, k)
        self._lay_out_lists(&self.fresh, k)
        self._lay_out_forest()

    def __dealloc__(self):
        cdef Py_ssize_t e
        for e in range(self.n_memory):
            free(self.memory[e])
        for e in range(self.n_locks):
            PyThread_free_lock(self.locks[e])
        free(self.locks)

    cdef void *_zeros(self, Py_ssize_t size, size_t item) except NULL:
        """Zeroed memory that lives as long as this object."""
        cdef void *memory = calloc(max(size, 1), item)
        if memory == NULL:
            raise MemoryError
        self.memory[self.n_memory] = memory
        self.n_memory += 1
        return memory

    cdef size_t _keep(self, array) except 0:
        """The address of a contiguous array, which is kept alive."""
        cdef Py_buffer view
        # Twenty arrays for each pair of classes: `array.ctypes` would take 40 microseconds.
        PyObject_GetBuffer(array, &view, PyBUF_SIMPLE)
        PyBuffer_Release(&view)
        self.kept.append(array)
        return <size_t> view.buf

    cdef _lay_out_nodes(self, uint64_t seed, Sites sites):
        cdef Nodes *nodes = &self.nodes
        cdef Py_ssize_t n = self.n, most_used = 2 * (n - 1) * max(0, self.n_trees - 1)
        nodes.n, nodes.n_left, nodes.d, nodes.seed = n, self.left.n, self.left.d, seed
        nodes.left = <const double *> self._keep(self.left.points)
        nodes.right = <const double *> self._keep(self.right.points)
        ids = self.left.ids if n == self.left.n else np.concatenate([self.left.ids, self.right.ids])
        nodes.members = NULL
        if self.of_sites:
            ids = sites.ids
            nodes.members = <const Py_ssize_t *> self._keep(sites.start)
        nodes.ids = <const uint32_t *> self._keep(ids)
        nodes.component = <uint32_t *> self._zeros(n + PADDING, sizeof(uint32_t))
        nodes.used_start = <Py_ssize_t *> self._zeros(n + 1, sizeof(Py_ssize_t))
        nodes.used = <uint32_t *> self._zeros(most_used, sizeof(uint32_t))

    cdef _lay_out_lists(self, Lists *lists, Py_ssize_t k):
        cdef Py_ssize_t n = self.n
        lists.k = k
        lists.distance = <double *> self._zeros(n * k, sizeof(double))
        lists.key = <uint64_t *> self._zeros(n * k, sizeof(uint64_t)) if self.of_sites else NULL
        lists.partner = <uint32_t *> self._zeros(n * k, sizeof(uint32_t))
        lists.length = <uint32_t *> self._zeros(n, sizeof(uint32_t))
        lists.limit = <double *> self._zeros(n, sizeof(double))
        lists.threshold = <float *> self._zeros(n + PADDING, sizeof(float))

    cdef _lay_out_forest(self):
        cdef Forest *forest = &self.forest
        cdef Py_ssize_t n = self.n
        self.limit = <double *> self._zeros(n, sizeof(double))
        forest.nodes, forest.base, forest.fresh = &self.nodes, &self.base, &self.fresh
        forest.refreshed = <uint8_t *> self._zeros(n, sizeof(uint8_t))
        forest.cursor = <uint32_t *> self._zeros(n, sizeof(uint32_t))
        forest.parent = <uint32_t *> self._zeros(n, sizeof(uint32_t))
        forest.best = <double *> self._zeros(n, sizeof(double))
        forest.best_key = <uint64_t *> self._zeros(n, sizeof(uint64_t))
        forest.best_from = <uint32_t *> self._zeros(n, sizeof(uint32_t))
        forest.best_to = <uint32_t *> self._zeros(n, sizeof(uint32_t))
        forest.bound = <double *> self._zeros(n, sizeof(double))
        forest.bound_key = <uint64_t *> self._zeros(n, sizeof(uint64_t))
        forest.asking = <Py_ssize_t *> self._zeros(n, sizeof(Py_ssize_t))
        forest.known_cursor = NULL

    cdef _lay_out_grid(self, bint symmetric):
        cdef Index left = self.left, right = self.right
        cdef Grid *grid = &self.grid
        cdef int exponent = left.exponent
        apart = left.centre - right.centre
        if left.basis is not None:
            apart = apart @ left.basis
        if not symmetric:
            # Everything within about a unit: both sets and the vector between their centres.
            exponent = 1 + max(
                left.exponent, right.exponent, int(np.frexp(np.linalg.norm(apart))[1])
            )
        self.nodes.unit = ldexp(1.0, -2 * exponent)
        grid.nodes, grid.d, grid.symmetric = &self.nodes, left.width, symmetric
        grid.n_left, grid.n_right = len(left.start) - 1, len(right.start) - 1
        grid.n_blocks = grid.n_left if symmetric else grid.n_left + grid.n_right
        grid.product = <float> ldexp(-2.0, left.exponent + right.exponent - 2 * exponent)
        grid.multiplies_packed = left.packed is not None and grid.product <= -LEAST_FACTOR
        grid.blocks = <Block *> self._zeros(grid.n_blocks, sizeof(Block))
        self.block_component = <uint32_t *> self._zeros(grid.n_blocks, sizeof(uint32_t))
        grid.largest = self._lay_out_blocks(left, 0, 0)
        if not symmetric:
            grid.largest = max(
                grid.largest, self._lay_out_blocks(right, grid.n_left, left.n)
            )
        self._lower_constants(symmetric, apart, exponent)
        self._bound_tiles(apart, exponent)

    cdef Py_ssize_t _lay_out_blocks(
        self, Index index, Py_ssize_t number, Py_ssize_t first,
    ) except -1:
        """The blocks of a set, whose first node is `first`; the size of the largest."""
        cdef const Py_ssize_t[::1] start = index.start, panel_start = index.panel_start
        cdef const float *single = NULL
        cdef const float *packed = NULL
        cdef Py_ssize_t b, largest = 0
        cdef Block *block
        if index.packed is None:
            single = <const float *> self._keep(index.single)
        else:
            packed = <const float *> self._keep(index.packed)
        for b in range(start.shape[0] - 1):
            block = self.grid.blocks + number + b
            block.number, block.first, block.size = (
                number + b, first + start[b], start[b + 1] - start[b]
            )
            if packed == NULL:
                block.single = single + start[b] * index.width
            else:
                block.packed = packed + panel_start[b] * PANEL * index.width
            largest = max(largest, block.size)
        return largest

    cdef _lower_constants(self, bint symmetric, apart, int exponent):
        """Each node's part of a lower bound on its squared distances; see tiles.pxd."""
        cdef Py_ssize_t i, n = self.n, n_left = self.left.n
        cdef double slack = rounding_slack(self.grid.d, symmetric)
        cdef double left_scale = ldexp(1.0, self.left.exponent - exponent)
        cdef double right_scale = ldexp(1.0, self.right.exponent - exponent)
        cdef const double[::1] left_norms = self.left.norms, right_norms = self.right.norms
        cdef const double[::1] left_along, right_along
        cdef double between, norm
        cdef float *constant = <float *> self._zeros(n + PADDING, sizeof(float))
        self.grid.constant = constant
        if symmetric:
            for i in range(n):
                constant[i] = <float> (left_norms[i] * (1 - slack))
            return
        apart = np.ldexp(apart, -exponent)
        between = apart @ apart
        left_along, right_along = self.left.products(apart), self.right.products(apart)
        with nogil:
            for i in range(n_left):
                norm = left_norms[i] * left_scale * left_scale
                constant[i] = <float> (
                    norm + 2 * left_along[i] * left_scale + between - slack * (norm + between)
                )
            for i in range(n - n_left):
                norm = right_norms[i] * right_scale * right_scale
                constant[n_left + i] = <float> (
                    norm * (1 - slack) - 2 * right_along[i] * right_scale
                )

    cdef _bound_tiles(self, apart, int exponent):
        """Lower bounds of tiles from the distances of their blocks, and the order of tiles."""
        cdef Grid *grid = &self.grid
        cdef Index left = self.left, right = self.right
        cdef const Py_ssize_t[::1] left_panel = left.panel_start, right_panel = right.panel_start
        cdef const float *of_left
        cdef const float *of_right
        cdef Py_ssize_t b, n_reaches
        centres = block_centres(left, right, apart, exponent)
        bounds, between = ball_distances(left, right, centres, exponent)
        n_reaches = len(left.panel) * grid.n_right + len(right.panel) * grid.n_left
        if not grid.symmetric and grid.multiplies_packed and n_reaches <= MOST_REACHES:
            projected, reaches_left, reaches_right = panel_reaches(
                left, right, centres, exponent, between
            )
            bounds = np.maximum(bounds, projected)
            of_left = <const float *> self._keep(reaches_left)
            of_right = <const float *> self._keep(reaches_right)
            for b in range(grid.n_left):
                grid.blocks[b].reach = of_left + left_panel[b] * grid.n_right
            for b in range(grid.n_right):
                grid.blocks[grid.n_left + b].reach = of_right + right_panel[b] * grid.n_left
        elif left.clustered or not grid.symmetric:
            projected = projected_distances(
                left, right, centres, exponent, between, self.n_threads
            )
            bounds = np.maximum(bounds, projected)
        if grid.symmetric:
            # The diagonal first, and each pair of blocks once.
            np.fill_diagonal(between, -1)
            between[np.tril_indices(len(between), -1)] = np.inf
        self.least = squared_bounds(bounds)
        grid.least = <float *> self._keep(self.least)
        n_tiles = grid.n_left * (grid.n_left + 1) // 2 if grid.symmetric else between.size
        self.tiles = np.argsort(between, axis=None, kind="stable")[:n_tiles]

    cdef know(self, SetEdges left, SetEdges right):
        """Edges of the forests of each set, which need no search."""
        self.longest = np.concatenate([left.longest, right.longest])
        self.forest.known_cursor = <uint32_t *> self._zeros(self.n, sizeof(uint32_t))
        self._know(&self.forest.known[0], left, 0)
        self._know(&self.forest.known[1], right, self.left.n)

    cdef _know(self, Known *known, SetEdges edges, Py_ssize_t first):
        known.first = first
        known.start = <const uint32_t *> self._keep(edges.start)
        known.number = <const uint32_t *> self._keep(edges.number)
        known.ends = <const uint32_t *> self._keep(edges.ends)
        known.distance = <const double *> self._keep(edges.distances)

    # Passes over the tiles.

    cdef _allocate_locks(self):
        cdef PyThread_type_lock lock
        if self.locks != NULL:
            return
        self.locks = <PyThread_type_lock *> calloc(
            self.grid.n_blocks + 2, sizeof(PyThread_type_lock)
        )
        if self.locks == NULL:
            raise MemoryError
        while self.n_locks < self.grid.n_blocks + 2:
            lock = PyThread_allocate_lock()
            if lock == NULL:
                raise MemoryError
            self.locks[self.n_locks] = lock
            self.n_locks += 1

    cdef int _visit_tiles(self, bint alone) except -1 nogil:
        """Tiles from the queue, until it is empty."""
        cdef Sweep *sweep = &self.sweep
        cdef Scratch *scratch = new_scratch(&self.grid)
        cdef Py_ssize_t t
        if scratch == NULL:
            with gil:
                raise MemoryError
        if self.grid.d <= MOST_PREPARED:
            prepare_blas(self.grid.d)
        try:
            while True:
                lock(sweep, queue_lock(sweep))
                t = sweep.next
                sweep.next += t < sweep.n_tiles
                unlock(sweep, queue_lock(sweep))
                if t >= sweep.n_tiles:
                    return 0
                visit_tile(sweep, sweep.tiles[t], scratch)
                if alone and (t + 1) % TILES_BETWEEN_SIGNAL_CHECKS == 0:
                    with gil:
                        check_interrupt()
        finally:
            free_scratch(scratch)

    def take_part(self, Py_ssize_t lo, Py_ssize_t hi):
        """The share of one thread."""
        with nogil:
            self._visit_tiles(False)

    def cancel(self):
        """Make running threads return soon."""
        lock(&self.sweep, queue_lock(&self.sweep))
        self.sweep.next = self.sweep.n_tiles
        unlock(&self.sweep, queue_lock(&self.sweep))

    cdef _sweep(self, Lists *lists, const Py_ssize_t[::1] tiles, bint is_refresh):
        """Visit these tiles, in this order."""
        cdef Sweep *sweep = &self.sweep
        cdef Py_ssize_t n_threads = min(self.n_threads, tiles.shape[0])
        if tiles.shape[0] == 0:
            return
        if tiles.shape[0] * BLOCK * BLOCK * self.grid.d < WORK_WORTH_A_THREAD:
            n_threads = 1
        sweep.grid, sweep.lists, sweep.is_refresh = &self.grid, lists, is_refresh
        sweep.limit, sweep.block_component = self.limit, self.block_component
        sweep.tiles, sweep.n_tiles, sweep.next = &tiles[0], tiles.shape[0], 0
        sweep.locks = NULL
        if n_threads == 1:
            with nogil:
                self._visit_tiles(True)
            return
        self._allocate_locks()
        sweep.locks = self.locks
        run_chunks(self.take_part, n_threads, 1, n_threads, self.cancel)

    cdef _find_wanted(self, const Lists *lists, const Py_ssize_t[::1] tiles):
        """Those of the tiles that may have something for a list."""
        cdef Grid *grid = &self.grid
        cdef Py_ssize_t t, b, n_wanted = 0
        cdef float[::1] highest = np.empty(grid.n_blocks, dtype=np.float32)
        cdef Py_ssize_t[::1] wanted = np.empty(tiles.shape[0], dtype=np.intp)
        cdef float level
        with nogil:
            for b in range(grid.n_blocks):
                highest[b] = highest_threshold(lists, grid.blocks[b].first, grid.blocks[b].size)
            for t in range(tiles.shape[0]):
                level = max(
                    highest[row_block(grid, tiles[t]).number],
                    highest[column_block(grid, tiles[t]).number],
                )
                if level > -INFINITY and level >= grid.least[tiles[t]]:
                    wanted[n_wanted] = tiles[t]
                    n_wanted += 1
        return np.asarray(wanted)[:n_wanted]

    cdef fill_lists(self):
        """The smallest edges of every node, of whatever components."""
        cdef Py_ssize_t i
        cdef const double[::1] longest = self.longest
        with nogil:
            for i in range(self.n):
                self.nodes.component[i] = <uint32_t> i
                clear_list(&self.nodes, &self.base, i, longest[i])
        tiles = self.tiles
        if self.grid.symmetric:
            # After the diagonal every list is full, and most tiles are of no use to it.
            self._sweep(&self.base, tiles[:self.grid.n_left], False)
            tiles = tiles[self.grid.n_left:]
        self._sweep(&self.base, self._find_wanted(&self.base, tiles), False)

    cdef refresh_lists(self):
        """Lists anew for the nodes that `ask` has emptied."""
        cdef Py_ssize_t b, i
        cdef const Block *block
        cdef uint32_t *component = self.block_component
        with nogil:
            for b in range(self.grid.n_blocks):
                block = self.grid.blocks + b
                component[b] = self.nodes.component[block.first]
                for i in range(block.first, block.first + block.size):
                    if self.nodes.component[i] != component[b]:
                        component[b] = UINT32_MAX
        tiles = self._find_wanted(&self.fresh, self.tiles)
        # Promising tiles first: what they find excludes others.
        tiles = tiles[np.argsort(self.least.ravel()[tiles], kind="stable")]
        self._lower_limits(tiles)
        self._sweep(&self.fresh, self._find_wanted(&self.fresh, tiles), True)

    cdef _lower_limits(self, const Py_ssize_t[::1] tiles):
        """Keep nodes from asking for more than a short edge of their component.

        A component that knows no edge to another would ask all its nodes for lists of them. But
        it takes one edge, and one that is nearly the shortest keeps all from asking for more:
        it is looked for in the first tile that joins two components, promising tiles first.
        """
        cdef Py_ssize_t t, i
        cdef const Block *rows
        cdef const Block *columns
        cdef uint32_t left, right
        cdef double length
        cdef uint8_t[::1] has_edge = np.zeros(self.n, dtype=np.uint8)
        with nogil:
            for t in range(tiles.shape[0]):
                rows, columns = row_block(&self.grid, tiles[t]), column_block(&self.grid, tiles[t])
                left = self.block_component[rows.number]
                right = self.block_component[columns.number]
                if (
                    left == right or left == UINT32_MAX or right == UINT32_MAX
                    or (has_edge[left] and has_edge[right])
                ):
                    continue
                length = _short_edge(&self.nodes, rows, columns)
                has_edge[left] = has_edge[right] = 1
                self.limit[left] = min(self.limit[left], length)
                self.limit[right] = min(self.limit[right], length)
            for i in range(self.n):
                if self.fresh.threshold[i] > -INFINITY:
                    set_limit(&self.nodes, &self.fresh, i, self.limit[self.nodes.component[i]])

    cdef exclude(self, const uint32_t[:, ::1] edges):
        """Keep these edges, of all trees so far, from the next one."""
        index_used(
            &edges[0, 0], edges.shape[0], self.n, self.nodes.used_start, self.nodes.used
        )
        if self.of_sites:
            # Two sites have other edges of the same length, which no list knows.
            self.fill_lists()

    cdef neighbor_rows(self):
        """The lists as rows of the points, nearest first; all of them must be full."""
        cdef Py_ssize_t k = self.base.k, i, e
        cdef const Py_ssize_t[::1] order = self.left.order
        cdef uint32_t[:, ::1] rows = np.empty((self.n, k), dtype=np.uint32)
        for i in range(self.n):
            for e in range(k):
                rows[order[i], e] = <uint32_t> order[self.base.partner[i * k + e]]
        return np.asarray(rows)


cdef Py_ssize_t _nearest(
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


cdef double _short_edge(
    const Nodes *nodes, const Block *rows, const Block *columns,
) noexcept nogil:
    """The squared length of a short edge between two blocks, each of one component."""
    cdef double least
    # From the middle of one block to and fro: each step can only be shorter.
    cdef Py_ssize_t i = _nearest(nodes, columns.first, rows, &least)
    if least == INFINITY:
        return least
    i = _nearest(nodes, i, columns, &least)
    _nearest(nodes, i, rows, &least)
    return least

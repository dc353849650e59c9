"""One search of the blocked kernel: lists from a sweep, Borůvka's rounds, refreshes.

What blocked.pyx describes, for one set or between two. Everything that the sweeps
and the rounds work on is laid out here, and lives as long as the search.
"""
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.math cimport INFINITY, ldexp
from libc.stdint cimport UINT32_MAX, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

import numpy as np

from smartsvm._mst.products.index cimport Index, shrink
from smartsvm._mst.products.block_bounds import ball_gaps, centres_of, shadow_gaps, squared_gaps
from smartsvm._mst.products.guesses cimport guess_between
from smartsvm._mst.products.list_boruvka cimport Boruvka, Known, ask, merge_round, start_tree
from smartsvm._mst.products.edge_lists cimport (
    Lists, Nodes, clear_list, highest_threshold, renew, set_limit
)
from smartsvm._mst.products.projected_bounds import panel_shadows
from smartsvm._mst.common.equal_points cimport Sites
from smartsvm._mst.common.used_edges cimport index_used
from smartsvm._mst.products.sweep cimport run_sweep
from smartsvm._mst.products.tiles cimport Grid
from smartsvm._mst.products.set_edges cimport Within

cdef enum:
    # Vector loops read whole groups, beyond the last node.
    PADDING = 16
    # Room of the lists: for one tree, and for each further one.
    FIRST_TREE = 8
    LATER_TREE = 4
    # Of the lists between two sets, where known edges do most of the work.
    FIRST_CROSS = 4
    LATER_CROSS = 3
    MOST = 64
    MOST_REACHES = 1 << 22

cdef float LEAST_FACTOR = 2.0 ** -20


cdef class Search:
    """All that one call works on."""

    def __init__(
        self, Index left, Index right, Sites sites, uint64_t seed, Py_ssize_t n_trees, n_threads,
        Py_ssize_t n_neighbors=0,
    ):
        cdef bint symmetric = right is None
        cdef Py_ssize_t n = left.n if symmetric else left.n + right.n
        cdef Py_ssize_t k = (
            FIRST_TREE + (n_trees - 1) * LATER_TREE if symmetric
            else FIRST_CROSS + (n_trees - 1) * LATER_CROSS
        )
        self.left, self.right = left, left if symmetric else right
        self.n_threads = n_threads
        self.kept = []
        # A point that has an edge left gets one in every forest: after n - 1 there are none.
        self.n_trees = n_trees if sites is not None else min(n_trees, n - 1)
        self.limit = np.full(n, np.inf)
        self._set_nodes(n, seed, sites)
        self._set_grid(symmetric)
        if n_neighbors > 0:
            # No tree will follow: the first lists are all that is wanted, without keys.
            self._set_lists(&self.base, n_neighbors, False)
        else:
            # Only between sites does it take long to make keys anew.
            self._set_lists(&self.base, min(k, MOST, n), sites is not None)
            self._set_lists(&self.fresh, min(k, MOST, n), sites is not None)
            self._set_state()

    def __dealloc__(self):
        cdef Py_ssize_t e
        for e in range(self.n_memory):
            free(self.memory[e])

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

    cdef _set_nodes(self, Py_ssize_t n, uint64_t seed, Sites sites):
        cdef Nodes *nodes = &self.nodes
        cdef Py_ssize_t most_used = 2 * (n - 1) * max(0, self.n_trees - 1)
        nodes.n, nodes.n_left, nodes.d = n, self.left.n, self.left.d
        nodes.left = <const double *> self._keep(self.left.points)
        nodes.right = <const double *> self._keep(self.right.points)
        ids = self.left.ids if n == self.left.n else np.concatenate([self.left.ids, self.right.ids])
        nodes.members = NULL
        if sites is not None:
            ids = sites.ids
            nodes.members = <const Py_ssize_t *> self._keep(sites.start)
        nodes.ids = <const uint32_t *> self._keep(ids)
        nodes.seed = seed
        nodes.component = <uint32_t *> self._zeros(n + PADDING, sizeof(uint32_t))
        nodes.used_start = <Py_ssize_t *> self._zeros(n + 1, sizeof(Py_ssize_t))
        nodes.used = <uint32_t *> self._zeros(most_used, sizeof(uint32_t))

    cdef _set_lists(self, Lists *lists, Py_ssize_t k, bint with_keys):
        cdef Py_ssize_t n = self.nodes.n
        lists.k = k
        lists.distance = <double *> self._zeros(n * k, sizeof(double))
        lists.key = <uint64_t *> self._zeros(n * k, sizeof(uint64_t)) if with_keys else NULL
        lists.partner = <uint32_t *> self._zeros(n * k, sizeof(uint32_t))
        lists.length = <uint32_t *> self._zeros(n, sizeof(uint32_t))
        lists.room = <uint32_t *> self._zeros(n, sizeof(uint32_t))
        lists.limit = <double *> self._zeros(n, sizeof(double))
        lists.threshold = <float *> self._zeros(n + PADDING, sizeof(float))

    cdef _set_grid(self, bint symmetric):
        cdef Index left = self.left, right = self.right
        cdef Grid *grid = &self.grid
        cdef double[::1] apart
        cdef int exponent = left.exponent
        between = left.centre - right.centre
        apart = between if left.basis is None else between @ left.basis
        grid.nodes, grid.d = &self.nodes, left.width
        grid.symmetric = symmetric
        grid.n_left, grid.n_right = len(left.start) - 1, len(right.start) - 1
        self.n_blocks = grid.n_left if symmetric else grid.n_left + grid.n_right
        grid.largest = max(np.diff(left.start).max(), np.diff(right.start).max())
        grid.left_start = <const Py_ssize_t *> self._keep(left.start)
        grid.right_start = <const Py_ssize_t *> self._keep(
            right.start if symmetric else right.start + left.n
        )
        if not symmetric:
            # Everything within about a unit: both sets and the way between their centres.
            exponent = 1 + max(
                left.exponent, right.exponent, int(np.frexp(np.linalg.norm(apart))[1])
            )
        self.nodes.unit = ldexp(1.0, -2 * exponent)
        grid.product = <float> ldexp(-2.0, left.exponent + right.exponent - 2 * exponent)
        grid.left = grid.right = grid.left_packed = grid.right_packed = NULL
        # What is divided by a factor near zero would leave the range.
        grid.multiplies_packed = left.packed is not None and grid.product <= -LEAST_FACTOR
        if left.packed is None:
            grid.left = <const float *> self._keep(left.single)
            grid.right = <const float *> self._keep(right.single)
        else:
            grid.left_packed = <const float *> self._keep(left.packed)
            grid.right_packed = <const float *> self._keep(right.packed)
            grid.left_panel = <const Py_ssize_t *> self._keep(left.panel_start)
            grid.right_panel = <const Py_ssize_t *> self._keep(right.panel_start)
        self._set_constants(symmetric, np.asarray(apart), exponent)
        self._set_tiles(np.asarray(apart), exponent)

    cdef _set_constants(self, bint symmetric, apart, int exponent):
        """Each node's part of a lower bound on its squared distances; see tiles.pyx."""
        cdef Py_ssize_t i, n = self.nodes.n, n_left = self.left.n
        cdef double share = shrink(self.grid.d)
        cdef double left_scale = ldexp(1.0, self.left.exponent - exponent)
        cdef double right_scale = ldexp(1.0, self.right.exponent - exponent)
        cdef const double[::1] left_norms = self.left.norms, right_norms = self.right.norms
        cdef const double[::1] left_along, right_along
        cdef double between, norm
        cdef float *constant = <float *> self._zeros(n + PADDING, sizeof(float))
        self.grid.constant = constant
        if symmetric:
            for i in range(n):
                constant[i] = <float> (left_norms[i] * (1 - share))
            return
        way = np.ldexp(apart, -exponent)
        between = way @ way
        left_along, right_along = self.left.products(way), self.right.products(way)
        with nogil:
            for i in range(n_left):
                norm = left_norms[i] * left_scale * left_scale
                constant[i] = <float> (
                    norm + 2 * left_along[i] * left_scale + between - share * (norm + between)
                )
            for i in range(n - n_left):
                norm = right_norms[i] * right_scale * right_scale
                constant[n_left + i] = <float> (
                    norm * (1 - share) - 2 * right_along[i] * right_scale
                )

    cdef _set_tiles(self, apart, int exponent):
        """Lower bounds of tiles from the gaps between their blocks, and the order of tiles."""
        centres = centres_of(self.left, self.right, apart, exponent)
        gap, between = ball_gaps(self.left, self.right, centres, exponent)
        self.grid.left_reach = self.grid.right_reach = NULL
        if self._has_panels():
            seen, of_left, of_right = panel_shadows(
                self.left, self.right, centres, exponent, between
            )
            self.grid.left_reach = <const float *> self._keep(of_left)
            self.grid.right_reach = <const float *> self._keep(of_right)
            gap = np.maximum(gap, seen)
        elif self.left.clustered or not self.grid.symmetric:
            seen = shadow_gaps(
                self.left, self.right, centres, exponent, between, self.n_threads
            )
            gap = np.maximum(gap, seen)
        if self.grid.symmetric:
            # The diagonal first.
            np.fill_diagonal(between, -1)
            between[np.tril_indices(len(between), -1)] = np.inf
        self.least = squared_gaps(gap)
        self.grid.least = <float *> self._keep(self.least)
        n_tiles = between.size if not self.grid.symmetric else (
            self.grid.n_left * (self.grid.n_left + 1) // 2
        )
        self.tasks = np.argsort(between, axis=None, kind="stable")[:n_tiles]

    cdef bint _has_panels(self):
        """Whether panels, not only blocks, are to be kept apart: their reaches take memory."""
        cdef Py_ssize_t n_reaches = (
            len(self.left.panel) * self.grid.n_right + len(self.right.panel) * self.grid.n_left
        )
        return (
            not self.grid.symmetric and self.grid.multiplies_packed
            and n_reaches <= MOST_REACHES
        )

    cdef _set_state(self):
        cdef Boruvka *state = &self.state
        cdef Py_ssize_t n = self.nodes.n
        state.nodes, state.base, state.fresh = &self.nodes, &self.base, &self.fresh
        state.refreshed = <uint8_t *> self._zeros(n, sizeof(uint8_t))
        state.cursor = <uint32_t *> self._zeros(n, sizeof(uint32_t))
        state.parent = <uint32_t *> self._zeros(n, sizeof(uint32_t))
        state.best = <double *> self._zeros(n, sizeof(double))
        state.best_key = <uint64_t *> self._zeros(n, sizeof(uint64_t))
        state.best_from = <uint32_t *> self._zeros(n, sizeof(uint32_t))
        state.best_to = <uint32_t *> self._zeros(n, sizeof(uint32_t))
        state.bound = <double *> self._zeros(n, sizeof(double))
        state.bound_key = <uint64_t *> self._zeros(n, sizeof(uint64_t))
        state.asking = <Py_ssize_t *> self._zeros(n, sizeof(Py_ssize_t))
        state.known_cursor = NULL

    cdef know(self, Within left, Within right):
        """Edges of the forests of each set, which need no search."""
        cdef Boruvka *state = &self.state
        self.limit = np.concatenate([left.reach, right.reach])
        state.known_cursor = <uint32_t *> self._zeros(self.nodes.n, sizeof(uint32_t))
        self._know(&state.known[0], left, 0)
        self._know(&state.known[1], right, self.left.n)

    cdef _know(self, Known *known, Within within, Py_ssize_t first):
        known.first = first
        known.start = <const uint32_t *> self._keep(within.start)
        known.number = <const uint32_t *> self._keep(within.number)
        known.ends = <const uint32_t *> self._keep(within.ends)
        known.distance = <const double *> self._keep(within.distances)

    cdef first_sweep(self):
        cdef Py_ssize_t i
        cdef const double[::1] limit = self.limit
        with nogil:
            for i in range(self.nodes.n):
                self.nodes.component[i] = <uint32_t> i
                clear_list(&self.nodes, &self.base, i, limit[i])
        tasks = self.tasks
        if self.grid.symmetric:
            # After the diagonal every list is full, and most tiles are of no use to it.
            n_first = self.grid.n_left
            run_sweep(&self.grid, &self.base, tasks[:n_first], NULL, NULL, self.n_threads)
            tasks = tasks[n_first:]
        tasks = self._wanted(&self.base, tasks)
        run_sweep(&self.grid, &self.base, tasks, NULL, NULL, self.n_threads)

    cdef void _release(self, void *memory) noexcept:
        """Give memory back before this object goes."""
        cdef Py_ssize_t e
        for e in range(self.n_memory):
            if self.memory[e] == memory:
                self.memory[e] = NULL
        free(memory)

    cdef neighbor_rows(self):
        """The lists as rows of the points, nearest first; their lengths are forgotten."""
        cdef Py_ssize_t n = self.nodes.n, k = self.base.k, i, e
        cdef const Py_ssize_t[::1] order = self.left.order
        cdef uint32_t[:, ::1] rows
        self._release(self.base.distance)
        rows = np.empty((n, k), dtype=np.uint32)
        for i in range(n):
            for e in range(k):
                rows[order[i], e] = <uint32_t> order[self.base.partner[i * k + e]]
        return np.asarray(rows)

    cdef const Py_ssize_t *_block(self, Py_ssize_t b) noexcept nogil:
        """Where the nodes of a block start, and where they end."""
        cdef Grid *grid = &self.grid
        return grid.left_start + b if b < grid.n_left else grid.right_start + b - grid.n_left

    cdef Py_ssize_t _right_block(self, Py_ssize_t task) noexcept nogil:
        """The block of a tile's columns, counted on from those of its rows if sets are two."""
        cdef Py_ssize_t first = 0 if self.grid.symmetric else self.grid.n_left
        return first + task % self.grid.n_right

    cdef _wanted(self, const Lists *lists, const Py_ssize_t[::1] tasks):
        """Those of the tiles that may have something for a list."""
        cdef Py_ssize_t t, b, n_wanted = 0
        cdef float[::1] highest = np.empty(self.n_blocks, dtype=np.float32)
        cdef Py_ssize_t[::1] wanted = np.empty(tasks.shape[0], dtype=np.intp)
        cdef float level
        with nogil:
            for b in range(self.n_blocks):
                highest[b] = highest_threshold(lists, self._block(b)[0], self._block(b)[1])
            for t in range(tasks.shape[0]):
                level = max(
                    highest[tasks[t] // self.grid.n_right], highest[self._right_block(tasks[t])]
                )
                if level > -INFINITY and level >= self.grid.least[tasks[t]]:
                    wanted[n_wanted] = tasks[t]
                    n_wanted += 1
        return np.asarray(wanted)[:n_wanted]

    cdef _guess_limits(self, const Py_ssize_t[::1] tasks, uint32_t *of_block, double *limit):
        """Keep nodes from asking for more than a short edge of their component.

        `of_block` has the components of blocks that have one, `tasks` promising tiles first.
        """
        cdef Py_ssize_t t, i, b, other
        cdef uint32_t left, right
        cdef double guess
        cdef uint8_t[::1] guessed = np.zeros(self.nodes.n, dtype=np.uint8)
        with nogil:
            for t in range(tasks.shape[0]):
                b, other = tasks[t] // self.grid.n_right, self._right_block(tasks[t])
                left, right = of_block[b], of_block[other]
                if left == right or left == UINT32_MAX or right == UINT32_MAX:
                    continue
                if guessed[left] and guessed[right]:
                    continue
                guess = guess_between(&self.nodes, self._block(b), self._block(other))
                guessed[left] = guessed[right] = 1
                limit[left] = min(limit[left], guess)
                limit[right] = min(limit[right], guess)
            for i in range(self.nodes.n):
                if self.fresh.threshold[i] > -INFINITY:
                    set_limit(&self.nodes, &self.fresh, i, limit[self.nodes.component[i]])

    cdef _refresh(self, double *limit):
        """Lists anew for the nodes that `ask` has emptied."""
        cdef Py_ssize_t b, i
        cdef const Py_ssize_t *block
        cdef uint32_t[::1] of_block = np.empty(self.n_blocks, dtype=np.uint32)
        with nogil:
            for b in range(self.n_blocks):
                block = self._block(b)
                of_block[b] = self.nodes.component[block[0]]
                for i in range(block[0], block[1]):
                    if self.nodes.component[i] != of_block[b]:
                        of_block[b] = UINT32_MAX
        tasks = self._wanted(&self.fresh, self.tasks)
        # Promising tiles first: what they find excludes others.
        tasks = tasks[np.argsort(self.least.ravel()[tasks], kind="stable")]
        self._guess_limits(tasks, &of_block[0], limit)
        tasks = self._wanted(&self.fresh, tasks)
        run_sweep(&self.grid, &self.fresh, tasks, limit, &of_block[0], self.n_threads)

    cdef _renew(self, const uint32_t[:, ::1] edges):
        """List what follows these edges, just used, between the same nodes."""
        cdef Py_ssize_t e
        with nogil:
            for e in range(edges.shape[0]):
                renew(&self.nodes, &self.base, edges[e, 0], edges[e, 1])
                renew(&self.nodes, &self.base, edges[e, 1], edges[e, 0])

    cdef grow(self, Py_ssize_t n_trees):
        """Edges as pairs of nodes, their squared distances and keys, and the trees' sizes."""
        cdef Py_ssize_t n = self.nodes.n, tree, taken, total = 0, first, open_components = 0
        cdef Py_ssize_t[::1] sizes = np.zeros(n_trees, dtype=np.intp)
        cdef Py_ssize_t room = self.n_trees * (n - 1) + 1
        cdef uint32_t[:, ::1] edges = np.empty((room, 2), dtype=np.uint32)
        cdef double[::1] distances = np.empty(room)
        cdef uint64_t[::1] keys = np.empty(room, dtype=np.uint64)
        cdef double *limit = <double *> self._zeros(n, sizeof(double))
        self.first_sweep()
        for tree in range(self.n_trees):
            first = total
            with nogil:
                start_tree(&self.state)
            while True:
                with nogil:
                    taken = merge_round(
                        &self.state, &edges[total, 0], &distances[total], &keys[total],
                        &open_components,
                    )
                total += taken
                if total - first == n - 1 or open_components < 2:
                    break
                if taken == 0:
                    with nogil:
                        taken = ask(&self.state, limit)
                    if taken == 0:
                        break
                    self._refresh(limit)
            sizes[tree] = total - first
            if total == first:
                break
            if tree + 1 < self.n_trees:
                index_used(
                    &edges[0, 0], total, n, self.nodes.used_start, self.nodes.used
                )
                if self.nodes.members != NULL:
                    self._renew(edges[first:total])
        return (
            np.asarray(edges)[:total], np.asarray(distances)[:total], np.asarray(keys)[:total],
            np.asarray(sizes),
        )

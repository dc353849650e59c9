"""One search of the kernel of products: all that it works on, and its passes over the data.

A `Search` owns the memory of its lists, tiles, components and locks, and its threads hold it:
a thread that ends late can never meet memory that was freed. It is laid out once, by
`__init__` (layout.pxi); products.pyx then asks for the forests or the neighbours. What the phases
do is in the included files: the lists of edges, Kruskal's algorithm over them, tiles, and the
sweeps over tiles that fill the lists.
"""
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.pycapsule cimport PyCapsule_Destructor, PyCapsule_GetPointer, PyCapsule_New
from cpython.pythread cimport PyThread_allocate_lock, PyThread_free_lock
from libc.math cimport INFINITY, frexp, ldexp
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

import numpy as np

from smartsvm._mst.common.equal_points cimport Sites
from smartsvm._mst.common.edge_order cimport tie_ranks
from smartsvm._mst.common.edge_sort cimport PackedEdge, edges_sort, plain_edge
from smartsvm._mst.common.used_edges cimport index_used
from smartsvm._mst.edges.canonical cimport _EdgeSort, sort_edges
from smartsvm._mst.products.block_bounds import ball_distances, projected_distances
from smartsvm._mst.products.index cimport Index, rounding_slack
from smartsvm._mst.products.tile_loops cimport BLOCK
from smartsvm._core.threads cimport check_interrupt
from smartsvm._core.threads import run_chunks

cdef extern from "products/cut_blocks.h" nogil:
    double product(const float *x, const double *y, Py_ssize_t d)

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
    # Features of which a sum in float32 is known well enough.
    MOST_FEATURES = 1 << 20
    # Inner-product terms below which threads cost more than they gain.
    WORK_WORTH_A_THREAD = 1 << 24
    # Entries of tiles between two looks for Ctrl-C.
    ENTRIES_BETWEEN_SIGNAL_CHECKS = 1 << 20

# Quotients by a factor nearer to zero would leave the range of float32.
cdef float LEAST_FACTOR = 2.0 ** -20


include "edge_lists.pxi"
include "list_kruskal.pxi"
include "tiles.pxi"
include "sweep.pxi"


cdef class Search:
    """The memory and the phases of one call."""

    # What the phases work on. All of it points to memory that this object keeps.
    cdef Nodes nodes
    cdef Lists base, fresh
    cdef Grid grid
    cdef Forest forest
    cdef Sweep sweep
    # Of each set, if there are two: node -> squared distance beyond which it needs no edge.
    cdef const double *limit[2]
    cdef Py_ssize_t *tiles      # all of them, near blocks first
    cdef Py_ssize_t *wanted     # those that may change a list
    cdef Py_ssize_t n_tiles
    cdef PackedEdge *sorting    # room to sort tiles
    cdef readonly Py_ssize_t n, n_trees
    # For mutual reachability: the neighbour whose distance is a node's core, 0 for plain distances,
    # and the cores once they are known.
    cdef Py_ssize_t n_core
    cdef double *core
    cdef Py_ssize_t n_threads
    cdef Index left, right
    cdef list kept

    def __init__(
        self, Index left, Index right, Sites sites, uint64_t seed, Py_ssize_t n_trees, n_threads,
        Py_ssize_t n_neighbors=0, tuple known=(), Py_ssize_t n_core=0,
    ):
        cdef bint symmetric = right is None
        cdef Py_ssize_t first = FIRST_TREE if symmetric else FIRST_CROSS
        cdef Py_ssize_t later = LATER_TREE if symmetric else LATER_CROSS
        cdef Py_ssize_t k
        self.left, self.right = left, left if symmetric else right
        self.n = left.n if symmetric else left.n + right.n
        self.n_threads, self.kept = n_threads, []
        # A point that has an edge left gets one in every forest: after n - 1 there are none.
        self.n_trees = n_trees if sites is not None else min(n_trees, self.n - 1)
        _lay_out_nodes(self, seed, sites)
        _lay_out_grid(self, symmetric)
        if n_neighbors > 0:
            # Neighbours are the first lists; no tree follows.
            _lay_out_lists(self, &self.base, n_neighbors)
            return
        k = min(first + (n_trees - 1) * later, MOST_ENTRIES, self.n)
        self.n_core = n_core
        # Two more than its core needs, so that an edge of that length is certain.
        _lay_out_lists(self, &self.base, k if n_core == 0 else min(max(k, n_core + 2), self.n))
        _lay_out_lists(self, &self.fresh, k)
        if n_core > 0:
            _lay_out_cores(self)
        _lay_out_forest(self, known)

    def grow(self, Py_ssize_t n_trees):
        """Edges as pairs of nodes, their lengths, keys if nodes are sites, and trees' sizes.

        None if sites are to have cores and are not apart.
        """
        cdef Py_ssize_t n = self.n, tree, total = 0, first
        cdef Py_ssize_t room = self.n_trees * (n - 1) + 1
        cdef Py_ssize_t[::1] sizes = np.zeros(n_trees, dtype=np.intp)
        cdef uint32_t[:, ::1] edges = np.empty((room, 2), dtype=np.uint32)
        cdef double[::1] distances = np.empty(room)
        cdef uint64_t[::1] keys = np.empty(room, dtype=np.uint64)
        self.fill_lists()
        if self.n_core > 0 and not self.find_cores():
            return None
        self.rank_edges()
        for tree in range(self.n_trees):
            if tree > 0:
                self.exclude(edges[:total])
            first = total
            start_tree(&self.forest)
            while True:
                with nogil:
                    total += take_certain(
                        &self.forest, &edges[total, 0], &distances[total],
                        &keys[total] if self.nodes.members else NULL,
                    )
                if total - first == n - 1 or empty_uncertain(&self.forest) == 0:
                    break
                self.refresh_lists()
            sizes[tree] = total - first
            if total == first:
                break
        return (
            np.asarray(edges)[:total], np.asarray(distances)[:total], np.asarray(keys)[:total],
            np.asarray(sizes),
        )

    cdef void *_own(self, void *made, PyCapsule_Destructor end) except NULL:
        """Return what was made, to be freed with this object; raise if it is NULL."""
        if made == NULL:
            raise MemoryError
        self.kept.append(PyCapsule_New(made, NULL, end))
        return made

    cdef void *_zeros(self, Py_ssize_t size, size_t item) except NULL:
        """Zeroed memory."""
        return self._own(calloc(max(size, 1), item), _free)

    cdef size_t _keep(self, array) except 0:
        """The address of a contiguous array, which is kept alive."""
        cdef Py_buffer view
        # Twenty arrays for each pair of classes: `array.ctypes` would take 40 microseconds.
        PyObject_GetBuffer(array, &view, PyBUF_SIMPLE)
        PyBuffer_Release(&view)
        self.kept.append(array)
        return <size_t> view.buf

    cdef int _visit_tiles(self) except -1 nogil:
        """Tiles from the queue, until it is empty."""
        cdef Sweep *sweep = &self.sweep
        cdef Scratch *scratch = new_scratch(&self.grid)
        cdef Py_ssize_t t, n_entries = 0
        if scratch == NULL:
            with gil:
                raise MemoryError
        try:
            while True:
                t = shared_take(&sweep.next, 1)
                if t >= sweep.n_tiles:
                    return 0
                visit_tile(sweep, sweep.tiles[t], scratch)
                n_entries += self.grid.largest * self.grid.largest
                if n_entries >= ENTRIES_BETWEEN_SIGNAL_CHECKS:
                    n_entries = 0
                    with gil:
                        check_interrupt()
        finally:
            free_scratch(scratch)

    cdef void _near_first(
        self, Py_ssize_t *tiles, Py_ssize_t n, const float *numbers
    ) noexcept nogil:
        """Sort tiles by their numbers; all below -1 count as -1."""
        cdef Py_ssize_t t
        for t in range(n):
            self.sorting[t] = plain_edge(max(1 + <double> numbers[tiles[t]], 0), 0, 0)
            self.sorting[t].ends = tiles[t]
        edges_sort(self.sorting, self.sorting + n, n)
        for t in range(n):
            tiles[t] = self.sorting[t].ends

    cpdef run_thread(self, Py_ssize_t lo, Py_ssize_t hi):
        """The share of one thread."""
        with nogil:
            self._visit_tiles()

    def cancel(self):
        """Make running threads return soon."""
        shared_take(&self.sweep.next, self.sweep.n_tiles)

    cpdef fill_lists(self):
        """The smallest edges of every node, of whatever components."""
        cdef Py_ssize_t i, n_wanted, n_diagonal = self.grid.n_left if self.grid.symmetric else 0
        cdef double limit = INFINITY
        # Lists are filled in the order of distances, whatever lengths are.
        self.base.ends_early, self.nodes.core = False, NULL
        for i in range(self.n):
            self.nodes.component[i] = <uint32_t> i
            if self.limit[0] != NULL:
                limit = self.limit[0][i] if i < self.left.n else self.limit[1][i - self.left.n]
            clear_list(&self.nodes, &self.base, i, limit)
        find_components(&self.grid)
        # After the diagonal every list is full, and most tiles are of no use to it.
        _sweep(self, &self.base, NULL, self.tiles, n_diagonal)
        n_wanted = find_wanted(
            &self.grid, &self.base, self.tiles + n_diagonal, self.n_tiles - n_diagonal,
            self.wanted,
        )
        _sweep(self, &self.base, NULL, self.wanted, n_wanted)

    cdef bint find_cores(self) noexcept:
        """Find the cores from the first lists; whether no two sites are at the distance 0."""
        cdef Py_ssize_t i, e, n_seen
        for i in range(self.n):
            n_seen, e = n_members(&self.nodes, i) - 1, i * self.base.k
            if n_seen > 0 and self.base.length[i] > 0 and self.base.distance[e] == 0:
                return False
            while n_seen < self.n_core:
                n_seen += n_members(&self.nodes, self.base.partner[e])
                e += 1
            self.core[i] = 0 if e == i * self.base.k else self.base.distance[e - 1]
        return True

    cdef void _weigh_lists(self) noexcept nogil:
        """Turn the squared distances of full lists into lengths of mutual reachability."""
        cdef Lists *lists = &self.base
        cdef Py_ssize_t i, e
        self.nodes.core, lists.ends_early = self.core, True
        for i in range(self.n):
            lists.ends[i] = lists.limit[i] = INFINITY
            if lists.length[i] == lists.k or lists.length[i] > MOST_ENTRIES:
                # What is not listed is at least as far as the last one, and beyond the core.
                lists.length[i] = min(lists.length[i], <uint32_t> MOST_ENTRIES)
                lists.ends[i] = lists.distance[i * lists.k + lists.length[i] - 1]
                lists.limit[i] = max(lists.ends[i], self.core[i])
            for e in range(i * lists.k, i * lists.k + lists.length[i]):
                lists.distance[e] = edge_length(
                    &self.nodes, i, lists.partner[e], lists.distance[e]
                )

    def cores(self):
        """The core of every node."""
        return np.asarray(<double[:self.n]> self.core).copy()

    cdef rank_edges(self):
        """All edges that are known or listed, in rising order, for every tree."""
        cdef Forest *forest = &self.forest
        cdef _EdgeSort sort
        if self.n_core > 0:
            with nogil:
                self._weigh_lists()
        forest.n_ranked = copy_listed(
            &self.nodes, &self.base, forest.ranked, copy_known(forest)
        )
        # For one tree, ranked edges are open from the start.
        sort = sort_edges(forest.ranked, forest.spare, forest.n_ranked, self, self.n_threads)
        if forest.open == forest.ranked:
            forest.open = sort.edges
        forest.ranked, forest.spare = sort.edges, sort.spare
        with nogil:
            rank_ties(&self.nodes, forest.ranked, forest.spare, forest.n_ranked)

    cdef refresh_lists(self):
        """Fill the lists again that `empty_uncertain` has emptied."""
        cdef Grid *grid = &self.grid
        cdef Component *components = self.forest.components
        cdef Py_ssize_t n_wanted
        with nogil:
            find_components(grid)
            n_wanted = find_wanted(grid, &self.fresh, self.tiles, self.n_tiles, self.wanted)
            # Promising tiles first: what they find excludes others.
            self._near_first(self.wanted, n_wanted, grid.least)
        _sweep(self, &self.fresh, components, self.wanted, n_wanted)
        open_fresh(&self.forest)

    cdef exclude(self, const uint32_t[:, ::1] edges):
        """Keep these edges, those of all trees so far, out of the next tree."""
        index_used(
            &edges[0, 0], edges.shape[0], self.n, self.nodes.used_start, self.nodes.used
        )
        if self.nodes.members != NULL:
            # Two sites have other edges of the same length, which no list knows.
            self.fill_lists()
            self.rank_edges()

    def neighbor_rows(self):
        """The lists as rows of the points, nearest first; all of them must be full."""
        order = self.left.order.astype(np.uint32)
        rows = np.empty((self.n, self.base.k), dtype=np.uint32)
        rows[order] = order[<uint32_t[:self.n, :self.base.k]> self.base.partner]
        return rows

    def neighbor_distances(self):
        """The squared distances of `neighbor_rows`."""
        squared = np.empty((self.n, self.base.k))
        squared[self.left.order] = <double[:self.n, :self.base.k]> self.base.distance
        return squared


cdef void _free(capsule) noexcept:
    free(PyCapsule_GetPointer(capsule, NULL))


cdef void _free_lock(capsule) noexcept:
    PyThread_free_lock(PyCapsule_GetPointer(capsule, NULL))


cdef _sweep(
    Search search, Lists *lists, Component *components, const Py_ssize_t *tiles,
    Py_ssize_t n_tiles,
):
    """Visit these tiles, in this order."""
    cdef Sweep *sweep = &search.sweep
    cdef Py_ssize_t n_threads = min(search.n_threads, n_tiles)
    if n_tiles == 0:
        return
    if n_tiles * BLOCK * BLOCK * search.grid.d < WORK_WORTH_A_THREAD:
        n_threads = 1
    sweep.grid, sweep.lists, sweep.components = &search.grid, lists, components
    sweep.tiles, sweep.n_tiles, sweep.next = tiles, n_tiles, 0
    if n_threads > 1:
        run_chunks(search.run_thread, n_threads, 1, n_threads, search.cancel)
    else:
        search.run_thread(0, 1)


include "layout.pxi"

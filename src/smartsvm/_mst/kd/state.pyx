"""All memory of one run of Borůvka's algorithm, in one object, and the threads that work on it.

Phases (components.pyx, certain_edges.pyx, boruvka.pyx) are functions over it. Those that run in
threads see its `graph` only, whose pointers lead into arrays of this object, and during a phase
the team of threads holds it: a thread can never meet memory that was freed.
"""
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc

import numpy as np

from smartsvm._mst.common.equal_points cimport sort_by_rank
from smartsvm._mst.common.edge_order cimport tie_ranks
from smartsvm._mst.common.used_edges cimport index_used
from smartsvm._mst.kd.graph cimport Chunk, Graph, component_of
from smartsvm._mst.kd.kd_index cimport KDIndex
from smartsvm._core.thread_pool cimport Team
from smartsvm._core.threads cimport check_interrupt
from smartsvm._core.threads import run_chunks

cdef extern from "common/shared.h" nogil:
    Py_ssize_t shared_take(Py_ssize_t *next, Py_ssize_t chunk)

cdef extern from "kd/leaf_pairs.h":
    enum: KD_ROOM

cdef enum:
    EDGES_IN_A_CHUNK = 1 << 16


cdef class State:
    """The state of one problem: the forests of one set of points, or of the union of two."""

    def __init__(
        self, KDIndex first not None, KDIndex second, uint64_t seed, Py_ssize_t n_trees,
        int n_threads,
    ):
        self.first, self.second = first, second
        self.n_threads = n_threads
        self.lay_out(seed, n_trees)

    def __dealloc__(self):
        self.free_chunks()

    cdef free_chunks(self):
        cdef Py_ssize_t p
        for p in range(self.n_chunks):
            free(self.graph.chunks[p].edges)
        free(self.graph.chunks)
        self.graph.chunks = NULL
        self.n_chunks = 0

    cdef lay_out(self, uint64_t seed, Py_ssize_t n_trees):
        """Arrays large enough for any tree: each point a vertex and a component."""
        cdef Graph *graph = &self.graph
        cdef Py_ssize_t n, most
        indices = [self.first] if self.second is None else [self.first, self.second]
        self.collapsed = all(index.collapsed for index in indices)
        self.largest_site = max(index.largest_site for index in indices)
        self.n_points = n = sum(index.n_points for index in indices)
        graph.n_sets = len(indices)
        graph.sets[0].tree = self.first.tree
        self.row = self.first.row
        self.rank = np.empty(n, dtype=np.uint32)
        tie_ranks(&self.first.identity[0], self.first.n_points, seed, &self.rank[0])
        graph.rank = &self.rank[0]
        self.n_nodes = self.first.tree.n_nodes
        if self.second is not None:
            graph.sets[1].tree = self.second.tree
            graph.sets[1].first_vertex = <uint32_t> self.first.tree.n_sites
            shifted = np.uint32(self.first.n_points) + np.asarray(self.second.row)
            self.row = np.concatenate([self.first.row, shifted])
            tie_ranks(
                &self.second.identity[0], self.second.n_points, seed,
                &self.rank[self.first.n_points],
            )
            self.n_nodes += self.second.tree.n_nodes
        self.node_component = np.empty(self.n_nodes + 1, dtype=np.uint32)
        graph.sets[0].node_component = &self.node_component[0]
        graph.sets[1].node_component = &self.node_component[self.first.tree.n_nodes]
        self.by_vertex = np.empty((2, n), dtype=np.uint32)
        graph.component, graph.to = &self.by_vertex[0, 0], &self.by_vertex[1, 0]
        self.lower = np.empty(n)
        graph.lower = &self.lower[0]
        self.parent = np.empty(n, dtype=np.uint32)
        graph.parent = &self.parent[0]
        # One spare edge, so that a single point has addresses to pass on as well.
        most = n_trees * (n - 1) + 1
        self.edges = np.empty((most, 2), dtype=np.uint32)
        self.lengths = np.empty(most)
        self.site_start = None
        if self.largest_site > 1:
            self.lay_out_sites()

    cdef lay_out_sites(self):
        """Where some points are equal: the points of each site in the order of their ranks."""
        cdef Graph *graph = &self.graph
        cdef Py_ssize_t n = self.n_points, s
        cdef uint64_t[::1] room = np.empty(self.largest_site, dtype=np.uint64)
        cdef uint32_t first
        starts = [_site_starts(self.first)]
        if self.second is not None:
            starts.append(self.first.n_points + _site_starts(self.second))
        self.site_start = np.concatenate([*starts, [n]]).astype(np.uint32)
        self.vertex_of_site = np.empty(len(self.site_start), dtype=np.uint32)
        graph.sets[0].vertex_of_site = &self.vertex_of_site[0]
        graph.sets[1].vertex_of_site = &self.vertex_of_site[self.first.tree.n_sites]
        self.by_point = np.empty((5, n + 1), dtype=np.uint32)
        graph.vertex_of_point, graph.vertex_start = &self.by_point[0, 0], &self.by_point[1, 0]
        graph.site_of_vertex, graph.from_ = &self.by_point[2, 0], &self.by_point[3, 0]
        self.point_parent = &self.by_point[4, 0]
        if self.second is None:
            self.row = self.row.copy()
        for s in range(self.site_start.shape[0] - 1):
            first = self.site_start[s]
            if self.site_start[s + 1] > first + 1:
                sort_by_rank(
                    &self.rank[first], &self.row[first], self.site_start[s + 1] - first, &room[0]
                )

    cdef lay_out_chunks(self, Py_ssize_t n_chunks):
        """What workers leave to be joined, by chunk; empty."""
        self.graph.chunks = <Chunk *> calloc(n_chunks, sizeof(Chunk))
        if self.graph.chunks == NULL:
            raise MemoryError
        self.n_chunks = n_chunks

    cdef lay_out_known(self, Py_ssize_t n_known):
        # One more, so that there is a first one.
        self.known = np.empty((n_known + 1, 2), dtype=np.uint64)
        self.unused = np.empty(n_known + 1, dtype=np.uint32)
        self.n_known = n_known

    cdef PackedEdge *known_edges(self) noexcept nogil:
        return <PackedEdge *> &self.known[0, 0]

    cdef lay_out_bests(self):
        """For each component there is, its best edge."""
        cdef Graph *graph = &self.graph
        cdef uint32_t v
        self.bests = self.bounds = None
        self.bests = np.zeros((3, self.n_components), dtype=np.uint32)
        self.bounds = np.empty((2, self.n_components))
        graph.best_vertex, graph.size = &self.bests[0, 0], &self.bests[1, 0]
        self.best_known = &self.bests[2, 0]
        for v in range(<uint32_t> self.n_vertices):
            graph.size[component_of(graph, v)] += 1
        graph.best_length, graph.least_bound = &self.bounds[0, 0], &self.bounds[1, 0]

    cdef run(self, Phase phase, Py_ssize_t size, Py_ssize_t chunk):
        """A phase on all chunks of range(size), in threads."""
        cdef Py_ssize_t n_workers = min(self.n_threads, (size + chunk - 1) // chunk)
        cdef bint done = False
        self.work = Work(phase, &self.graph, size, chunk, 0)
        if n_workers > 1:
            if self.team is None:
                self.team = Team(self.n_threads)
            self.team.open(_help, &self.work, n_workers - 1, self)
        try:
            with nogil:
                done = _take_chunks(&self.work, True)
        finally:
            shared_take(&self.work.next, size)  # nothing is begun after an error
            if n_workers > 1:
                done = self.team.close() and done
        if not done:
            raise MemoryError

    cdef dismiss(self):
        """End the threads."""
        team, self.team = self.team, None
        if team is not None:
            (<Team> team).dismiss()

    cdef void add_edge(self, uint32_t i, uint32_t j, double length) noexcept nogil:
        self.edges[self.n_edges, 0] = i
        self.edges[self.n_edges, 1] = j
        self.lengths[self.n_edges] = length
        self.n_edges += 1

    cdef use_edges(self):
        """No later tree may have the edges so far."""
        self.used_start = np.empty(self.n_points + 1, dtype=np.intp)
        self.used = np.empty(2 * self.n_edges + 1, dtype=np.uint32)
        index_used(
            &self.edges[0, 0], self.n_edges, self.n_points, &self.used_start[0], &self.used[0]
        )
        self.graph.used_start, self.graph.used = &self.used_start[0], &self.used[0]

    def find_rows(self, Py_ssize_t lo, Py_ssize_t hi):
        cdef Py_ssize_t e
        with nogil:
            for e in range(lo, hi):
                self.edges[e, 0] = self.row[self.edges[e, 0]]
                self.edges[e, 1] = self.row[self.edges[e, 1]]

    cdef rows_of_edges(self):
        """The edges as rows: those of the second set are counted on from the first."""
        run_chunks(self.find_rows, self.n_edges, EDGES_IN_A_CHUNK, self.n_threads)
        return np.asarray(self.edges)[:self.n_edges], np.asarray(self.lengths)[:self.n_edges]


cdef _site_starts(KDIndex index):
    if index.site_start is None:
        return np.arange(index.n_points)
    return np.asarray(index.site_start, dtype=np.int64)[:index.tree.n_sites]


cdef int _take_chunks(Work *work, bint looks_for_signals) except -1 nogil:
    """Chunks of a phase, until none is left; 0 if there is no memory."""
    # For the coordinates of a few points.
    cdef double *room = <double *> malloc(
        (work.graph.sets[0].tree.d + 1) * KD_ROOM * sizeof(double)
    )
    cdef bint done = room != NULL
    cdef Py_ssize_t lo
    try:
        while done:
            lo = shared_take(&work.next, work.chunk)
            if lo >= work.size:
                return 1
            done = work.phase(work.graph, lo, min(lo + work.chunk, work.size), room)
            if looks_for_signals:
                with gil:
                    check_interrupt()
        return 0
    finally:
        free(room)


cdef bint _help(void *work) noexcept nogil:
    return _take_chunks(<Work *> work, False)

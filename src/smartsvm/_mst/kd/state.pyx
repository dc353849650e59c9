"""All memory of one run of Borůvka's algorithm, in one object, and the threads that work on it.

Phases (start.pyx, boruvka.pyx) are functions over it. Those that run in threads see its `graph`
only, whose pointers lead into arrays of this object, and during a phase the team of threads holds
it: a thread can never meet memory that was freed.
"""
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc

import numpy as np

from smartsvm._mst.common.equal_points cimport sort_by_rank
from smartsvm._mst.common.edge_order cimport tie_ranks
from smartsvm._mst.common.used_edges cimport index_used
from smartsvm._mst.kd.kd_index cimport KDIndex
from smartsvm._team cimport Team
from smartsvm._threads cimport check_interrupt

cdef extern from "common/shared.h" nogil:
    Py_ssize_t shared_take(Py_ssize_t *next, Py_ssize_t chunk)

cdef extern from "kd/leaf_pairs.h":
    enum: KD_ROOM

cdef enum:
    # From here on memory counts more than the time that ties take.
    MANY_POINTS = 1 << 19
    EDGES_IN_A_CHUNK = 1 << 16


cdef class State:
    """The state of one problem: the forests of one set of points, or of the union of two."""

    def __init__(self, indices, uint64_t seed, Py_ssize_t n_trees, int n_threads):
        cdef Graph *graph = &self.graph
        cdef Py_ssize_t n = sum(index.n_points for index in indices)
        # One spare edge, so that a single point has addresses to pass on as well.
        cdef Py_ssize_t most = n_trees * (n - 1) + 1
        self.indices, self.n_threads, self.memory = indices, n_threads, {}
        self.n_points = n
        self.collapsed = all(index.collapsed for index in indices)
        self.largest_site = max(index.largest_site for index in indices)
        self.lay_out_sets(seed)
        # Room for any tree: each point a vertex and a component.
        graph.component, graph.to = self.words("component", n), self.words("to", n)
        graph.parent, graph.lower = self.words("parent", n), self.doubles("lower", n)
        graph.edges, graph.lengths = self.words("edges", 2 * most), self.doubles("lengths", most)
        self.site_start = None
        if self.largest_site > 1:
            self.lay_out_sites()
        graph.row = &self.row[0]

    def __dealloc__(self):
        self.free_chunks()

    cdef uint32_t *words(self, name, Py_ssize_t n) except NULL:
        """An array of this name, in the place of an earlier one."""
        array = np.empty(n, dtype=np.uint32)
        cdef uint32_t[::1] view = array
        self.memory[name] = array
        return &view[0]

    cdef double *doubles(self, name, Py_ssize_t n) except NULL:
        array = np.empty(n)
        cdef double[::1] view = array
        self.memory[name] = array
        return &view[0]

    cdef lay_out_sets(self, uint64_t seed):
        """The trees of the sets, and the rows and ranks of their points."""
        cdef Graph *graph = &self.graph
        cdef KDIndex index = self.indices[0]
        cdef Py_ssize_t s, n_before = 0
        cdef uint32_t *rank = NULL
        graph.n_sets = len(self.indices)
        graph.seed, graph.identity = seed, &index.identity[0]
        rows = []
        if graph.n_sets == 2 or self.largest_site > 1 or self.n_points < MANY_POINTS:
            graph.rank = rank = self.words("rank", self.n_points)
        for s in range(graph.n_sets):
            index = self.indices[s]
            if rank != NULL:
                tie_ranks(&index.identity[0], index.n_points, seed, rank + n_before)
            graph.sets[s].tree = index.tree
            graph.sets[s].first_vertex = <uint32_t> self.n_sites
            graph.sets[s].node_component = self.words(("node_component", s), index.tree.n_nodes)
            # Those of the second set are counted on from the first.
            rows.append(np.uint32(n_before) + np.asarray(index.row))
            n_before += index.n_points
            self.n_sites += index.tree.n_sites
            self.n_nodes += index.tree.n_nodes
        # Where points are equal, they are sorted: in a copy.
        shared = graph.n_sets == 1 and self.largest_site == 1
        self.row = index.row if shared else np.concatenate(rows)

    cdef lay_out_sites(self):
        """Where some points are equal: the points of each site in the order of their ranks."""
        cdef Graph *graph = &self.graph
        cdef Py_ssize_t n = self.n_points, s, first, size
        cdef uint64_t[::1] room = np.empty(self.largest_site, dtype=np.uint64)
        starts = [_site_starts(index) for index in self.indices]
        if graph.n_sets == 2:
            starts[1] += self.indices[0].n_points
        self.site_start = np.concatenate([*starts, [n]]).astype(np.uint32)
        graph.sets[0].vertex_of_site = self.words("vertex_of_site", self.n_sites + 1)
        graph.sets[1].vertex_of_site = (
            graph.sets[0].vertex_of_site + graph.sets[0].tree.n_sites
        )
        graph.vertex_of_point = self.words("vertex_of_point", n)
        graph.vertex_start = self.words("vertex_start", n + 1)
        graph.site_of_vertex, graph.from_ = self.words("site_of_vertex", n), self.words("from", n)
        self.point_parent = self.words("point_parent", n)
        for s in range(self.n_sites):
            first = self.site_start[s]
            size = self.site_start[s + 1] - first
            if size > 1:
                sort_by_rank(<uint32_t *> graph.rank + first, &self.row[first], size, &room[0])

    cdef lay_out_chunks(self, Py_ssize_t n_chunks):
        """What workers leave to be joined, by chunk; empty."""
        self.graph.chunks = <Chunk *> calloc(n_chunks, sizeof(Chunk))
        if self.graph.chunks == NULL:
            raise MemoryError
        self.n_chunks = n_chunks

    cdef free_chunks(self):
        cdef Py_ssize_t p
        for p in range(self.n_chunks):
            free(self.graph.chunks[p].edges)
        free(self.graph.chunks)
        self.graph.chunks = NULL
        self.n_chunks = 0

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
        cdef Graph *graph = &self.graph
        graph.edges[2 * graph.n_edges], graph.edges[2 * graph.n_edges + 1] = i, j
        graph.lengths[graph.n_edges] = length
        graph.n_edges += 1

    cdef rename_components(self):
        """Number the joined components from 0 on."""
        cdef uint32_t *parent = self.graph.parent
        cdef uint32_t c, n_components = 0
        # A parent is less than its child, so that it has its new number, in its own place, by then.
        for c in range(self.n_components):
            if parent[c] == c:
                parent[c] = n_components
                n_components += 1
            else:
                parent[c] = parent[parent[c]]
        self.n_components = n_components
        self.run(_rename_components, self.n_vertices, VERTICES_IN_A_CHUNK)
        for c in range(n_components):
            parent[c] = c

    cdef use_edges(self):
        """No later tree may have the edges so far."""
        cdef Graph *graph = &self.graph
        cdef Py_ssize_t[::1] start = np.empty(self.n_points + 1, dtype=np.intp)
        cdef uint32_t *used = self.words("used", 2 * graph.n_edges + 1)
        self.memory["used_start"] = start
        index_used(graph.edges, graph.n_edges, self.n_points, &start[0], used)
        graph.used_start, graph.used = &start[0], used

    cdef rows_of_edges(self):
        """The edges as rows, and their squared lengths."""
        cdef Py_ssize_t n = self.graph.n_edges
        self.run(_find_rows, n, EDGES_IN_A_CHUNK)
        return self.memory["edges"][:2 * n].reshape(n, 2), self.memory["lengths"][:n]


cdef _site_starts(KDIndex index):
    if index.site_start is None:
        return np.arange(index.n_points)
    return np.asarray(index.site_start, dtype=np.int64)[:index.tree.n_sites]


cdef bint _rename_components(
    const Graph *graph, Py_ssize_t lo, Py_ssize_t hi, double *_room
) noexcept nogil:
    cdef Py_ssize_t v
    for v in range(lo, hi):
        graph.component[v] = graph.parent[graph.component[v]]
    return True


cdef bint _find_rows(
    const Graph *graph, Py_ssize_t lo, Py_ssize_t hi, double *_room
) noexcept nogil:
    cdef Py_ssize_t end
    for end in range(2 * lo, 2 * hi):
        graph.edges[end] = graph.row[graph.edges[end]]
    return True


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

"""All memory of one run of Borůvka's algorithm, its threads, and the components that it joins.

Phases (kdtree.pyx) are functions over it. Those that run in threads see only its `graph`, whose
pointers lead into arrays of this object. During a phase the threads hold this object: none can
meet memory that was freed.

Edges between equal points have length zero (or that of their core: mutual.h) and are the smallest
of all that their points have, so a tree begins with the forests of the keys among equal points
(equal_points.h). A site that is connected then is one vertex; where earlier trees have used too
many of its edges, each of its points is one. So a site that many points share costs one search. A
round joins components along edges, and then numbers those that are left from 0 on.
"""
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free, malloc

import numpy as np

from smartsvm._mst.common.disjoint_set cimport joins, root
from smartsvm._mst.common.equal_points cimport equal_forests, number_distinct, sort_by_rank
from smartsvm._mst.common.edge_order cimport tie_ranks
from smartsvm._mst.common.used_edges cimport index_used
from smartsvm._mst.kdtree.graph cimport NONE, VERTICES_IN_A_CHUNK, Graph, component_of_point
from smartsvm._mst.kdtree.kd_index cimport KDIndex, KDTree
from smartsvm._core.thread_pool cimport Team
from smartsvm._core.threads cimport check_interrupt
from smartsvm._core.threads import run_chunks

cdef extern from "common/shared.h" nogil:
    Py_ssize_t shared_take(Py_ssize_t *next, Py_ssize_t chunk)

cdef extern from "kdtree/tree.h" nogil:
    void kd_read_site(const KDTree *tree, uint32_t site, double *q, Py_ssize_t d)

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
        graph.site_start = &self.site_start[0]
        if self.second is None:
            self.row = self.row.copy()
        for s in range(self.site_start.shape[0] - 1):
            first = self.site_start[s]
            if self.site_start[s + 1] > first + 1:
                sort_by_rank(
                    &self.rank[first], &self.row[first], self.site_start[s + 1] - first, &room[0]
                )

    cdef lay_out_known(self, Py_ssize_t n_known):
        # One more, so that there is a first one.
        self.known = np.empty((n_known + 1, 2), dtype=np.uint64)
        self.unused = np.empty(n_known + 1, dtype=np.uint32)
        self.n_known = n_known

    cdef PackedEdge *known_edges(self) noexcept nogil:
        return <PackedEdge *> &self.known[0, 0]

    cdef lay_out_cores(self, Py_ssize_t k):
        """For mutual reachability, of one set."""
        cdef Graph *graph = &self.graph
        self.core = np.empty(graph.sets[0].tree.n_sites)
        self.node_core = np.empty(self.n_nodes)
        self.distance = np.empty(self.n_points)
        graph.core, graph.node_core = &self.core[0], &self.node_core[0]
        graph.distance, graph.k = &self.distance[0], k

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
            graph.size[graph.component[v]] += 1
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
            (<Team> team).shut_down()

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


cdef int _take_chunks(Work *work, bint checks_signals) except -1 nogil:
    """Chunks of a phase, until none is left; 0 if there is no memory."""
    # For the coordinates of a point.
    cdef double *room = <double *> malloc((work.graph.sets[0].tree.d + 1) * sizeof(double))
    cdef Py_ssize_t lo
    try:
        while room != NULL:
            lo = shared_take(&work.next, work.chunk)
            if lo >= work.size:
                return 1
            work.phase(work.graph, lo, min(lo + work.chunk, work.size), room)
            if checks_signals:
                with gil:
                    check_interrupt()
        return 0
    finally:
        free(room)


cdef bint _help(void *work) noexcept nogil:
    return _take_chunks(<Work *> work, False)


# Vertices and components.

cdef start_tree(State state, const uint32_t[:, ::1] equal):
    """Vertices and components at the start of a tree: nothing joined but equal points."""
    cdef Graph *graph = &state.graph
    cdef Py_ssize_t c, v, e
    if state.site_start is None:
        state.n_vertices = state.n_components = state.n_points
    else:
        for v in range(state.n_points):
            state.point_parent[v] = <uint32_t> v
        if equal is not None:
            for e in range(equal.shape[0]):
                state.add_edge(
                    equal[e, 0], equal[e, 1],
                    0 if graph.core == NULL else state.point_core[equal[e, 0]],
                )
                joins(state.point_parent, equal[e, 0], equal[e, 1])
        # No vertex has an edge yet: their place serves as the labels of roots.
        _find_vertices(state, graph.to)
        for c in range(state.n_components):
            graph.parent[c] = <uint32_t> c
    graph.size = NULL
    state.run(_start_vertices, state.n_vertices, VERTICES_IN_A_CHUNK)


cdef void _start_vertices(
    const Graph *graph, Py_ssize_t lo, Py_ssize_t hi, double *_room
) noexcept nogil:
    """Nothing is known of these; where points and vertices are the same, each is a component."""
    cdef uint32_t v
    for v in range(<uint32_t> lo, <uint32_t> hi):
        graph.lower[v], graph.to[v] = 0, NONE
        if graph.vertex_start == NULL:
            graph.component[v] = graph.parent[v] = v


cdef void _find_vertices(State state, uint32_t *label) noexcept nogil:
    """A site whose points are all joined is one vertex, else each of its points is."""
    cdef Graph *graph = &state.graph
    cdef Py_ssize_t s, n_sites = graph.sets[0].tree.n_sites, n_all = state.site_start.shape[0] - 1
    cdef uint32_t point, first, top, v = 0, n_components = 0
    cdef bint whole
    for point in range(state.n_points):
        label[point] = NONE
    for s in range(n_all):
        if s == n_sites:
            graph.sets[1].first_vertex = v
        first = state.site_start[s]
        top = root(state.point_parent, first)
        whole = True
        for point in range(first + 1, state.site_start[s + 1]):
            whole = whole and root(state.point_parent, point) == top
        state.vertex_of_site[s] = v
        for point in range(first, state.site_start[s + 1]):
            if point == first or not whole:
                top = root(state.point_parent, point)
                if label[top] == NONE:
                    label[top] = n_components
                    n_components += 1
                graph.vertex_start[v] = point
                graph.site_of_vertex[v] = <uint32_t> (s if s < n_sites else s - n_sites)
                graph.component[v] = label[top]
                v += 1
            graph.vertex_of_point[point] = v - 1
    state.vertex_of_site[n_all] = v
    graph.vertex_start[v] = <uint32_t> state.n_points
    state.n_vertices, state.n_components = v, n_components


cdef equal_edges(State state, Py_ssize_t n_trees):
    """For each tree the smallest edges of all, among equal points; None if no points are equal."""
    if state.site_start is None or not state.collapsed:
        return None
    start, ranks = np.asarray(state.site_start, dtype=np.intp), np.asarray(state.rank)
    if state.second is None:
        return equal_forests(ranks, start, n_trees)
    sizes, same = np.diff(start), _equal_sites(state)
    shared = np.flatnonzero((sizes > 1) | (same >= 0))
    # A site of the second set goes with its equal of the first.
    group = np.where(same < 0, shared.max(), same)[shared]
    group = np.repeat(np.minimum(shared, group), sizes[shared])
    first = np.cumsum(sizes[shared]) - sizes[shared]
    points = np.arange(len(group)) + np.repeat(start[shared] - first, sizes[shared])
    if (same >= 0).any():
        order = np.lexsort((ranks[points], group))
        points, group = points[order], group[order]
    starts = np.flatnonzero(np.diff(group, prepend=-1, append=-1))
    points = points.astype(np.uint32)
    return [points[edges] for edges in equal_forests(ranks[points], starts, n_trees)]


cdef _equal_sites(State state):
    """For each site, the one of the other set at the same place, or -1."""
    cdef const Graph *graph = &state.graph
    cdef Py_ssize_t n_first = graph.sets[0].tree.n_sites, n_all = state.site_start.shape[0] - 1
    cdef Py_ssize_t d = graph.sets[0].tree.d, s, t
    cdef Py_ssize_t[::1] equal = np.full(n_all, -1, dtype=np.intp)
    # One number more: an odd number of coordinates is read with a 0 after it.
    cdef double[::1] points = np.empty(n_all * d + 1)
    cdef uint32_t[::1] room = np.empty(4 * n_all, dtype=np.uint32)
    if graph.n_sets == 2:
        for s in range(n_first):
            kd_read_site(&graph.sets[0].tree, <uint32_t> s, &points[s * d], d)
        for t in range(n_all - n_first):
            kd_read_site(&graph.sets[1].tree, <uint32_t> t, &points[(n_first + t) * d], d)
        number_distinct(&points[0], n_all, d, &room[n_all], &room[0])
        # Those of the first set are distinct, so that each has its own number.
        for t in range(n_first, n_all):
            s = room[t]
            if s < n_first:
                equal[s], equal[t] = t, s
    return np.asarray(equal)


cdef uint32_t largest(State state) noexcept nogil:
    """The component with the most vertices."""
    cdef uint32_t c, found = 0
    for c in range(state.n_components):
        if state.graph.size[c] > state.graph.size[found]:
            found = c
    return found


cdef void join(State state, uint32_t c, uint32_t i, uint32_t j, double length) noexcept nogil:
    """Take the edge from point i in component c to point j, unless it closes a cycle."""
    if joins(state.graph.parent, c, component_of_point(&state.graph, j)):
        state.add_edge(i, j, length)


cdef rename(State state):
    """Number the joined components anew."""
    cdef Graph *graph = &state.graph
    cdef uint32_t c, n_components = 0
    # A parent is less than its child, so that it has its new number, in its own place, by then.
    for c in range(state.n_components):
        if graph.parent[c] == c:
            graph.parent[c] = n_components
            if graph.size != NULL:
                graph.size[n_components] = graph.size[c]
            n_components += 1
        else:
            graph.parent[c] = graph.parent[graph.parent[c]]
            if graph.size != NULL:
                graph.size[graph.parent[c]] += graph.size[c]
    state.n_components = n_components
    state.run(_renew_components, state.n_vertices, VERTICES_IN_A_CHUNK)
    for c in range(n_components):
        graph.parent[c] = c


cdef void _renew_components(
    const Graph *graph, Py_ssize_t lo, Py_ssize_t hi, double *_room
) noexcept nogil:
    cdef Py_ssize_t v
    for v in range(lo, hi):
        graph.component[v] = graph.parent[graph.component[v]]

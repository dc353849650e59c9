"""What a tree starts with, before Borůvka's first round.

Edges between equal points have length zero and are the smallest of all, so a tree begins with
the forests of the keys among equal points (equal_points.h). A site that is connected then is one
vertex; where earlier trees have used too many of its edges, each of its points is one. So a site
that many points share costs one search.

Known are the edges within the two sets of a pair, which no other edge within a set can beat.

Certain are most edges of a tree in low dimension: lists of nearest neighbours certify them in one
set (certify_by_lists.h), all edges up to a radius between two (certify_by_radius.h). Only where
all points are distinct: elsewhere the rounds read the lists.
"""
from libc.math cimport INFINITY
from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memset

import numpy as np

from smartsvm._mst.common.disjoint_set cimport join_roots, root
from smartsvm._mst.common.edge_sort cimport PackedEdge, end_i, end_j, length_of, plain_edge
from smartsvm._mst.common.equal_points cimport equal_forests, number_distinct
from smartsvm._mst.kd.kd_index cimport KDTree
from smartsvm._mst.kd.state cimport (
    NODES_IN_A_CHUNK, NONE, VERTICES_IN_A_CHUNK, Graph, Phase, State, is_used,
)

cdef extern from "kd/tree.h" nogil:
    void kd_read_site(const KDTree *tree, uint32_t site, double *q, Py_ssize_t d)

cdef extern from "kd/certify_by_lists.h" nogil:
    enum: MOST_NEIGHBORS, NODES_IN_A_FOREST
    Phase join_chunk, find_reach, choose_certain
    int count_ties(const KDTree *tree, double *q)
    Py_ssize_t join_chosen(
        const Graph *graph, Py_ssize_t n_chunks, const PackedEdge *more, Py_ssize_t n_more
    )

cdef extern from "kd/certify_by_radius.h" nogil:
    Phase list_near
    void settle_near(const Graph *graph, Py_ssize_t n_chunks, Py_ssize_t n)

cdef enum:
    # With more points the near edges of two sets do not fit into a cache.
    LARGE_PAIR = 1 << 17


# ---- equal points ----


cdef equal_edges(State state, Py_ssize_t n_trees):
    """For each tree the smallest edges of all, among equal points; None if no points are equal."""
    if state.site_start is None or not state.collapsed:
        return None
    start, ranks = np.asarray(state.site_start, dtype=np.intp), state.memory["rank"]
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
    cdef Py_ssize_t n_first = graph.sets[0].tree.n_sites, n_all = state.n_sites
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


cdef join_equal(State state, const uint32_t[:, ::1] equal):
    """Vertices and components at the start of a tree: nothing joined but equal points."""
    cdef Graph *graph = &state.graph
    cdef uint32_t *parent = state.point_parent
    cdef Py_ssize_t v, e
    state.n_vertices = state.n_components = state.n_points
    if state.site_start is not None:
        for v in range(state.n_points):
            parent[v] = <uint32_t> v
        for e in range(0 if equal is None else equal.shape[0]):
            state.add_edge(equal[e, 0], equal[e, 1], 0)
            join_roots(parent, root(parent, equal[e, 0]), root(parent, equal[e, 1]))
        # No vertex has an edge yet: their place serves as the labels of roots.
        _find_vertices(state, graph.to)
    state.run(_start_vertices, state.n_vertices, VERTICES_IN_A_CHUNK)


cdef bint _start_vertices(
    const Graph *graph, Py_ssize_t lo, Py_ssize_t hi, double *_room
) noexcept nogil:
    """Nothing is known of these; where points and vertices are the same, each is a component."""
    cdef uint32_t v
    for v in range(<uint32_t> lo, <uint32_t> hi):
        graph.lower[v], graph.to[v], graph.parent[v] = 0, NONE, v
        if graph.vertex_start == NULL:
            graph.component[v] = v
    return True


cdef void _find_vertices(State state, uint32_t *label) noexcept nogil:
    """A site whose points are all joined is one vertex, else each of its points is."""
    cdef Graph *graph = &state.graph
    cdef Py_ssize_t s, n_first = graph.sets[0].tree.n_sites
    cdef uint32_t point, first, top, v = 0, n_components = 0
    cdef bint whole
    for point in range(state.n_points):
        label[point] = NONE
    for s in range(state.n_sites):
        if s == n_first:
            graph.sets[1].first_vertex = v
        first = state.site_start[s]
        top = root(state.point_parent, first)
        whole = True
        for point in range(first + 1, state.site_start[s + 1]):
            whole = whole and root(state.point_parent, point) == top
        graph.sets[0].vertex_of_site[s] = v
        for point in range(first, state.site_start[s + 1]):
            if point == first or not whole:
                top = root(state.point_parent, point)
                if label[top] == NONE:
                    label[top] = n_components
                    n_components += 1
                graph.vertex_start[v] = point
                graph.site_of_vertex[v] = <uint32_t> (s if s < n_first else s - n_first)
                graph.component[v] = label[top]
                v += 1
            graph.vertex_of_point[point] = v - 1
    graph.sets[0].vertex_of_site[state.n_sites] = v
    graph.vertex_start[v] = <uint32_t> state.n_points
    state.n_vertices, state.n_components = v, n_components


# ---- known and certain edges ----


cdef know_within(State state, within_a, within_b):
    """Know the edges (rows, squared distances) of the forests within the two sets."""
    cdef const uint32_t[:, :] edges
    cdef const double[:] lengths
    cdef uint32_t[::1] point = np.empty(state.n_points, dtype=np.uint32)
    cdef Py_ssize_t e, p, shift
    # One more, so that there is a first one.
    cdef Py_ssize_t room = len(within_a[1]) + len(within_b[1]) + 1
    state.known = <PackedEdge *> state.doubles("known", 2 * room)
    state.left = <PackedEdge *> state.doubles("left", 2 * room)
    for p in range(state.n_points):
        point[state.row[p]] = <uint32_t> p
    for shift, within in ((0, within_a), (state.indices[0].n_points, within_b)):
        edges, lengths = within
        for e in range(edges.shape[0]):
            state.known[state.n_known] = plain_edge(
                lengths[e], point[shift + edges[e, 0]], point[shift + edges[e, 1]]
            )
            state.n_known += 1


cdef join_certain(State state, Py_ssize_t n_neighbors, bint first_tree):
    """Join what is certain at the start of a tree, where only equal points are joined.

    `n_neighbors` are wanted in lists; 0: no lists.
    """
    cdef Graph *graph = &state.graph
    cdef Py_ssize_t e
    state.n_left = 0
    for e in range(state.n_known):
        if not is_used(graph, end_i(state.known[e]), end_j(state.known[e])):
            state.left[state.n_left] = state.known[e]
            state.n_left += 1
    if n_neighbors > 0 and state.n_sites > 1:
        graph.listing = first_tree
        if first_tree:
            _lay_out_lists(state, n_neighbors)
        memset(graph.position, 0, state.n_points)
        # In the first tree of one set each site is connected, and one vertex.
        if state.largest_site == 1 or first_tree:
            _join_by_lists(state)
    elif graph.n_sets == 2 and state.largest_site == 1 and state.n_vertices <= LARGE_PAIR:
        _join_by_radius(state)


cdef _lay_out_lists(State state, Py_ssize_t n_neighbors):
    cdef Graph *graph = &state.graph
    cdef double[::1] q = np.empty(graph.sets[0].tree.d + 1)
    # On lattices and the like a list that ends among ties certifies nothing.
    n_neighbors = max(n_neighbors, count_ties(&graph.sets[0].tree, &q[0]) + 2)
    graph.n_neighbors = min(n_neighbors, state.n_sites - 1, MOST_NEIGHBORS)
    graph.neighbors = state.words("neighbors", state.n_sites * graph.n_neighbors)
    graph.list_end = state.doubles("list_end", state.n_sites)
    graph.position = <uint8_t *> state.words("position", state.n_points // 4 + 1)


cdef _join_by_lists(State state):
    """The first merge of one set, where every site is a component."""
    cdef Graph *graph = &state.graph
    cdef Py_ssize_t p, e, first, start = graph.n_edges
    state.lay_out_chunks((state.n_nodes - 1) // NODES_IN_A_FOREST + 1)
    state.run(join_chunk, state.n_nodes, NODES_IN_A_FOREST)
    with nogil:
        for p in range(state.n_chunks):
            first = start + graph.chunks[p].first
            for e in range(first, first + graph.chunks[p].n_taken):
                state.add_edge(graph.edges[2 * e], graph.edges[2 * e + 1], graph.lengths[e])
    state.rename_components()
    _join_chosen(state, graph.list_end)
    state.free_chunks()


cdef _join_by_radius(State state):
    """The first merge of two sets, where every point is a component."""
    cdef Graph *graph = &state.graph
    cdef PackedEdge edge
    cdef double length
    cdef Py_ssize_t e
    if graph.chunks == NULL:
        # They are found once: later trees pass over what is used.
        graph.radius = state.doubles("radius", state.n_vertices)
        memset(graph.radius, 0, state.n_vertices * sizeof(double))
        for e in range(state.n_known):
            edge = state.known[e]
            length = length_of(edge)
            graph.radius[end_i(edge)] = max(graph.radius[end_i(edge)], length)
            graph.radius[end_j(edge)] = max(graph.radius[end_j(edge)], length)
        state.lay_out_chunks((state.n_nodes - 1) // NODES_IN_A_CHUNK + 1)
        state.run(list_near, state.n_nodes, NODES_IN_A_CHUNK)
    _join_chosen(state, graph.radius)
    settle_near(graph, state.n_chunks, state.n_vertices)


cdef _join_chosen(State state, const double *bound):
    """Join what is certain by the edges of the chunks and the known ones."""
    cdef Graph *graph = &state.graph
    cdef Py_ssize_t c, n_taken
    graph.reach, graph.bound = state.doubles("reach", state.n_components), bound
    for c in range(state.n_components):
        graph.reach[c] = INFINITY
    state.run(find_reach, state.n_vertices, VERTICES_IN_A_CHUNK)
    state.run(choose_certain, state.n_chunks, 1)
    with nogil:
        n_taken = join_chosen(graph, state.n_chunks, state.left, state.n_left)
    del state.memory["reach"]
    if n_taken < 0:
        raise MemoryError
    graph.n_edges += n_taken
    state.rename_components()

"""Edges that are known, or certain, before Borůvka's first round.

Known are those within the two sets of a pair, which no other edge within a set can beat.

Certain are most edges of a tree in low dimension: lists of nearest neighbours certify them in one
set (certify_by_lists.h), all edges up to a radius between two (certify_by_radius.h). Only where
all points are distinct: elsewhere the rounds read the lists.
"""
from libc.stdint cimport UINT64_MAX, uint32_t

import numpy as np

from smartsvm._mst.common.equal_points cimport smallest_key, two_groups
from smartsvm._mst.common.edge_sort cimport PackedEdge, end_i, end_j, length_of, plain_edge
from smartsvm._mst.kd.components cimport rename
from smartsvm._mst.kd.graph cimport NODES_IN_A_CHUNK, VERTICES_IN_A_CHUNK, Graph, is_used
from smartsvm._mst.kd.state cimport State
from smartsvm._mst.kd.kd_index cimport KDTree

cdef extern from "kd/certify_by_lists.h" nogil:
    enum: MOST_NEIGHBORS, NODES_IN_A_FOREST
    int count_ties(const KDTree *tree, double *q)
    bint list_only(const Graph *graph, Py_ssize_t lo, Py_ssize_t hi, double *room)
    bint join_chunk(const Graph *graph, Py_ssize_t lo, Py_ssize_t hi, double *room)
    bint find_reach(const Graph *graph, Py_ssize_t lo, Py_ssize_t hi, double *room)
    bint choose_certain(const Graph *graph, Py_ssize_t lo, Py_ssize_t hi, double *room)
    Py_ssize_t join_known(
        const Graph *graph, Py_ssize_t n_chunks, const PackedEdge *known, const uint32_t *unused,
        Py_ssize_t n_unused,
    )

cdef extern from "kd/certify_by_radius.h" nogil:
    bint list_near(const Graph *graph, Py_ssize_t lo, Py_ssize_t hi, double *room)
    void settle_near(const Graph *graph, Py_ssize_t n_chunks, Py_ssize_t n)

cdef enum:
    # With more points the near edges of two sets do not fit into a cache.
    LARGE_PAIR = 1 << 17


cdef know_within(State state, within_a, within_b):
    """Know the edges (rows, squared distances) of the forests within the two sets."""
    cdef const uint32_t[:, :] edges
    cdef const double[:] lengths
    cdef uint32_t[::1] point = np.empty(state.n_points, dtype=np.uint32)
    cdef Py_ssize_t e, p, known = 0, shift
    state.lay_out_known(len(within_a[1]) + len(within_b[1]))
    for p in range(state.n_points):
        point[state.row[p]] = <uint32_t> p
    for shift, within in ((0, within_a), (state.first.n_points, within_b)):
        edges, lengths = within
        for e in range(edges.shape[0]):
            state.known_edges()[known] = plain_edge(
                lengths[e], point[shift + edges[e, 0]], point[shift + edges[e, 1]]
            )
            known += 1


cdef find_unused(State state):
    """The known edges that no tree has used yet."""
    cdef Py_ssize_t e
    cdef PackedEdge edge
    state.n_unused = 0
    for e in range(state.n_known):
        edge = state.known_edges()[e]
        if not is_used(&state.graph, end_i(edge), end_j(edge)):
            state.unused[state.n_unused] = <uint32_t> e
            state.n_unused += 1


cdef join_certain(State state, Py_ssize_t n_neighbors, bint first_tree):
    """Join what is certain at the start of a tree, where only equal points are joined.

    `n_neighbors` are wanted in lists; 0: no lists.
    """
    cdef Graph *graph = &state.graph
    find_unused(state)
    graph.listing = False
    if graph.neighbors != NULL:
        state.position[:] = 0
    elif n_neighbors > 0 and graph.sets[0].tree.n_sites > 1:
        _lay_out_lists(state, n_neighbors)
        graph.listing = True
    # In the first tree of one set each site is connected, and one vertex.
    if graph.neighbors != NULL and (state.largest_site == 1 or first_tree):
        _join_by_lists(state)
    elif graph.listing:
        state.run(list_only, state.n_nodes, NODES_IN_A_CHUNK)
    elif graph.n_sets == 2 and state.largest_site == 1 and state.n_vertices <= LARGE_PAIR:
        _join_by_radius(state)


cdef _lay_out_lists(State state, Py_ssize_t n_neighbors):
    cdef Graph *graph = &state.graph
    cdef Py_ssize_t n_sites = graph.sets[0].tree.n_sites
    cdef double[::1] q = np.empty(graph.sets[0].tree.d + 1)
    # On lattices and the like a list that ends among ties certifies nothing.
    n_neighbors = max(n_neighbors, count_ties(&graph.sets[0].tree, &q[0]) + 2)
    graph.n_neighbors = min(n_neighbors, n_sites - 1, MOST_NEIGHBORS)
    state.neighbors = np.empty(n_sites * graph.n_neighbors, dtype=np.uint32)
    state.list_end = np.empty(n_sites)
    state.position = np.zeros(state.n_points, dtype=np.uint8)
    graph.neighbors, graph.list_end = &state.neighbors[0], &state.list_end[0]
    graph.position = &state.position[0]


cdef _join_by_lists(State state):
    """The first merge of one set, where every site is a component."""
    cdef Graph *graph = &state.graph
    cdef Py_ssize_t p, e, first, start = state.n_edges
    state.lay_out_chunks((state.n_nodes - 1) // NODES_IN_A_FOREST + 1)
    _take_from_here(state)
    state.run(join_chunk, state.n_nodes, NODES_IN_A_FOREST)
    with nogil:
        for p in range(state.n_chunks):
            first = start + graph.chunks[p].first
            for e in range(first, first + graph.chunks[p].n_taken):
                state.add_edge(state.edges[e, 0], state.edges[e, 1], state.lengths[e])
    rename(state)
    _join_known(state, 0, graph.list_end)
    state.free_chunks()
    if state.site_start is not None:
        _find_points(state, start)


cdef void _find_points(State state, Py_ssize_t start) noexcept nogil:
    """From pairs of sites to the points of their smallest edges, from edge `start` on."""
    cdef Py_ssize_t e
    cdef Py_ssize_t place[2]
    cdef uint32_t s, t
    for e in range(start, state.n_edges):
        s, t = state.edges[e, 0], state.edges[e, 1]
        smallest_key(
            two_groups(
                state.graph.rank, state.site_start[s], state.site_start[s + 1],
                state.site_start[t], state.site_start[t + 1],
            ),
            0, UINT64_MAX, place,
        )
        state.edges[e, 0], state.edges[e, 1] = <uint32_t> place[0], <uint32_t> place[1]


cdef _join_by_radius(State state):
    """The first merge of two sets, where every point is a component."""
    cdef Graph *graph = &state.graph
    cdef PackedEdge edge
    cdef double length
    cdef Py_ssize_t e
    if graph.chunks == NULL:
        # They are found once: later trees pass over what is used.
        state.radius = np.zeros(state.n_vertices)
        graph.radius = &state.radius[0]
        for e in range(state.n_known):
            edge = state.known_edges()[e]
            length = length_of(edge)
            graph.radius[end_i(edge)] = max(graph.radius[end_i(edge)], length)
            graph.radius[end_j(edge)] = max(graph.radius[end_j(edge)], length)
        state.lay_out_chunks((state.n_nodes - 1) // NODES_IN_A_CHUNK + 1)
        state.run(list_near, state.n_nodes, NODES_IN_A_CHUNK)
    _join_known(state, state.n_unused, graph.radius)
    settle_near(graph, state.n_chunks, state.n_vertices)


cdef _take_from_here(State state):
    """Edges of the tree are written after those there are."""
    state.graph.taken = &state.edges[state.n_edges, 0]
    state.graph.taken_length = &state.lengths[state.n_edges]


cdef _join_known(State state, Py_ssize_t n_unused, const double *bound):
    """Join what is certain by the edges of the chunks and these known ones."""
    cdef Py_ssize_t n_taken
    cdef double[::1] reach = np.full(state.n_components, np.inf)
    state.reach = reach
    state.graph.reach, state.graph.bound = &reach[0], bound
    _take_from_here(state)
    state.run(find_reach, state.n_vertices, VERTICES_IN_A_CHUNK)
    state.run(choose_certain, state.n_chunks, 1)
    with nogil:
        n_taken = join_known(
            &state.graph, state.n_chunks, state.known_edges() if n_unused > 0 else NULL,
            &state.unused[0] if n_unused > 0 else NULL, n_unused,
        )
    state.reach = None
    if n_taken < 0:
        raise MemoryError
    state.n_edges += n_taken
    rename(state)

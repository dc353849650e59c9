"""What is known, or certain, before Borůvka's first round.

Of two sets, the edges within each are known: no other edge within a set can beat them. With all
edges between the sets up to a radius they certify much of a tree (certify_by_radius.h), where all
points are distinct. One set has lists of nearest neighbours, which the rounds read.
"""
from libc.stdint cimport uint32_t

import numpy as np

from smartsvm._mst.common.edge_sort cimport PackedEdge, end_i, end_j, length_of, plain_edge
from smartsvm._mst.kd.graph cimport NODES_IN_A_CHUNK, Graph, component_of, is_used
from smartsvm._mst.kd.kd_index cimport KDTree
from smartsvm._mst.kd.state cimport State, rename

cdef extern from "kd/neighbor_lists.h" nogil:
    enum: MOST_NEIGHBORS
    int count_ties(const KDTree *tree, double *q)
    bint list_neighbors(const Graph *graph, Py_ssize_t lo, Py_ssize_t hi, double *room)

cdef extern from "kd/certify_by_radius.h" nogil:
    bint list_near(const Graph *graph, Py_ssize_t lo, Py_ssize_t hi, double *room)
    bint choose_certain(const Graph *graph, Py_ssize_t lo, Py_ssize_t hi, double *room)
    Py_ssize_t join_known(
        const Graph *graph, Py_ssize_t n_chunks, const PackedEdge *known, const uint32_t *unused,
        Py_ssize_t n_unused,
    )
    void settle_near(const Graph *graph, Py_ssize_t n_chunks, Py_ssize_t n)

cdef enum:
    # With more points the near edges of two sets do not fit into a cache.
    LARGE_PAIR = 1 << 17


cdef know_own_forests(State state, forests_a, forests_b):
    """Know the edges (rows, squared distances) of the forests within the two sets."""
    cdef const uint32_t[:, :] edges
    cdef const double[:] lengths
    cdef uint32_t[::1] point = np.empty(state.n_points, dtype=np.uint32)
    cdef Py_ssize_t e, p, known = 0, shift
    state.lay_out_known(len(forests_a[1]) + len(forests_b[1]))
    for p in range(state.n_points):
        point[state.row[p]] = <uint32_t> p
    for shift, own in ((0, forests_a), (state.first.n_points, forests_b)):
        edges, lengths = own
        for e in range(edges.shape[0]):
            state.known_edges()[known] = plain_edge(
                lengths[e], point[shift + edges[e, 0]], point[shift + edges[e, 1]]
            )
            known += 1


cdef _find_unused(State state):
    """The known edges that no tree has used yet."""
    cdef Py_ssize_t e
    cdef PackedEdge edge
    state.n_unused = 0
    for e in range(state.n_known):
        edge = state.known_edges()[e]
        if not is_used(&state.graph, end_i(edge), end_j(edge)):
            state.unused[state.n_unused] = <uint32_t> e
            state.n_unused += 1


cdef join_certain(State state, Py_ssize_t n_neighbors):
    """Join what is certain at the start of a tree, where only equal points are joined.

    One set gets lists of `n_neighbors` instead; 0: no lists.
    """
    cdef Graph *graph = &state.graph
    _find_unused(state)
    if graph.neighbors != NULL:
        state.position[:] = 0
    elif n_neighbors > 0 and graph.sets[0].tree.n_sites > 1:
        _lay_out_lists(state, n_neighbors)
        state.run(list_neighbors, state.n_nodes, NODES_IN_A_CHUNK)
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
    _join_known(state)
    settle_near(graph, state.n_chunks, state.n_vertices)


cdef _join_known(State state):
    """Join components along the edges that are certain."""
    cdef Graph *graph = &state.graph
    cdef Py_ssize_t v, n_taken
    cdef uint32_t c
    cdef double[::1] known_below = np.full(state.n_components, np.inf)
    state.known_below, graph.known_below = known_below, &known_below[0]
    for v in range(state.n_vertices):
        c = component_of(graph, <uint32_t> v)
        known_below[c] = min(known_below[c], graph.radius[v])
    graph.taken, graph.taken_length = &state.edges[state.n_edges, 0], &state.lengths[state.n_edges]
    state.run(choose_certain, state.n_chunks, 1)
    with nogil:
        n_taken = join_known(
            graph, state.n_chunks, state.known_edges(), &state.unused[0], state.n_unused
        )
    state.known_below = None
    if n_taken < 0:
        raise MemoryError
    state.n_edges += n_taken
    rename(state)

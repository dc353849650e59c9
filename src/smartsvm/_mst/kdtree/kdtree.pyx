"""Borůvka's algorithm over kd-trees, with orthogonal trees, for low and middle dimension.

Every component takes its smallest edge to another component, components merge, and so on until
one is left. What is known of a vertex's edges is kept from round to round (graph.h): its smallest
edge to another component as long as that lasts, else a lower bound. In order of cost, a component
learns its edge from

1. edges known from the start: those of the trees of both sets of a pair;
2. lists of nearest neighbours, made once: an edge shorter than the list's end, and than the bounds
   of all other vertices of the component, is certain;
3. searches in the kd-tree (other_component.h), bounded by the best edge of the component so far,
   and made only by vertices whose lower bound is not above it. The largest component waits for
   the others.

Later trees use the same lists and searches without the edges of earlier trees: that only makes
edges longer, so all bounds stay bounds. Searches go on at distances equal to the best, so the
smallest key among tied edges wins (edge_order.h), and the result does not depend on threads.

Cost: about O(n log n) for a tree in low dimension, O(n (d + n_trees)) memory.

References: O. Borůvka (1926); W. B. March, P. Ram, A. G. Gray (2010).
"""
from libc.math cimport INFINITY
from libc.stdint cimport uint32_t, uint64_t

import numpy as np

from smartsvm._mst.common.edge_sort cimport PackedEdge, end_i, end_j, length_of, plain_edge
from smartsvm._mst.kdtree.graph cimport (
    KEEPS_DISTANCES, NODES_IN_A_CHUNK, NONE, VERTICES_IN_A_CHUNK, Graph, PointSet,
    component_of_point, edge_key, from_of, is_used, key_of_vertex,
)
from smartsvm._mst.kdtree.state cimport Phase, State, equal_edges, join, largest, rename, start_tree
from smartsvm._mst.kdtree.kd_index cimport KDIndex, KDTree

cdef extern from "kdtree/tree.h" nogil:
    enum: KD_LEAF

cdef extern from "kdtree/neighbor_lists.h" nogil:
    enum: MOST_NEIGHBORS
    int count_ties(const KDTree *tree, double *q)
    void list_neighbors(const Graph *graph, Py_ssize_t lo, Py_ssize_t hi, double *room)

cdef extern from "kdtree/update_edges.h" nogil:
    void update_edges(const Graph *graph, Py_ssize_t lo, Py_ssize_t hi, double *room)
    void choose_best(const Graph *graph, Py_ssize_t lo, Py_ssize_t hi, double *room)

cdef extern from "kdtree/other_component.h" nogil:
    void find_edges(const Graph *graph, Py_ssize_t lo, Py_ssize_t hi, double *room)

cdef extern from "kdtree/mutual.h" nogil:
    void find_cores(const Graph *graph, Py_ssize_t lo, Py_ssize_t hi, double *room)
    double least_cores(const Graph *graph)

cdef extern from "kdtree/nearest.h" nogil:
    void list_nearest(const Graph *graph, Py_ssize_t lo, Py_ssize_t hi, double *room)

cdef enum:
    NODES_TO_UPDATE = 1 << 10       # without a search they take little time
    FEW_NODES = 1 << 7              # searched by one thread: others take 0.1 ms to start
    MANY_POINTS = 1 << 19


# Points of a full leaf, and from how many columns on lists have distances, for those who plan.
LEAF_SITES, LISTS_DISTANCES = KD_LEAF, KEEPS_DISTANCES


cdef _search(State state, Phase phase):
    """A phase of searches, in chunks of nodes that are small enough to keep all threads busy."""
    cdef Py_ssize_t n = state.n_nodes, chunk = n
    if n >= FEW_NODES:
        chunk = max(1, min(NODES_IN_A_CHUNK, n // (8 * state.n_threads)))
    state.run(phase, n, chunk)


cdef _peel(State state, Py_ssize_t n_trees, Py_ssize_t n_neighbors, Py_ssize_t k=0):
    """The forests one after the other, as the functions of this module return them.

    With k > 0 lengths are those of mutual reachability with the k-th neighbour.
    """
    cdef Py_ssize_t tree, before
    cdef Py_ssize_t[::1] sizes = np.zeros(n_trees, dtype=np.intp)
    equal = equal_edges(state, n_trees)
    try:
        if n_neighbors > 0 and state.graph.sets[0].tree.n_sites > 1:
            _list_neighbors(state, n_neighbors)
        if k > 0:
            _find_cores(state, k)
        for tree in range(n_trees):
            if tree > 0:
                state.use_edges()
            before = state.n_edges
            start_tree(state, None if equal is None else equal[tree])
            _find_unused(state)
            if tree > 0 and state.graph.neighbors != NULL:
                state.position[:] = 0
            _join_in_rounds(state)
            sizes[tree] = state.n_edges - before
            if sizes[tree] == 0:
                break
    finally:
        state.dismiss()
    return *state.rows_of_edges(), np.asarray(sizes)


cdef _know_own_forests(State state, forests_a, forests_b):
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


cdef _list_neighbors(State state, Py_ssize_t n_neighbors):
    """Make the lists of nearest neighbours, for all trees."""
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
    if graph.sets[0].tree.d >= KEEPS_DISTANCES:
        state.neighbor_distance = np.empty(n_sites * graph.n_neighbors)
        graph.neighbor_distance = &state.neighbor_distance[0]
    graph.position = &state.position[0]
    _search(state, list_neighbors)


cdef _find_cores(State state, Py_ssize_t k):
    """The squared distance of every site to the k-th other point."""
    cdef double least
    state.lay_out_cores(k)
    _search(state, find_cores)
    with nogil:
        least = least_cores(&state.graph)
    if least < 0:
        raise MemoryError
    state.point_core = state.core
    if state.site_start is not None:
        state.point_core = np.repeat(state.core, np.diff(state.site_start))


cdef _join_in_rounds(State state):
    """Join components along their best edges until one is left, or no edge."""
    cdef uint32_t waiting
    cdef bint search
    cdef Py_ssize_t before
    state.lay_out_bests()
    while state.n_components > 1:
        with nogil:
            _start_round(state)
        state.run(update_edges, state.n_nodes, NODES_TO_UPDATE)
        waiting = NONE
        with nogil:
            search = 4 * _count_certain(state) < state.n_components
        if search:
            with nogil:
                _mark_nodes(state)
                waiting = largest(state)
                state.graph.best_length[waiting] = -1
            _search(state, find_edges)
        # The best lengths are those of edges by now, in whatever order threads have found them.
        state.run(choose_best, state.n_vertices, VERTICES_IN_A_CHUNK)
        before = state.n_edges
        with nogil:
            _merge(state, search, waiting)
        if state.n_edges == before:
            return
        rename(state)


cdef void _start_round(State state) noexcept nogil:
    """The best edge of every component among those known from the start."""
    cdef const Graph *graph = &state.graph
    cdef Py_ssize_t n_unused = 0, u
    cdef uint32_t c, other, e
    cdef PackedEdge edge
    for c in range(state.n_components):
        graph.best_length[c] = graph.least_bound[c] = INFINITY
        graph.best_vertex[c] = state.best_known[c] = NONE
    for u in range(state.n_unused):
        e = state.unused[u]
        edge = state.known_edges()[e]
        c = component_of_point(graph, end_i(edge))
        other = component_of_point(graph, end_j(edge))
        if c != other:
            _try_known(state, c, e)
            _try_known(state, other, e)
            state.unused[n_unused] = e
            n_unused += 1
    state.n_unused = n_unused


cdef inline void _try_known(State state, uint32_t c, uint32_t e) noexcept nogil:
    """Let a known edge be the best of component c if it is smaller."""
    cdef double length = length_of(state.known_edges()[e])
    if length > state.graph.best_length[c] or (
        length == state.graph.best_length[c]
        and _known_key(state, e) >= _known_key(state, state.best_known[c])
    ):
        return
    state.graph.best_length[c] = length
    state.best_known[c] = e


cdef inline uint64_t _known_key(State state, uint32_t e) noexcept nogil:
    cdef PackedEdge edge = state.known_edges()[e]
    return edge_key(&state.graph, end_i(edge), end_j(edge))


cdef Py_ssize_t _count_certain(State state) noexcept nogil:
    """Components none of whose vertices can have a smaller edge."""
    cdef Py_ssize_t c, certain = 0
    for c in range(state.n_components):
        certain += state.graph.best_length[c] < state.graph.least_bound[c]
    return certain


cdef void _mark_nodes(State state) noexcept nogil:
    """The component of each inner node's vertices, or NONE; children have larger numbers."""
    cdef Py_ssize_t s, v
    cdef uint32_t c
    cdef PointSet *points
    for s in range(state.graph.n_sets):
        points = &state.graph.sets[s]
        for v in range(points.tree.n_nodes - 1, -1, -1):
            if points.tree.count[v] != 0 and points.tree.right[v] != 0:
                c = points.node_component[v + 1]
                if points.node_component[points.tree.right[v]] != c:
                    c = NONE
                points.node_component[v] = c


cdef void _merge(State state, bint searched, uint32_t waiting) noexcept nogil:
    """Join components along their best edges, as far as certain."""
    cdef const Graph *graph = &state.graph
    cdef uint32_t c, v, e, i, j
    cdef PackedEdge edge
    for c in range(state.n_components):
        if c == waiting or not (searched or graph.best_length[c] < graph.least_bound[c]):
            continue
        v, e = graph.best_vertex[c], state.best_known[c]
        if v != NONE and (
            e == NONE or length_of(state.known_edges()[e]) > graph.best_length[c]
            or key_of_vertex(graph, v) < _known_key(state, e)
        ):
            join(state, c, from_of(graph, v), graph.to[v], graph.best_length[c])
        elif e != NONE:
            edge = state.known_edges()[e]
            i, j = end_i(edge), end_j(edge)
            if component_of_point(graph, i) != c:
                i, j = j, i
            join(state, c, i, j, graph.best_length[c])


def index(const double[:, ::1] points, const uint32_t[::1] ids, int n_threads=1):
    """The kd-tree of some points, to be used in any number of calls below."""
    return KDIndex(points, ids, n_threads)


def forests(KDIndex index not None, uint64_t seed, Py_ssize_t n_trees, int n_threads):
    """Orthogonal minimum spanning forests of the points of an index."""
    # In the plane one more neighbour saves searches, but takes 8 bytes per point.
    n_neighbors = 4 + 2 * n_trees + (index.tree.d <= 2 and index.n_points < MANY_POINTS)
    return _peel(State(index, None, seed, n_trees, n_threads), n_trees, n_neighbors)


def mutual_forests(
    KDIndex index not None, uint64_t seed, Py_ssize_t n_trees, Py_ssize_t k, int n_threads,
):
    """Forests by mutual reachability, and the squared distances to the k-th neighbours."""
    cdef State state = State(index, None, seed, n_trees, n_threads)
    found = _peel(state, n_trees, max(4 + 2 * n_trees, k + 2), k)
    core = np.empty(state.n_points)
    core[np.asarray(state.row)] = state.point_core
    return *found, core


def neighbors(KDIndex index not None, uint64_t seed, Py_ssize_t k, int n_threads):
    """Rows of the k nearest other points of every row, and squared distances: (n, k)."""
    cdef State state = State(index, None, seed, 1, n_threads)
    cdef uint32_t[:, ::1] nearest = np.empty((state.n_points, k), dtype=np.uint32)
    cdef double[:, ::1] lengths = np.empty((state.n_points, k))
    state.graph.k = k
    state.graph.nearest, state.graph.nearest_length = &nearest[0, 0], &lengths[0, 0]
    try:
        _search(state, list_nearest)
    finally:
        state.dismiss()
    row = np.asarray(state.row)
    rows, squared = np.empty((len(row), k), dtype=np.uint32), np.empty((len(row), k))
    rows[row], squared[row] = row[np.asarray(nearest)], lengths
    return rows, squared


def pair_forests(
    KDIndex index_a not None, KDIndex index_b not None, forests_a, forests_b, uint64_t seed,
    Py_ssize_t n_trees, int n_threads,
):
    """Orthogonal minimum spanning forests of the union of the points of two indices."""
    cdef State state = State(index_a, index_b, seed, n_trees, n_threads)
    _know_own_forests(state, forests_a, forests_b)
    return _peel(state, n_trees, 0)

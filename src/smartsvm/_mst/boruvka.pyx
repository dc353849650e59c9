"""Borůvka's algorithm over kd-trees, with orthogonal trees, for low and middle dimension.

Every component takes its smallest edge to another component, components merge, and so on until
one is left. What is known of a vertex's edges is kept from round to round (graph.h): its smallest
edge to another component as long as that lasts, else a lower bound. In order of cost, a component
learns its edge from

1. edges known from the start (start.pyx): those of the trees within a set, for a pair of
   sets;
2. lists of nearest neighbours, made once: an edge shorter than the list's end, and than the bounds
   of all other vertices of the component, is certain. Where all points are distinct, what lists
   certify is found before the first round;
3. searches in the kd-tree (other_component.h), bounded by the best edge its component has so
   far, and made only by vertices whose lower bound is not above it. The largest component waits
   for the others.

A node of the tree whose points are all in the searching component is skipped. Later trees use the
same lists and searches without the edges of earlier trees: that only makes edges longer, so all
bounds stay bounds.

Ties: the order of edge_order.h. Searches go on at distances equal to the best, so the smallest key
among tied edges wins, and the result does not depend on threads.

Cost: about O(n log n) for a tree in low dimension, O(n (d + n_trees)) memory.

References: O. Borůvka (1926); W. B. March, P. Ram, A. G. Gray (2010).
"""
from libc.math cimport INFINITY
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memset

import numpy as np

from smartsvm._mst.common.disjoint_set cimport join_roots, root
from smartsvm._mst.common.edge_sort cimport end_i, end_j, length_of
from smartsvm._mst.kd.kd_index cimport KDIndex
from smartsvm._mst.kd.start cimport equal_edges, join_certain, join_equal, know_within
from smartsvm._mst.kd.state cimport (
    NODES_IN_A_CHUNK, NONE, VERTICES_IN_A_CHUNK, Graph, Phase, PointSet, State, component_of,
    component_of_point, edge_key, from_of, key_of_vertex,
)

cdef extern from "kd/update_edges.h" nogil:
    Phase update_edges, choose_best

cdef extern from "kd/other_component.h" nogil:
    Phase find_edges

cdef enum:
    NODES_TO_UPDATE = 1 << 10       # without a search they take little time
    MANY_POINTS = 1 << 19
    # One of so many vertices tells which component is large.
    SAMPLE_STEP = 16


cdef _peel(State state, Py_ssize_t n_trees, Py_ssize_t n_neighbors):
    """The forests one after the other, as the functions of this module return them."""
    cdef Py_ssize_t tree, before
    sizes = np.zeros(n_trees, dtype=np.intp)
    equal = equal_edges(state, n_trees)
    try:
        for tree in range(n_trees):
            if tree > 0:
                state.use_edges()
            before = state.graph.n_edges
            join_equal(state, None if equal is None else equal[tree])
            join_certain(state, n_neighbors, tree == 0)
            _join_in_rounds(state)
            sizes[tree] = state.graph.n_edges - before
            if sizes[tree] == 0:
                break
        return *state.rows_of_edges(), sizes
    finally:
        state.dismiss()


cdef _join_in_rounds(State state):
    """Join components along their best edges until one is left, or no edge."""
    cdef uint32_t waiting
    cdef bint search
    cdef Py_ssize_t before
    _lay_out_bests(state)
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
                waiting = _largest(state)
                state.graph.best_length[waiting] = -1
            state.run(find_edges, state.n_nodes, NODES_IN_A_CHUNK)
        # The best lengths are those of edges by now, in whatever order threads have found them.
        state.run(choose_best, state.n_vertices, VERTICES_IN_A_CHUNK)
        before = state.graph.n_edges
        with nogil:
            _merge(state, search, waiting)
        if state.graph.n_edges == before:
            return
        state.rename_components()


cdef _lay_out_bests(State state):
    """For each component there is, its best edge."""
    cdef Py_ssize_t n = state.n_components
    cdef uint32_t *words = state.words("bests", 3 * n)
    cdef double *doubles = state.doubles("best lengths", 2 * n)
    state.graph.best_vertex, state.best_left, state.size = words, words + n, words + 2 * n
    state.graph.best_length, state.graph.least_bound = doubles, doubles + n


cdef void _start_round(State state) noexcept nogil:
    """The best edge of every component among those known from the start."""
    cdef const Graph *graph = &state.graph
    cdef Py_ssize_t e
    cdef uint32_t c, other, n_left = 0
    for c in range(state.n_components):
        graph.best_length[c] = graph.least_bound[c] = INFINITY
        graph.best_vertex[c] = state.best_left[c] = NONE
    for e in range(state.n_left):
        c = component_of_point(graph, end_i(state.left[e]))
        other = component_of_point(graph, end_j(state.left[e]))
        if c != other:
            state.left[n_left] = state.left[e]
            _offer_known(state, c, n_left)
            _offer_known(state, other, n_left)
            n_left += 1
    state.n_left = n_left


cdef inline void _offer_known(State state, uint32_t c, uint32_t e) noexcept nogil:
    """Let a known edge be the best of component c if it is smaller."""
    cdef double length = length_of(state.left[e])
    if length > state.graph.best_length[c] or (
        length == state.graph.best_length[c]
        and _known_key(state, e) >= _known_key(state, state.best_left[c])
    ):
        return
    state.graph.best_length[c] = length
    state.best_left[c] = e


cdef inline uint64_t _known_key(State state, uint32_t e) noexcept nogil:
    return edge_key(&state.graph, end_i(state.left[e]), end_j(state.left[e]))


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


cdef uint32_t _largest(State state) noexcept nogil:
    """The component with the most vertices of a sample."""
    cdef uint32_t c, i, found = 0
    memset(state.size, 0, state.n_components * sizeof(uint32_t))
    for i in range(<uint32_t> state.n_vertices // SAMPLE_STEP):
        c = component_of(&state.graph, SAMPLE_STEP * i)
        state.size[c] += 1
        if state.size[c] > state.size[found]:
            found = c
    return found


cdef void _merge(State state, bint searched, uint32_t waiting) noexcept nogil:
    """Join components along their best edges, as far as certain."""
    cdef const Graph *graph = &state.graph
    cdef uint32_t c, v, e, i, j, a, b
    for c in range(state.n_components):
        if c == waiting or not (searched or graph.best_length[c] < graph.least_bound[c]):
            continue
        v, e = graph.best_vertex[c], state.best_left[c]
        if v != NONE and (
            e == NONE or length_of(state.left[e]) > graph.best_length[c]
            or key_of_vertex(graph, v) < _known_key(state, e)
        ):
            i, j = from_of(graph, v), graph.to[v]
        elif e != NONE:
            i, j = end_i(state.left[e]), end_j(state.left[e])
        else:
            continue
        a = root(graph.parent, component_of_point(graph, i))
        b = root(graph.parent, component_of_point(graph, j))
        if a != b:
            join_roots(graph.parent, a, b)
            state.add_edge(i, j, graph.best_length[c])


def index(const double[:, ::1] points, const uint32_t[::1] ids, int n_threads=1):
    """The kd-tree of some points, to be used in any number of calls below.

    `ids` are the points' identities in the whole data set; they decide ties.
    """
    return KDIndex(points, ids, n_threads)


def forests(KDIndex index not None, uint64_t seed, Py_ssize_t n_trees, int n_threads):
    """Orthogonal minimum spanning forests of the points of an index.

    Returns edges (pairs of rows, tree after tree), their squared distances, and the
    number of edges of each tree: n - 1 where it spans.
    """
    # In the plane one more neighbour saves searches, but takes 8 bytes per point.
    n_neighbors = 4 + 2 * n_trees + (index.tree.d <= 2 and index.n_points < MANY_POINTS)
    return _peel(State([index], seed, n_trees, n_threads), n_trees, n_neighbors)


def pair_forests(
    KDIndex index_a not None, KDIndex index_b not None, within_a, within_b, uint64_t seed,
    Py_ssize_t n_trees, int n_threads,
):
    """Orthogonal minimum spanning forests of the union of the points of two indices.

    `within_a` and `within_b` are (edges, squared distances) of the `n_trees` forests
    of each set; no other edge within a set can be in those of the union. Rows of
    the second set are counted on from those of the first. Returns as `forests`.
    """
    cdef State state = State([index_a, index_b], seed, n_trees, n_threads)
    know_within(state, within_a, within_b)
    return _peel(state, n_trees, 0)

"""Boruvka's algorithm over kd-trees, with orthogonal trees, for low and middle dimension.

Every component takes its smallest edge to another component, components merge, and so on until
one is left. What is known of a vertex's edges is kept from round to round (graph.h): its smallest
edge to another component as long as that lasts, else a lower bound. In order of cost, a component
learns its edge from

1. edges known from the start (certain_edges.pyx): those of the trees within a set, for a pair of
   sets, or all edges at each site's nearest distance, where many tie;
2. lists of nearest neighbours, made once: an edge shorter than the list's end, and than the bounds
   of all other vertices of the component, is certain. Where all points are distinct, what lists
   certify is found before the first round;
3. searches in the kd-tree (other_component.h), bounded by the best edge its component has so
   far, and made only by vertices whose lower bound is not above it. The vertex with the least
   bound goes first. The largest component waits for the others.

A node of the tree whose points are all in the searching component is skipped. Later trees use the
same lists and searches without the edges of earlier trees: that only makes edges longer, so all
bounds stay bounds.

Ties: the order of order.h. Searches go on at distances equal to the best, so the smallest key
among tied edges wins, and the result does not depend on threads.

Cost: about O(n log n) for a tree in low dimension, O(n (d + n_trees)) memory.

References: O. Boruvka (1926); W. B. March, P. Ram, A. G. Gray (2010).
"""
from libc.math cimport INFINITY
from libc.stdint cimport uint32_t, uint64_t

import numpy as np

from smartsvm._mst.edges.sort cimport PackedEdge, end_i, end_j, length_of
from smartsvm._mst.kd.certain_edges cimport join_certain, know_within
from smartsvm._mst.kd.components cimport equal_edges, join, largest, rename, start_tree
from smartsvm._mst.kd.graph cimport (
    NODES_IN_A_CHUNK, NONE, Graph, PointSet, component_of, component_of_point, edge_key, from_of,
)
from smartsvm._mst.kd.state cimport State
from smartsvm._mst.kd.tree cimport KDIndex

cdef extern from "kd/update_edges.h" nogil:
    bint update_edges(const Graph *graph, Py_ssize_t lo, Py_ssize_t hi, double *room)

cdef extern from "kd/other_component.h" nogil:
    bint probe(const Graph *graph, Py_ssize_t lo, Py_ssize_t hi, double *room)
    bint find_edges(const Graph *graph, Py_ssize_t lo, Py_ssize_t hi, double *room)

cdef enum:
    COMPONENTS_IN_A_CHUNK = 1 << 6
    MANY_POINTS = 1 << 19


cdef _peel(State state, Py_ssize_t n_trees, Py_ssize_t n_neighbors):
    """The forests one after the other, as the functions of this module return them."""
    cdef Py_ssize_t tree, before
    cdef Py_ssize_t[::1] sizes = np.zeros(n_trees, dtype=np.intp)
    equal = equal_edges(state, n_trees)
    for tree in range(n_trees):
        if tree > 0:
            state.use_edges()
        before = state.n_edges
        start_tree(state, None if equal is None else equal[tree])
        join_certain(state, n_neighbors, tree == 0)
        _join_in_rounds(state)
        sizes[tree] = state.n_edges - before
        if sizes[tree] == 0:
            break
    return *state.rows_of_edges(), np.asarray(sizes)


cdef _join_in_rounds(State state):
    """Join components along their best edges until one is left, or no edge."""
    cdef uint32_t waiting
    cdef bint search
    cdef Py_ssize_t merged
    state.lay_out_bests()
    while state.n_components > 1:
        state.run(update_edges, state.n_nodes, NODES_IN_A_CHUNK)
        waiting = NONE
        with nogil:
            _collect(state)
            search = 4 * _count_certain(state) < state.n_components
        if search:
            with nogil:
                _mark_nodes(state)
                waiting = largest(state)
                state.graph.best_length[waiting] = -1
            # Small components are as fast without: their vertices search only once more.
            if 4 * state.n_components <= state.n_vertices:
                state.run(probe, state.n_components, COMPONENTS_IN_A_CHUNK)
            state.run(find_edges, state.n_nodes, NODES_IN_A_CHUNK)
            with nogil:
                _collect(state)
        with nogil:
            merged = _merge(state, search, waiting)
        if merged == 0:
            return


cdef void _collect(State state) noexcept nogil:
    """The best edge of every component among those known, and its least bound."""
    cdef const Graph *graph = &state.graph
    cdef Py_ssize_t e, n_unused = 0
    cdef uint32_t c, other, v
    cdef PackedEdge edge
    cdef uint64_t key
    for c in range(state.n_components):
        graph.best_length[c] = state.least_bound[c] = INFINITY
        state.best_to[c] = graph.least_vertex[c] = NONE
    for e in range(state.n_unused):
        edge = state.known_edges()[state.unused[e]]
        c = component_of_point(graph, end_i(edge))
        other = component_of_point(graph, end_j(edge))
        if c != other:
            key = state.known_key[state.unused[e]]
            _offer(state, c, end_i(edge), end_j(edge), length_of(edge), key)
            _offer(state, other, end_j(edge), end_i(edge), length_of(edge), key)
            state.unused[n_unused] = state.unused[e]
            n_unused += 1
    state.n_unused = n_unused
    for v in range(state.n_vertices):
        c = component_of(graph, v)
        if graph.to[v] != NONE:
            _offer(state, c, from_of(graph, v), graph.to[v], graph.lower[v], 0)
        elif graph.lower[v] < state.least_bound[c]:
            state.least_bound[c] = graph.lower[v]
            graph.least_vertex[c] = v


cdef inline void _offer(
    State state, uint32_t c, uint32_t i, uint32_t j, double length, uint64_t key
) noexcept nogil:
    """Let an edge be the best of component c if it is smaller; a key of 0 is not computed yet."""
    if length > state.graph.best_length[c]:
        return
    if length == state.graph.best_length[c] and state.best_to[c] != NONE:
        if key == 0:
            key = edge_key(&state.graph, i, j)
        if state.best_key[c] == 0:
            state.best_key[c] = edge_key(&state.graph, state.best_from[c], state.best_to[c])
        if key >= state.best_key[c]:
            return
    state.graph.best_length[c] = length
    state.best_key[c] = key
    state.best_from[c] = i
    state.best_to[c] = j


cdef Py_ssize_t _count_certain(State state) noexcept nogil:
    """Components none of whose vertices can have a smaller edge."""
    cdef Py_ssize_t c, certain = 0
    for c in range(state.n_components):
        certain += state.graph.best_length[c] < state.least_bound[c]
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


cdef Py_ssize_t _merge(State state, bint searched, uint32_t waiting) noexcept nogil:
    """Join components along their best edges, as far as certain; how many edges."""
    cdef Py_ssize_t before = state.n_edges
    cdef uint32_t c
    for c in range(state.n_components):
        if state.best_to[c] != NONE and c != waiting and (
            searched or state.graph.best_length[c] < state.least_bound[c]
        ):
            join(state, c, state.best_from[c], state.best_to[c], state.graph.best_length[c])
    rename(state)
    return state.n_edges - before


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
    # In the plane one more neighbour saves searches, but 8 bytes a point.
    n_neighbors = 4 + 2 * n_trees + (index.tree.d <= 2 and index.n_points < MANY_POINTS)
    return _peel(State(index, None, seed, n_trees, n_threads), n_trees, n_neighbors)


def pair_forests(
    KDIndex index_a not None, KDIndex index_b not None, within_a, within_b, uint64_t seed,
    Py_ssize_t n_trees, int n_threads,
):
    """Orthogonal minimum spanning forests of the union of the points of two indices.

    `within_a` and `within_b` are (edges, squared distances) of the `n_trees` forests
    of each set; no other edge within a set can be in those of the union. Rows of
    the second set are counted on from those of the first. Returns as `forests`.
    """
    cdef State state = State(index_a, index_b, seed, n_trees, n_threads)
    know_within(state, within_a, within_b)
    return _peel(state, n_trees, 0)

"""The vertices that Borůvka's algorithm joins, and the components they are in.

Edges between equal points have length zero and are the smallest of all, so a tree begins with
the forests of the keys among equal points (equal_points.h). A site that is connected then is one
vertex; where earlier trees have used too many of its edges, each of its points is one. So a site
that many points share costs one search.

A round joins components along edges, and then numbers those that are left from 0 on.
"""
from libc.stdint cimport uint32_t

import numpy as np

from smartsvm._mst.common.disjoint_set cimport join_roots, root
from smartsvm._mst.common.equal_points cimport equal_forests, number_distinct
from smartsvm._mst.kd.graph cimport NONE, VERTICES_IN_A_CHUNK, Graph, component_of_point
from smartsvm._mst.kd.state cimport State
from smartsvm._mst.kd.kd_index cimport KDTree

cdef extern from "kd/tree.h" nogil:
    void kd_read_site(const KDTree *tree, uint32_t site, double *q, Py_ssize_t d)


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
                state.add_edge(equal[e, 0], equal[e, 1], 0)
                join_roots(
                    state.point_parent, root(state.point_parent, equal[e, 0]),
                    root(state.point_parent, equal[e, 1]),
                )
        # No vertex has an edge yet: their place serves as the labels of roots.
        _find_vertices(state, graph.to)
        for c in range(state.n_components):
            graph.parent[c] = <uint32_t> c
    graph.size = NULL
    state.run(_start_vertices, state.n_vertices, VERTICES_IN_A_CHUNK)


cdef bint _start_vertices(
    const Graph *graph, Py_ssize_t lo, Py_ssize_t hi, double *_room
) noexcept nogil:
    """Nothing is known of these; where points and vertices are the same, each is a component."""
    cdef uint32_t v
    for v in range(<uint32_t> lo, <uint32_t> hi):
        graph.lower[v], graph.to[v] = 0, NONE
        if graph.vertex_start == NULL:
            graph.component[v] = graph.parent[v] = v
    return True


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
    cdef uint32_t a = root(state.graph.parent, c)
    cdef uint32_t b = root(state.graph.parent, component_of_point(&state.graph, j))
    if a != b:
        join_roots(state.graph.parent, a, b)
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


cdef bint _renew_components(
    const Graph *graph, Py_ssize_t lo, Py_ssize_t hi, double *_room
) noexcept nogil:
    cdef Py_ssize_t v
    for v in range(lo, hi):
        graph.component[v] = graph.parent[graph.component[v]]
    return True

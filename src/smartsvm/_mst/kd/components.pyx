"""The vertices that Boruvka's algorithm joins, and the components they are in.

Edges between equal points have length zero and are the smallest of all, so a tree begins with
the forests of the keys among equal points (Prim's algorithm: O(m^2) for m of them). A site that
is connected then is one vertex; where earlier trees have used too many of its edges, each of its
points is one. So a site that many points share costs one search.

A round joins components along edges, and then numbers those that are left from 0 on. Vertices
keep a label; labels lead to components, and are renewed only while they are many.
"""
from libc.stdint cimport UINT64_MAX, uint8_t, uint32_t, uint64_t

import numpy as np

from smartsvm._mst.common.disjoint_set cimport join_roots, root
from smartsvm._mst.kd.graph cimport (
    NONE, Graph, component_of_point, edge_key, is_used
)
from smartsvm._mst.kd.state cimport State
from smartsvm._mst.kd.tree cimport KDTree
from smartsvm._threads cimport check_interrupt

cdef extern from "kd/tree.h" nogil:
    Py_ssize_t kd_find(const KDTree *own, Py_ssize_t site, const KDTree *other, double *q)

cdef enum:
    # A few hundredths of a second.
    KEYS_BETWEEN_SIGNAL_CHECKS = 1 << 22


cdef start_tree(State state):
    """Vertices and components at the start of a tree: nothing joined but equal points."""
    cdef Graph *graph = &state.graph
    cdef Py_ssize_t c, v
    if state.site_start is None:
        state.n_vertices = state.n_components = state.n_points
        for v in range(state.n_points):
            graph.label[v] = <uint32_t> v
    else:
        for v in range(state.n_points):
            state.point_parent[v] = <uint32_t> v
        if state.collapsed:
            _join_equal_points(state)
        # No vertex has an edge yet: their place serves as the labels of roots.
        _find_vertices(state, graph.to)
    for v in range(state.n_vertices):
        graph.lower[v] = 0
        graph.to[v] = NONE
    state.n_labels = state.n_components
    for c in range(state.n_components):
        graph.component[c] = graph.parent[c] = <uint32_t> c
        state.size[c] = 0
    for v in range(state.n_vertices):
        state.size[graph.label[v]] += 1


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
                graph.label[v] = label[top]
                v += 1
            graph.vertex_of_point[point] = v - 1
    state.vertex_of_site[n_all] = v
    graph.vertex_start[v] = <uint32_t> state.n_points
    state.n_vertices, state.n_components = v, n_components


cdef _join_equal_points(State state):
    """The smallest edges of all: the forests of the keys among equal points."""
    cdef Graph *graph = &state.graph
    cdef Py_ssize_t n_first = graph.sets[0].tree.n_sites, n_sites = state.site_start.shape[0] - 1
    cdef Py_ssize_t s, t, count
    cdef double[::1] q = np.empty(graph.sets[0].tree.d + 1)
    cdef uint32_t[:, ::1] room = np.empty((2, 2 * state.largest_site), dtype=np.uint32)
    cdef uint64_t[::1] key = np.empty(2 * state.largest_site, dtype=np.uint64)
    cdef uint8_t[::1] done = np.zeros(n_sites, dtype=np.uint8)
    cdef uint32_t point
    for s in range(n_sites):
        if done[s]:
            continue
        # A site of the first set may have an equal in the second.
        t = -1
        if graph.n_sets == 2 and s < n_first:
            t = kd_find(&graph.sets[0].tree, s, &graph.sets[1].tree, &q[0])
        count = 0
        for point in range(state.site_start[s], state.site_start[s + 1]):
            room[0, count] = point
            count += 1
        if t >= 0:
            done[n_first + t] = 1
            for point in range(state.site_start[n_first + t], state.site_start[n_first + t + 1]):
                room[0, count] = point
                count += 1
        if count > 1:
            _join_by_keys(state, &room[0, 0], count, &key[0], &room[1, 0])


cdef _join_by_keys(
    State state, uint32_t *points, Py_ssize_t size, uint64_t *key, uint32_t *source
):
    """Prim's algorithm on the keys of the unused edges among some points."""
    cdef Py_ssize_t j, least, work = 0
    cdef uint64_t candidate
    cdef uint32_t entered
    for j in range(size):
        key[j] = UINT64_MAX
        source[j] = NONE
    entered = points[size - 1]
    size -= 1
    while size > 0:
        work += size
        if work > KEYS_BETWEEN_SIGNAL_CHECKS:
            work = 0
            check_interrupt()
        least = 0
        for j in range(size):
            candidate = edge_key(&state.graph, entered, points[j])
            if (candidate < key[j] or source[j] == NONE) and not is_used(
                &state.graph, entered, points[j]
            ):
                key[j] = candidate
                source[j] = entered
            if source[j] != NONE and (source[least] == NONE or key[j] < key[least]):
                least = j
        entered = points[least]
        if source[least] != NONE:
            state.add_edge(source[least], entered, 0)
            join_roots(
                state.point_parent, root(state.point_parent, entered),
                root(state.point_parent, source[least]),
            )
        size -= 1
        points[least], key[least], source[least] = points[size], key[size], source[size]


cdef uint32_t largest(State state) noexcept nogil:
    cdef uint32_t c, found = 0
    for c in range(state.n_components):
        if state.size[c] > state.size[found]:
            found = c
    return found


cdef void join(State state, uint32_t c, uint32_t i, uint32_t j, double length) noexcept nogil:
    """Take the edge from point i in component c to point j, unless it closes a cycle."""
    cdef uint32_t a = root(state.graph.parent, c)
    cdef uint32_t b = root(state.graph.parent, component_of_point(&state.graph, j))
    if a != b:
        join_roots(state.graph.parent, a, b)
        state.add_edge(i, j, length)


cdef void rename(State state) noexcept nogil:
    """Number the joined components anew."""
    cdef Graph *graph = &state.graph
    cdef Py_ssize_t v
    cdef uint32_t c, a, n_components = 0
    # A root is the least of its component: new numbers never pass old ones.
    for c in range(state.n_components):
        a = root(graph.parent, c)
        if a == c:
            state.renamed[c] = n_components
            state.size[n_components] = state.size[c]
            n_components += 1
        else:
            state.renamed[c] = state.renamed[a]
            state.size[state.renamed[a]] += state.size[c]
    for v in range(state.n_labels):
        graph.component[v] = state.renamed[graph.component[v]]
    state.n_components = n_components
    for c in range(n_components):
        graph.parent[c] = c
    if state.n_labels > state.n_vertices // 64:
        for v in range(state.n_vertices):
            graph.label[v] = graph.component[graph.label[v]]
        state.n_labels = n_components
        for c in range(n_components):
            graph.component[c] = c

"""How far apart points are in a forest: the longest edge on the path between them.

Edges are joined in rising order, the smaller component below the root of the larger
one, and paths are never shortened: so the depth stays below log2(n), lengths rise
towards the root, and the longest edge between two points is read off their paths to it.

Only lengths are compared here, no tie keys: what is returned are bounds, and callers
leave an edge out only if it is strictly longer.
"""
from libc.math cimport INFINITY
from libc.stdint cimport uint32_t

import numpy as np


cdef inline uint32_t _top(const uint32_t *parent, uint32_t v) noexcept nogil:
    while parent[v] != v:
        v = parent[v]
    return v


cdef class Linkage:
    """Paths through a list of edges, given as pairs of nodes with their squared lengths."""

    def __init__(
        self, const uint32_t[:, ::1] edges, const double[::1] squared, Py_ssize_t n_nodes
    ):
        cdef const Py_ssize_t[::1] order = np.argsort(squared)
        cdef Py_ssize_t e, n_linked = 0
        cdef uint32_t a, b
        cdef uint32_t[::1] size = np.ones(n_nodes, dtype=np.uint32)
        self.parent = np.arange(n_nodes, dtype=np.uint32)
        self.height = np.full(n_nodes, np.inf)
        self.linked = np.empty(n_nodes, dtype=np.uint32)
        with nogil:
            for e in range(order.shape[0]):
                a = _top(&self.parent[0], edges[order[e], 0])
                b = _top(&self.parent[0], edges[order[e], 1])
                if a == b:
                    continue
                if size[a] > size[b]:
                    a, b = b, a
                self.parent[a] = b
                size[b] += size[a]
                self.height[a] = squared[order[e]]
                self.linked[n_linked] = a
                n_linked += 1
        self.paths = Paths(
            &self.parent[0], &self.linked[0], &self.height[0], n_nodes, n_linked
        )

    def distances_to_core(self):
        """The squared longest edge on the path from every node to the core, the last root."""
        cdef uint32_t core = _top(&self.parent[0], 0)
        distances = self.distances(core)
        # The core itself gets the shortest edge that joined another node to it.
        distances[core] = np.inf
        distances[core] = distances.min()
        return distances

    def distances(self, uint32_t start):
        """The squared longest edge on the path from one node to every node."""
        cdef double[::1] distance = np.empty(self.paths.n)
        fill_distances(&self.paths, start, &distance[0])
        return np.asarray(distance)


cdef void fill_distances(const Paths *paths, uint32_t start, double *distance) noexcept nogil:
    """What `Linkage.distances` returns."""
    cdef Py_ssize_t v, k
    for v in range(paths.n):
        distance[v] = INFINITY
    v = start
    distance[v] = 0
    while paths.parent[v] != v:
        distance[paths.parent[v]] = paths.height[v]
        v = paths.parent[v]
    for k in range(paths.n_linked - 1, -1, -1):
        v = paths.linked[k]
        if distance[v] == INFINITY:
            distance[v] = max(paths.height[v], distance[paths.parent[v]])

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
        cdef Py_ssize_t e
        cdef uint32_t a, b
        cdef uint32_t[::1] size = np.ones(n_nodes, dtype=np.uint32)
        self.parent = np.arange(n_nodes, dtype=np.uint32)
        self.height = np.full(n_nodes, np.inf)
        self.linked = np.empty(n_nodes, dtype=np.uint32)
        self.n_linked = 0
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
                self.linked[self.n_linked] = a
                self.n_linked += 1

    def distances_to_core(self):
        """The squared longest edge on the path from every node of a tree to its core.

        The core is the node whose component was never the smaller one of a merge; it gets the
        shortest edge that joined another node to it.
        """
        cdef uint32_t core = _top(&self.parent[0], 0)
        distances = self.distances(core)
        distances[core] = np.inf
        distances[core] = distances.min()
        return distances

    def distances(self, uint32_t start):
        """The squared longest edge on the path from one node to every node."""
        cdef double[::1] distance = np.empty(self.parent.shape[0])
        self.fill_distances(start, &distance[0])
        return np.asarray(distance)

    cdef void fill_distances(self, uint32_t start, double *distance) noexcept nogil:
        cdef Py_ssize_t v, k
        for v in range(self.parent.shape[0]):
            distance[v] = INFINITY
        v = start
        distance[v] = 0
        while self.parent[v] != v:
            distance[self.parent[v]] = self.height[v]
            v = self.parent[v]
        for k in range(self.n_linked - 1, -1, -1):
            v = self.linked[k]
            if distance[v] == INFINITY:
                distance[v] = max(self.height[v], distance[self.parent[v]])

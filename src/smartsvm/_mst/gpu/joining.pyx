"""Keys of edges between equal points, which the processor computes for the GPU.

Candidates that tie for the shortest edge of their component are compared by the tie keys of
`edge_order.h`, with equal points as one node (`equal_points.pyx`): of the edges between two nodes a
tree takes the smallest key that no earlier tree has taken.
"""
from libc.stdint cimport UINT64_MAX, int32_t, uint32_t, uint64_t

import numpy as np

from smartsvm._mst.common.edge_order cimport tie_key, tie_ranks
from smartsvm._mst.common.equal_points cimport Sites, collapse, smallest_key, two_groups


cdef class Nodes:
    """The nodes of a search: points, or groups of equal points."""

    cdef Sites sites
    cdef dict used          # pair of nodes, not both single -> last key taken, how many
    cdef readonly bint collapsed

    def __init__(self, const uint32_t[::1] ids, uint64_t seed, Py_ssize_t n_trees, equal=None):
        """`equal` are groups of equal rows as `equal_rows` returns them, None to ignore them."""
        cdef Py_ssize_t n = ids.shape[0]
        cdef uint32_t[::1] ranks = np.empty(n, dtype=np.uint32)
        self.used = {}
        if equal is not None:
            self.sites = collapse(equal[0], equal[1], np.asarray(ids), seed, n_trees)
        self.collapsed = self.sites is not None
        if not self.collapsed:
            tie_ranks(&ids[0], n, seed, &ranks[0])
            self.sites = Sites()
            self.sites.rows, self.sites.ranks = np.arange(n), np.asarray(ranks)

    @property
    def rows(self):
        """A row for each node."""
        return self.sites.rows

    @property
    def ranks(self):
        """The rank of every point, those of a node together."""
        return self.sites.ranks

    @property
    def inside(self):
        """The edges of each tree between equal points, as pairs of rows."""
        return self.sites.inside

    def arrange(self, order):
        """Bring the nodes into the given order."""
        if self.collapsed:
            self.sites.arrange(order)
        else:
            self.sites.rows, self.sites.ranks = order, self.sites.ranks[order]

    def sizes(self):
        """Number of points of every node."""
        if not self.collapsed:
            return np.ones(len(self.rows), dtype=np.intp)
        return np.diff(self.sites.start)

    def spread(self, values):
        """The values of nodes for each of their rows."""
        found = np.empty(len(self.ranks))
        members = self.sites.members if self.collapsed else self.rows
        found[members] = np.repeat(values, self.sizes())
        return found

    def pairs(self, keys):
        """The rows that edges between collapsed nodes with these keys join."""
        return self.sites.pairs(keys)

    def keys(self, const int32_t[::1] u, const int32_t[::1] v):
        """The smallest key of an edge between two nodes that no earlier tree has, for each pair."""
        cdef const Py_ssize_t[::1] start = self.sites.start
        cdef const uint32_t[::1] ranks = self.sites.ranks
        cdef Py_ssize_t e, n = u.shape[0], i, j
        cdef Py_ssize_t[2] place
        cdef uint64_t[::1] keys = np.zeros(n, dtype=np.uint64)
        if self.used:
            for e in range(n):
                keys[e] = self.used.get(_pair(u[e], v[e]), (-1,))[0] + 1
        with nogil:
            for e in range(n):
                i, j = start[u[e]], start[v[e]]
                if start[u[e] + 1] - i == 1 and start[v[e] + 1] - j == 1:
                    keys[e] = tie_key(ranks[i], ranks[j])
                else:
                    keys[e] = smallest_key(
                        two_groups(&ranks[0], i, start[u[e] + 1], j, start[v[e] + 1]), keys[e],
                        UINT64_MAX, place,
                    )
        return np.asarray(keys)

    def take(self, u, v, keys):
        """Note the edges of a finished tree; return which pairs of nodes have none left."""
        sizes = self.sizes()
        edges = sizes[u] * sizes[v]
        gone = edges == 1
        for e in np.flatnonzero(~gone).tolist():
            pair = _pair(u[e], v[e])
            count = self.used.get(pair, (0, 0))[1] + 1
            self.used[pair] = int(keys[e]), count
            gone[e] = count == edges[e]
        return gone


cdef inline tuple _pair(int32_t u, int32_t v):
    return (u, v) if u < v else (v, u)

"""The edges of a set's own forests, which a search between two sets need not look for.

Of the edges within a set the forests of a union have none but these. A class is in a pair
with every other class: its edges are sorted once, and kept with its index.
"""
from libc.stdint cimport uint32_t, uint64_t

import numpy as np

from smartsvm._mst.common.disjoint_set cimport join_roots, root
from smartsvm._mst.edges.peel import rank_edges
from smartsvm._mst.products.index cimport Index


cdef _longest_to_core(
    const uint32_t[:, ::1] edges, const double[::1] distances, double[::1] longest,
):
    """The longest edge on each node's path through a spanning tree to the core of its set.

    Kruskal's algorithm on the tree: a node's path ends with the last merge in which its
    component was the smaller one. A component without the core has a tree edge out of it that
    is no longer than that of any of its nodes, so nodes need no longer ones elsewhere.
    """
    cdef Py_ssize_t n = longest.shape[0], e
    cdef const Py_ssize_t[::1] order = np.argsort(distances)
    # Members of a component form a ring.
    cdef uint32_t[::1] parent = np.arange(n, dtype=np.uint32)
    cdef uint32_t[::1] following = np.arange(n, dtype=np.uint32)
    cdef uint32_t[::1] size = np.ones(n, dtype=np.uint32)
    cdef uint32_t small, large, i
    with nogil:
        for e in range(order.shape[0]):
            small = root(&parent[0], edges[order[e], 0])
            large = root(&parent[0], edges[order[e], 1])
            if size[small] > size[large]:
                small, large = large, small
            if size[large] == 1:
                longest[large] = distances[order[e]]
            i = small
            while True:
                longest[i] = distances[order[e]]
                i = following[i]
                if i == small:
                    break
            following[small], following[large] = following[large], following[small]
            size[join_roots(&parent[0], small, large)] = size[small] + size[large]


cdef class SetEdges:
    """Known edges by node, and how long an edge to the other set may have to be."""

    def __init__(self, Index index, edges, distances, Py_ssize_t n_trees, uint64_t seed):
        cdef Py_ssize_t n = index.n, n_last = n - 1
        node = np.empty(n, dtype=np.uint32)
        node[index.order] = np.arange(n, dtype=np.uint32)
        ends = np.ascontiguousarray(node[edges])
        self.edges, self.n_trees, self.seed = edges, n_trees, seed
        self.longest = np.full(n, np.inf)
        if 0 < n_last and len(edges) == n_trees * n_last:
            # All of them are trees, and the last one has the longest paths.
            last = slice(len(edges) - n_last, len(edges))
            _longest_to_core(ends[last], distances[last], self.longest)
        order = rank_edges(ends, distances, index.ids, seed)
        ranked = ends[order].astype(np.uint64)
        self.ranked = np.stack(
            [np.asarray(distances)[order].view(np.uint64), ranked[:, 0] << 32 | ranked[:, 1]],
            axis=1,
        )


cdef SetEdges set_edges(Index index, edges, distances, Py_ssize_t n_trees, uint64_t seed):
    """The known edges of an indexed set, those of the last call if it asked for the same."""
    cdef SetEdges found
    with index.lock:
        found = index.set_edges
        if (
            found is None or found.edges is not edges or found.n_trees != n_trees
            or found.seed != seed
        ):
            found = index.set_edges = SetEdges(index, edges, distances, n_trees, seed)
    return found

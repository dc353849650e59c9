"""The edges of a set's own forests, which a search between two sets need not look for.

Of the edges within a set the forests of a union have none but these. A class is in a pair
with every other class: its edges are sorted once, and kept with its index.
"""
from libc.stdint cimport uint64_t

import numpy as np

from smartsvm._mst.edges.bottleneck import Linkage
from smartsvm._mst.edges.peel import rank_edges
from smartsvm._mst.products.index cimport Index


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
            # All of them are trees, and the last one has the longest paths. A component without
            # its core has a tree edge out of it that is no longer than that of any of its nodes,
            # so nodes need no longer ones elsewhere.
            last = slice(len(edges) - n_last, len(edges))
            self.longest = Linkage(ends[last], distances[last], n).distances_to_core()
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

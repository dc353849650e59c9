"""The edges of a set's own forests, which a search between two sets need not look for.

Of the edges within a set the forests of a union have none but these. A class is in a pair
with every other class: its edges are sorted once, and kept with its index.
"""
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport qsort

import numpy as np

from smartsvm._mst.blocks cimport Index
from smartsvm._mst.list_boruvka cimport Known
from smartsvm._mst.order cimport tie_key
from smartsvm._mst.union_find cimport root


cdef int _compare(const void *left, const void *right) noexcept nogil:
    cdef const Known *a = <const Known *> left
    cdef const Known *b = <const Known *> right
    if a.distance != b.distance:
        return -1 if a.distance < b.distance else 1
    return (a.key > b.key) - (a.key < b.key)


cdef _reach_core(const uint32_t[:, ::1] edges, const double[::1] distances, double[::1] reach):
    """The longest edge on each node's way through a spanning tree to the core of its set.

    Kruskal's algorithm on the tree: a node's way ends with the last merge that found it
    on the smaller side. A component without the core has a tree edge out of it that is
    no longer than the reach of any of its nodes, so nodes need no longer ones elsewhere.
    """
    cdef Py_ssize_t n = reach.shape[0], e
    cdef const Py_ssize_t[::1] order = np.argsort(distances)
    # Members of a component form a ring.
    cdef uint32_t[::1] parent = np.arange(n, dtype=np.uint32)
    cdef uint32_t[::1] following = np.arange(n, dtype=np.uint32)
    cdef uint32_t[::1] size = np.ones(n, dtype=np.uint32)
    cdef uint32_t small, large, i
    for e in range(order.shape[0]):
        small = root(&parent[0], edges[order[e], 0])
        large = root(&parent[0], edges[order[e], 1])
        if size[small] > size[large]:
            small, large = large, small
        if size[large] == 1:
            reach[large] = distances[order[e]]
        i = small
        while True:
            reach[i] = distances[order[e]]
            i = following[i]
            if i == small:
                break
        following[small], following[large] = following[large], following[small]
        parent[small] = large
        size[large] += size[small]


cdef class Within:
    """Known edges by node, and how long an edge to the other set may have to be."""

    def __init__(self, Index index, edges, distances, Py_ssize_t n_trees, uint64_t seed):
        cdef Py_ssize_t n = index.n, n_last = n - 1
        node = np.empty(n, dtype=np.uint32)
        node[index.order] = np.arange(n, dtype=np.uint32)
        pairs = node[edges]
        self.edges, self.n_trees, self.seed = edges, n_trees, seed
        self.reach = np.full(n, np.inf)
        if 0 < n_last and len(pairs) == n_trees * n_last:
            # All of them are trees, and the last one has the longest ways.
            last = slice(len(pairs) - n_last, len(pairs))
            _reach_core(pairs[last], distances[last], self.reach)
        self._sort(index.ids, pairs, distances)

    cdef _sort(
        self, const uint32_t[::1] ids, const uint32_t[:, ::1] pairs, const double[::1] lengths,
    ):
        cdef Py_ssize_t n = ids.shape[0], e, side, i
        cdef Py_ssize_t[::1] start = np.zeros(n + 2, dtype=np.intp)
        cdef Known *known
        self.memory = np.empty(2 * len(pairs) * sizeof(Known) + 1, dtype=np.uint8)
        self.known = <Known *> <size_t> self.memory.ctypes.data
        for e in range(pairs.shape[0]):
            start[pairs[e, 0] + 2] += 1
            start[pairs[e, 1] + 2] += 1
        for i in range(n):
            start[i + 2] += start[i + 1]
        for e in range(pairs.shape[0]):
            for side in range(2):
                i = pairs[e, side]
                known = self.known + start[i + 1]
                start[i + 1] += 1
                known.partner = pairs[e, 1 - side]
                known.distance = lengths[e]
                known.key = tie_key(ids[pairs[e, 0]], ids[pairs[e, 1]], self.seed)
        for i in range(n):
            qsort(self.known + start[i], start[i + 1] - start[i], sizeof(Known), _compare)
        self.start = np.asarray(start)[:n + 1]


cdef Within within_of(
    Index index, edges, distances, Py_ssize_t n_trees, uint64_t seed,
):
    """The known edges of an indexed set, those of the last call if it asked for the same."""
    cdef Within within
    with index.lock:
        within = index.within
        if (
            within is None or within.edges is not edges or within.n_trees != n_trees
            or within.seed != seed
        ):
            within = index.within = Within(index, edges, distances, n_trees, seed)
    return within

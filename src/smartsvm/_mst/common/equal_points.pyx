"""Equal points as one node of a search: a site.

Edges between equal points have length zero, so every tree takes them before all others. If the
trees' forests inside a group of equal points span it, then the group is one component of each tree
before any other edge is looked at, and can be one node. Of the edges between two sites, all of one
length, a tree can take one only: the smallest key among pairs of members that no earlier tree has
taken. As trees take them in ascending order, the number of those taken tells which are left.

Groups too small for that many trees stay separate points. Unequal points whose distance rounds
to zero break the argument; the caller looks for them in the result.

Cost: O(n d + n log n) to find groups, O(m t log m) for t trees of m equal points.
"""
from libc.stdint cimport uint32_t, uint64_t

import numpy as np

from smartsvm._mst.common.disjoint_set cimport joins
from smartsvm._mst.common.edge_sort cimport PackedEdge, edges_sort, end_i, end_j
from smartsvm._mst.common.edge_order cimport tie_key, tie_ranks
from smartsvm._core.threads cimport check_interrupt

cdef enum:
    # Points of a group that is worth a node of its own.
    LARGE = 32
    # Edges listed or taken between two looks for a signal: some hundredths of a second.
    EDGES_BETWEEN_SIGNAL_CHECKS = 1 << 20


def equal_rows(const double[:, ::1] points):
    """Groups of two or more equal rows: their starts in a list of rows, and that list."""
    cdef Py_ssize_t n = points.shape[0], n_distinct
    cdef uint32_t[::1] room = np.empty(4 * n, dtype=np.uint32)
    with nogil:
        n_distinct = number_distinct(&points[0, 0], n, points.shape[1], &room[n], &room[0])
    if n_distinct == n:
        return np.zeros(1, dtype=np.intp), np.empty(0, dtype=np.intp)
    site = np.asarray(room)[:n]
    members = np.flatnonzero(np.bincount(site)[site] > 1)
    members = members[np.argsort(site[members], kind="stable")]
    return np.flatnonzero(np.diff(site[members].astype(np.intp), prepend=-1, append=-1)), members


cdef equal_forests(const uint32_t[::1] ranks, const Py_ssize_t[::1] start, Py_ssize_t n_trees):
    """The trees of groups of equal points, sorted by rank: edges as pairs of places in `ranks`."""
    cdef Py_ssize_t n_groups = start.shape[0] - 1, g, tree, n_left, i, apart, unchecked = 0
    cdef Py_ssize_t largest = np.diff(start).max(initial=1)
    cdef Py_ssize_t room = min(2 * n_trees - 2, largest) * largest + 1
    cdef uint32_t[:, :, ::1] edges = np.empty((n_trees, ranks.shape[0] + 1, 2), dtype=np.uint32)
    cdef Py_ssize_t[::1] count = np.zeros(n_trees, dtype=np.intp)
    cdef uint64_t[:, ::1] items = np.empty((2 * room, 2), dtype=np.uint64)
    cdef uint32_t[::1] parent = np.empty(largest, dtype=np.uint32)
    cdef PackedEdge *left = <PackedEdge *> &items[0, 0]
    cdef Py_ssize_t n
    with nogil:
        for g in range(n_groups):
            n = start[g + 1] - start[g]
            for i in range(start[g], start[g + 1] - 1):
                edges[0, count[0], 0], edges[0, count[0], 1] = <uint32_t> i, <uint32_t> i + 1
                count[0] += 1
            # All edges that later trees may have; see equal_points.h.
            n_left = 0
            for apart in range(2, min(2 * n_trees, n)):
                for i in range(n - apart):
                    left[n_left].weight = tie_key(ranks[start[g] + i], ranks[start[g] + i + apart])
                    left[n_left].ends = <uint64_t> i << 32 | <uint64_t> (i + apart)
                    n_left += 1
            edges_sort(left, left + room, n_left)
            for tree in range(1, n_trees):
                unchecked += n + n_left
                if unchecked >= EDGES_BETWEEN_SIGNAL_CHECKS:
                    unchecked = 0
                    with gil:
                        check_interrupt()
                n_left = _take_tree(
                    left, n_left, &parent[0], n, <uint32_t> start[g], &edges[tree, 0, 0],
                    &count[tree],
                )
    return [np.asarray(edges)[tree, :count[tree]] for tree in range(n_trees)]


cdef Py_ssize_t _take_tree(
    PackedEdge *left, Py_ssize_t n_left, uint32_t *parent, Py_ssize_t n, uint32_t first,
    uint32_t *edges, Py_ssize_t *count,
) noexcept nogil:
    """Kruskal's algorithm on sorted edges; how many are left, at the front."""
    cdef Py_ssize_t e, kept = 0
    cdef uint32_t i, j
    for i in range(<uint32_t> n):
        parent[i] = i
    for e in range(n_left):
        i, j = end_i(left[e]), end_j(left[e])
        if joins(parent, i, j):
            edges[2 * count[0]], edges[2 * count[0] + 1] = first + i, first + j
            count[0] += 1
        else:
            left[kept] = left[e]
            kept += 1
    return kept


cdef class Sites:
    """Nodes of a search and their members."""

    cdef arrange(self, order):
        """Bring the nodes into the given order."""
        sizes = np.diff(self.start)[order]
        start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)
        chosen = np.repeat(self.start[order] - start[:len(order)], sizes)
        chosen += np.arange(len(self.ranks))
        self.rows = self.rows[order]
        self.start, self.members, self.ranks = start, self.members[chosen], self.ranks[chosen]

    cdef pairs(self, keys):
        """The rows that are the ends of each edge between nodes: its key tells their ranks."""
        order = np.argsort(self.ranks)
        low = keys & np.uint64(0xffffffff)
        ranks = np.column_stack([low, low + (keys >> np.uint64(32))]).astype(np.uint32)
        places = np.searchsorted(self.ranks[order], ranks)
        return self.members[order[places]].astype(np.uint32)


cdef Sites collapse(start, members, ids, uint64_t seed, Py_ssize_t n_trees):
    """Nodes for rows with these `ids` and groups of equal ones; None if that brings little."""
    cdef const uint32_t[::1] identities = ids
    cdef Py_ssize_t n = len(ids)
    cdef uint32_t[::1] rank = np.empty(n, dtype=np.uint32)
    cdef Sites sites = Sites()
    sizes = np.diff(start)
    # A spanning tree has size - 1 of the size (size - 1) / 2 edges of a group.
    candidates = sizes // 2 >= n_trees
    # Nodes are indexed anew: not for a few points, unless one's equals would fill its list.
    n_saved = (sizes[candidates] - 1).sum()
    if n_saved == 0 or (8 * n_saved < n and sizes[candidates].max() < LARGE):
        return None
    tie_ranks(&identities[0], n, seed, &rank[0])
    ranks = np.asarray(rank)
    members, sizes = members[np.repeat(candidates, sizes)], sizes[candidates]
    group = np.repeat(np.arange(len(sizes)), sizes)
    members = members[np.lexsort((ranks[members], group))]
    start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)
    forests = equal_forests(ranks[members], start, n_trees)
    # The groups that all forests span are one node each.
    spans = np.ones(len(sizes), dtype=bool)
    for edges in forests:
        spans &= np.bincount(group[edges[:, 0]], minlength=len(sizes)) == sizes - 1
    alone = np.ones(len(ranks), dtype=bool)
    alone[members[spans[group]]] = False
    alone = np.flatnonzero(alone)
    sites.rows = np.concatenate([members[start[:len(sizes)][spans]], alone])
    sites.members = np.concatenate([members[spans[group]], alone])
    sizes = np.concatenate([sizes[spans], np.ones(len(alone), dtype=np.intp)])
    sites.start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)
    sites.ranks = ranks[sites.members]
    sites.inside = [
        members[edges[spans[group[edges[:, 0]]]]].astype(np.uint32) for edges in forests
    ]
    return sites

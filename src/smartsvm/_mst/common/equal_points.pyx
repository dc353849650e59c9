"""Equal points as one node of a search: a site.

Edges between equal points have length zero, so every tree takes them before all others. If the
trees' forests inside a group of equal points span it, then the group is one component of each
tree before any other edge is looked at, and can be one node. Of the edges between two sites,
all of one length, a tree can take one only: the smallest key among pairs of members that no
earlier tree has taken. As trees take them in ascending order, the number of those taken tells
which are left.

Groups too small for that many trees stay separate points. Unequal points whose distance rounds
to zero break the argument; the caller looks for them in the result.

Cost: O(n d + n log n) to find groups, and one key for each pair of equal points and tree.
"""
from libc.stdint cimport UINT64_MAX, uint8_t, uint32_t, uint64_t

import numpy as np

from smartsvm._mst.common.order cimport tie_key
from smartsvm._threads cimport check_interrupt

cdef extern from "common/equal_points.h" nogil:
    bint points_are_equal(const double *x, const double *y, Py_ssize_t d)
    uint64_t hash_point(const double *x, Py_ssize_t d)

cdef enum:
    KEYS_BETWEEN_SIGNAL_CHECKS = 1 << 22
    # Points of a group that is worth a node of its own.
    LARGE = 32


cdef equal_rows(const double[:, ::1] points):
    """Groups of two or more equal rows: their starts in a list of rows, and that list."""
    cdef Py_ssize_t n = points.shape[0], d = points.shape[1], i, first, n_groups = 0, total = 0
    cdef uint64_t[::1] hashes = np.empty(n, dtype=np.uint64)
    cdef Py_ssize_t[::1] order, start, members
    with nogil:
        for i in range(n):
            hashes[i] = hash_point(&points[i, 0], d)
    order = np.argsort(hashes, kind="stable")
    start = np.zeros(n // 2 + 1, dtype=np.intp)
    members = np.empty(n, dtype=np.intp)
    first = 0
    with nogil:
        for i in range(1, n):
            if hashes[order[i]] != hashes[order[first]]:
                first = i
            # Rows of one hash that differ from its first one stay alone.
            elif points_are_equal(&points[order[first], 0], &points[order[i], 0], d):
                if total == start[n_groups]:
                    members[total] = order[first]
                    total += 1
                members[total] = order[i]
                total += 1
            if total > start[n_groups] and (
                i + 1 == n or hashes[order[i + 1]] != hashes[order[first]]
            ):
                n_groups += 1
                start[n_groups] = total
    return np.asarray(start)[:n_groups + 1].copy(), np.asarray(members)[:total].copy()


cdef inline bint _is_taken(
    const uint32_t *source, Py_ssize_t room, Py_ssize_t tree, uint32_t u, uint32_t v,
) noexcept nogil:
    cdef Py_ssize_t r
    for r in range(tree):
        if source[r * room + u] == v or source[r * room + v] == u:
            return True
    return False


cdef int _span(
    const uint32_t *ids, Py_ssize_t n, uint64_t seed, Py_ssize_t n_trees, uint32_t *source,
    Py_ssize_t room, uint64_t *nearest, uint32_t *outside, Py_ssize_t *work,
) except -1 nogil:
    """Prim's algorithm on keys, tree after tree; whether all of them span.

    Row r of `source`, of `room` entries, has for each vertex but the first its partner
    in tree r; the first has itself.
    """
    cdef Py_ssize_t tree, j, left, smallest
    cdef uint32_t entered, v
    cdef uint64_t key
    for tree in range(n_trees):
        left = n - 1
        for j in range(left):
            outside[j] = <uint32_t> j + 1
            nearest[j] = UINT64_MAX
        entered = 0
        source[tree * room] = 0
        while left > 0:
            smallest = 0
            for j in range(left):
                v = outside[j]
                key = tie_key(ids[entered], ids[v], seed)
                if key < nearest[j] and not _is_taken(source, room, tree, entered, v):
                    nearest[j] = key
                    source[tree * room + v] = entered
                if nearest[j] < nearest[smallest]:
                    smallest = j
            if nearest[smallest] == UINT64_MAX:
                return 0
            work[0] += left
            if work[0] > KEYS_BETWEEN_SIGNAL_CHECKS:
                work[0] = 0
                with gil:
                    check_interrupt()
            entered = outside[smallest]
            left -= 1
            outside[smallest] = outside[left]
            nearest[smallest] = nearest[left]
    return 1


cdef class Sites:
    """Nodes of a search and their members."""

    cdef arrange(self, order):
        """Bring the nodes into the given order."""
        sizes = np.diff(self.start)[order]
        start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)
        chosen = np.repeat(self.start[order] - start[:len(order)], sizes) + np.arange(len(self.ids))
        self.rows = self.rows[order]
        self.start, self.members, self.ids = start, self.members[chosen], self.ids[chosen]

    cdef pairs(self, const uint32_t[:, ::1] edges, const uint64_t[::1] keys, uint64_t seed):
        """The rows that are the ends of each edge between nodes, found by its key."""
        cdef Py_ssize_t e, i, j, work = 0
        cdef const Py_ssize_t[::1] start = self.start, members = self.members
        cdef const uint32_t[::1] ids = self.ids
        cdef uint32_t[:, ::1] rows = np.zeros((edges.shape[0], 2), dtype=np.uint32)
        with nogil:
            for e in range(edges.shape[0]):
                for i in range(start[edges[e, 0]], start[edges[e, 0] + 1]):
                    work += start[edges[e, 1] + 1] - start[edges[e, 1]]
                    for j in range(start[edges[e, 1]], start[edges[e, 1] + 1]):
                        if tie_key(ids[i], ids[j], seed) == keys[e]:
                            rows[e, 0], rows[e, 1] = <uint32_t> members[i], <uint32_t> members[j]
                if work > KEYS_BETWEEN_SIGNAL_CHECKS:
                    work = 0
                    with gil:
                        check_interrupt()
        return np.asarray(rows)


cdef Sites collapse(start, members, ids, uint64_t seed, Py_ssize_t n_trees):
    """Nodes for rows with these `ids` and groups of equal ones; None if that brings little."""
    cdef const Py_ssize_t[::1] starts = start
    cdef const uint32_t[::1] member_ids = ids[members]
    cdef Py_ssize_t n = len(ids), g, size, first, work = 0
    sizes = np.diff(start)
    # A spanning tree has size - 1 of the size (size - 1) / 2 edges of a group.
    candidates = np.flatnonzero(sizes // 2 >= n_trees)
    # Nodes are indexed anew: not for a few points, unless one's equals would fill its list.
    n_saved = sizes[candidates].sum() - len(candidates)
    if n_saved == 0 or (8 * n_saved < n and sizes[candidates].max() < LARGE):
        return None
    cdef Py_ssize_t room = len(members)
    cdef uint32_t[:, ::1] source = np.zeros((n_trees, room), dtype=np.uint32)
    cdef uint64_t[::1] nearest = np.empty(sizes.max(), dtype=np.uint64)
    cdef uint32_t[::1] outside = np.empty(sizes.max(), dtype=np.uint32)
    cdef const Py_ssize_t[::1] groups = candidates
    cdef uint8_t[::1] spans = np.zeros(len(sizes), dtype=np.uint8)
    with nogil:
        for g in range(groups.shape[0]):
            first = starts[groups[g]]
            size = starts[groups[g] + 1] - first
            spans[groups[g]] = _span(
                &member_ids[first], size, seed, n_trees, &source[0, first], room, &nearest[0],
                &outside[0], &work,
            )
    return _sites(start, members, ids, np.asarray(spans, dtype=bool), np.asarray(source))


cdef Sites _sites(start, members, ids, spans, source):
    """Nodes where the groups that span are one node each; their sources are the edges inside."""
    cdef Sites sites = Sites()
    sizes = np.diff(start)
    inside = np.repeat(spans, sizes)
    offset = np.repeat(start[:-1], sizes)
    later = inside & (np.arange(len(members)) > offset)
    alone = np.ones(len(ids), dtype=bool)
    alone[members[inside]] = False
    sites.rows = np.concatenate([members[start[:-1][spans]], np.flatnonzero(alone)])
    sites.members = np.concatenate([members[inside], np.flatnonzero(alone)])
    sites.start = np.concatenate(
        [[0], np.cumsum(np.concatenate([sizes[spans], np.ones(alone.sum(), dtype=np.intp)]))]
    ).astype(np.intp)
    sites.ids = ids[sites.members]
    sites.inside = [
        np.column_stack([members[later], members[(tree + offset)[later]]]).astype(np.uint32)
        for tree in source
    ]
    return sites

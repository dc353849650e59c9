"""Forests of two classes together, peeled off their own forests and edges between them.

An edge of a forest of two classes that lies within one of them is in the forests of that class up
to this one. So the forests of both and the edges between them, up to some length, have all edges up
to that length that the union needs. Peeling takes edges in their order: it is right as long as it
needs none that is longer.

A line shows the longest edges on paths (`line_up`); with them, fewer edges between the classes are
enough to be certain (`gpu/class_pairs.py`).
"""
from libc.math cimport INFINITY, sqrt
from libc.stdint cimport int32_t, uint32_t, uint64_t

import numpy as np

from smartsvm._mst.common.disjoint_set cimport join_roots, joins, root
from smartsvm._mst.common.edge_order cimport tie_key, tie_ranks


def ranks_of(const uint32_t[::1] ids, uint64_t seed):
    """The ranks of points, which decide between edges of one length."""
    cdef uint32_t[::1] ranks = np.empty(ids.shape[0], dtype=np.uint32)
    tie_ranks(&ids[0], ids.shape[0], seed, &ranks[0])
    return np.asarray(ranks)


def line_up(
    const int32_t[::1] u, const int32_t[::1] v, const double[::1] lengths,
    const Py_ssize_t[::1] first,
):
    """Nodes on a line such that the longest edge between two is the largest gap between them.

    The edges are those of forests inside ranges of nodes, which begin at `first`. Kruskal's merges
    append one list to the other, with the edge's length as the gap. Returns the nodes in their
    order, range after range, and the gap before each: infinite at the start of a tree.
    """
    cdef const Py_ssize_t[::1] ranked = np.argsort(lengths)
    cdef Py_ssize_t n = first[first.shape[0] - 1], e, k, place = 0
    cdef uint32_t a, b, top, i
    cdef uint32_t[::1] parent = np.arange(n, dtype=np.uint32)
    cdef uint32_t[::1] head = np.arange(n, dtype=np.uint32), tail = np.arange(n, dtype=np.uint32)
    cdef uint32_t[::1] following = np.arange(n, dtype=np.uint32)
    cdef uint32_t[::1] order = np.empty(n, dtype=np.uint32)
    cdef double[::1] before = np.full(n, np.inf), gaps = np.empty(n)
    with nogil:
        for k in range(ranked.shape[0]):
            e = ranked[k]
            a, b = root(&parent[0], <uint32_t> u[e]), root(&parent[0], <uint32_t> v[e])
            following[tail[a]] = head[b]
            before[head[b]] = lengths[e]
            join_roots(&parent[0], a, b)
            top = root(&parent[0], a)
            head[top], tail[top] = head[a], tail[b]
        for k in range(n):
            if root(&parent[0], <uint32_t> k) != k:
                continue
            i = head[k]
            while True:
                order[place], gaps[place] = i, before[i]
                place += 1
                if following[i] == i:
                    break
                i = following[i]
    return np.asarray(order), np.asarray(gaps)


def longest_on_paths(
    const int32_t[::1] starts, const int32_t[::1] ends, const int32_t[:, ::1] places,
    const double[:, ::1] gaps,
):
    """The longest edge on the paths between nodes, over all lines (rows of `places`, `gaps`)."""
    cdef Py_ssize_t e
    cdef double[::1] longest = np.empty(starts.shape[0])
    with nogil:
        for e in range(starts.shape[0]):
            longest[e] = _longest(starts[e], ends[e], places, gaps)
    return np.asarray(longest)


cdef double _longest(
    int32_t a, int32_t b, const int32_t[:, ::1] places, const double[:, ::1] gaps,
) noexcept nogil:
    cdef Py_ssize_t s, k
    cdef double longest = 0
    for s in range(places.shape[0]):
        for k in range(min(places[s, a], places[s, b]), max(places[s, a], places[s, b])):
            longest = max(longest, gaps[s, k + 1])
    return longest


def join_classes(
    const int32_t[:, ::1] pairs, const int32_t[:, ::1] edges, const double[::1] squared,
    const Py_ssize_t[::1] inside, const Py_ssize_t[::1] cross, const Py_ssize_t[::1] first,
    const uint32_t[::1] ranks, Py_ssize_t n_trees, const double[::1] bounds,
    const int32_t[:, ::1] ends=None, const int32_t[:, ::1] places=None,
    const double[:, ::1] gaps=None,
):
    """Peel the trees of pairs of classes off the edges inside each and those between them.

    Edges of all trees of class k begin at `inside[k]`, those between the classes of pair p at
    `cross[p]`, all in the order of `edge_order.h`. A pair is certain if its bound is infinite, if
    all trees span with edges up to the bound, or if every tree has a cross edge up to it, with
    paths up to it to the nodes `ends`, if these and lines are given. Returns edges, squared
    lengths, sizes of trees, and which pairs are certain; others have no edges.
    """
    cdef Py_ssize_t n_pairs = pairs.shape[0], p, s, c, e, best, n_out = 0, n_left
    cdef bint has_lines = ends is not None
    cdef Py_ssize_t[3] at, stop
    cdef int32_t i, j
    counts = np.diff(first)[pairs].sum(axis=1)
    cdef const Py_ssize_t[::1] sizes_of_pairs = counts
    cdef Py_ssize_t most = counts.max()
    cdef uint32_t[:, ::1] parent = np.empty((n_trees, most), dtype=np.uint32)
    cdef Py_ssize_t[:, ::1] taken = np.empty((n_trees, most), dtype=np.intp)
    cdef unsigned char[::1] sure = np.empty(n_trees, dtype=np.uint8)
    cdef unsigned char[::1] certain = np.ones(n_pairs, dtype=np.uint8)
    cdef Py_ssize_t[:, ::1] sizes = np.zeros((n_pairs, n_trees), dtype=np.intp)
    cdef Py_ssize_t[::1] chosen = np.empty(n_trees * counts.sum(), dtype=np.intp)
    with nogil:
        for p in range(n_pairs):
            for s in range(n_trees):
                sure[s] = bounds[p] == INFINITY
                for e in range(sizes_of_pairs[p]):
                    parent[s, e] = <uint32_t> e
            at[0], at[1], at[2] = inside[pairs[p, 0]], inside[pairs[p, 1]], cross[p]
            stop[0], stop[1] = inside[pairs[p, 0] + 1], inside[pairs[p, 1] + 1]
            stop[2] = cross[p + 1]
            n_left = n_trees * (sizes_of_pairs[p] - 1)
            while n_left > 0:
                best = -1
                for c in range(3):
                    if at[c] < stop[c] and (
                        best < 0 or _is_before(at[c], at[best], edges, squared, ranks)
                    ):
                        best = c
                if best < 0:
                    break
                e = at[best]
                at[best] += 1
                i, j = _place(edges[e, 0], pairs, p, first), _place(edges[e, 1], pairs, p, first)
                for s in range(n_trees):
                    if not joins(&parent[s, 0], i, j):
                        continue
                    taken[s, sizes[p, s]] = e
                    sizes[p, s] += 1
                    n_left -= 1
                    if has_lines and best == 2 and not sure[s]:
                        sure[s] = sqrt(squared[e]) <= bounds[p] and max(
                            _longest(edges[e, 0], ends[p, 0], places, gaps),
                            _longest(edges[e, 1], ends[p, 1], places, gaps),
                        ) <= bounds[p]
                    break
            if n_left > 0 or sqrt(squared[e]) > bounds[p]:
                for s in range(n_trees):
                    certain[p] = certain[p] and sure[s]
            for s in range(n_trees):
                if not certain[p]:
                    sizes[p, s] = 0
                for e in range(sizes[p, s]):
                    chosen[n_out] = taken[s, e]
                    n_out += 1
    found = np.asarray(chosen)[:n_out]
    return np.asarray(edges)[found], np.asarray(squared)[found], np.asarray(sizes), certain.base > 0


cdef inline bint _is_before(
    Py_ssize_t e, Py_ssize_t f, const int32_t[:, ::1] edges, const double[::1] squared,
    const uint32_t[::1] ranks,
) noexcept nogil:
    """Whether an edge precedes another in the order of `edge_order.h`."""
    if squared[e] != squared[f]:
        return squared[e] < squared[f]
    return (
        tie_key(ranks[edges[e, 0]], ranks[edges[e, 1]])
        < tie_key(ranks[edges[f, 0]], ranks[edges[f, 1]])
    )


cdef inline int32_t _place(
    int32_t node, const int32_t[:, ::1] pairs, Py_ssize_t p, const Py_ssize_t[::1] first,
) noexcept nogil:
    """The place of a node among those of the two classes of a pair."""
    if first[pairs[p, 0]] <= node < first[pairs[p, 0] + 1]:
        return node - <int32_t> first[pairs[p, 0]]
    return node - <int32_t> (first[pairs[p, 1]] - first[pairs[p, 0] + 1] + first[pairs[p, 0]])

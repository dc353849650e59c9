"""Minimum spanning forests of a list of edges, one after the other (Kruskal).

Peeling a union of forests gives the forests of the union of their graphs, for
any number of orthogonal trees, as long as every list was made under the same
order (order.h) and holds as many forests as are peeled: an edge of the union's
forests that lies in one graph is also in the forests of that graph.

Cost: one sort of the list, then O(E) nearly constant steps a forest.
"""
from libc.stdint cimport UINT32_MAX, uint32_t, uint64_t

import numpy as np

from smartsvm._mst.common.order cimport tie_key, tie_rank
from smartsvm._mst.common.disjoint_set cimport join_roots, root

ctypedef fused place_t:
    uint32_t
    Py_ssize_t


cdef Py_ssize_t _kruskal(
    const uint32_t[:, ::1] edges, const place_t *order, Py_ssize_t n_left,
    uint32_t[::1] parent, place_t *taken, place_t *left,
) noexcept nogil:
    """Split the edges of `order` into those of the forest and those left over."""
    cdef Py_ssize_t e, n_taken = 0, kept = 0
    cdef uint32_t v, a, b
    for v in range(parent.shape[0]):
        parent[v] = v
    for e in range(n_left):
        a = root(&parent[0], edges[order[e], 0])
        b = root(&parent[0], edges[order[e], 1])
        if a == b:
            left[kept] = order[e]
            kept += 1
        else:
            join_roots(&parent[0], a, b)
            taken[n_taken] = order[e]
            n_taken += 1
    return n_taken


def rank_edges(
    const uint32_t[:, ::1] edges, const double[::1] squared, const uint32_t[::1] ids,
    uint64_t seed,
):
    """The edges of a list in rising order, repeats dropped: positions in the list.

    Keys are made only for edges whose distance occurs more than once. Lists that are made
    of few sorted ones are sorted fast.
    """
    cdef Py_ssize_t e
    cdef const Py_ssize_t[::1] tied
    cdef uint64_t[::1] keys
    order = np.argsort(squared, kind="stable")
    ranked = np.asarray(squared)[order]
    same = np.zeros(len(order) + 1, dtype=bool)
    np.equal(ranked[1:], ranked[:-1], out=same[1:len(order)])
    if not same.any():
        return order
    places = np.flatnonzero(same[1:] | same[:len(order)])
    tied = order[places]
    keys = np.empty(len(places), dtype=np.uint64)
    with nogil:
        for e in range(tied.shape[0]):
            keys[e] = tie_key(
                tie_rank(ids[edges[tied[e], 0]], seed), tie_rank(ids[edges[tied[e], 1]], seed)
            )
    # Equal distances take up the same places before and after.
    inner = np.lexsort((keys, ranked[places]))
    order[places] = np.asarray(tied)[inner]
    # Distinct pairs have distinct keys, so equal neighbours are one edge given twice.
    ordered = np.asarray(keys)[inner]
    repeated = np.zeros(len(order), dtype=bool)
    repeated[places[1:]] = ordered[1:] == ordered[:len(ordered) - 1]
    return order[~repeated]


cdef _peel(
    const uint32_t[:, ::1] edges, place_t[::1] left, Py_ssize_t n, Py_ssize_t[::1] sizes,
):
    """Places in a ranked list of the edges of its forests, whose sizes are filled in."""
    cdef Py_ssize_t tree, found, total = 0, n_left = left.shape[0]
    cdef uint32_t[::1] parent = np.empty(n, dtype=np.uint32)
    cdef place_t[::1] taken = np.empty(
        min(sizes.shape[0] * (n - 1), n_left) + 1, dtype=np.asarray(left).dtype
    )
    with nogil:
        for tree in range(sizes.shape[0]):
            # Each pass reads and rewrites the list in place, left to right.
            found = _kruskal(edges, &left[0], n_left, parent, &taken[total], &left[0])
            sizes[tree] = found
            total += found
            n_left -= found
            if n_left == 0:
                break
    return np.asarray(taken)[:total]


def peel(
    const uint32_t[:, ::1] edges, const double[::1] squared, const uint32_t[::1] ids,
    uint64_t seed, Py_ssize_t n_trees,
):
    """The first `n_trees` minimum spanning forests of a list of edges, repeats allowed.

    `edges` are pairs of positions in `ids`. Returns edges, squared distances and
    the number of edges of each forest.
    """
    cdef Py_ssize_t[::1] sizes = np.zeros(n_trees, dtype=np.intp)
    if edges.shape[0] == 0:
        return np.asarray(edges)[:0], np.asarray(squared)[:0], np.asarray(sizes)
    order = rank_edges(edges, squared, ids, seed)
    # In their order in memory, too: the first pass reads all of them. Lists are long, and this
    # is when the most of them are in memory: places take half of it where they can.
    if len(order) <= UINT32_MAX:
        order = order.astype(np.uint32)
        ranked = np.asarray(edges)[order]
        chosen = _peel[uint32_t](ranked, np.arange(len(order), dtype=np.uint32), len(ids), sizes)
    else:
        ranked = np.asarray(edges)[order]
        chosen = _peel[Py_ssize_t](ranked, np.arange(len(order)), len(ids), sizes)
    return ranked[chosen], np.asarray(squared)[order[chosen]], np.asarray(sizes)

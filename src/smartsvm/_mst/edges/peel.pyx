"""Minimum spanning forests of a list of edges, one after the other (Kruskal).

Peeling a union of forests gives the forests of the union of their graphs, for
any number of orthogonal trees, as long as every list was made under the same
order (edge_order.h) and holds as many forests as are peeled: an edge of the union's
forests that lies in one graph is also in the forests of that graph.

Cost: one sort of the list, then O(E) nearly constant steps per forest.
"""
from libc.stdint cimport UINT32_MAX, uint32_t, uint64_t

import numpy as np

from smartsvm._mst.common.edge_order cimport tie_key, tie_rank
from smartsvm._mst.common.disjoint_set cimport joins


cdef Py_ssize_t _kruskal(
    const uint32_t[:, ::1] edges, uint32_t *left, Py_ssize_t n_left, uint32_t[::1] parent,
    uint32_t *taken,
) noexcept nogil:
    """Move edges of the forest from those that are left, in place; how many."""
    cdef Py_ssize_t e, n_taken = 0, kept = 0
    cdef uint32_t v
    for v in range(parent.shape[0]):
        parent[v] = v
    for e in range(n_left):
        if joins(&parent[0], edges[left[e], 0], edges[left[e], 1]):
            taken[n_taken] = left[e]
            n_taken += 1
        else:
            left[kept] = left[e]
            kept += 1
    return n_taken


def _rank_edges(
    const uint32_t[:, ::1] edges, const double[::1] squared, const uint32_t[::1] ids,
    uint64_t seed,
):
    """The edges of a list in rising order, repeats dropped; keys are made for tied ones only."""
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


def peel(
    const uint32_t[:, ::1] edges, const double[::1] squared, const uint32_t[::1] ids,
    uint64_t seed, Py_ssize_t n_trees,
):
    """The first forests of a list of edges: pairs of positions in `ids`, repeats allowed."""
    cdef Py_ssize_t n = ids.shape[0], tree, found, total = 0, n_left
    cdef Py_ssize_t[::1] sizes = np.zeros(n_trees, dtype=np.intp)
    cdef const uint32_t[:, ::1] ranked
    cdef uint32_t[::1] left, taken, parent = np.empty(n, dtype=np.uint32)
    if edges.shape[0] == 0:
        return np.asarray(edges)[:0], np.asarray(squared)[:0], np.asarray(sizes)
    if edges.shape[0] > UINT32_MAX:
        raise ValueError(f"edges must be at most {UINT32_MAX} (2**32 - 1), got {edges.shape[0]}.")
    # Lists are long, and this is when the most of them are in memory: places take four bytes.
    order = _rank_edges(edges, squared, ids, seed).astype(np.uint32)
    n_left = len(order)
    # In their order in memory, too: the first pass reads all of them.
    ranked = np.asarray(edges)[order]
    left = np.arange(n_left, dtype=np.uint32)
    taken = np.empty(min(n_trees * (n - 1), n_left) + 1, dtype=np.uint32)
    with nogil:
        for tree in range(n_trees):
            found = _kruskal(ranked, &left[0], n_left, parent, &taken[total])
            sizes[tree] = found
            total += found
            n_left -= found
            if n_left == 0:
                break
    chosen = np.asarray(taken)[:total]
    return np.asarray(ranked)[chosen], np.asarray(squared)[order[chosen]], np.asarray(sizes)

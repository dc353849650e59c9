# Borůvka's algorithm on lists of smallest edges, with certificates.
#
# In a round every component looks for its smallest edge to another component: the smallest of
# its nodes' first listed edges that leave it. A list knows only the edges up to its bound. So
# an edge is certain, and only then is taken, if no node of the component has a bound below it
# without a listed edge within that bound. Under a strict total order every certain edge is in
# the minimum spanning tree, whatever other components do. When no component is certain, `ask`
# empties the lists of the nodes that prevent it; once these are filled again their components
# are certain, so each refresh makes progress, however many edges tie.
#
# Cost: O(n k) for a round, at most log2(n) rounds between refreshes.
#
# Reference: O. Borůvka (1926).
from libc.math cimport INFINITY
from libc.stdint cimport UINT64_MAX, uint8_t, uint32_t, uint64_t

from smartsvm._mst.common.disjoint_set cimport join_roots, root
from smartsvm._mst.common.edge_sort cimport PackedEdge, end_i, end_j, length_of
from smartsvm._mst.products.edge_lists cimport (
    Lists, Nodes, bound, clear_list, entry_key, is_open, key
)


cdef struct Forest:
    Nodes *nodes
    Lists *base                 # the smallest edges of all kinds, for every tree
    Lists *fresh                # edges to other components, asked for within this tree
    uint8_t *refreshed          # node -> it has a fresh list
    uint32_t *cursor            # node -> entries of its list that are closed, skipped from now on
    PackedEdge *ranked          # of two sets, all edges known or listed; see ranked_edges.pxd
    Py_ssize_t n_ranked
    PackedEdge *waiting         # those that may still join components of this tree
    Py_ssize_t n_waiting
    uint32_t *parent            # disjoint sets of nodes
    double *best                # component -> its smallest edge, as far as known
    uint64_t *best_key
    uint32_t *best_from
    uint32_t *best_to
    double *bound               # component -> what all its unknown edges exceed
    uint64_t *bound_key
    Py_ssize_t *asking          # component -> nodes whose unknown edges may be below `best`


cdef inline void start_tree(Forest *forest) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(forest.nodes.n):
        forest.parent[i] = forest.nodes.component[i] = <uint32_t> i
        forest.refreshed[i] = 0
        forest.cursor[i] = 0


cdef inline bint is_below(
    double value, uint64_t tie, double other, uint64_t other_tie,
) noexcept nogil:
    return value < other or (value == other and tie < other_tie)


cdef inline void _improve(
    Forest *forest, Py_ssize_t i, Py_ssize_t j, double value, uint64_t tie,
) noexcept nogil:
    """Tell the component of i about an edge that leaves it."""
    cdef uint32_t c = forest.nodes.component[i]
    if is_below(value, tie, forest.best[c], forest.best_key[c]):
        forest.best[c] = value
        forest.best_key[c] = tie
        forest.best_from[c] = <uint32_t> i
        forest.best_to[c] = <uint32_t> j


cdef inline void _look_at_waiting(Forest *forest) noexcept nogil:
    """Tell all components about the edges between them that were not certain from the start."""
    cdef Nodes *nodes = forest.nodes
    cdef Py_ssize_t e, n_waiting = 0
    cdef uint32_t i, j
    cdef uint64_t tie
    for e in range(forest.n_waiting):
        i, j = end_i(forest.waiting[e]), end_j(forest.waiting[e])
        if nodes.component[i] == nodes.component[j]:
            continue
        forest.waiting[n_waiting] = forest.waiting[e]
        n_waiting += 1
        tie = key(nodes, i, j)
        _improve(forest, i, j, length_of(forest.waiting[e]), tie)
        _improve(forest, j, i, length_of(forest.waiting[e]), tie)
    forest.n_waiting = n_waiting


cdef inline bint _look(
    Forest *forest, Py_ssize_t i, double *least, uint64_t *least_key,
) noexcept nogil:
    """Tell the component of i about its first open edge; may i have a smaller unlisted one?

    If so, unlisted edges lie above (`least`, `least_key`).
    """
    cdef Nodes *nodes = forest.nodes
    cdef Lists *lists = forest.fresh if forest.refreshed[i] else forest.base
    cdef Py_ssize_t e, start = i * lists.k
    e = forest.cursor[i]
    while e < lists.length[i] and not is_open(nodes, i, lists.partner[start + e]):
        e += 1
    forest.cursor[i] = <uint32_t> e
    if e < lists.length[i]:
        _improve(
            forest, i, lists.partner[start + e], lists.distance[start + e],
            entry_key(nodes, lists, i, start + e),
        )
        # Below the bound, or the entry that is the bound: nothing unlisted is smaller.
        if lists.distance[start + e] <= lists.limit[i]:
            return False
    least[0] = bound(nodes, lists, i, least_key)
    return least[0] < INFINITY


cdef inline Py_ssize_t merge_round(
    Forest *forest, uint32_t *edges, double *distances, uint64_t *keys,
    Py_ssize_t *open_components,
) noexcept nogil:
    """Take all certain edges; how many. Components that can still grow are counted."""
    cdef Nodes *nodes = forest.nodes
    cdef Py_ssize_t i, taken = 0
    cdef uint32_t c, other
    cdef double least
    cdef uint64_t least_key = 0
    for i in range(nodes.n):
        forest.best[i] = forest.bound[i] = INFINITY
        forest.best_key[i] = forest.bound_key[i] = UINT64_MAX
    _look_at_waiting(forest)
    for i in range(nodes.n):
        if _look(forest, i, &least, &least_key):
            c = nodes.component[i]
            if is_below(least, least_key, forest.bound[c], forest.bound_key[c]):
                forest.bound[c] = least
                forest.bound_key[c] = least_key
    open_components[0] = 0
    for i in range(nodes.n):
        if nodes.component[i] != <uint32_t> i:
            continue
        if forest.best[i] < INFINITY or forest.bound[i] < INFINITY:
            open_components[0] += 1
        if forest.best[i] == INFINITY or is_below(
            forest.bound[i], forest.bound_key[i], forest.best[i], forest.best_key[i]
        ):
            continue
        # Two components may have chosen the same edge.
        c = root(forest.parent, forest.best_from[i])
        other = root(forest.parent, forest.best_to[i])
        if c != other:
            join_roots(forest.parent, c, other)
            edges[2 * taken] = forest.best_from[i]
            edges[2 * taken + 1] = forest.best_to[i]
            distances[taken] = forest.best[i]
            keys[taken] = forest.best_key[i]
            taken += 1
    if taken > 0:
        for i in range(nodes.n):
            nodes.component[i] = root(forest.parent, <uint32_t> i)
    return taken


cdef inline bint _asks(Forest *forest, Py_ssize_t i) noexcept nogil:
    """Whether i may have an unlisted edge below the best one that its component knows."""
    cdef uint32_t c = forest.nodes.component[i]
    cdef double least = 0
    cdef uint64_t least_key = 0
    return _look(forest, i, &least, &least_key) and is_below(
        least, least_key, forest.best[c], forest.best_key[c]
    )


cdef inline Py_ssize_t ask(Forest *forest, double *limit) noexcept nogil:
    """Empty the lists of the nodes that keep components uncertain; how many they are.

    The component with most of them is left out: it grows when others reach it. `limit` becomes
    the best edge of each component. To be called after a round that took nothing.
    """
    cdef Nodes *nodes = forest.nodes
    cdef Py_ssize_t i, most = -1, total = 0
    cdef uint32_t c
    for i in range(nodes.n):
        forest.asking[i] = 0
    for i in range(nodes.n):
        if _asks(forest, i):
            forest.asking[nodes.component[i]] += 1
    for i in range(nodes.n):
        if forest.asking[i] > 0 and (most < 0 or forest.asking[i] > forest.asking[most]):
            most = i
    for i in range(nodes.n):
        c = nodes.component[i]
        limit[i] = forest.best[i]
        forest.fresh.threshold[i] = -INFINITY
        if <Py_ssize_t> c != most and _asks(forest, i):
            clear_list(nodes, forest.fresh, i, forest.best[c])
            forest.refreshed[i] = 1
            forest.cursor[i] = 0
            total += 1
    return total

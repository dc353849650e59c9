# Kruskal's algorithm on the edges that a search between two sets begins with.
#
# These are the edges of each set's own forests and those in the lists, in rising order. One that
# joins two components is the smallest known edge out of both: smaller ones were passed over only
# because they lay above what the lists of a component know, and so does all that follows. So it is
# certain if it lies within the bounds of all nodes of either component. Nearly all edges of a
# tree are; the others wait for the rounds of list_boruvka.pxd.
#
# Cost: one sort of the listed edges, and a few steps for each edge and tree.
from libc.stdint cimport uint32_t, uint64_t

from smartsvm._mst.common.disjoint_set cimport join_roots, root
from smartsvm._mst.common.edge_sort cimport (
    PackedEdge, edges_sort, end_i, end_j, length_of, plain_edge,
)
from smartsvm._mst.products.edge_lists cimport Lists, Nodes, bound, is_used, key
from smartsvm._mst.products.list_boruvka cimport Forest, is_below


cdef inline bint _is_smaller(const Nodes *nodes, PackedEdge a, PackedEdge b) noexcept nogil:
    if a.weight != b.weight:
        return a.weight < b.weight
    return key(nodes, end_i(a), end_j(a)) < key(nodes, end_i(b), end_j(b))


cdef inline Py_ssize_t copy_listed(
    const Nodes *nodes, const Lists *lists, PackedEdge *edges,
) noexcept nogil:
    """The edges of all lists; how many. Those that two lists hold are copied once."""
    cdef Py_ssize_t i, e, total = 0
    cdef uint32_t j
    cdef uint64_t tie = 0
    cdef double length
    for i in range(nodes.n):
        for e in range(i * lists.k, i * lists.k + lists.length[i]):
            j, length = lists.partner[e], lists.distance[e]
            if i < <Py_ssize_t> j or length >= bound(nodes, lists, j, &tie):
                edges[total] = plain_edge(length, <uint32_t> i, j)
                total += 1
    return total


cdef inline void rank_listed(
    const Nodes *nodes, PackedEdge *edges, PackedEdge *spare, Py_ssize_t n, uint32_t *room,
) noexcept nogil:
    """Sort edges by length, and those of one length by their keys."""
    cdef Py_ssize_t first = 0, last, e
    cdef uint64_t weight
    edges_sort(edges, spare, n, room)
    while first < n:
        weight, last = edges[first].weight, first + 1
        while last < n and edges[last].weight == weight:
            last += 1
        if last - first > 1:
            for e in range(first, last):
                edges[e].weight = key(nodes, end_i(edges[e]), end_j(edges[e]))
            edges_sort(edges + first, spare, last - first, room)
            for e in range(first, last):
                edges[e].weight = weight
        first = last


cdef inline void merge_ranked(
    const Nodes *nodes, const PackedEdge *a, Py_ssize_t n_a, const PackedEdge *b, Py_ssize_t n_b,
    uint32_t first_of_b, PackedEdge *out,
) noexcept nogil:
    """Two sorted lists of edges as one; nodes of the second are counted from `first_of_b`."""
    cdef Py_ssize_t i = 0, j = 0
    cdef uint64_t shift = <uint64_t> first_of_b << 32 | first_of_b
    cdef PackedEdge edge
    for j in range(n_b):
        edge = b[j]
        edge.ends += shift
        while i < n_a and _is_smaller(nodes, a[i], edge):
            out[i + j] = a[i]
            i += 1
        out[i + j] = edge
    while i < n_a:
        out[i + n_b] = a[i]
        i += 1


cdef inline Py_ssize_t take_certain(
    Forest *forest, uint32_t *edges, double *distances, uint64_t *keys,
) noexcept nogil:
    """Begin a tree with all certain edges; how many. The others that join components wait."""
    cdef Nodes *nodes = forest.nodes
    cdef Py_ssize_t i, e, taken = 0
    cdef uint32_t a, b, c
    cdef double length
    cdef uint64_t tie
    cdef PackedEdge edge
    forest.n_waiting = 0
    for i in range(nodes.n):
        forest.bound[i] = bound(nodes, forest.base, i, &forest.bound_key[i])
    for e in range(forest.n_ranked):
        edge = forest.ranked[e]
        a, b = root(forest.parent, end_i(edge)), root(forest.parent, end_j(edge))
        if a == b or is_used(nodes, end_i(edge), end_j(edge)):
            continue
        length, tie = length_of(edge), key(nodes, end_i(edge), end_j(edge))
        if is_below(forest.bound[a], forest.bound_key[a], length, tie) and is_below(
            forest.bound[b], forest.bound_key[b], length, tie
        ):
            forest.waiting[forest.n_waiting] = edge
            forest.n_waiting += 1
            continue
        c = join_roots(forest.parent, a, b)
        if is_below(forest.bound[b], forest.bound_key[b], forest.bound[a], forest.bound_key[a]):
            a = b
        forest.bound[c], forest.bound_key[c] = forest.bound[a], forest.bound_key[a]
        edges[2 * taken], edges[2 * taken + 1] = end_i(edge), end_j(edge)
        distances[taken], keys[taken] = length, tie
        taken += 1
    for i in range(nodes.n):
        nodes.component[i] = root(forest.parent, <uint32_t> i)
    return taken

# Kruskal's algorithm on lists of smallest edges, with certificates.
#
# Edges that are known or listed are passed over in rising order. A list knows only the edges up to
# its bound, so an edge between two components is certain, and only then is taken, if it lies
# within the bounds of all nodes of one of them. It is that component's smallest edge: a smaller
# one was left open only because it lay above a bound of the component, and so would this one.
# Edges that are not certain stay open, and another pass over them would not change that.
# Then `ask` empties the lists of the nodes that keep components uncertain; once these are filled
# again their components are certain, so each refresh makes progress, however many edges tie.
#
# Cost: a sort of the listed edges, and a few steps for each open one and each node in every pass;
# at most log2(n) refreshes.
from libc.math cimport INFINITY
from libc.stdint cimport UINT64_MAX, uint8_t, uint32_t, uint64_t
from libc.string cimport memmove

from smartsvm._mst.common.disjoint_set cimport join_roots, root
from smartsvm._mst.common.edge_sort cimport (
    PackedEdge, edges_sort, end_i, end_j, length_of, plain_edge,
)
from smartsvm._mst.products.edge_lists cimport Lists, Nodes, bound, clear_list, is_used, key


cdef struct Forest:
    Nodes *nodes
    Lists *base                 # the smallest edges of all kinds, for every tree
    Lists *fresh                # edges to other components, asked for within this tree
    uint8_t *refreshed          # node -> it has a fresh list
    PackedEdge *ranked          # all edges that are known or in the lists of `base`
    Py_ssize_t n_known          # those of the sets' own forests, if there are two
    Py_ssize_t n_ranked
    PackedEdge *open            # those that may still join components of this tree
    Py_ssize_t n_open
    PackedEdge *spare           # as much room again, to sort them
    uint32_t *room
    uint32_t *parent            # disjoint sets of nodes
    double *bound               # component -> what all its unknown edges exceed
    uint64_t *bound_key
    Py_ssize_t *first           # component -> its smallest open edge, or -1
    Py_ssize_t *asking          # component -> nodes whose unknown edges may be smaller


cdef inline bint _is_listed(
    const Nodes *nodes, const Lists *lists, Py_ssize_t i, double length,
) noexcept nogil:
    """Whether the list of i, if it was asked for, surely has its edges of this length."""
    cdef uint64_t tie = 0
    return lists.threshold[i] > -INFINITY and length < bound(nodes, lists, i, &tie)


cdef inline Py_ssize_t copy_listed(
    const Nodes *nodes, const Lists *lists, Py_ssize_t lo, Py_ssize_t hi, PackedEdge *edges,
    Py_ssize_t n,
) noexcept nogil:
    """Add the edges of nodes lo..hi-1, if they have asked, to n edges; how many there are then.

    Those of two lists are copied once. A node asks again only when all that it has listed within
    its limit joins nodes of its component, so of such edges there never are more than one list of
    every node holds; of others, which help to lower limits, as many are taken.
    """
    cdef Py_ssize_t i, e
    cdef uint32_t j
    for i in range(lo, hi):
        if lists.threshold[i] == -INFINITY:
            continue
        for e in range(i * lists.k, i * lists.k + lists.length[i]):
            j = lists.partner[e]
            if lists.distance[e] > lists.limit[i] and n >= nodes.n * lists.k:
                continue
            if i < <Py_ssize_t> j or not _is_listed(nodes, lists, j, lists.distance[e]):
                edges[n] = plain_edge(lists.distance[e], <uint32_t> i, j)
                n += 1
    return n


cdef inline void rank_ties(
    const Nodes *nodes, PackedEdge *edges, PackedEdge *spare, Py_ssize_t n, uint32_t *room,
) noexcept nogil:
    """Of edges that are sorted by length, sort those of one length by their keys."""
    cdef Py_ssize_t first = 0, last, e
    cdef uint64_t weight
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


cdef inline void start_tree(Forest *forest) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(forest.nodes.n):
        forest.parent[i] = forest.nodes.component[i] = <uint32_t> i
        forest.refreshed[i] = 0
    forest.n_open = forest.n_ranked
    memmove(forest.open, forest.ranked, forest.n_ranked * sizeof(PackedEdge))


cdef inline void open_fresh(Forest *forest) noexcept nogil:
    """Open the edges of the lists that were filled again."""
    forest.n_open = copy_listed(
        forest.nodes, forest.fresh, 0, forest.nodes.n, forest.open, forest.n_open
    )
    edges_sort(forest.open, forest.spare, forest.n_open, forest.room)
    rank_ties(forest.nodes, forest.open, forest.spare, forest.n_open, forest.room)


cdef inline bint _is_below(
    const Nodes *nodes, double value, uint64_t tie, PackedEdge edge,
) noexcept nogil:
    """Whether a bound is below this edge, so that unknown edges may be, too."""
    cdef double length = length_of(edge)
    return value < length or (
        value == length and tie < key(nodes, end_i(edge), end_j(edge))
    )


cdef inline double _bound_of(const Forest *forest, Py_ssize_t i, uint64_t *tie) noexcept nogil:
    """What every edge of node i exceeds that is not listed."""
    return bound(forest.nodes, forest.fresh if forest.refreshed[i] else forest.base, i, tie)


cdef inline void _lower_bound(
    Forest *forest, uint32_t c, double value, uint64_t tie,
) noexcept nogil:
    if value < forest.bound[c] or (value == forest.bound[c] and tie < forest.bound_key[c]):
        forest.bound[c], forest.bound_key[c] = value, tie


cdef inline Py_ssize_t take_certain(
    Forest *forest, uint32_t *edges, double *distances, uint64_t *keys,
) noexcept nogil:
    """Take all certain edges; how many. The others that join components stay open.

    `keys` may be NULL.
    """
    cdef Nodes *nodes = forest.nodes
    cdef Py_ssize_t i, e, n_open = 0, taken = 0
    cdef uint32_t a, b, c
    cdef uint64_t tie = 0
    cdef double least
    cdef PackedEdge edge
    for i in range(nodes.n):
        forest.bound[i], forest.bound_key[i] = INFINITY, UINT64_MAX
    for i in range(nodes.n):
        least = _bound_of(forest, i, &tie)
        _lower_bound(forest, nodes.component[i], least, tie)
    for e in range(forest.n_open):
        edge = forest.open[e]
        a, b = root(forest.parent, end_i(edge)), root(forest.parent, end_j(edge))
        if a == b or is_used(nodes, end_i(edge), end_j(edge)):
            continue
        if _is_below(nodes, forest.bound[a], forest.bound_key[a], edge) and _is_below(
            nodes, forest.bound[b], forest.bound_key[b], edge
        ):
            forest.open[n_open] = edge
            n_open += 1
            continue
        c = join_roots(forest.parent, a, b)
        _lower_bound(forest, c, forest.bound[a], forest.bound_key[a])
        _lower_bound(forest, c, forest.bound[b], forest.bound_key[b])
        edges[2 * taken], edges[2 * taken + 1] = end_i(edge), end_j(edge)
        distances[taken] = length_of(edge)
        if keys != NULL:
            keys[taken] = key(nodes, end_i(edge), end_j(edge))
        taken += 1
    forest.n_open = n_open
    for i in range(nodes.n):
        nodes.component[i] = root(forest.parent, <uint32_t> i)
    return taken


cdef inline bint _asks(const Forest *forest, Py_ssize_t i) noexcept nogil:
    """Whether i may have an unlisted edge below all open ones of its component."""
    cdef Py_ssize_t first = forest.first[forest.nodes.component[i]]
    cdef uint64_t tie = 0
    cdef double least = _bound_of(forest, i, &tie)
    if first < 0:
        return least < INFINITY
    return _is_below(forest.nodes, least, tie, forest.open[first])


cdef inline Py_ssize_t ask(Forest *forest, double *limit) noexcept nogil:
    """Empty the lists of the nodes that keep components uncertain; how many they are.

    The component with most of them is left out: it grows when others reach it. `limit` becomes
    the smallest open edge of each component. To be called after `take_certain`.
    """
    cdef Nodes *nodes = forest.nodes
    cdef Lists *fresh = forest.fresh
    cdef Py_ssize_t i, e, most = 0, total = 0
    cdef uint32_t c
    for i in range(nodes.n):
        forest.first[i], forest.asking[i] = -1, 0
    for e in range(forest.n_open - 1, -1, -1):
        forest.first[nodes.component[end_i(forest.open[e])]] = e
        forest.first[nodes.component[end_j(forest.open[e])]] = e
    for i in range(nodes.n):
        c = nodes.component[i]
        limit[i] = INFINITY if forest.first[i] < 0 else length_of(forest.open[forest.first[i]])
        fresh.threshold[i] = -INFINITY
        if _asks(forest, i):
            fresh.threshold[i] = INFINITY
            forest.asking[c] += 1
            if forest.asking[c] > forest.asking[most]:
                most = c
    for i in range(nodes.n):
        c = nodes.component[i]
        if fresh.threshold[i] == -INFINITY:
            continue
        fresh.threshold[i] = -INFINITY
        if <Py_ssize_t> c != most:
            clear_list(nodes, fresh, i, limit[c])
            forest.refreshed[i] = 1
            total += 1
    return total

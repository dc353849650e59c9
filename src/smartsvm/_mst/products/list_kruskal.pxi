# Kruskal's algorithm on lists of smallest edges, with certificates.
#
# Edges that are known or listed are passed over in rising order. A list knows only the edges up to
# its bound, so an edge between two components is certain, and only then is taken, if it lies
# within the bounds of all nodes of one of them. It is that component's smallest edge: a smaller
# one was left open only because it lay above a bound of the component, and so would this one.
# Edges that are not certain stay open, and another pass over them would not change that.
# Then `empty_uncertain` empties the lists of the nodes that keep components uncertain. Once these
# are filled again their components are certain, so each refresh makes progress, ties or not.
#
# Cost: a sort of the listed edges, and a few steps for each open one and each node in every pass;
# at most log2(n) refreshes.
from libc.math cimport INFINITY
from libc.stdint cimport UINT64_MAX, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memmove

from smartsvm._mst.common.disjoint_set cimport join_roots, root
from smartsvm._mst.common.edge_sort cimport (
    PackedEdge, edges_sort, end_i, end_j, length_of, plain_edge,
)


cdef struct Component:
    Bound bound                 # all its unlisted edges exceed it
    double limit                # length of its shortest edge so far
    Py_ssize_t first            # its smallest open edge, or -1
    uint32_t uncertain           # its nodes whose unknown edges may be smaller


cdef struct Forest:
    Nodes *nodes
    Lists *base                 # the smallest edges of all kinds, for every tree
    Lists *fresh                # edges to other components, searched for within this tree
    uint8_t *refreshed          # node -> it has a fresh list
    const PackedEdge *known[2]  # those of each set's own forests, if there are two
    Py_ssize_t n_known[2]
    PackedEdge *ranked          # all edges that are known or in the lists of `base`
    Py_ssize_t n_ranked
    PackedEdge *open            # those that may still join components of this tree
    Py_ssize_t n_open
    PackedEdge *spare           # as much room again, to sort them
    uint32_t *parent            # disjoint sets of nodes
    Component *components       # each at one of its nodes


cdef inline bint _is_listed(const Lists *lists, Py_ssize_t i, double length) noexcept nogil:
    """Whether the list of i was filled and surely has its edges of this length."""
    return lists.threshold[i] > -INFINITY and length < bound_length(lists, i)


cdef inline Py_ssize_t copy_listed(
    const Nodes *nodes, const Lists *lists, PackedEdge *edges, Py_ssize_t n,
) noexcept nogil:
    """Append the edges of all filled lists to n edges; return their number.

    An edge of two lists is copied once. A list is filled again only when all its edges within the
    limit join nodes of one component, so there never are more of such edges than the lists hold.
    Edges beyond their limits help to lower limits; they are copied while room for lists is left.
    """
    cdef Py_ssize_t i, e
    cdef uint32_t j
    for i in range(nodes.n):
        if lists.threshold[i] == -INFINITY:
            continue
        for e in range(i * lists.k, i * lists.k + lists.length[i]):
            j = lists.partner[e]
            if lists.distance[e] > lists.limit[i] and n >= nodes.n * lists.k:
                continue
            if i < <Py_ssize_t> j or not _is_listed(lists, j, lists.distance[e]):
                edges[n] = plain_edge(lists.distance[e], <uint32_t> i, j)
                n += 1
    return n


cdef inline void _rank_by_keys(
    const Nodes *nodes, PackedEdge *edges, PackedEdge *spare, Py_ssize_t n,
) noexcept nogil:
    cdef Py_ssize_t e
    for e in range(n):
        edges[e].weight = key(nodes, end_i(edges[e]), end_j(edges[e]))
    edges_sort(edges, spare, n)


cdef inline void _rank_by_distances(
    const Nodes *nodes, PackedEdge *edges, PackedEdge *spare, Py_ssize_t n,
) noexcept nogil:
    """By squared distances, and those of one distance by their keys."""
    cdef Py_ssize_t e, first = 0, last
    for e in range(n):
        edges[e] = plain_edge(
            distance(nodes, end_i(edges[e]), end_j(edges[e])), end_i(edges[e]), end_j(edges[e])
        )
    edges_sort(edges, spare, n)
    while first < n:
        last = _end_of_run(edges, first, n)
        if last - first > 1:
            _rank_by_keys(nodes, edges + first, spare, last - first)
        first = last


cdef inline Py_ssize_t _end_of_run(
    const PackedEdge *edges, Py_ssize_t first, Py_ssize_t n,
) noexcept nogil:
    """Where edges as long as the first end."""
    cdef Py_ssize_t last = first + 1
    while last < n and edges[last].weight == edges[first].weight:
        last += 1
    return last


cdef inline void rank_ties(
    const Nodes *nodes, PackedEdge *edges, PackedEdge *spare, Py_ssize_t n,
) noexcept nogil:
    """Of edges that are sorted by length, sort those of one length by the rest of their order."""
    cdef Py_ssize_t first = 0, last, e
    cdef uint64_t weight
    while first < n:
        weight, last = edges[first].weight, _end_of_run(edges, first, n)
        if last - first > 1:
            if nodes.core == NULL:
                _rank_by_keys(nodes, edges + first, spare, last - first)
            else:
                _rank_by_distances(nodes, edges + first, spare, last - first)
            for e in range(first, last):
                edges[e].weight = weight
        first = last


cdef inline Py_ssize_t copy_known(Forest *forest) noexcept nogil:
    """Begin the ranked edges with those that are known; return how many."""
    cdef uint64_t first = forest.nodes.n_left
    cdef Py_ssize_t e, n = forest.n_known[0]
    if n > 0:  # else there is no pointer to it
        memcpy(forest.ranked, forest.known[0], n * sizeof(PackedEdge))
    for e in range(forest.n_known[1]):
        forest.ranked[n] = forest.known[1][e]
        forest.ranked[n].ends += first << 32 | first
        n += 1
    return n


cdef inline void start_tree(Forest *forest) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(forest.nodes.n):
        forest.parent[i] = forest.nodes.component[i] = <uint32_t> i
        forest.refreshed[i] = 0
    forest.n_open = forest.n_ranked
    memmove(forest.open, forest.ranked, forest.n_ranked * sizeof(PackedEdge))


cdef inline void open_fresh(Forest *forest) noexcept nogil:
    """Open the edges of the lists that were filled again."""
    forest.n_open = copy_listed(forest.nodes, forest.fresh, forest.open, forest.n_open)
    edges_sort(forest.open, forest.spare, forest.n_open)
    rank_ties(forest.nodes, forest.open, forest.spare, forest.n_open)


cdef inline bint _is_below(const Nodes *nodes, Bound known, PackedEdge edge) noexcept nogil:
    """Whether a bound is below this edge, so that unknown edges may be, too."""
    cdef double length = length_of(edge), direct = length
    if known.length != length:
        return known.length < length
    if nodes.core != NULL:
        direct = distance(nodes, end_i(edge), end_j(edge))
    if known.direct != direct:
        return known.direct < direct
    return known.key < key(nodes, end_i(edge), end_j(edge))


cdef inline const Lists *_lists_of(const Forest *forest, Py_ssize_t i) noexcept nogil:
    """The lists with the latest list of node i."""
    return forest.fresh if forest.refreshed[i] else forest.base


cdef inline void _lower_bound(Component *component, Bound known) noexcept nogil:
    if is_lower(known, component.bound):
        component.bound = known


cdef inline Py_ssize_t take_certain(
    Forest *forest, uint32_t *edges, double *distances, uint64_t *keys,
) noexcept nogil:
    """Take all certain edges, and their keys unless NULL; return how many. Others stay open."""
    cdef Nodes *nodes = forest.nodes
    cdef Component *components = forest.components
    cdef Py_ssize_t i, e, n_open = 0, taken = 0
    cdef uint32_t a, b, c
    cdef PackedEdge edge
    for i in range(nodes.n):
        components[i].bound = Bound(INFINITY, INFINITY, UINT64_MAX)
    for i in range(nodes.n):
        _lower_bound(
            components + nodes.component[i], bound(nodes, _lists_of(forest, i), i)
        )
    for e in range(forest.n_open):
        edge = forest.open[e]
        a, b = root(forest.parent, end_i(edge)), root(forest.parent, end_j(edge))
        if a == b or is_used(nodes, end_i(edge), end_j(edge)):
            continue
        if _is_below(nodes, components[a].bound, edge) and _is_below(
            nodes, components[b].bound, edge
        ):
            forest.open[n_open] = edge
            n_open += 1
            continue
        c = join_roots(forest.parent, a, b)
        _lower_bound(components + c, components[a].bound)
        _lower_bound(components + c, components[b].bound)
        edges[2 * taken], edges[2 * taken + 1] = end_i(edge), end_j(edge)
        distances[taken] = length_of(edge)
        if keys != NULL:
            keys[taken] = key(nodes, end_i(edge), end_j(edge))
        taken += 1
    forest.n_open = n_open
    for i in range(nodes.n):
        nodes.component[i] = root(forest.parent, <uint32_t> i)
    return taken


cdef inline bint _is_uncertain(const Forest *forest, Py_ssize_t i) noexcept nogil:
    """Whether i may have an unlisted edge below all open ones of its component."""
    cdef Py_ssize_t first = forest.components[forest.nodes.component[i]].first
    cdef const Lists *lists = _lists_of(forest, i)
    cdef double length = bound_length(lists, i)
    if first < 0:
        return length < INFINITY
    if length != length_of(forest.open[first]):
        return length < length_of(forest.open[first])
    return _is_below(forest.nodes, bound(forest.nodes, lists, i), forest.open[first])


cdef inline void _open_first(
    Component *component, const PackedEdge *open, Py_ssize_t e,
) noexcept nogil:
    component.first, component.limit = e, length_of(open[e])


cdef inline Py_ssize_t empty_uncertain(Forest *forest) noexcept nogil:
    """Empty the lists of the nodes that keep components uncertain; return how many.

    The component with most of them is left out: it grows when others reach it. The limit of each
    component becomes its smallest open edge. To be called after `take_certain`.
    """
    cdef Nodes *nodes = forest.nodes
    cdef Component *components = forest.components
    cdef Component *component
    cdef Component *most = components
    cdef float *threshold = forest.fresh.threshold
    cdef Py_ssize_t i, e, total = 0
    for i in range(nodes.n):
        components[i].first, components[i].uncertain, components[i].limit = -1, 0, INFINITY
    for e in range(forest.n_open - 1, -1, -1):
        _open_first(components + nodes.component[end_i(forest.open[e])], forest.open, e)
        _open_first(components + nodes.component[end_j(forest.open[e])], forest.open, e)
    for i in range(nodes.n):
        component = components + nodes.component[i]
        threshold[i] = INFINITY if _is_uncertain(forest, i) else -INFINITY
        component.uncertain += threshold[i] == INFINITY
        if component.uncertain > most.uncertain:
            most = component
    for i in range(nodes.n):
        component = components + nodes.component[i]
        if component == most:
            threshold[i] = -INFINITY
        elif threshold[i] == INFINITY:
            clear_list(nodes, forest.fresh, i, component.limit)
            forest.refreshed[i] = 1
            total += 1
    return total

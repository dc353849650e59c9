"""Borůvka's algorithm on lists of smallest edges, with certificates.

In a round every component looks for its smallest edge to another component: the
smallest of its nodes' first listed edges that leave it. A list knows only the
edges up to its bound. So the edge is certain, and only then is taken, if no node of
the component has a bound below it without a listed edge within that bound. Under a
strict total order every certain edge is in the minimum spanning tree, whatever other
components do. When no component is certain, `ask` names the nodes that stand in the
way; once their lists are refreshed their components are certain, so each refresh
brings progress, however many edges tie.

Cost: O(n k) for a round, at most log2(n) rounds between refreshes.

Reference: O. Borůvka (1926).
"""
from libc.math cimport INFINITY
from libc.stdint cimport UINT64_MAX, uint32_t, uint64_t

from smartsvm._mst.products.edge_lists cimport (
    Lists, Nodes, bound, clear_list, entry_key, is_used, key
)
from smartsvm._mst.common.disjoint_set cimport join_roots, root


cdef void start_tree(Boruvka *state) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(state.nodes.n):
        state.parent[i] = state.nodes.component[i] = <uint32_t> i
        state.refreshed[i] = 0
        state.cursor[i] = 0
        if state.known_cursor != NULL:
            state.known_cursor[i] = 0


cdef inline bint _is_open(const Nodes *nodes, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    return nodes.component[i] != nodes.component[j] and not is_used(nodes, i, j)


cdef inline void _improve(
    Boruvka *state, Py_ssize_t i, Py_ssize_t j, double value, uint64_t tie,
) noexcept nogil:
    cdef uint32_t c = state.nodes.component[i]
    if value < state.best[c] or (
        value == state.best[c] and value < INFINITY and tie < state.best_key[c]
    ):
        state.best[c] = value
        state.best_key[c] = tie
        state.best_from[c] = <uint32_t> i
        state.best_to[c] = <uint32_t> j


cdef inline void _look_at_known(Boruvka *state, Py_ssize_t i) noexcept nogil:
    """Tell i's component of the first open edge among those known of its set."""
    cdef Known *known = &state.known[i >= state.nodes.n_left]
    cdef Py_ssize_t node = i - known.first, partner = 0
    cdef Py_ssize_t e = known.start[node] + state.known_cursor[i], stop = known.start[node + 1]
    cdef const uint32_t *ends
    while e < stop:
        ends = known.ends + 2 * <Py_ssize_t> known.number[e]
        partner = known.first + (ends[1] if ends[0] == <uint32_t> node else ends[0])
        if _is_open(state.nodes, i, partner):
            _improve(
                state, i, partner, known.distance[known.number[e]], key(state.nodes, i, partner)
            )
            break
        e += 1
    state.known_cursor[i] = <uint32_t> (e - known.start[node])


cdef inline bint _look(
    Boruvka *state, Py_ssize_t i, double *least, uint64_t *least_key,
) noexcept nogil:
    """Tell i's component of its first open edge; whether i may have a smaller unlisted one."""
    cdef Nodes *nodes = state.nodes
    cdef Lists *lists = state.fresh if state.refreshed[i] else state.base
    cdef Py_ssize_t e, start = i * lists.k
    if state.known_cursor != NULL:
        _look_at_known(state, i)
    e = state.cursor[i]
    while e < lists.length[i] and not _is_open(nodes, i, lists.partner[start + e]):
        e += 1
    state.cursor[i] = <uint32_t> e
    if e < lists.length[i]:
        _improve(
            state, i, lists.partner[start + e], lists.distance[start + e],
            entry_key(nodes, lists, i, start + e),
        )
        # Below the bound, or the entry that is the bound: nothing unlisted is smaller.
        if lists.distance[start + e] <= lists.limit[i]:
            return False
    least[0] = bound(nodes, lists, i, least_key)
    return least[0] < INFINITY


cdef inline bint _is_certain(Boruvka *state, uint32_t c) noexcept nogil:
    if state.best[c] == INFINITY:
        return False
    return state.best[c] < state.bound[c] or (
        state.best[c] == state.bound[c] and state.best_key[c] <= state.bound_key[c]
    )


cdef Py_ssize_t merge_round(
    Boruvka *state, uint32_t *edges, double *distances, uint64_t *keys,
    Py_ssize_t *open_components,
) noexcept nogil:
    """Take all certain edges; how many. Components that can still grow are counted."""
    cdef Nodes *nodes = state.nodes
    cdef Py_ssize_t i, taken = 0
    cdef uint32_t c, other
    cdef double least
    cdef uint64_t least_key = 0
    for i in range(nodes.n):
        state.best[i] = state.bound[i] = INFINITY
        state.bound_key[i] = UINT64_MAX
    for i in range(nodes.n):
        if _look(state, i, &least, &least_key):
            c = nodes.component[i]
            if least < state.bound[c] or (
                least == state.bound[c] and least_key < state.bound_key[c]
            ):
                state.bound[c] = least
                state.bound_key[c] = least_key
    open_components[0] = 0
    for i in range(nodes.n):
        if state.nodes.component[i] != <uint32_t> i:
            continue
        c = <uint32_t> i
        if state.best[c] < INFINITY or state.bound[c] < INFINITY:
            open_components[0] += 1
        if not _is_certain(state, c):
            continue
        # Two components may have chosen the same edge.
        c = root(state.parent, state.best_from[i])
        other = root(state.parent, state.best_to[i])
        if c != other:
            join_roots(state.parent, c, other)
            edges[2 * taken] = state.best_from[i]
            edges[2 * taken + 1] = state.best_to[i]
            distances[taken] = state.best[i]
            keys[taken] = state.best_key[i]
            taken += 1
    if taken > 0:
        for i in range(nodes.n):
            nodes.component[i] = root(state.parent, <uint32_t> i)
    return taken


cdef inline bint _asks(Boruvka *state, Py_ssize_t i) noexcept nogil:
    cdef uint32_t c = state.nodes.component[i]
    cdef double least = 0
    cdef uint64_t least_key = 0
    if not _look(state, i, &least, &least_key):
        return False
    return least < state.best[c] or (
        least == state.best[c] and least_key < state.best_key[c]
    )


cdef Py_ssize_t ask(Boruvka *state, double *limit) noexcept nogil:
    """Empty the lists of the nodes that keep components uncertain; how many they are.

    The component with most of them is left out: it grows when others reach it.
    To be called after a round that took nothing.
    """
    cdef Nodes *nodes = state.nodes
    cdef Py_ssize_t i, most = -1, total = 0
    cdef uint32_t c
    for i in range(nodes.n):
        state.asking[i] = 0
    for i in range(nodes.n):
        if _asks(state, i):
            state.asking[nodes.component[i]] += 1
    for i in range(nodes.n):
        if state.asking[i] > 0 and (most < 0 or state.asking[i] > state.asking[most]):
            most = i
    for i in range(nodes.n):
        c = nodes.component[i]
        limit[i] = state.best[i]
        state.fresh.threshold[i] = -INFINITY
        if <Py_ssize_t> c != most and _asks(state, i):
            clear_list(nodes, state.fresh, i, state.best[c])
            state.refreshed[i] = 1
            state.cursor[i] = 0
            total += 1
    return total

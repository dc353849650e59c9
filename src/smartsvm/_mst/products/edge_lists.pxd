# Nodes, the edges they may use, and sorted lists of each node's smallest edges.
#
# Nodes are the points of one set, or of two sets one after the other, or groups of
# equal points of one set (sites.pyx). An edge is compared by (squared distance, key):
# the order of order.h. A list holds edges of
# one node in ascending order; every edge of the node that was offered and is not
# listed is above the list's bound, so an entry within the bound is the truth.
from libc.math cimport INFINITY
from libc.stdint cimport UINT64_MAX, uint32_t, uint64_t

from smartsvm._mst.common.order cimport squared_distance, tie_key
from smartsvm._mst.common.equal_points cimport smallest_key
from smartsvm._mst.common.used_edges cimport count_used


cdef struct Nodes:
    Py_ssize_t n
    Py_ssize_t n_left           # nodes from here on are of the second set
    Py_ssize_t d
    const double *left          # coordinates of the first set
    const double *right         # coordinates of the second set
    const uint32_t *ids         # of the members of all nodes
    const Py_ssize_t *members   # node -> its first member; NULL if each is its own only one
    uint64_t seed
    uint32_t *component         # labels; only edges between two labels are wanted
    Py_ssize_t *used_start      # edges of earlier trees, as adjacency lists
    uint32_t *used
    double unit                 # squared distance -> unit of the float32 thresholds


cdef struct Lists:
    Py_ssize_t k
    double *distance            # (n, k)
    uint64_t *key               # (n, k); NULL without members: quickly made anew when needed
    uint32_t *partner           # (n, k)
    uint32_t *length
    uint32_t *room              # edges a list can have: k, or less if some were lost
    double *limit               # edges above this were not asked for
    float *threshold            # what an offer must not exceed, in float32 units


cdef inline const double *point(const Nodes *nodes, Py_ssize_t i) noexcept nogil:
    if i < nodes.n_left:
        return nodes.left + i * nodes.d
    return nodes.right + (i - nodes.n_left) * nodes.d


cdef inline double distance(const Nodes *nodes, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    return squared_distance(point(nodes, i), point(nodes, j), nodes.d)


cdef inline Py_ssize_t n_edges(const Nodes *nodes, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    """How many edges there are between two nodes."""
    if nodes.members == NULL:
        return 1
    return (nodes.members[i + 1] - nodes.members[i]) * (nodes.members[j + 1] - nodes.members[j])


cdef inline bint is_used(const Nodes *nodes, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    """Whether earlier trees have all edges between i and j."""
    if nodes.used_start[nodes.n] == 0:
        return False
    return count_used(
        nodes.used_start, nodes.used, <uint32_t> i, <uint32_t> j
    ) >= n_edges(nodes, i, j)


cdef inline uint64_t key(const Nodes *nodes, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    """The smallest key of the edges between i and j that are not used."""
    cdef uint64_t smallest = 0
    cdef Py_ssize_t _e, n_used
    if nodes.members == NULL:
        return tie_key(nodes.ids[i], nodes.ids[j], nodes.seed)
    # Trees use them in ascending order: what is left is above all of the used ones.
    n_used = count_used(nodes.used_start, nodes.used, <uint32_t> i, <uint32_t> j)
    for _e in range(n_used + 1):
        smallest = smallest_key(
            nodes.ids + nodes.members[i], nodes.members[i + 1] - nodes.members[i],
            nodes.ids + nodes.members[j], nodes.members[j + 1] - nodes.members[j],
            nodes.seed, smallest + (_e > 0),
        )
    return smallest


cdef inline float as_threshold(const Nodes *nodes, double value) noexcept nogil:
    """A float32 that no entry of an edge with a squared distance <= value exceeds."""
    # 2^-20 covers the rounding of both sums and of this cast (see tiles.pyx);
    # 2^-100 what may underflow in float32, whose unit is the size of the data.
    return <float> (value * nodes.unit * (1 + 2.0 ** -20) + 2.0 ** -100)


cdef inline void clear_list(
    const Nodes *nodes, Lists *lists, Py_ssize_t i, double limit,
) noexcept nogil:
    lists.length[i] = 0
    lists.room[i] = <uint32_t> lists.k
    lists.limit[i] = limit
    lists.threshold[i] = as_threshold(nodes, limit)


cdef inline void set_limit(
    const Nodes *nodes, Lists *lists, Py_ssize_t i, double limit,
) noexcept nogil:
    """Ask node i for edges up to `limit` only; a limit can only fall."""
    cdef float threshold
    if limit < lists.limit[i]:
        lists.limit[i] = limit
        threshold = as_threshold(nodes, limit)
        if threshold < lists.threshold[i]:
            lists.threshold[i] = threshold


cdef inline float highest_threshold(
    const Lists *lists, Py_ssize_t start, Py_ssize_t stop,
) noexcept nogil:
    cdef float highest = -INFINITY
    cdef Py_ssize_t i
    for i in range(start, stop):
        if lists.threshold[i] > highest:
            highest = lists.threshold[i]
    return highest


cdef inline bint _is_above(
    double value, uint64_t tie, double other, uint64_t other_tie,
) noexcept nogil:
    return value > other or (value == other and tie > other_tie)


cdef inline uint64_t entry_key(
    const Nodes *nodes, const Lists *lists, Py_ssize_t i, Py_ssize_t e,
) noexcept nogil:
    """The key of the entry at place e, of the list of i."""
    return key(nodes, i, lists.partner[e]) if lists.key == NULL else lists.key[e]


cdef inline bint _entry_is_above(
    const Nodes *nodes, const Lists *lists, Py_ssize_t i, Py_ssize_t e, double value, uint64_t tie,
) noexcept nogil:
    """Whether the entry at place e, of the list of i, is above an edge."""
    if lists.distance[e] != value:
        return lists.distance[e] > value
    return entry_key(nodes, lists, i, e) > tie


cdef inline void _insert(
    const Nodes *nodes, Lists *lists, Py_ssize_t i, Py_ssize_t j, double value, uint64_t tie,
) noexcept nogil:
    """List an edge; if there is no room for it, in place of the last one."""
    cdef Py_ssize_t start = i * lists.k, e = start + lists.length[i]
    if lists.length[i] < lists.room[i]:
        lists.length[i] += 1
    else:
        e -= 1
    while e > start and _entry_is_above(nodes, lists, i, e - 1, value, tie):
        lists.distance[e] = lists.distance[e - 1]
        lists.partner[e] = lists.partner[e - 1]
        if lists.key != NULL:
            lists.key[e] = lists.key[e - 1]
        e -= 1
    lists.distance[e] = value
    lists.partner[e] = <uint32_t> j
    if lists.key != NULL:
        lists.key[e] = tie


cdef inline void offer(
    const Nodes *nodes, Lists *lists, Py_ssize_t i, Py_ssize_t j, double value, uint64_t *tie,
) noexcept nogil:
    """List the edge (i, j) of squared distance `value` at i if it is among the k smallest.

    `tie` is its key, or 0 if that is not computed yet: between sites it is costly.
    """
    cdef Py_ssize_t last = (i + 1) * lists.k - 1
    cdef bint full = lists.length[i] == lists.k
    if value > lists.limit[i] or (full and value > lists.distance[last]) or is_used(nodes, i, j):
        return
    if tie[0] == 0:
        tie[0] = key(nodes, i, j)
    if full and not _entry_is_above(nodes, lists, i, last, value, tie[0]):
        return
    _insert(nodes, lists, i, j, value, tie[0])
    if lists.length[i] == lists.k and lists.distance[last] < lists.limit[i]:
        lists.threshold[i] = as_threshold(nodes, lists.distance[last])


cdef inline void renew(
    const Nodes *nodes, Lists *lists, Py_ssize_t i, Py_ssize_t j,
) noexcept nogil:
    """The smallest edge between i and j is used now: list the next one instead, if known."""
    cdef Py_ssize_t e, start = i * lists.k, last = start + lists.length[i] - 1
    cdef bint full = lists.length[i] == lists.room[i]
    cdef double value
    cdef uint64_t tie
    for e in range(start, last + 1):
        if lists.partner[e] == <uint32_t> j:
            break
    else:
        return
    if is_used(nodes, i, j):
        return
    value = lists.distance[e]
    tie = key(nodes, i, j)
    if full and _is_above(value, tie, lists.distance[last], lists.key[last]):
        # Unlisted edges may be smaller than this one, which is no longer known then.
        lists.room[i] -= 1
    while e < last:
        lists.distance[e] = lists.distance[e + 1]
        lists.key[e] = lists.key[e + 1]
        lists.partner[e] = lists.partner[e + 1]
        e += 1
    lists.length[i] -= 1
    if lists.length[i] < lists.room[i]:
        _insert(nodes, lists, i, j, value, tie)


cdef inline double bound(
    const Nodes *nodes, const Lists *lists, Py_ssize_t i, uint64_t *tie,
) noexcept nogil:
    """The order's value that every edge of i that was offered and is not listed exceeds."""
    cdef Py_ssize_t last = i * lists.k + lists.room[i] - 1
    if lists.room[i] == 0:
        tie[0] = 0
        return -INFINITY
    if lists.length[i] < lists.room[i] or lists.distance[last] > lists.limit[i]:
        tie[0] = UINT64_MAX
        return lists.limit[i]
    tie[0] = entry_key(nodes, lists, i, last)
    return lists.distance[last]

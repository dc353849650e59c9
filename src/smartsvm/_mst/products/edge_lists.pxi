# Nodes, and sorted lists of each node's smallest edges.
#
# Nodes are what a search joins: the points of one set, or of two sets one after the other, or
# the sites of one set (equal points taken as one, see equal_points.pyx). Edges are compared by
# (squared distance, key), the order of edge_order.h. With the cores of nodes the length of an edge
# is that of mutual reachability, and squared distances decide between edges of one length.
#
# Invariant: a list holds edges of one node in ascending order, and every edge of that node that
# was proposed and is not listed lies above the list's bound. So an entry within the bound is the
# smallest there is.
from libc.math cimport INFINITY
from libc.stdint cimport UINT64_MAX, uint32_t, uint64_t

from smartsvm._mst.common.edge_order cimport squared_distance, tie_key
from smartsvm._mst.common.equal_points cimport TwoGroups, smallest_key, two_groups
from smartsvm._mst.common.used_edges cimport count_used


cdef struct Nodes:
    Py_ssize_t n
    Py_ssize_t n_left           # nodes from here on are of the second set
    Py_ssize_t d
    const double *left          # coordinates of the first set
    const double *right         # coordinates of the second set
    const uint32_t *rank        # of all points, node after node
    const Py_ssize_t *members   # node -> its first point; NULL if each node is one point
    uint32_t *component         # edges within one component are ignored
    Py_ssize_t *used_start      # edges of earlier trees; see used_edges.h
    uint32_t *used
    const double *core          # of mutual reachability, or NULL: lengths are squared distances
    double unit                 # squared distance -> unit of the float32 thresholds


cdef struct Lists:
    Py_ssize_t k
    double *distance            # (n, k) lengths of edges
    double *direct              # (n, k) squared distances; NULL: the same
    bint ends_early             # all edges below (limit, ends) are listed, and perhaps others
    double *ends                # squared distance of the last one listed; NULL unless ends_early
    uint64_t *key               # (n, k); NULL unless nodes are sites, whose keys are costly
    uint32_t *partner           # (n, k)
    uint32_t *length
    double *limit               # edges above this were not searched for, or are not all listed
    float *threshold            # float32 entry above which a tile has nothing for the list


cdef struct Bound:
    double length
    double direct               # squared distance
    uint64_t key


cdef inline bint is_lower(Bound a, Bound b) noexcept nogil:
    if a.length != b.length:
        return a.length < b.length
    return a.direct < b.direct or (a.direct == b.direct and a.key < b.key)


cdef inline const double *point(const Nodes *nodes, Py_ssize_t i) noexcept nogil:
    if i < nodes.n_left:
        return nodes.left + i * nodes.d
    return nodes.right + (i - nodes.n_left) * nodes.d


cdef inline double distance(const Nodes *nodes, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    return squared_distance(point(nodes, i), point(nodes, j), nodes.d)


cdef inline double edge_length(
    const Nodes *nodes, Py_ssize_t i, Py_ssize_t j, double direct,
) noexcept nogil:
    """The length of the edge (i, j), whose squared distance is known."""
    return direct if nodes.core == NULL else max(direct, max(nodes.core[i], nodes.core[j]))


cdef inline Py_ssize_t n_members(const Nodes *nodes, Py_ssize_t i) noexcept nogil:
    return 1 if nodes.members == NULL else nodes.members[i + 1] - nodes.members[i]


cdef inline bint is_used(const Nodes *nodes, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    """Whether earlier trees have all edges between i and j."""
    if nodes.used_start[nodes.n] == 0:
        return False
    return count_used(
        nodes.used_start, nodes.used, <uint32_t> i, <uint32_t> j
    ) >= n_members(nodes, i) * n_members(nodes, j)


cdef inline uint64_t key(const Nodes *nodes, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    """The smallest key of the edges between i and j that are not used."""
    cdef uint64_t smallest = 0
    cdef Py_ssize_t e, n_used
    cdef Py_ssize_t place[2]
    cdef TwoGroups groups
    cdef const Py_ssize_t *start = nodes.members
    if start == NULL:
        return tie_key(nodes.rank[i], nodes.rank[j])
    groups = two_groups(nodes.rank, start[i], start[i + 1], start[j], start[j + 1])
    # Trees use them in ascending order, so unused ones are above all that are used.
    n_used = count_used(nodes.used_start, nodes.used, <uint32_t> i, <uint32_t> j)
    for e in range(n_used + 1):
        smallest = smallest_key(groups, smallest + (e > 0), UINT64_MAX, place)
    return smallest


cdef inline float as_threshold(const Nodes *nodes, double value) noexcept nogil:
    """A float32 that no tile entry of an edge with a squared distance <= value exceeds."""
    # 2^-20 covers the rounding of both sums and of this cast (see tiles.pxi); 2^-100 what may
    # underflow in float32, whose unit is the size of the data.
    return <float> (value * nodes.unit * (1 + 2.0 ** -20) + 2.0 ** -100)


cdef inline void clear_list(
    const Nodes *nodes, Lists *lists, Py_ssize_t i, double limit,
) noexcept nogil:
    lists.length[i] = 0
    lists.limit[i] = limit
    lists.threshold[i] = as_threshold(nodes, limit)


cdef inline void set_limit(
    const Nodes *nodes, Lists *lists, Py_ssize_t i, double limit,
) noexcept nogil:
    """Search for edges of node i up to `limit` only; a limit never rises."""
    if limit < lists.limit[i]:
        lists.limit[i] = limit
        lists.threshold[i] = min(lists.threshold[i], as_threshold(nodes, limit))


cdef inline float highest_threshold(
    const Lists *lists, Py_ssize_t first, Py_ssize_t n,
) noexcept nogil:
    cdef float highest = -INFINITY
    cdef Py_ssize_t i
    for i in range(first, first + n):
        if lists.threshold[i] > highest:
            highest = lists.threshold[i]
    return highest


cdef inline uint64_t entry_key(
    const Nodes *nodes, const Lists *lists, Py_ssize_t i, Py_ssize_t e,
) noexcept nogil:
    """The key of entry e, which is in the list of i."""
    return key(nodes, i, lists.partner[e]) if lists.key == NULL else lists.key[e]


cdef inline bint _entry_is_above(
    const Nodes *nodes, const Lists *lists, Py_ssize_t i, Py_ssize_t e, double value,
    double direct, uint64_t tie,
) noexcept nogil:
    """Whether entry e, which is in the list of i, is above an edge."""
    if lists.distance[e] != value:
        return lists.distance[e] > value
    if lists.direct != NULL and lists.direct[e] != direct:
        return lists.direct[e] > direct
    return entry_key(nodes, lists, i, e) > tie


cdef inline void insert(
    const Nodes *nodes, Lists *lists, Py_ssize_t i, Py_ssize_t j, double value, double direct,
    uint64_t *tie,
) noexcept nogil:
    """List the edge (i, j) of this length and squared distance at i if it is among the k smallest.

    `tie` is its key, or 0 if that is not computed yet: between sites it is costly.
    """
    cdef Py_ssize_t first = i * lists.k, last = first + lists.k - 1, e
    cdef bint full = lists.length[i] == lists.k
    if value > lists.limit[i] or (full and value > lists.distance[last]) or is_used(nodes, i, j):
        return
    if tie[0] == 0:
        tie[0] = key(nodes, i, j)
    if full and not _entry_is_above(nodes, lists, i, last, value, direct, tie[0]):
        return
    e = last if full else first + lists.length[i]
    lists.length[i] += not full
    while e > first and _entry_is_above(nodes, lists, i, e - 1, value, direct, tie[0]):
        lists.distance[e] = lists.distance[e - 1]
        lists.partner[e] = lists.partner[e - 1]
        if lists.key != NULL:
            lists.key[e] = lists.key[e - 1]
        if lists.direct != NULL:
            lists.direct[e] = lists.direct[e - 1]
        e -= 1
    lists.distance[e] = value
    lists.partner[e] = <uint32_t> j
    if lists.key != NULL:
        lists.key[e] = tie[0]
    if lists.direct != NULL:
        lists.direct[e] = direct
    if lists.length[i] < lists.k or lists.distance[last] > lists.limit[i]:
        return
    if lists.direct != NULL and lists.distance[last] == nodes.core[i]:
        # No edge is shorter than the core: only nearer nodes are of use.
        lists.threshold[i] = as_threshold(nodes, lists.direct[last])
    elif lists.distance[last] < lists.limit[i]:
        lists.threshold[i] = as_threshold(nodes, lists.distance[last])


cdef inline double bound_length(const Lists *lists, Py_ssize_t i) noexcept nogil:
    """The length of what `bound` returns, without a look at other nodes."""
    cdef Py_ssize_t last = (i + 1) * lists.k - 1
    if lists.ends_early:
        return lists.limit[i]
    return min(lists.limit[i], INFINITY if lists.length[i] < lists.k else lists.distance[last])


cdef inline Bound bound(const Nodes *nodes, const Lists *lists, Py_ssize_t i) noexcept nogil:
    """A bound that every edge of i exceeds that was proposed and is not listed."""
    cdef Py_ssize_t last = (i + 1) * lists.k - 1
    if lists.ends_early:
        return Bound(lists.limit[i], lists.ends[i], 0)
    if lists.length[i] < lists.k or lists.distance[last] > lists.limit[i]:
        return Bound(lists.limit[i], INFINITY, UINT64_MAX)
    return Bound(
        lists.distance[last], lists.distance[last] if lists.direct == NULL else lists.direct[last],
        entry_key(nodes, lists, i, last),
    )

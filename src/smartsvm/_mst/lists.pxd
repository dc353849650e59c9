# Nodes, the edges they may use, and sorted lists of each node's smallest edges.
#
# Nodes are the points of one set, or of two sets one after the other. An edge is
# compared by (squared distance, key): the order of order.h. A list holds edges of
# one node in ascending order; every edge of the node that was offered and is not
# listed is above the list's bound, so an entry within the bound is the truth.
from libc.math cimport INFINITY
from libc.stdint cimport UINT64_MAX, uint32_t, uint64_t

from smartsvm._mst.order cimport squared_distance, tie_key


cdef struct Nodes:
    Py_ssize_t n
    Py_ssize_t n_left           # nodes from here on are of the second set
    Py_ssize_t d
    const double *left          # coordinates of the first set
    const double *right         # coordinates of the second set
    const uint32_t *ids
    uint64_t seed
    uint32_t *component         # labels; only edges between two labels are wanted
    Py_ssize_t *used_start      # edges of earlier trees, as adjacency lists
    uint32_t *used
    double unit                 # squared distance -> unit of the float32 thresholds


cdef struct Lists:
    Py_ssize_t k                # room of a list
    double *distance            # (n, k)
    uint32_t *partner           # (n, k)
    uint32_t *length
    double *limit               # edges above this were not asked for
    float *threshold            # what an offer must not exceed, in float32 units


cdef inline const double *point(const Nodes *nodes, Py_ssize_t i) noexcept nogil:
    if i < nodes.n_left:
        return nodes.left + i * nodes.d
    return nodes.right + (i - nodes.n_left) * nodes.d


cdef inline double distance(const Nodes *nodes, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    return squared_distance(point(nodes, i), point(nodes, j), nodes.d)


cdef inline uint64_t key(const Nodes *nodes, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    return tie_key(nodes.ids[i], nodes.ids[j], nodes.seed)


cdef inline bint is_used(const Nodes *nodes, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    cdef Py_ssize_t e, other = j
    if nodes.used_start[nodes.n] == 0:
        return False
    # The shorter adjacency: hubs are long.
    if (
        nodes.used_start[j + 1] - nodes.used_start[j]
        < nodes.used_start[i + 1] - nodes.used_start[i]
    ):
        i, other = j, i
    for e in range(nodes.used_start[i], nodes.used_start[i + 1]):
        if nodes.used[e] == <uint32_t> other:
            return True
    return False


cdef inline float as_threshold(const Nodes *nodes, double value) noexcept nogil:
    """A float32 that no entry of an edge with a squared distance <= value exceeds."""
    # 2^-20 covers the rounding of both sums and of this cast (see tiles.pyx);
    # 2^-100 what may underflow in float32, whose unit is the size of the data.
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
    """Ask node i for edges up to `limit` only; a limit can only fall."""
    cdef float threshold
    if limit < lists.limit[i]:
        lists.limit[i] = limit
        threshold = as_threshold(nodes, limit)
        if threshold < lists.threshold[i]:
            lists.threshold[i] = threshold


cdef inline void offer(
    const Nodes *nodes, Lists *lists, Py_ssize_t i, Py_ssize_t j, double value,
) noexcept nogil:
    """List the edge (i, j) of squared distance `value` at i if it is among the k smallest."""
    cdef Py_ssize_t k = lists.k, e, size = lists.length[i]
    cdef double *values = lists.distance + i * k
    cdef uint32_t *partners = lists.partner + i * k
    if value > lists.limit[i]:
        return
    if size == k:
        if value > values[k - 1] or (
            value == values[k - 1] and key(nodes, i, j) > key(nodes, i, partners[k - 1])
        ):
            return
    if is_used(nodes, i, j):
        return
    e = size if size < k else k - 1
    while e > 0 and (
        values[e - 1] > value
        or (values[e - 1] == value and key(nodes, i, partners[e - 1]) > key(nodes, i, j))
    ):
        values[e] = values[e - 1]
        partners[e] = partners[e - 1]
        e -= 1
    values[e] = value
    partners[e] = <uint32_t> j
    if size < k:
        size += 1
        lists.length[i] = <uint32_t> size
    if size == k:
        value = values[k - 1]
        if value < lists.limit[i]:
            lists.threshold[i] = as_threshold(nodes, value)


cdef inline double bound(
    const Nodes *nodes, const Lists *lists, Py_ssize_t i, uint64_t *tie,
) noexcept nogil:
    """The order's value that every edge of i that was offered and is not listed exceeds."""
    cdef Py_ssize_t last = lists.k - 1
    if <Py_ssize_t> lists.length[i] <= last or lists.distance[i * lists.k + last] > lists.limit[i]:
        tie[0] = UINT64_MAX
        return lists.limit[i]
    tie[0] = key(nodes, i, lists.partner[i * lists.k + last])
    return lists.distance[i * lists.k + last]

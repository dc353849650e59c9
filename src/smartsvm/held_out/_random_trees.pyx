"""Extremely randomised trees (Geurts, Ernst and Wehenkel 2006), one per call, without the GIL.

A node draws some of the columns that vary within it, cuts each of them at random, once or several
times, and takes the cut with the smallest Gini impurity. Every other cut, from the first one, is
uniform between the smallest and the largest value; the others are values of samples, which also
divide columns with few huge values. Samples that a tree is not grown on descend with the others and
reach their leaves as it grows.

Cost: O(n m) per level for m cuts, whatever the number of classes. With one cut for each column the
trees are those of scikit-learn apart from the random numbers, without its checks, which take far
longer than a small tree.
"""
from libc.stdint cimport int32_t, int64_t, uint64_t

import numpy as np

cdef enum:
    MIXED = -1  # in place of a class, for leaves of several classes and for inner nodes
cdef float FLAT = 1e-7  # a column that varies less is constant: 32 bits hold seven digits


cdef inline uint64_t draw(uint64_t* state) noexcept nogil:
    """The next number of the generator splitmix64."""
    state[0] += <uint64_t>0x9E3779B97F4A7C15
    cdef uint64_t z = state[0]
    z = (z ^ (z >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t>0x94D049BB133111EB
    return z ^ (z >> 31)


cdef inline double uniform(uint64_t* state) noexcept nogil:
    """A random number in [0, 1)."""
    return <double>(draw(state) >> 11) / 9007199254740992.0


cdef struct Node:
    Py_ssize_t number, begin, end, begin_left_out, end_left_out, n_flat


cdef bint is_pure(
    const int32_t[::1] codes, const int32_t[::1] rows, Node node,
) noexcept nogil:
    """Whether all samples of a node are of one class."""
    cdef Py_ssize_t i
    for i in range(node.begin + 1, node.end):
        if codes[rows[i]] != codes[rows[node.begin]]:
            return False
    return True


cdef double score(
    const float[::1] values, float threshold, const int32_t[::1] codes,
    const double[::1] weights, const int32_t[::1] rows, Node node, double[:, ::1] sums,
) noexcept nogil:
    """Σ (weight of a class)² / weight over both sides of a cut; `sums` is 0 before and after."""
    cdef Py_ssize_t i
    cdef int side
    cdef double weight
    cdef double* own
    cdef double[2] total = [0.0, 0.0]
    cdef double[2] squares = [0.0, 0.0]
    for i in range(node.begin, node.end):
        side = values[i] > threshold
        weight = weights[rows[i]]
        own = &sums[side, codes[rows[i]]]
        squares[side] += weight * (2 * own[0] + weight)
        own[0] += weight
        total[side] += weight
    for i in range(node.begin, node.end):
        sums[0, codes[rows[i]]] = sums[1, codes[rows[i]]] = 0.0
    return squares[0] / total[0] + squares[1] / total[1]


cdef double score_of_counts(
    const float[::1] values, float threshold, const int32_t[::1] own_codes, Node node,
    int32_t[:, ::1] counts,
) noexcept nogil:
    """The same where every sample has weight 1: integer sums are exact, so the bits agree."""
    cdef Py_ssize_t i, k, n_all = node.end - node.begin
    cdef int64_t above = 0, squares_above = 0, squares_below = 0
    cdef int32_t* own
    cdef bint each_class = counts.shape[0] < n_all
    for i in range(node.begin, node.end):
        counts[own_codes[i], values[i] > threshold] += 1
    for i in range(counts.shape[0] if each_class else n_all):
        k = i if each_class else own_codes[node.begin + i]
        own = &counts[k, 0]
        squares_below += <int64_t>own[0] * own[0]
        squares_above += <int64_t>own[1] * own[1]
        above += own[1]
        own[0] = own[1] = 0
    return (
        <double>squares_below / <double>(n_all - above) + <double>squares_above / <double>above
    )


cdef bint find_cut(
    const float[:, ::1] columns, const int32_t[::1] codes, const double[::1] weights,
    const int32_t[::1] rows, Node* node, Py_ssize_t n_tried, Py_ssize_t n_cuts, uint64_t* state,
    int32_t[::1] order, float[::1] values, int32_t[::1] own_codes, double[:, ::1] sums,
    int32_t[:, ::1] counts, bint weighted, int32_t* column, float* threshold,
) noexcept nogil:
    """The best of some random cuts; False if no column varies."""
    # `order` holds all columns, first the `n_flat` that are constant in this node; the others may
    # be shuffled, since no other open node relies on their order.
    cdef Py_ssize_t i, place, left = n_tried, last = order.shape[0]
    cdef int32_t chosen
    cdef float low, high, cut
    cdef double purity, best = -1.0
    for i in range(node.begin, node.end):
        own_codes[i] = codes[rows[i]]
    while left > 0 and node.n_flat < last:
        # Columns that were tried go to the end, constant ones to the front.
        place = node.n_flat + <Py_ssize_t>(uniform(state) * (last - node.n_flat))
        chosen = order[place]
        low = high = columns[chosen, rows[node.begin]]
        for i in range(node.begin, node.end):
            values[i] = columns[chosen, rows[i]]
            low, high = min(low, values[i]), max(high, values[i])
        if high - low <= FLAT:
            order[place] = order[node.n_flat]
            order[node.n_flat] = chosen
            node.n_flat += 1
            continue
        last -= 1
        order[place] = order[last]
        order[last] = chosen
        left -= 1
        for i in range(min(n_cuts, node.end - node.begin - 1)):
            if i % 2 == 0:
                cut = low + <float>uniform(state) * (high - low)
            else:
                cut = values[node.begin + <Py_ssize_t>(uniform(state) * (node.end - node.begin))]
            if cut >= high:
                cut = low
            if weighted:
                purity = score(values, cut, codes, weights, rows, node[0], sums)
            else:
                purity = score_of_counts(values, cut, own_codes, node[0], counts)
            if purity > best:
                best, column[0], threshold[0] = purity, chosen, cut
    return best >= 0


cdef Py_ssize_t split(
    const float[::1] values, float threshold, int32_t[::1] rows, Py_ssize_t begin, Py_ssize_t end,
    int32_t[::1] room,
) noexcept nogil:
    """Move the rows up to a threshold to the front, in order; the place of the first above it."""
    # A branch would be mispredicted half of the time, so there is none.
    cdef Py_ssize_t i, middle = begin, n_above = 0
    cdef bint above
    for i in range(begin, end):
        above = values[rows[i]] > threshold
        room[n_above] = rows[i]
        rows[middle] = rows[i]
        n_above += above
        middle += not above
    for i in range(n_above):
        rows[middle + i] = room[i]
    return middle


def grow(
    const float[:, ::1] columns, const int32_t[::1] codes, const double[::1] weights,
    int32_t[::1] rows, Py_ssize_t n_seen, Py_ssize_t n_classes, Py_ssize_t n_tried,
    Py_ssize_t n_cuts, uint64_t seed, int32_t[::1] leaves,
):
    """Grow a tree on the first `n_seen` rows, until its leaves are pure or constant."""
    # `columns` has a row for each column of the points. `rows` is permuted so that those of a leaf
    # lie together; `leaves` gets the leaves of the others. Returned are for every node its column,
    # threshold, two later children (values up to the threshold go to the first) and class. A leaf
    # is its own child, its class -1 if it has several; the last array has such leaves and rows.
    cdef Py_ssize_t n = rows.shape[0], n_nodes = 1, n_waiting = 1, i, middle, middle_left_out
    cdef Py_ssize_t most_nodes = 2 * n_seen - 1
    cdef int32_t[::1] order = np.arange(columns.shape[0], dtype=np.int32)
    cdef float[::1] values = np.empty(n_seen, dtype=np.float32)
    cdef int32_t[::1] own_codes = np.empty(n_seen, dtype=np.int32)
    cdef int32_t[::1] room = np.empty(n, dtype=np.int32)
    cdef double[:, ::1] sums = np.zeros((2, n_classes))
    cdef int32_t[:, ::1] counts = np.zeros((n_classes, 2), dtype=np.int32)
    cdef bint weighted = False
    cdef Py_ssize_t[:, ::1] waiting = np.empty((n_seen + 1, 6), dtype=np.intp)
    cdef int32_t[::1] column_of = np.empty(most_nodes, dtype=np.int32)
    cdef float[::1] threshold_of = np.zeros(most_nodes, dtype=np.float32)
    cdef int32_t[:, ::1] children_of = np.empty((most_nodes, 2), dtype=np.int32)
    cdef int32_t[::1] class_of = np.full(most_nodes, MIXED, dtype=np.int32)
    cdef Py_ssize_t[:, ::1] mixed_leaves = np.empty((n_seen // 2 + 1, 3), dtype=np.intp)
    cdef Py_ssize_t n_mixed = 0
    cdef bint pure
    cdef Node* stack = <Node*>&waiting[0, 0]
    cdef Node node
    cdef uint64_t state = seed
    cdef int32_t column = 0
    cdef float threshold = 0
    stack[0] = Node(0, 0, n_seen, n_seen, n, 0)
    with nogil:
        for i in range(n_seen):
            weighted = weighted or weights[rows[i]] != 1
        while n_waiting:
            n_waiting -= 1
            node = stack[n_waiting]
            pure = is_pure(codes, rows, node)
            if pure or not find_cut(
                columns, codes, weights, rows, &node, n_tried, n_cuts, &state, order, values,
                own_codes, sums, counts, weighted, &column, &threshold,
            ):
                column_of[node.number] = 0
                children_of[node.number, 0] = children_of[node.number, 1] = <int32_t>node.number
                if pure:
                    class_of[node.number] = codes[rows[node.begin]]
                else:
                    mixed_leaves[n_mixed, 0] = node.number
                    mixed_leaves[n_mixed, 1], mixed_leaves[n_mixed, 2] = node.begin, node.end
                    n_mixed += 1
                for i in range(node.begin_left_out, node.end_left_out):
                    leaves[i - n_seen] = <int32_t>node.number
                continue
            column_of[node.number], threshold_of[node.number] = column, threshold
            children_of[node.number, 0] = <int32_t>n_nodes
            children_of[node.number, 1] = <int32_t>(n_nodes + 1)
            middle = split(columns[column], threshold, rows, node.begin, node.end, room)
            middle_left_out = split(
                columns[column], threshold, rows, node.begin_left_out, node.end_left_out, room
            )
            # The first child and its descendants come before the second one. They permute only
            # columns that vary, so the second one finds the constant ones in place.
            stack[n_waiting] = Node(
                n_nodes + 1, middle, node.end, middle_left_out, node.end_left_out, node.n_flat
            )
            stack[n_waiting + 1] = Node(
                n_nodes, node.begin, middle, node.begin_left_out, middle_left_out, node.n_flat
            )
            n_waiting += 2
            n_nodes += 2
    nodes = map(np.asarray, [column_of, threshold_of, children_of, class_of])
    return *(each[:n_nodes].copy() for each in nodes), np.asarray(mixed_leaves)[:n_mixed]

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
from libc.string cimport memset

import numpy as np

cdef enum:
    MIXED = -1  # in place of a class, for leaves of several classes and for inner nodes
    MOST_CUTS = 8  # of a column
    # Samples of a node, and of each class on average, from which on one pass scores all cuts.
    LEAST_AT_ONCE = 24
    LEAST_OF_CLASS = 2
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


cdef struct Work:
    # The samples: columns one after the other, of `n_samples` values each.
    const float* columns
    Py_ssize_t n_samples, n_columns, n_classes
    const int32_t* codes
    const double* weights
    bint weighted
    int32_t* rows
    # How a node is cut.
    Py_ssize_t n_tried, n_cuts
    uint64_t state
    int32_t* order  # all columns, first those that are constant in the present node
    # Of the samples of the present node, from its `begin` on.
    float* values
    int32_t* own_codes
    int32_t* bins
    # Sums of each class; 0 between two uses.
    double* sums  # (2, K), below and above a cut
    int32_t* counts  # (K, n_cuts + 1), between two cuts


cdef struct Cuts:
    Py_ssize_t n
    float[MOST_CUTS] drawn
    float[MOST_CUTS] ascending
    Py_ssize_t[MOST_CUTS] places  # of those drawn, among the ascending ones
    double[MOST_CUTS] scores  # of those drawn


cdef bint is_pure(const Work* work, const Node* node) noexcept nogil:
    """Whether all samples of a node are of one class."""
    cdef Py_ssize_t i
    for i in range(node.begin + 1, node.end):
        if work.codes[work.rows[i]] != work.codes[work.rows[node.begin]]:
            return False
    return True


cdef double weighted_score(const Work* work, const Node* node, float cut) noexcept nogil:
    """Σ (weight of a class)² / weight over both sides of a cut."""
    cdef Py_ssize_t i, row
    cdef int side
    cdef double weight
    cdef double* own
    cdef double[2] total = [0.0, 0.0]
    cdef double[2] squares = [0.0, 0.0]
    for i in range(node.begin, node.end):
        row = work.rows[i]
        side = work.values[i] > cut
        weight = work.weights[row]
        own = work.sums + side * work.n_classes + work.codes[row]
        squares[side] += weight * (2 * own[0] + weight)
        own[0] += weight
        total[side] += weight
    for i in range(node.begin, node.end):
        row = work.rows[i]
        work.sums[work.codes[row]] = work.sums[work.n_classes + work.codes[row]] = 0.0
    return squares[0] / total[0] + squares[1] / total[1]


cdef double score_of_few(const Work* work, const Node* node, float cut) noexcept nogil:
    """The same where every sample has weight 1: integer sums are exact, so the bits agree."""
    cdef Py_ssize_t i, n_all = node.end - node.begin, width = work.n_cuts + 1
    cdef int64_t above = 0, squares_above = 0, squares_below = 0
    cdef int32_t* own
    cdef bint each_class = work.n_classes < n_all
    for i in range(node.begin, node.end):
        work.counts[work.own_codes[i] * width + (work.values[i] > cut)] += 1
    for i in range(work.n_classes if each_class else n_all):
        own = work.counts + width * (i if each_class else work.own_codes[node.begin + i])
        squares_below += <int64_t>own[0] * own[0]
        squares_above += <int64_t>own[1] * own[1]
        above += own[1]
        own[0] = own[1] = 0
    return (
        <double>squares_below / <double>(n_all - above) + <double>squares_above / <double>above
    )


cdef void sort_cuts(Cuts* cuts) noexcept nogil:
    """Sort the cuts that were drawn, and store the place of each."""
    cdef Py_ssize_t i, j, place
    for i in range(cuts.n):
        place = 0
        for j in range(i):
            place += cuts.drawn[j] <= cuts.drawn[i]
        for j in range(i + 1, cuts.n):
            place += cuts.drawn[j] < cuts.drawn[i]
        cuts.places[i] = place
        cuts.ascending[place] = cuts.drawn[i]


cdef void count_above(const float* values, Py_ssize_t n, float cut, int32_t* bins) noexcept nogil:
    """Add 1 where a value is above the cut."""
    cdef Py_ssize_t i
    for i in range(n):
        bins[i] += values[i] > cut


cdef void score_of_many(const Work* work, const Node* node, Cuts* cuts) noexcept nogil:
    """Store the scores of all cuts; the bits agree with those of `score_of_few`."""
    # One pass counts the samples of each class between two cuts; their sums are those of each side.
    cdef Py_ssize_t i, j, n_all = node.end - node.begin, width = work.n_cuts + 1
    cdef double below, above, total
    cdef double[MOST_CUTS] squares_below, squares_above, n_above
    cdef const int32_t* codes = work.own_codes + node.begin
    cdef int32_t* bins = work.bins
    cdef int32_t* counts = work.counts
    cdef int32_t* own
    sort_cuts(cuts)
    memset(bins, 0, n_all * sizeof(int32_t))
    for j in range(cuts.n):
        squares_below[j] = squares_above[j] = n_above[j] = 0
        count_above(work.values + node.begin, n_all, cuts.ascending[j], bins)
    for i in range(n_all):
        counts[codes[i] * width + bins[i]] += 1
    for i in range(work.n_classes):
        own = counts + i * width
        total = below = 0
        for j in range(cuts.n + 1):
            total += own[j]
        for j in range(cuts.n):
            below += own[j]
            above = total - below
            squares_below[j] += below * below
            squares_above[j] += above * above
            n_above[j] += above
    memset(counts, 0, work.n_classes * width * sizeof(int32_t))
    for i in range(cuts.n):
        j = cuts.places[i]
        cuts.scores[i] = squares_below[j] / (n_all - n_above[j]) + squares_above[j] / n_above[j]


cdef bint is_binary(const float* values, Py_ssize_t n, float low, float high) noexcept nogil:
    """Whether all values are the smallest or the largest one."""
    cdef Py_ssize_t i, n_ends = 0
    for i in range(n):
        n_ends += (values[i] == low) | (values[i] == high)
    return n_ends == n


cdef bint find_cut(Work* work, Node* node, int32_t* column, float* threshold) noexcept nogil:
    """The best of some random cuts; False if no column varies."""
    # Columns that are not constant may be shuffled: no other open node relies on their order.
    cdef Py_ssize_t i, place, left = work.n_tried, last = work.n_columns
    cdef Py_ssize_t n_all = node.end - node.begin, n_cuts = min(work.n_cuts, n_all - 1)
    cdef bint at_once = (
        not work.weighted and n_all >= LEAST_AT_ONCE and n_all >= LEAST_OF_CLASS * work.n_classes
    )
    cdef int32_t chosen
    cdef float low, high, cut
    cdef const float* of_column
    cdef double best = -1.0
    cdef Cuts cuts
    for i in range(node.begin, node.end):
        work.own_codes[i] = work.codes[work.rows[i]]
    while left > 0 and node.n_flat < last:
        # Columns that were tried go to the end, constant ones to the front.
        place = node.n_flat + <Py_ssize_t>(uniform(&work.state) * (last - node.n_flat))
        chosen = work.order[place]
        of_column = work.columns + chosen * work.n_samples
        low = high = of_column[work.rows[node.begin]]
        for i in range(node.begin, node.end):
            work.values[i] = of_column[work.rows[i]]
            low, high = min(low, work.values[i]), max(high, work.values[i])
        if high - low <= FLAT:
            work.order[place] = work.order[node.n_flat]
            work.order[node.n_flat] = chosen
            node.n_flat += 1
            continue
        last -= 1
        work.order[place] = work.order[last]
        work.order[last] = chosen
        left -= 1
        for i in range(n_cuts):
            if i % 2 == 0:
                cut = low + <float>uniform(&work.state) * (high - low)
            else:
                cut = work.values[node.begin + <Py_ssize_t>(uniform(&work.state) * n_all)]
            cuts.drawn[i] = low if cut >= high else cut
        # All cuts between two values divide the samples in one way: the first one stands for them.
        cuts.n = 1 if is_binary(work.values + node.begin, n_all, low, high) else n_cuts
        if at_once:
            score_of_many(work, node, &cuts)
        elif work.weighted:
            for i in range(cuts.n):
                cuts.scores[i] = weighted_score(work, node, cuts.drawn[i])
        else:
            for i in range(cuts.n):
                cuts.scores[i] = score_of_few(work, node, cuts.drawn[i])
        for i in range(cuts.n):
            if cuts.scores[i] > best:
                best, column[0], threshold[0] = cuts.scores[i], chosen, cuts.drawn[i]
    return best >= 0


cdef Py_ssize_t split(
    const float* values, float threshold, int32_t* rows, Py_ssize_t begin, Py_ssize_t end,
    int32_t* room,
) noexcept nogil:
    """Move the rows up to a threshold to the front, in order; the place of the first above it."""
    # A branch would be mispredicted half of the time, so there is none.
    cdef Py_ssize_t i, middle = begin, n_above = 0
    cdef int32_t row
    cdef bint above
    for i in range(begin, end):
        row = rows[i]
        above = values[row] > threshold
        room[n_above] = row
        rows[middle] = row
        n_above += above
        middle += not above
    for i in range(n_above):
        rows[middle + i] = room[i]
    return middle


def draw_rows(Py_ssize_t n, Py_ssize_t n_seen, uint64_t seed):
    """The numbers below n, first a random subset of `n_seen` and then the others, both in order."""
    cdef int32_t[::1] rows = np.empty(n, dtype=np.int32)
    cdef Py_ssize_t i, seen = 0
    cdef uint64_t state = ~seed  # the tree itself begins with the seed
    if not 0 <= n_seen <= n:
        raise ValueError(f"n_seen must be from 0 to {n}, got {n_seen}.")
    with nogil:
        for i in range(n):
            # Of n - i numbers that are left, n_seen - seen are missing.
            if uniform(&state) * (n - i) < n_seen - seen:
                rows[seen] = <int32_t>i
                seen += 1
            else:
                rows[n_seen + i - seen] = <int32_t>i
    return np.asarray(rows)


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
    cdef int32_t[::1] bins = np.empty(n_seen, dtype=np.int32)
    cdef int32_t[::1] room = np.empty(n, dtype=np.int32)
    cdef double[:, ::1] sums = np.zeros((2, n_classes))
    cdef int32_t[:, ::1] counts = np.zeros((n_classes, n_cuts + 1), dtype=np.int32)
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
    cdef Work work
    cdef const float* of_column
    cdef int32_t column = 0
    cdef float threshold = 0
    if not 1 <= n_cuts <= MOST_CUTS:
        raise ValueError(f"n_cuts must be from 1 to {MOST_CUTS}, got {n_cuts}.")
    work.columns, work.codes, work.weights = &columns[0, 0], &codes[0], &weights[0]
    work.n_columns, work.n_samples = columns.shape[0], columns.shape[1]
    work.n_classes, work.weighted, work.rows = n_classes, False, &rows[0]
    work.n_tried, work.n_cuts, work.state, work.order = n_tried, n_cuts, seed, &order[0]
    work.values, work.own_codes, work.bins = &values[0], &own_codes[0], &bins[0]
    work.sums, work.counts = &sums[0, 0], &counts[0, 0]
    stack[0] = Node(0, 0, n_seen, n_seen, n, 0)
    with nogil:
        for i in range(n_seen):
            work.weighted = work.weighted or weights[rows[i]] != 1
        while n_waiting:
            n_waiting -= 1
            node = stack[n_waiting]
            pure = is_pure(&work, &node)
            if pure or not find_cut(&work, &node, &column, &threshold):
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
            of_column = work.columns + column * work.n_samples
            middle = split(of_column, threshold, work.rows, node.begin, node.end, &room[0])
            middle_left_out = split(
                of_column, threshold, work.rows, node.begin_left_out, node.end_left_out, &room[0]
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

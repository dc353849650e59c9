"""Global minimum cut of a dense weighted graph, by Stoer and Wagner (1997).

A phase orders the vertices: the next one is always the vertex most tightly attached to those
before it, the first among equals. The attachment of the last vertex is the weight of the
lightest cut between the last two. The phase records this cut and merges the two vertices.
The lightest recorded cut is the minimum.

Graphs shrink faster than that (Nagamochi and Ibaraki 1992). No cut between two consecutive vertices
of a phase is lighter than the attachment of the second one, and the minimum cut is at most the
least degree. So consecutive vertices with a larger attachment merge too.

Cost: at most about n^3/2 additions, and n^2 numbers of memory. scipy has no global
minimum cut, and networkx takes hundreds of times as long on dense graphs.
"""
from libc.math cimport INFINITY

import numpy as np

from smartsvm._core.threads cimport check_interrupt

cdef enum:
    LANES = 32  # running maxima, one for every 32nd column, so that the loop vectorises
    WORK_BETWEEN_SIGNAL_CHECKS = 1 << 26  # additions: about a tenth of a second

cdef double ROUNDING = 1e-9  # relative difference that rounding may make between two sums


cdef Py_ssize_t _attach(double *attachment, const double *row, Py_ssize_t width) noexcept nogil:
    """Add one row to the attachments; return the first place of the largest."""
    cdef double lanes[LANES]
    cdef double best, value
    cdef Py_ssize_t block, lane, j, first = width
    for lane in range(LANES):
        lanes[lane] = -INFINITY
    for block in range(width // LANES):
        j = block * LANES
        for lane in range(LANES):
            value = attachment[j + lane] + row[j + lane]
            attachment[j + lane] = value
            lanes[lane] = value if value > lanes[lane] else lanes[lane]
    best = lanes[0]
    for lane in range(1, LANES):
        best = lanes[lane] if lanes[lane] > best else best
    for lane in range(LANES):
        if lanes[lane] == best:
            j = lane
            while j < first:
                if attachment[j] == best:
                    first = j
                j += LANES
    return first


cdef struct Graph:
    Py_ssize_t n_left  # vertices that are not merged into others
    Py_ssize_t stride
    double *merged  # weights between vertices, 0 on the diagonal
    double *attachment  # to the vertices chosen so far; minus infinity for these
    Py_ssize_t *order  # the order of the phase
    double *strength  # the attachment of each vertex when the phase chose it
    Py_ssize_t *joined  # for each vertex the one that `_shrink` merges it into
    Py_ssize_t *place  # new number of each vertex
    Py_ssize_t *group  # for each original vertex the one it was merged into


cdef Py_ssize_t _phase(Graph *graph) noexcept nogil:
    """Order the remaining vertices, from vertex 0 on; return the work."""
    cdef Py_ssize_t step, vertex = 0
    cdef Py_ssize_t width = (graph.n_left + LANES - 1) // LANES * LANES
    for step in range(width):
        graph.attachment[step] = 0 if step < graph.n_left else -INFINITY
    for step in range(graph.n_left):
        graph.order[step] = vertex
        graph.strength[step] = graph.attachment[vertex]
        graph.attachment[vertex] = -INFINITY
        if step < graph.n_left - 1:
            vertex = _attach(graph.attachment, graph.merged + vertex * graph.stride, width)
    return graph.n_left * width


cdef double _least_degree(const Graph *graph, double *degree) noexcept nogil:
    """The smallest sum of the weights of a vertex."""
    cdef double least = INFINITY
    cdef const double *row
    cdef Py_ssize_t i, j
    for j in range(graph.n_left):
        degree[j] = 0
    for i in range(graph.n_left):
        row = graph.merged + i * graph.stride
        for j in range(graph.n_left):  # contiguous: it vectorises
            degree[j] += row[j]
    for j in range(graph.n_left):
        least = min(least, degree[j])
    return least


cdef void _shrink(Graph *graph, Py_ssize_t n, double best) noexcept nogil:
    """Merge the last two of a phase, and all vertices that no lighter cut than best separates."""
    cdef Py_ssize_t i, j, kept, first = 0, n_left = 0, n_taken = graph.n_left
    cdef double *room = graph.attachment
    cdef double limit = min(best, _least_degree(graph, room)) * (1 + ROUNDING)
    cdef const double *row
    cdef double *sum_row
    # Merged vertices are consecutive in the order; the smallest of them represents all.
    for i in range(1, n_taken + 1):
        if i < n_taken and (graph.strength[i] > limit or i == n_taken - 1):
            continue
        kept = graph.order[first]
        for j in range(first, i):
            kept = min(kept, graph.order[j])
        for j in range(first, i):
            graph.joined[graph.order[j]] = kept
        first = i
    for i in range(n_taken):
        if graph.joined[i] == i:
            graph.place[i] = n_left
            n_left += 1
        else:
            graph.place[i] = graph.place[graph.joined[i]]
    # Row by row, sums over columns replace the row of the representative. That row has been read
    # by then: a vertex moves to no later place and comes before those merged into it.
    for i in range(n_taken):
        row = graph.merged + i * graph.stride
        for j in range(n_left):
            room[j] = 0
        for j in range(n_taken):
            room[graph.place[j]] += row[j]
        sum_row = graph.merged + graph.place[i] * graph.stride
        if graph.joined[i] == i:
            for j in range(n_left):
                sum_row[j] = room[j]
        else:
            for j in range(n_left):
                sum_row[j] += room[j]
    for i in range(n_left):
        sum_row = graph.merged + i * graph.stride
        sum_row[i] = 0
        for j in range(i):
            sum_row[j] = graph.merged[j * graph.stride + i]  # exactly symmetric
    for i in range(n):
        graph.group[i] = graph.place[graph.group[i]]
    graph.n_left = n_left


cdef double _cut(Graph *graph, Py_ssize_t n, char *side) except -1 nogil:
    """The weight of the minimum cut."""
    cdef double weight, best = INFINITY
    cdef Py_ssize_t i, size, balance, best_balance = 0, last, work = 0
    while graph.n_left > 1:
        work += _phase(graph)
        last = graph.order[graph.n_left - 1]
        weight = graph.strength[graph.n_left - 1]
        if weight <= best:
            size = 0
            for i in range(n):
                size += graph.group[i] == last
            balance = min(size, n - size)
            if weight < best or balance > best_balance:
                best, best_balance = weight, balance
                for i in range(n):
                    side[i] = graph.group[i] == last
        _shrink(graph, n, best)
        work += 2 * graph.n_left * graph.n_left
        if work > WORK_BETWEEN_SIGNAL_CHECKS:
            work = 0
            with gil:
                check_interrupt()
    return best


def minimum_cut(const double[:, :] weights):
    """The weight of the minimum cut under symmetric nonnegative weights, and the mask of one side.

    The diagonal does not count. Of the equal cuts it meets, the most balanced one wins.
    """
    cdef Py_ssize_t n = weights.shape[0]
    if n < 2 or weights.shape[1] != n:
        raise ValueError("weights must be a square matrix of at least two vertices")
    cdef Py_ssize_t stride = (n + LANES - 1) // LANES * LANES
    cdef double[:, ::1] merged = np.zeros((n, stride))
    cdef double[::1] attachment = np.empty(stride), strength = np.empty(n)
    cdef Py_ssize_t[::1] order = np.zeros(n, dtype=np.intp), place = np.zeros(n, dtype=np.intp)
    cdef Py_ssize_t[::1] joined = np.zeros(n, dtype=np.intp), group = np.arange(n, dtype=np.intp)
    side = np.zeros(n, dtype=bool)
    cdef char[::1] is_right = side.view(np.int8)
    cdef Graph graph
    np.asarray(merged)[:, :n] = weights
    np.fill_diagonal(np.asarray(merged), 0)
    graph.n_left, graph.stride = n, stride
    graph.merged, graph.attachment = &merged[0, 0], &attachment[0]
    graph.order, graph.strength = &order[0], &strength[0]
    graph.joined, graph.place, graph.group = &joined[0], &place[0], &group[0]
    with nogil:
        weight = _cut(&graph, n, &is_right[0])
    return weight, side

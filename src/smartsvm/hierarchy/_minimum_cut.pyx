"""Global minimum cut of a dense weighted graph, by Stoer and Wagner (1997).

A phase orders the vertices: the next one is always the vertex most tightly attached to those
before it, the first among equals. The attachment of the last vertex is the weight of the
lightest cut between the last two. The phase records this cut and merges the two vertices.
The lightest recorded cut is the minimum.

A phase starts where it first differs from the previous one: the order stays the same up to the
step at which the merged vertex is attached more tightly than the vertex chosen there. Merged or
chosen vertices keep their column, at an attachment of minus infinity, so that one pass over
contiguous columns adds a row and finds the largest. When an eighth of the columns belongs to merged
vertices, the others move together.

Large graphs shrink faster (Nagamochi and Ibaraki 1992). No cut between two consecutive vertices
of a phase is lighter than the attachment of the second one, and the minimum cut is at most the
least degree. So consecutive vertices with a larger attachment merge too.

Cost: at most about n^3/3 additions, and 2 n^2 numbers of memory. scipy has no global
minimum cut, and networkx takes hundreds of times as long on dense graphs.
"""
from libc.math cimport INFINITY

import numpy as np

from smartsvm._core.threads cimport check_interrupt

cdef enum:
    LANES = 32  # running maxima, one for every 32nd column, so that the loop vectorises
    WORK_BETWEEN_SIGNAL_CHECKS = 1 << 26  # additions: about a tenth of a second
    LEAST_SHRUNK = 128  # vertices: smaller graphs do not gain by `_shrink`

cdef double ROUNDING = 1e-9  # relative difference that rounding may make between two sums


cdef Py_ssize_t _attach(
    const double *attachment, const double *row, Py_ssize_t width, double *out
) noexcept nogil:
    """Add one row to the attachments, into out; return the first place of the largest."""
    cdef double lanes[LANES]
    cdef double best, value
    cdef Py_ssize_t block, lane, j, first = width
    for lane in range(LANES):
        lanes[lane] = -INFINITY
    for block in range(width // LANES):
        j = block * LANES
        for lane in range(LANES):
            value = attachment[j + lane] + row[j + lane]
            out[j + lane] = value
            lanes[lane] = value if value > lanes[lane] else lanes[lane]
    best = lanes[0]
    for lane in range(1, LANES):
        best = lanes[lane] if lanes[lane] > best else best
    for lane in range(LANES):
        if lanes[lane] == best:
            j = lane
            while j < first:
                if out[j] == best:
                    first = j
                j += LANES
    return first


cdef struct Graph:
    Py_ssize_t n_left  # vertices that are not merged into others
    Py_ssize_t n_columns  # including merged vertices, until the next packing
    Py_ssize_t stride
    double *merged  # weights between vertices, 0 on the diagonal
    double *attached  # row t: attachments to the first t + 1 vertices of the order
    Py_ssize_t *order  # the order of the phase
    double *strength  # the attachment of each vertex when the phase chose it
    Py_ssize_t *alive  # the remaining vertices, sorted
    Py_ssize_t *place  # new number of each vertex
    Py_ssize_t *group  # for each original vertex the one it was merged into


cdef Py_ssize_t _phase(Graph *graph, Py_ssize_t step, Py_ssize_t vertex) noexcept nogil:
    """Append this vertex to the order after `step`, then all others; return the work."""
    cdef Py_ssize_t following, work = 0
    cdef Py_ssize_t width = (graph.n_columns + LANES - 1) // LANES * LANES
    cdef double *row = graph.attached + step * graph.stride
    while True:
        step += 1
        graph.order[step] = vertex
        graph.strength[step] = row[vertex]
        if step == graph.n_left - 1:
            return work
        row[vertex] = -INFINITY
        following = _attach(
            row, graph.merged + vertex * graph.stride, width, row + graph.stride
        )
        row[vertex] = graph.strength[step]
        row += graph.stride
        vertex = following
        work += width


cdef void _merge(Graph *graph, Py_ssize_t n, Py_ssize_t kept, Py_ssize_t lost) noexcept nogil:
    """Merge the vertex `lost` into `kept`."""
    cdef Py_ssize_t i, n_left = 0
    cdef double *row = graph.merged + kept * graph.stride
    cdef const double *other = graph.merged + lost * graph.stride
    for i in range(graph.n_columns):
        row[i] += other[i]
    row[kept] = 0
    for i in range(graph.n_columns):
        graph.merged[i * graph.stride + kept] = row[i]
    for i in range(n):
        if graph.group[i] == lost:
            graph.group[i] = kept
    for i in range(graph.n_left):
        if graph.alive[i] != lost:
            graph.alive[n_left] = graph.alive[i]
            n_left += 1
    graph.n_left = n_left


cdef Py_ssize_t _first_difference(Graph *graph, Py_ssize_t kept, Py_ssize_t lost) noexcept nogil:
    """The step after which the merged vertex comes; attachments are valid up to it."""
    cdef const double *row = graph.merged + kept * graph.stride
    cdef double *attached
    cdef double value = 0.0
    cdef Py_ssize_t step
    for step in range(graph.n_left - 1):
        value += row[graph.order[step]]
        attached = graph.attached + step * graph.stride
        attached[kept] = value
        attached[lost] = -INFINITY
        if value > graph.strength[step + 1] or (
            value == graph.strength[step + 1] and kept < graph.order[step + 1]
        ):
            return step
    return graph.n_left - 2


cdef void _pack(Graph *graph, Py_ssize_t n, Py_ssize_t n_steps) noexcept nogil:
    """Close the gaps between the columns of the remaining vertices."""
    cdef Py_ssize_t i, j
    cdef double *row
    for i in range(graph.n_left):
        graph.place[graph.alive[i]] = i
    for i in range(graph.n_left):
        row = graph.merged + graph.alive[i] * graph.stride
        for j in range(graph.n_left):
            graph.merged[i * graph.stride + j] = row[graph.alive[j]]
    for i in range(n_steps):
        row = graph.attached + i * graph.stride
        for j in range(graph.n_left):
            row[j] = row[graph.alive[j]]
        for j in range(graph.n_left, graph.n_columns):
            row[j] = -INFINITY
        graph.order[i] = graph.place[graph.order[i]]
    for i in range(n):
        graph.group[i] = graph.place[graph.group[i]]
    for i in range(graph.n_left):
        graph.alive[i] = i
    graph.n_columns = graph.n_left


cdef Py_ssize_t _first_phase(Graph *graph, double *nothing) noexcept nogil:
    """Attach all vertices to vertex 0; return the next one."""
    cdef Py_ssize_t j
    cdef Py_ssize_t width = (graph.n_columns + LANES - 1) // LANES * LANES
    for j in range(width):
        nothing[j] = 0 if 0 < j < graph.n_columns else -INFINITY
    graph.order[0] = 0
    return _attach(nothing, graph.merged, width, graph.attached)


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


cdef void _shrink(Graph *graph, Py_ssize_t n, double best, double *room) noexcept nogil:
    """Merge the last two of a phase, and all vertices that no lighter cut than best separates."""
    cdef Py_ssize_t i, j, kept, first = 0, n_left = 0, n_taken = graph.n_left
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
            graph.alive[graph.order[j]] = kept
        first = i
    for i in range(n_taken):
        if graph.alive[i] == i:
            graph.place[i] = n_left
            n_left += 1
        else:
            graph.place[i] = graph.place[graph.alive[i]]
    # Row by row, sums over columns replace the row of the representative. That row has been read
    # by then: a vertex moves to no later place and comes before those merged into it.
    for i in range(n_taken):
        row = graph.merged + i * graph.stride
        for j in range(n_left):
            room[j] = 0
        for j in range(n_taken):
            room[graph.place[j]] += row[j]
        sum_row = graph.merged + graph.place[i] * graph.stride
        if graph.alive[i] == i:
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
    for i in range(n_left):
        graph.alive[i] = i
    graph.n_left = graph.n_columns = n_left


cdef double _cut(Graph *graph, Py_ssize_t n, double *nothing, char *side) except -1 nogil:
    """The weight of the minimum cut."""
    cdef double weight, best = INFINITY
    cdef Py_ssize_t i, size, balance, best_balance = 0, last, step = 0, work = 0
    cdef Py_ssize_t kept = _first_phase(graph, nothing)
    while True:
        work += _phase(graph, step, kept)
        last, kept = graph.order[graph.n_left - 1], graph.order[graph.n_left - 2]
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
        if graph.n_left >= LEAST_SHRUNK:
            _shrink(graph, n, best, nothing)
            step, kept = 0, _first_phase(graph, nothing)
            work += 2 * graph.n_left * graph.n_left
        elif graph.n_left > 2:
            _merge(graph, n, kept, last)
            step = _first_difference(graph, kept, last)
            if graph.n_columns >= graph.n_left + graph.n_left // 8 + 1:
                _pack(graph, n, step + 1)
                kept = graph.place[kept]
        else:
            return best
        if graph.n_left == 1:
            return best
        if work > WORK_BETWEEN_SIGNAL_CHECKS:
            work = 0
            with gil:
                check_interrupt()


def minimum_cut(const double[:, :] weights):
    """The weight of the minimum cut under symmetric nonnegative weights, and the mask of one side.

    The diagonal does not count. Among equal cuts the most balanced one wins, then the first one.
    """
    cdef Py_ssize_t n = weights.shape[0]
    if n < 2 or weights.shape[1] != n:
        raise ValueError("weights must be a square matrix of at least two vertices")
    cdef Py_ssize_t stride = (n + LANES - 1) // LANES * LANES
    cdef double[:, ::1] merged = np.zeros((n, stride)), attached = np.empty((n, stride))
    cdef double[::1] strength = np.empty(n), nothing = np.empty(stride)
    cdef Py_ssize_t[::1] order = np.zeros(n, dtype=np.intp), place = np.zeros(n, dtype=np.intp)
    cdef Py_ssize_t[::1] alive = np.arange(n, dtype=np.intp), group = np.arange(n, dtype=np.intp)
    side = np.zeros(n, dtype=bool)
    cdef char[::1] is_right = side.view(np.int8)
    cdef Graph graph
    np.asarray(merged)[:, :n] = weights
    np.fill_diagonal(np.asarray(merged), 0)
    graph.n_left = graph.n_columns = n
    graph.stride = stride
    graph.merged, graph.attached = &merged[0, 0], &attached[0, 0]
    graph.order, graph.strength = &order[0], &strength[0]
    graph.alive, graph.place, graph.group = &alive[0], &place[0], &group[0]
    with nogil:
        weight = _cut(&graph, n, &nothing[0], &is_right[0])
    return weight, side

"""The canonical order of a tree's edges: i < j in each, sorted by (weight, i, j).

A radix sort on the bits of the weights (those of nonnegative floats are in the
order of their values), then a sort by (i, j) inside runs of equal weight. Ten
times as fast as numpy's lexsort, which would take a third of the time of a tree
in the plane.
"""
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport qsort
from libc.string cimport memcpy, memset

import numpy as np

cdef enum:
    DIGIT = 11
    N_DIGITS = 6
    BUCKETS = 1 << DIGIT
    # From here on a run of ties is worth a radix sort of its own.
    LONG_RUN = 1 << 11


cdef struct Edge:
    uint64_t weight     # the bits of a double
    uint64_t ends       # i in the upper half, j in the lower


cdef int _compare_ends(const void *first, const void *second) noexcept nogil:
    cdef const Edge *a = <const Edge *> first
    cdef const Edge *b = <const Edge *> second
    return (a.ends > b.ends) - (a.ends < b.ends)


cdef inline uint64_t _digit(const Edge *edge, bint by_ends, int shift) noexcept nogil:
    return ((edge.ends if by_ends else edge.weight) >> shift) & (BUCKETS - 1)


cdef Edge *_sort(
    Edge *edges, Edge *spare, Py_ssize_t n, Py_ssize_t *count, bint by_ends
) noexcept nogil:
    """Sort by weight or by ends; the result is in `edges` or `spare`: what is returned."""
    cdef Py_ssize_t e, digit, bucket, start, size
    cdef int shift
    cdef Py_ssize_t *tally
    memset(count, 0, N_DIGITS * BUCKETS * sizeof(Py_ssize_t))
    for e in range(n):
        for digit in range(N_DIGITS):
            count[digit * BUCKETS + _digit(edges + e, by_ends, <int> (digit * DIGIT))] += 1
    for digit in range(N_DIGITS):
        shift = <int> (digit * DIGIT)
        tally = count + digit * BUCKETS
        if tally[_digit(edges, by_ends, shift)] == n:
            continue  # all alike in this digit
        start = 0
        for bucket in range(BUCKETS):
            size = tally[bucket]
            tally[bucket] = start
            start += size
        for e in range(n):
            bucket = _digit(edges + e, by_ends, shift)
            spare[tally[bucket]] = edges[e]
            tally[bucket] += 1
        edges, spare = spare, edges
    return edges


def canonical(
    const uint32_t[:, ::1] edges, const double[::1] weights,
    Py_ssize_t[:, ::1] out_edges, double[::1] out_weights,
):
    """Write the edges (n, 2) and weights of one tree in canonical order."""
    cdef Py_ssize_t n = edges.shape[0], e, run = 0
    cdef uint64_t[:, ::1] items = np.empty((2 * n + 1, 2), dtype=np.uint64)
    cdef Py_ssize_t[::1] count = np.empty(N_DIGITS * BUCKETS, dtype=np.intp)
    cdef Edge *item = <Edge *> &items[0, 0]
    cdef Edge *spare = item + n
    cdef Edge *sorted_run
    cdef uint64_t a, b
    if n == 0:
        return
    with nogil:
        for e in range(n):
            a, b = edges[e, 0], edges[e, 1]
            memcpy(&item[e].weight, &weights[e], sizeof(double))
            item[e].ends = a << 32 | b if a < b else b << 32 | a
        if _sort(item, spare, n, &count[0], False) == spare:
            item, spare = spare, item
        for e in range(1, n + 1):
            if e == n or item[e].weight != item[run].weight:
                if e - run >= LONG_RUN:
                    sorted_run = _sort(item + run, spare + run, e - run, &count[0], True)
                    if sorted_run != item + run:
                        memcpy(item + run, sorted_run, (e - run) * sizeof(Edge))
                elif e - run > 1:
                    qsort(item + run, e - run, sizeof(Edge), _compare_ends)
                run = e
        for e in range(n):
            out_edges[e, 0] = <Py_ssize_t> (item[e].ends >> 32)
            out_edges[e, 1] = <Py_ssize_t> <uint32_t> item[e].ends
            memcpy(&out_weights[e], &item[e].weight, sizeof(double))

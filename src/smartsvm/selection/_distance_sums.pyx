"""Sums of squared distances over features: add one feature, and the nearest rows of a sum.

Prim's algorithm on such a sum is `prim.prim_sum`. Cost: n^2 additions and comparisons per call, and
O(k log(n/k)) insertions per row on average. Order of edges: edge_order.h.
"""
from libc.math cimport INFINITY
from libc.stdint cimport uint32_t, uint64_t

import numpy as np

from smartsvm._mst.common.edge_order cimport tie_key, tie_ranks
from smartsvm._core.threads cimport check_interrupt

cdef enum:
    WORK_BETWEEN_SIGNAL_CHECKS = 1 << 26  # distances: about a tenth of a second


def add_squared_differences(
    const double[:, ::1] matrix, const double[::1] column, double[:, ::1] out
):
    """Write matrix[i, j] + (column[i] - column[j])^2 to out, which may be the matrix."""
    cdef Py_ssize_t i, j, n = column.shape[0]
    cdef double t
    if matrix.shape[0] != n or matrix.shape[1] != n or out.shape[0] != n or out.shape[1] != n:
        raise ValueError("matrix and out must have a row and a column for each entry of column")
    with nogil:
        for i in range(n):
            for j in range(n):
                t = column[i] - column[j]
                out[i, j] = matrix[i, j] + t * t


cdef inline void _insert(
    double distance, uint32_t row, uint64_t key, Py_ssize_t k,
    double *distances, uint32_t *rows, uint64_t *keys,
) noexcept nogil:
    """Insert an edge into the sorted list of the k smallest; the largest drops out."""
    cdef Py_ssize_t place = k - 1
    while place > 0 and (
        distance < distances[place - 1]
        or (distance == distances[place - 1] and key < keys[place - 1])
    ):
        distances[place] = distances[place - 1]
        rows[place] = rows[place - 1]
        keys[place] = keys[place - 1]
        place -= 1
    distances[place] = distance
    rows[place] = row
    keys[place] = key


cdef int _nearest(
    const double *matrix, const double *column, Py_ssize_t n, const uint32_t *ranks,
    Py_ssize_t k, double *sums, double *distances, uint64_t *keys, uint32_t *nearest,
) except -1 nogil:
    cdef Py_ssize_t i, j, work = 0
    cdef double most, difference
    cdef const double *row
    cdef uint64_t key
    for i in range(n):
        row = matrix + i * n
        for j in range(n):
            difference = column[i] - column[j]
            sums[j] = row[j] + difference * difference
        sums[i] = INFINITY
        for j in range(k):
            distances[j] = INFINITY
            keys[j] = 0
        most = INFINITY
        for j in range(n):
            if sums[j] <= most and sums[j] < INFINITY:
                key = tie_key(ranks[i], ranks[j])
                if sums[j] < most or key < keys[k - 1]:
                    _insert(sums[j], <uint32_t> j, key, k, distances, nearest + i * k, keys)
                    most = distances[k - 1]
        work += n
        if work > WORK_BETWEEN_SIGNAL_CHECKS:
            work = 0
            with gil:
                check_interrupt()
    return 0


def nearest_in_sum(
    const double[:, ::1] matrix, const double[::1] column, const uint32_t[::1] ids,
    uint64_t seed, Py_ssize_t k,
):
    """The k nearest rows of every row but itself, nearest first, shape (n, k).

    The squared distance of two rows is their entry in the symmetric matrix plus the squared
    difference of their entries in the column; it must be finite.
    """
    cdef Py_ssize_t n = column.shape[0]
    if matrix.shape[0] != n or matrix.shape[1] != n:
        raise ValueError("matrix must have a row and a column for each entry of column")
    if not 1 <= k < n:
        raise ValueError("k must be at least 1 and less than the number of rows")
    cdef uint32_t[:, ::1] nearest = np.zeros((n, k), dtype=np.uint32)
    cdef double[::1] sums = np.empty(n)
    cdef double[::1] distances = np.empty(k)
    cdef uint64_t[::1] keys = np.empty(k, dtype=np.uint64)
    cdef uint32_t[::1] ranks = np.empty(n, dtype=np.uint32)
    with nogil:
        tie_ranks(&ids[0], n, seed, &ranks[0])
        _nearest(
            &matrix[0, 0], &column[0], n, &ranks[0], k, &sums[0], &distances[0], &keys[0],
            &nearest[0, 0],
        )
    return np.asarray(nearest)

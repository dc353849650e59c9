"""The nearest neighbours of few points: all distances, each computed once.

Cost: n^2/2 distances, O(n (d + k)) memory. Order of neighbours: edge_order.h.
"""
from libc.stdint cimport uint32_t, uint64_t

import numpy as np

from smartsvm._mst.common.edge_order cimport tie_ranks
from smartsvm._mst.common.vector_loops cimport vector_kind
from smartsvm._mst.prim.fringe cimport PAIR_BLOCK, PrimLoops, prim_loops
from smartsvm._core.threads cimport check_interrupt

cdef extern from "common/smallest.h" nogil:
    bint insert_nearest(
        const uint32_t *rank, uint32_t point, double *squared, uint32_t *to, Py_ssize_t k,
        double value, uint32_t other,
    )

# Terms of distances between two looks for Ctrl-C: a few hundredths of a second.
cdef enum:
    WORK_BETWEEN_SIGNAL_CHECKS = 1 << 24


cdef _in_blocks(const double[:, ::1] points):
    """Points in blocks, coordinate by coordinate."""
    cdef Py_ssize_t i, j
    cdef double[:, :, ::1] blocks = np.zeros(
        ((points.shape[0] + PAIR_BLOCK - 1) // PAIR_BLOCK, points.shape[1], PAIR_BLOCK)
    )
    for i in range(points.shape[0]):
        for j in range(points.shape[1]):
            blocks[i // PAIR_BLOCK, j, i % PAIR_BLOCK] = points[i, j]
    return blocks


def core_lengths(const double[:, ::1] points, Py_ssize_t k):
    """The squared distance of every point to its k-th nearest other point."""
    cdef Py_ssize_t n = points.shape[0], d = points.shape[1], lo = 0, hi
    cdef double[:, :, ::1] blocks = _in_blocks(points)
    cdef Py_ssize_t width = blocks.shape[0] * PAIR_BLOCK
    cdef double[:, ::1] nearest = np.full((k, width), np.inf)
    cdef const PrimLoops *loops = prim_loops(vector_kind())
    with nogil:
        while lo < n:
            hi = min(n, lo + 1 + WORK_BETWEEN_SIGNAL_CHECKS // (n * (d + 4)))
            loops.list_lengths(
                &points[0, 0], &blocks[0, 0, 0], lo, hi, &nearest[0, 0], width, k, d
            )
            lo = hi
            with gil:
                check_interrupt()
    return np.array(nearest[k - 1, :n])


def nearest_points(
    const double[:, ::1] points, const uint32_t[::1] ids, uint64_t seed, Py_ssize_t k
):
    """Rows of the k nearest other points of every point, and squared distances: (n, k)."""
    cdef Py_ssize_t n = points.shape[0], d = points.shape[1], i, j, work = 0, last = k - 1
    cdef Py_ssize_t n_blocks = (n + PAIR_BLOCK - 1) // PAIR_BLOCK
    cdef uint32_t[:, ::1] to = np.zeros((n, k), dtype=np.uint32)
    cdef double[:, ::1] length = np.full((n, k), np.inf)
    cdef uint32_t[::1] rank = np.empty(n, dtype=np.uint32)
    cdef double[:, :, ::1] blocks = _in_blocks(points)
    cdef double[::1] row = np.empty(n_blocks * PAIR_BLOCK)
    cdef const PrimLoops *loops = prim_loops(vector_kind())
    with nogil:
        tie_ranks(&ids[0], n, seed, &rank[0])
        for i in range(n):
            loops.fill(
                &points[i, 0], 1, &blocks[0, 0, 0],
                (i + PAIR_BLOCK - 1) // PAIR_BLOCK * PAIR_BLOCK, &row[0], d,
            )
            for j in range(i):
                if row[j] <= length[i, last]:
                    insert_nearest(
                        &rank[0], <uint32_t> i, &length[i, 0], &to[i, 0], k, row[j], <uint32_t> j
                    )
                if row[j] <= length[j, last]:
                    insert_nearest(
                        &rank[0], <uint32_t> j, &length[j, 0], &to[j, 0], k, row[j], <uint32_t> i
                    )
            work += i * (d + 4)
            if work > WORK_BETWEEN_SIGNAL_CHECKS:
                work = 0
                with gil:
                    check_interrupt()
    return np.asarray(to), np.asarray(length)

"""Squared distances of given pairs of points, by edge_order.h."""
from libc.stdint cimport uint32_t

import numpy as np

from smartsvm._mst.common.edge_order cimport squared_distance


def squared_lengths(const double[:, ::1] points, const uint32_t[:, ::1] rows):
    """Squared distances (n, k) of each of n points to k others."""
    cdef Py_ssize_t i, r, d = points.shape[1]
    cdef double[:, ::1] squared = np.empty((rows.shape[0], rows.shape[1]))
    with nogil:
        for i in range(rows.shape[0]):
            for r in range(rows.shape[1]):
                squared[i, r] = squared_distance(&points[i, 0], &points[rows[i, r], 0], d)
    return np.asarray(squared)

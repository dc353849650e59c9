"""What the choice of a kernel sees of the points; see look.h."""
from libc.stdint cimport uint32_t

import numpy as np

from smartsvm._mst.common.equal_points cimport number_distinct

cdef extern from "common/look.h" nogil:
    ctypedef struct Look:
        const double *points
        Py_ssize_t d
        uint32_t *rows

    bint look_at_region(Look *look, Py_ssize_t n, int side, double *boxes, double *ties)


def look_at(const double[:, ::1] points, int side):
    """Boxes that a nearest-neighbour ball touches, of 16, and points on it, in one region.

    None if the region has nothing but copies of one point.
    """
    cdef uint32_t[::1] rows = np.empty(points.shape[0], dtype=np.uint32)
    cdef Look look
    cdef double boxes, ties
    cdef bint seen
    look.points, look.d, look.rows = &points[0, 0], points.shape[1], &rows[0]
    with nogil:
        seen = look_at_region(&look, points.shape[0], side, &boxes, &ties)
    return (boxes, ties) if seen else None


def count_distinct(const double[:, ::1] points):
    """How many rows are left when copies are dropped."""
    cdef Py_ssize_t n = points.shape[0], found
    cdef uint32_t[::1] room = np.empty(4 * n, dtype=np.uint32)
    with nogil:
        found = number_distinct(&points[0, 0], n, points.shape[1], &room[n], &room[0])
    return found

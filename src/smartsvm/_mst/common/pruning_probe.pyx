"""What the choice of a kernel sees of the points; see pruning_probe.h."""
from libc.stdint cimport uint32_t

import numpy as np

from smartsvm._mst.common.equal_points cimport number_distinct

cdef extern from "common/pruning_probe.h" nogil:
    enum: PROBE_LEAF

    ctypedef struct Probe:
        const double *points
        Py_ssize_t d
        uint32_t *rows
        uint32_t *starts
        double *boxes
        double *bounds
        Py_ssize_t n_boxes

    double probe_points(Probe *probe, Py_ssize_t n, Py_ssize_t m)


def probe_pruning(const double[:, ::1] points, Py_ssize_t n_sampled):
    """Boxes that balls of neighbours touch, and their number; None if all sampled are copies."""
    cdef Py_ssize_t n = points.shape[0], d = points.shape[1], m = min(n, n_sampled)
    # Halves of what does not fit into a box fill half of one at least.
    cdef Py_ssize_t most = 2 * m // PROBE_LEAF + 2
    cdef uint32_t[::1] rows = np.empty(m + most, dtype=np.uint32)
    cdef double[::1] boxes = np.empty((2 * d + 1) * most)
    cdef Probe probe
    cdef double touched
    probe.points, probe.d, probe.rows, probe.starts = &points[0, 0], d, &rows[0], &rows[m]
    probe.boxes, probe.bounds = &boxes[0], &boxes[2 * d * most]
    with nogil:
        touched = probe_points(&probe, n, m)
    return (touched, probe.n_boxes) if touched > 0 else None


def count_distinct(const double[::1] values):
    """How many values there are when copies are dropped; sorting them would take twice as long."""
    cdef Py_ssize_t n = values.shape[0], found
    cdef uint32_t[::1] room = np.empty(4 * n, dtype=np.uint32)
    with nogil:
        found = number_distinct(&values[0], n, 1, &room[n], &room[0])
    return found

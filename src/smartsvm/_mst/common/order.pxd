# The total order on edges; see order.h.
from libc.stdint cimport uint32_t, uint64_t


cdef extern from "common/order.h" nogil:
    uint64_t tie_key(uint32_t i, uint32_t j, uint64_t seed)
    double squared_distance(const double *x, const double *y, Py_ssize_t d)
    void squared_distances(
        const double *x, const double *points, Py_ssize_t n, Py_ssize_t d, double *out
    )

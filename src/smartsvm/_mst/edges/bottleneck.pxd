# See bottleneck.pyx.
from libc.stdint cimport uint32_t


cdef class Linkage:
    cdef uint32_t[::1] parent, linked
    cdef double[::1] height
    cdef Py_ssize_t n_linked

    cdef void fill_distances(self, uint32_t start, double *distance) noexcept nogil

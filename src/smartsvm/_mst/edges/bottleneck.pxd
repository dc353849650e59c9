# See bottleneck.pyx.
from libc.stdint cimport uint32_t


cdef struct Paths:
    const uint32_t *parent
    const uint32_t *linked      # in the order of the merges
    const double *height
    Py_ssize_t n, n_linked


cdef class Linkage:
    cdef uint32_t[::1] parent, linked
    cdef double[::1] height
    cdef Paths paths            # the same, for code that runs without Python


cdef void fill_distances(const Paths *paths, uint32_t start, double *distance) noexcept nogil

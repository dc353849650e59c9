# Points dealt to parts of space; see parts.pyx.
from libc.stdint cimport uint16_t, uint32_t, uint64_t


cdef extern from "kd/build.h" nogil:
    ctypedef struct KDMoving:
        double *points
        uint32_t *order
        double *keys
        void *room


cdef extern from "kd/top.h" nogil:
    ctypedef struct KDCut:
        pass


cdef class Parts:
    cdef Py_ssize_t n, d, n_parts, n_sites, chunk
    cdef const double[:, ::1] points
    cdef bint collapsed                 # equal points share a site
    cdef double[::1] coords             # of the sites, part after part, and one more number
    cdef uint32_t[::1] order            # site -> row, or itself if some rows are equal
    cdef uint32_t[::1] site             # row -> site; None: no rows are equal
    cdef Py_ssize_t[::1] start          # part -> its first site
    # While they are dealt.
    cdef KDCut *cuts
    cdef uint16_t[::1] part_of
    cdef Py_ssize_t[:, ::1] place       # by chunk and part: how many points, then the next's place
    cdef Py_ssize_t[::1] n_distinct     # by part

    cdef deal(self, int n_threads)
    cdef find_cuts(self)
    cdef void move(self, Py_ssize_t lo, Py_ssize_t hi) noexcept nogil
    cdef collapse(self, int n_threads)

# See known_edges.pyx.
from libc.stdint cimport uint32_t, uint64_t

from smartsvm._mst.kd.components cimport Components


cdef extern from "kd/binary_features.h" nogil:
    ctypedef struct Sketch:
        uint64_t *bits
        uint64_t *all
        uint64_t *any
        double step, unit
        int whole


cdef enum:
    # Sites with more points than this may keep one search busy for seconds.
    LARGE_SITE = 1 << 12


cdef double *new_query(Py_ssize_t d) except NULL

cdef class KnownEdges(Components):
    cdef Py_ssize_t n_nodes         # of both sides
    cdef int n_threads
    # The edges known from the start, and those that still join two components.
    cdef uint32_t[:, ::1] known
    cdef double[::1] known_length
    cdef uint64_t[::1] known_key
    cdef uint32_t[::1] alive
    cdef Py_ssize_t n_alive
    # By site, where the known edges are all that tie: no other edge is shorter.
    cdef double[::1] nearest, tied_bound
    cdef uint32_t[::1] n_tied
    cdef dict tied
    cdef Sketch sketch

    cdef run(self, task, Py_ssize_t size, Py_ssize_t chunk)
    cdef bint has_many_ties(self, int many)
    cdef _sketch(self)
    cdef know_ties(self)
    cdef Py_ssize_t _know_sites(self, Py_ssize_t e, uint32_t s, uint32_t t) noexcept nogil
    cdef _lay_out_known(self, Py_ssize_t n_known)
    cdef forget_ties(self)
    cdef revive_known(self)
    cdef know_within(self, within_a, within_b)

# See certain_edges.pyx.
from libc.stdint cimport uint8_t, uint32_t

from smartsvm._mst.kd.known_edges cimport KnownEdges

cdef extern from "kd/certify_by_lists.h" nogil:
    ctypedef struct LocalPart:
        uint32_t first, n
        void *left
        Py_ssize_t n_taken

cdef extern from "kd/certify_by_radius.h" nogil:
    ctypedef struct NearEdges:
        void *edges


cdef class CertainEdges(KnownEdges):
    cdef Py_ssize_t n_neighbors     # wanted in lists; 0: no lists
    # The neighbour lists, and by unit the place in them.
    cdef uint32_t[::1] neighbors
    cdef double[::1] list_end
    cdef uint8_t[::1] position
    # Parts of the tree that are joined by themselves; whether their lists are made then.
    cdef LocalPart *parts
    cdef bint listing
    # Near edges between two sets, by chunk of nodes; by unit how far they are known.
    cdef NearEdges *near
    cdef Py_ssize_t n_near
    cdef double[::1] radius

    cdef join_certain(self, bint first_tree)
    cdef _lay_out_lists(self)
    cdef _join_lists(self, bint listing)
    cdef _find_near(self)
    cdef _join_near(self)

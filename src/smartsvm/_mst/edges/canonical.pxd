# See canonical.pyx.
from libc.stdint cimport uint64_t

from smartsvm._mst.common.edge_sort cimport PackedEdge


cdef class _EdgeSort:
    cdef PackedEdge *edges          # sorted in the end
    cdef PackedEdge *spare
    cdef object owner               # of both
    cdef Py_ssize_t n, chunk
    cdef uint64_t least
    cdef int shift                  # weights of one cell differ in these bits
    cdef Py_ssize_t[:, ::1] place   # by chunk and cell: how many edges, then where to
    cdef Py_ssize_t[::1] start      # cell -> its first edge

    cdef run(self, Py_ssize_t n_threads)


cdef _EdgeSort sort_edges(
    PackedEdge *edges, PackedEdge *spare, Py_ssize_t n, owner, Py_ssize_t n_threads
)

# The known edges of one set in a search between two; see within.pyx.
from libc.stdint cimport uint32_t, uint64_t

from smartsvm._mst.blocks cimport Index
from smartsvm._mst.list_boruvka cimport Known


cdef class Within:
    cdef object edges               # the caller's array that this was made from
    cdef Py_ssize_t n_trees
    cdef uint64_t seed
    cdef readonly object start      # node -> its first known edge
    cdef readonly object reach      # node -> squared distance beyond which it needs no edge
    cdef object memory
    cdef Known *known               # ascending for each node

    cdef _sort(
        self, const uint32_t[::1] ids, const uint32_t[:, ::1] pairs, const double[::1] lengths,
    )


cdef Within within_of(
    Index index, edges, distances, Py_ssize_t n_trees, uint64_t seed,
)

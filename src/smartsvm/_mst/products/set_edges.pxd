# The edges of a set's own forests in a search between two sets; see set_edges.pyx.
from libc.stdint cimport uint32_t, uint64_t

from smartsvm._mst.products.index cimport Index


cdef class SetEdges:
    cdef object edges               # the caller's array that this was made from
    cdef Py_ssize_t n_trees
    cdef uint64_t seed
    cdef readonly object ranked     # the edges as `PackedEdge`, in rising order
    cdef readonly object longest    # node -> squared distance beyond which it needs no edge


cdef SetEdges set_edges(Index index, edges, distances, Py_ssize_t n_trees, uint64_t seed)

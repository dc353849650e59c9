# See edge_sort.h.
from libc.stdint cimport uint32_t, uint64_t

cdef extern from "common/edge_sort.h" nogil:
    ctypedef struct PackedEdge:
        uint64_t weight
        uint64_t ends

    enum: DIGIT_BITS
    PackedEdge plain_edge(double length, uint32_t i, uint32_t j)
    double length_of(PackedEdge edge)
    uint32_t end_i(PackedEdge edge)
    uint32_t end_j(PackedEdge edge)
    void edges_range(
        const PackedEdge *edges, Py_ssize_t n, bint by_ends, uint64_t *low, uint64_t *high
    )
    void edges_sort(PackedEdge *edges, PackedEdge *spare, Py_ssize_t n)

"""The canonical order of a tree's edges: i < j in each, sorted by (weight, i, j)."""
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcpy

import numpy as np

cdef extern from "edges/sort.h" nogil:
    ctypedef struct PackedEdge:
        uint64_t weight
        uint64_t ends

    enum: EDGE_ROOM
    PackedEdge edge_pack(uint32_t a, uint32_t b, double weight)
    void edges_sort(PackedEdge *edges, PackedEdge *spare, Py_ssize_t n, uint32_t *room)


def canonical(
    const uint32_t[:, ::1] edges, const double[::1] weights,
    Py_ssize_t[:, ::1] out_edges, double[::1] out_weights,
):
    """Write the edges (n, 2) and weights of one tree in canonical order."""
    cdef Py_ssize_t n = edges.shape[0], e
    cdef uint64_t[:, ::1] memory = np.empty((2 * n + 1, 2), dtype=np.uint64)
    cdef uint32_t[::1] room = np.empty(EDGE_ROOM, dtype=np.uint32)
    cdef PackedEdge *packed = <PackedEdge *> &memory[0, 0]
    with nogil:
        for e in range(n):
            packed[e] = edge_pack(edges[e, 0], edges[e, 1], weights[e])
        edges_sort(packed, packed + n, n, &room[0])
        for e in range(n):
            out_edges[e, 0] = <Py_ssize_t> (packed[e].ends >> 32)
            out_edges[e, 1] = <Py_ssize_t> <uint32_t> packed[e].ends
            memcpy(&out_weights[e], &packed[e].weight, sizeof(double))

"""The canonical order of a tree's edges: i < j in each, sorted by (weight, i, j)."""
from libc.stdint cimport uint32_t, uint64_t

import numpy as np

from smartsvm._mst.edges.sort cimport (
    EDGE_ROOM, PackedEdge, edge_pack, edges_sort, end_i, end_j, length_of,
)


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
            out_edges[e, 0], out_edges[e, 1] = end_i(packed[e]), end_j(packed[e])
            out_weights[e] = length_of(packed[e])

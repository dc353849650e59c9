"""The canonical order of a tree's edges: i < j in each, sorted by (weight, i, j).

Several threads move the edges to cells of rising weights first, then sort each cell by itself.
"""
from libc.stdint cimport uint32_t, uint64_t

import numpy as np

from smartsvm._mst.common.counting cimport find_places
from smartsvm._mst.common.edge_sort cimport (
    CELL_BITS, EDGE_ROOM, PackedEdge, edge_pack, edges_range, edges_sort, end_i, end_j, length_of,
)
from smartsvm._threads import run_chunks

cdef enum:
    SHARE = 1 << 16     # edges that justify a thread


cdef class _Sorter:
    """What threads sort, and where they write it."""

    cdef const uint32_t[:, ::1] edges
    cdef const double[::1] weights
    cdef Py_ssize_t[:, ::1] out_edges
    cdef double[::1] out_weights
    cdef Py_ssize_t n, chunk
    cdef uint64_t[:, ::1] memory        # of both copies of the edges
    cdef PackedEdge *packed
    cdef PackedEdge *spare
    cdef uint64_t least
    cdef int shift                      # weights of one cell differ in these bits
    cdef Py_ssize_t[:, ::1] place       # by chunk and cell: how many edges, then where to
    cdef Py_ssize_t[::1] start          # cell -> its first edge

    def __init__(self, edges, weights, out_edges, out_weights):
        self.edges, self.weights = edges, weights
        self.out_edges, self.out_weights = out_edges, out_weights
        self.n = len(weights)
        self.memory = np.empty((2 * self.n + 1, 2), dtype=np.uint64)
        self.packed = <PackedEdge *> &self.memory[0, 0]
        self.spare = self.packed + self.n

    cdef sort(self, Py_ssize_t n_threads):
        cdef Py_ssize_t n_cells
        n_threads = min(n_threads, 1 + self.n // SHARE)
        if n_threads <= 1:
            self.pack(0, self.n)
            self.sort_part(0, self.n)
            return
        self.chunk = self.n // (4 * n_threads) + 1
        run_chunks(self.pack, self.n, self.chunk, n_threads)
        self.move_to_cells(n_threads)
        n_cells = self.start.shape[0] - 1
        run_chunks(self.sort_cells, n_cells, 1 + n_cells // (16 * n_threads), n_threads)

    cdef move_to_cells(self, Py_ssize_t n_threads):
        cdef uint64_t most
        edges_range(self.packed, self.n, False, &self.least, &most)
        self.shift = max(0, int(most - self.least).bit_length() - CELL_BITS)
        self.place = np.zeros(
            ((self.n - 1) // self.chunk + 1, ((most - self.least) >> self.shift) + 1), dtype=np.intp
        )
        self.start = np.empty(self.place.shape[1] + 1, dtype=np.intp)
        run_chunks(self.count, self.n, self.chunk, n_threads)
        find_places(self.place, self.start)
        run_chunks(self.move, self.n, self.chunk, n_threads)
        self.packed, self.spare = self.spare, self.packed

    def pack(self, Py_ssize_t lo, Py_ssize_t hi):
        cdef const uint32_t[:, ::1] edges = self.edges
        cdef const double[::1] weights = self.weights
        cdef PackedEdge *packed = self.packed
        cdef Py_ssize_t e
        with nogil:
            for e in range(lo, hi):
                packed[e] = edge_pack(edges[e, 0], edges[e, 1], weights[e])

    def count(self, Py_ssize_t lo, Py_ssize_t hi):
        cdef Py_ssize_t *count = &self.place[lo // self.chunk, 0]
        cdef Py_ssize_t e
        with nogil:
            for e in range(lo, hi):
                count[(self.packed[e].weight - self.least) >> self.shift] += 1

    def move(self, Py_ssize_t lo, Py_ssize_t hi):
        cdef Py_ssize_t *place = &self.place[lo // self.chunk, 0]
        cdef Py_ssize_t e, cell
        with nogil:
            for e in range(lo, hi):
                cell = (self.packed[e].weight - self.least) >> self.shift
                self.spare[place[cell]] = self.packed[e]
                place[cell] += 1

    def sort_cells(self, Py_ssize_t lo, Py_ssize_t hi):
        # Edges of a cell follow those of the cells before it, whatever is sorted together.
        self.sort_part(self.start[lo], self.start[hi])

    cdef sort_part(self, Py_ssize_t first, Py_ssize_t end):
        """Sort some edges, and write them."""
        cdef uint32_t[::1] room = np.empty(EDGE_ROOM, dtype=np.uint32)
        cdef Py_ssize_t[:, ::1] edges = self.out_edges
        cdef double[::1] weights = self.out_weights
        cdef PackedEdge *packed = self.packed
        cdef Py_ssize_t e
        with nogil:
            edges_sort(packed + first, self.spare + first, end - first, &room[0])
            for e in range(first, end):
                edges[e, 0], edges[e, 1] = end_i(packed[e]), end_j(packed[e])
                weights[e] = length_of(packed[e])


def canonical(edges, weights, out_edges, out_weights, n_threads=1):
    """Write the edges (n, 2) and weights of one tree in canonical order."""
    _Sorter(edges, weights, out_edges, out_weights).sort(n_threads)

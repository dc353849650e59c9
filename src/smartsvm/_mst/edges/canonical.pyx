"""The canonical order of a tree's edges: i < j in each, sorted by (weight, i, j).

Several threads move the edges to cells of rising weights first, then sort each cell by itself.
"""
from libc.stdint cimport uint32_t, uint64_t

import numpy as np

from smartsvm._mst.common.edge_sort cimport (
    DIGIT_BITS, PackedEdge, edges_range, edges_sort, end_i, end_j, length_of, plain_edge,
)
from smartsvm._core.threads import run_chunks

cdef enum:
    SHARE = 1 << 16     # edges that justify a thread


cdef class _EdgeSort:
    """Edges that are being sorted; its methods are what threads run."""

    cdef run(self, Py_ssize_t n_threads):
        cdef uint64_t most
        cdef Py_ssize_t n_cells
        n_threads = min(n_threads, 1 + self.n // SHARE)
        if n_threads <= 1:
            with nogil:
                edges_sort(self.edges, self.spare, self.n)
            return
        self.chunk = self.n // (4 * n_threads) + 1
        edges_range(self.edges, self.n, False, &self.least, &most)
        self.shift = max(0, int(most - self.least).bit_length() - DIGIT_BITS)
        n_cells = ((most - self.least) >> self.shift) + 1
        self.place = np.zeros(((self.n - 1) // self.chunk + 1, n_cells), dtype=np.intp)
        self.start = np.empty(n_cells + 1, dtype=np.intp)
        run_chunks(self.count, self.n, self.chunk, n_threads)
        _find_places(self.place, self.start)
        run_chunks(self.move, self.n, self.chunk, n_threads)
        self.edges, self.spare = self.spare, self.edges
        run_chunks(self.sort_cells, n_cells, 1 + n_cells // (16 * n_threads), n_threads)

    def count(self, Py_ssize_t lo, Py_ssize_t hi):
        cdef Py_ssize_t *count = &self.place[lo // self.chunk, 0]
        cdef Py_ssize_t e
        with nogil:
            for e in range(lo, hi):
                count[(self.edges[e].weight - self.least) >> self.shift] += 1

    def move(self, Py_ssize_t lo, Py_ssize_t hi):
        cdef Py_ssize_t *place = &self.place[lo // self.chunk, 0]
        cdef Py_ssize_t e, cell
        with nogil:
            for e in range(lo, hi):
                cell = (self.edges[e].weight - self.least) >> self.shift
                self.spare[place[cell]] = self.edges[e]
                place[cell] += 1

    def sort_cells(self, Py_ssize_t lo, Py_ssize_t hi):
        # Edges of a cell follow those of the cells before it, whatever is sorted together.
        cdef Py_ssize_t first = self.start[lo]
        with nogil:
            edges_sort(self.edges + first, self.spare + first, self.start[hi] - first)


cdef void _find_places(Py_ssize_t[:, ::1] place, Py_ssize_t[::1] start) noexcept nogil:
    """From how many of each chunk belong to each part to where they go, and parts begin."""
    cdef Py_ssize_t at = 0, size, part, chunk
    for part in range(place.shape[1]):
        start[part] = at
        for chunk in range(place.shape[0]):
            size = place[chunk, part]
            place[chunk, part] = at
            at += size
    start[place.shape[1]] = at


cdef _EdgeSort sort_edges(
    PackedEdge *edges, PackedEdge *spare, Py_ssize_t n, owner, Py_ssize_t n_threads
):
    """Sort n edges, which `owner` keeps alive; where they are then, `edges` or `spare`."""
    cdef _EdgeSort sort = _EdgeSort()
    sort.edges, sort.spare, sort.n, sort.owner = edges, spare, n, owner
    sort.run(n_threads)
    return sort


cdef _run(task, Py_ssize_t n, Py_ssize_t n_threads):
    """In threads, unless a tree is so small that the look for them would be felt."""
    if n <= SHARE:
        task(0, n)
    else:
        run_chunks(task, n, SHARE, n_threads)


def canonical(
    const uint32_t[:, ::1] edges, const double[::1] weights, Py_ssize_t[:, ::1] out_edges,
    double[::1] out_weights, Py_ssize_t n_threads=1,
):
    """Write the edges (n, 2) and weights of one tree in canonical order."""
    cdef Py_ssize_t n = weights.shape[0]
    cdef uint64_t[:, ::1] memory = np.empty((2 * n + 1, 2), dtype=np.uint64)
    cdef PackedEdge *packed = <PackedEdge *> &memory[0, 0]

    def pack(Py_ssize_t lo, Py_ssize_t hi):
        cdef Py_ssize_t e
        cdef uint32_t i, j
        with nogil:
            for e in range(lo, hi):
                i, j = edges[e, 0], edges[e, 1]
                packed[e] = plain_edge(weights[e] + 0.0, min(i, j), max(i, j))  # -0 becomes 0

    def write(Py_ssize_t lo, Py_ssize_t hi):
        cdef Py_ssize_t e
        with nogil:
            for e in range(lo, hi):
                out_edges[e, 0], out_edges[e, 1] = end_i(packed[e]), end_j(packed[e])
                out_weights[e] = length_of(packed[e])

    _run(pack, n, n_threads)
    packed = sort_edges(packed, packed + n, n, memory, n_threads).edges
    _run(write, n, n_threads)

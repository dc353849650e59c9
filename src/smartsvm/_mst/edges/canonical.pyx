"""The canonical order of a tree's edges: i < j in each, sorted by (weight, i, j).

A sample of the edges gives borders of parts that fit the cache; all edges are dealt to
their parts, which are sorted independently (edge_sort.h). Both are shared out to threads.
The borders are edges, not weights: however many weights are equal, parts are about even.

An edge is as large while it is sorted as in the result, so the result's memory is
where it happens.
"""
from libc.stdint cimport uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

import numpy as np

from smartsvm._mst.common.counting cimport find_places
from smartsvm._threads import run_chunks

cdef extern from "edges/sort.h" nogil:
    ctypedef struct PackedEdge:
        uint64_t weight
        uint64_t ends

    ctypedef struct EdgeParts:
        pass

    enum: EDGE_ROOM
    PackedEdge edge_pack(uint32_t a, uint32_t b, double weight)
    void edge_parts_lay_out(EdgeParts *parts, const PackedEdge *borders, uint16_t n_borders)
    uint16_t edge_part(const EdgeParts *parts, PackedEdge edge)
    void edges_sort(PackedEdge *edges, PackedEdge *spare, Py_ssize_t n, uint32_t *room)

cdef enum:
    # Edges of a part, if there are not more than MOST_PARTS of them, and sampled ones.
    PART = 1 << 11
    MOST_PARTS = 1 << 10
    SAMPLED = 8
    # Edges that one thread deals at a time, and sorts.
    LEAST_CHUNK = 1 << 14
    AT_ONCE = 1 << 13


cdef class _Sorting:
    """One sort on its way."""

    cdef const uint32_t[:, ::1] edges
    cdef const double[::1] weights
    cdef Py_ssize_t[:, ::1] out_edges
    cdef double[::1] out_weights
    cdef uint64_t[:, ::1] items, borders
    cdef PackedEdge *item
    # Nobody needs the weights' place before the end: until then it has the parts of the edges.
    cdef uint16_t *part_of
    cdef EdgeParts parts
    cdef Py_ssize_t n_parts, chunk
    # By chunk and part: how many edges, then where the next one goes.
    cdef Py_ssize_t[:, ::1] place
    cdef Py_ssize_t[::1] part_start

    cdef lay_out(self, int n_threads):
        cdef Py_ssize_t n = self.edges.shape[0]
        self.n_parts = 1
        while self.n_parts < MOST_PARTS and self.n_parts * PART < n:
            self.n_parts *= 2
        self.part_of = <uint16_t *> &self.out_weights[0]
        if sizeof(Py_ssize_t) == sizeof(uint64_t):
            self.item = <PackedEdge *> &self.out_edges[0, 0]
        else:
            self.items = np.empty((n, 2), dtype=np.uint64)
            self.item = <PackedEdge *> &self.items[0, 0]
        self.chunk = max(LEAST_CHUNK, (n + 4 * n_threads - 1) // (4 * n_threads))
        self.place = np.zeros(((n + self.chunk - 1) // self.chunk, self.n_parts), dtype=np.intp)
        self.part_start = np.zeros(self.n_parts + 1, dtype=np.intp)

    cdef inline PackedEdge pack(self, Py_ssize_t e) noexcept nogil:
        return edge_pack(self.edges[e, 0], self.edges[e, 1], self.weights[e])

    cdef find_borders(self):
        """Edges that split all of them into about even parts."""
        cdef Py_ssize_t n = self.edges.shape[0], size = SAMPLED * self.n_parts, s
        cdef uint64_t[:, ::1] room = np.empty((2 * size, 2), dtype=np.uint64)
        cdef uint32_t[::1] counts = np.empty(EDGE_ROOM, dtype=np.uint32)
        cdef PackedEdge *sample = <PackedEdge *> &room[0, 0]
        for s in range(size):
            sample[s] = self.pack(s * n // size)
        edges_sort(sample, sample + size, size, &counts[0])
        # The last one is the end of the last part: no border.
        self.borders = np.asarray(room)[SAMPLED - 1:size:SAMPLED].copy()
        edge_parts_lay_out(
            &self.parts, <const PackedEdge *> &self.borders[0, 0], <uint16_t> (self.n_parts - 1)
        )

    cdef void find_parts(self, Py_ssize_t lo, Py_ssize_t hi) noexcept nogil:
        cdef Py_ssize_t *count = &self.place[lo // self.chunk, 0]
        cdef uint16_t *part_of = self.part_of
        cdef uint16_t part
        cdef Py_ssize_t e
        for e in range(lo, hi):
            part = edge_part(&self.parts, self.pack(e))
            part_of[e] = part
            count[part] += 1

    cdef void deal(self, Py_ssize_t lo, Py_ssize_t hi) noexcept nogil:
        cdef Py_ssize_t *place = &self.place[lo // self.chunk, 0]
        cdef const uint16_t *part_of = self.part_of
        cdef PackedEdge *item = self.item
        cdef Py_ssize_t e
        for e in range(lo, hi):
            item[place[part_of[e]]] = self.pack(e)
            place[part_of[e]] += 1

    cdef void sort(self, Py_ssize_t part, PackedEdge *spare, uint32_t *counts) noexcept nogil:
        cdef Py_ssize_t start = self.part_start[part], end = self.part_start[part + 1], e
        cdef PackedEdge edge
        edges_sort(self.item + start, spare, end - start, counts)
        for e in range(start, end):
            edge = self.item[e]
            self.out_edges[e, 0] = <Py_ssize_t> (edge.ends >> 32)
            self.out_edges[e, 1] = <Py_ssize_t> <uint32_t> edge.ends
            memcpy(&self.out_weights[e], &edge.weight, sizeof(double))

    def find_parts_of(self, Py_ssize_t lo, Py_ssize_t hi):
        with nogil:
            self.find_parts(lo, hi)

    def deal_chunk(self, Py_ssize_t lo, Py_ssize_t hi):
        with nogil:
            self.deal(lo, hi)

    def sort_parts(self, Py_ssize_t lo, Py_ssize_t hi):
        cdef Py_ssize_t part, largest = max(np.diff(self.part_start[lo:hi + 1]))
        cdef uint64_t[:, ::1] spare = np.empty((largest + 1, 2), dtype=np.uint64)
        cdef uint32_t[::1] counts = np.empty(EDGE_ROOM, dtype=np.uint32)
        with nogil:
            for part in range(lo, hi):
                self.sort(part, <PackedEdge *> &spare[0, 0], &counts[0])


def canonical(
    const uint32_t[:, ::1] edges, const double[::1] weights,
    Py_ssize_t[:, ::1] out_edges, double[::1] out_weights, int n_threads=1,
):
    """Write the edges (n, 2) and weights of one tree in canonical order, with n_threads threads."""
    cdef Py_ssize_t n = edges.shape[0]
    cdef _Sorting sorting = _Sorting()
    if n == 0:
        return
    sorting.edges, sorting.weights = edges, weights
    sorting.out_edges, sorting.out_weights = out_edges, out_weights
    sorting.lay_out(n_threads)
    sorting.find_borders()
    n_threads = n_threads if n > LEAST_CHUNK else 1
    run_chunks(sorting.find_parts_of, n, sorting.chunk, n_threads)
    find_places(sorting.place, sorting.part_start)
    run_chunks(sorting.deal_chunk, n, sorting.chunk, n_threads)
    run_chunks(
        sorting.sort_parts, sorting.n_parts, max(1, sorting.n_parts * AT_ONCE // n), n_threads
    )

"""The canonical order of a tree's edges: i < j in each, sorted by (weight, i, j).

A sample sort: a sample of the edges gives splitters between buckets that fit the cache; threads
distribute all edges to their buckets, and then sort these independently (sort.h).

An edge takes as much memory while it is sorted as in the result, so all of this happens in
the memory of the result.
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

    ctypedef struct EdgeBuckets:
        pass

    enum: EDGE_ROOM
    PackedEdge edge_pack(uint32_t a, uint32_t b, double weight)
    void edge_buckets_lay_out(
        EdgeBuckets *buckets, const PackedEdge *splitters, uint16_t n_splitters
    )
    uint16_t edge_bucket(const EdgeBuckets *buckets, PackedEdge edge)
    void edges_sort(PackedEdge *edges, PackedEdge *spare, Py_ssize_t n, uint32_t *room)

cdef enum:
    # Edges of a bucket, if there are not more than MOST_BUCKETS of them, and sampled ones.
    BUCKET = 1 << 11
    MOST_BUCKETS = 1 << 10
    SAMPLED = 8
    # Edges that one thread distributes at a time, and sorts.
    LEAST_CHUNK = 1 << 14
    AT_ONCE = 1 << 13


cdef class _Sorting:
    """The state of one sort, whose methods threads run."""

    cdef const uint32_t[:, ::1] edges
    cdef const double[::1] weights
    cdef Py_ssize_t[:, ::1] out_edges
    cdef double[::1] out_weights
    cdef uint64_t[:, ::1] items, splitters
    cdef PackedEdge *item
    # The memory of the weights is not needed before the end: until then it has the buckets.
    cdef uint16_t *bucket_of
    cdef EdgeBuckets buckets
    cdef Py_ssize_t n_buckets, chunk
    # By chunk and bucket: how many edges, then where the next one goes.
    cdef Py_ssize_t[:, ::1] place
    cdef Py_ssize_t[::1] bucket_start

    cdef lay_out(self, int n_threads):
        cdef Py_ssize_t n = self.edges.shape[0]
        self.n_buckets = 1
        while self.n_buckets < MOST_BUCKETS and self.n_buckets * BUCKET < n:
            self.n_buckets *= 2
        self.bucket_of = <uint16_t *> &self.out_weights[0]
        if sizeof(Py_ssize_t) == sizeof(uint64_t):
            self.item = <PackedEdge *> &self.out_edges[0, 0]
        else:
            self.items = np.empty((n, 2), dtype=np.uint64)
            self.item = <PackedEdge *> &self.items[0, 0]
        self.chunk = max(LEAST_CHUNK, (n + 4 * n_threads - 1) // (4 * n_threads))
        self.place = np.zeros(((n + self.chunk - 1) // self.chunk, self.n_buckets), dtype=np.intp)
        self.bucket_start = np.zeros(self.n_buckets + 1, dtype=np.intp)

    cdef inline PackedEdge pack(self, Py_ssize_t e) noexcept nogil:
        return edge_pack(self.edges[e, 0], self.edges[e, 1], self.weights[e])

    cdef find_splitters(self):
        """Edges that split all of them into about even buckets."""
        cdef Py_ssize_t n = self.edges.shape[0], size = SAMPLED * self.n_buckets, s
        cdef uint64_t[:, ::1] room = np.empty((2 * size, 2), dtype=np.uint64)
        cdef uint32_t[::1] counts = np.empty(EDGE_ROOM, dtype=np.uint32)
        cdef PackedEdge *sample = <PackedEdge *> &room[0, 0]
        for s in range(size):
            sample[s] = self.pack(s * n // size)
        edges_sort(sample, sample + size, size, &counts[0])
        # The last one is the end of the last bucket: no splitter.
        self.splitters = np.asarray(room)[SAMPLED - 1:size:SAMPLED].copy()
        edge_buckets_lay_out(
            &self.buckets, <const PackedEdge *> &self.splitters[0, 0],
            <uint16_t> (self.n_buckets - 1),
        )

    cdef void find_buckets(self, Py_ssize_t lo, Py_ssize_t hi) noexcept nogil:
        cdef Py_ssize_t *count = &self.place[lo // self.chunk, 0]
        cdef uint16_t *bucket_of = self.bucket_of
        cdef uint16_t bucket
        cdef Py_ssize_t e
        for e in range(lo, hi):
            bucket = edge_bucket(&self.buckets, self.pack(e))
            bucket_of[e] = bucket
            count[bucket] += 1

    cdef void distribute(self, Py_ssize_t lo, Py_ssize_t hi) noexcept nogil:
        cdef Py_ssize_t *place = &self.place[lo // self.chunk, 0]
        cdef const uint16_t *bucket_of = self.bucket_of
        cdef PackedEdge *item = self.item
        cdef Py_ssize_t e
        for e in range(lo, hi):
            item[place[bucket_of[e]]] = self.pack(e)
            place[bucket_of[e]] += 1

    cdef void sort(self, Py_ssize_t bucket, PackedEdge *spare, uint32_t *counts) noexcept nogil:
        cdef Py_ssize_t start = self.bucket_start[bucket], end = self.bucket_start[bucket + 1], e
        cdef PackedEdge edge
        edges_sort(self.item + start, spare, end - start, counts)
        for e in range(start, end):
            edge = self.item[e]
            self.out_edges[e, 0] = <Py_ssize_t> (edge.ends >> 32)
            self.out_edges[e, 1] = <Py_ssize_t> <uint32_t> edge.ends
            memcpy(&self.out_weights[e], &edge.weight, sizeof(double))

    def find_buckets_of(self, Py_ssize_t lo, Py_ssize_t hi):
        with nogil:
            self.find_buckets(lo, hi)

    def distribute_chunk(self, Py_ssize_t lo, Py_ssize_t hi):
        with nogil:
            self.distribute(lo, hi)

    def sort_buckets(self, Py_ssize_t lo, Py_ssize_t hi):
        cdef Py_ssize_t bucket, largest = max(np.diff(self.bucket_start[lo:hi + 1]))
        cdef uint64_t[:, ::1] spare = np.empty((largest + 1, 2), dtype=np.uint64)
        cdef uint32_t[::1] counts = np.empty(EDGE_ROOM, dtype=np.uint32)
        with nogil:
            for bucket in range(lo, hi):
                self.sort(bucket, <PackedEdge *> &spare[0, 0], &counts[0])


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
    sorting.find_splitters()
    n_threads = n_threads if n > LEAST_CHUNK else 1
    run_chunks(sorting.find_buckets_of, n, sorting.chunk, n_threads)
    find_places(sorting.place, sorting.bucket_start)
    run_chunks(sorting.distribute_chunk, n, sorting.chunk, n_threads)
    run_chunks(
        sorting.sort_buckets, sorting.n_buckets, max(1, sorting.n_buckets * AT_ONCE // n), n_threads
    )

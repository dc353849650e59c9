"""Points dealt to parts of space (skeleton.h), and equal points found in each.

A part fits the cache, and equal points are in the same one: each has a hash table of its
own, and is one task for a thread. Sites, which are the distinct points, lie part
after part in the order of their first rows, whatever the number of threads.

Collapsing equal points into a site is right only while a squared distance of zero means equal
points; coordinates so small that squares of their differences may underflow keep
every point a site of its own, which is slower and exact.

Cost: O(n (d + log n)) time; beside the result two bytes a point.
"""
from libc.math cimport fabs
from libc.stdint cimport UINT32_MAX
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

import numpy as np

from smartsvm._mst.common.counting cimport find_places
from smartsvm._threads import run_chunks

cdef extern from "common/order.h" nogil:
    uint64_t smartsvm_mix(uint64_t z)

cdef extern from "kd/build.h" nogil:
    enum: KD_SINGLE

cdef extern from "kd/top.h" nogil:
    enum: SKELETON_SAMPLE
    void kd_find_cuts(
        KDMoving moving, Py_ssize_t lo, Py_ssize_t hi, KDCut *cuts, Py_ssize_t h,
        Py_ssize_t n_parts, double *box, Py_ssize_t d,
    )
    void kd_find_parts(
        const KDCut *cuts, Py_ssize_t n_parts, const double *points, Py_ssize_t n,
        uint16_t *part, Py_ssize_t d,
    )

cdef enum:
    # Points of a part, if there are not more than MOST_PARTS of them.
    PART = 1 << 11
    MOST_PARTS = 1 << 12
    LEAST_CHUNK = 1 << 13

# Nonzero floats of at least this size differ by at least 2^-52 of it, and the
# square of that is still a float: 2^-1064.
cdef double SMALLEST_SAFE = 2.0 ** -480


cdef bint _is_safe(const double *values, Py_ssize_t size) noexcept nogil:
    cdef Py_ssize_t i
    cdef bint found = False
    for i in range(size):
        found |= (fabs(values[i]) < SMALLEST_SAFE) & (values[i] != 0)
    return not found


cdef inline bint _equal(const double *x, const double *y, Py_ssize_t d) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(d):
        if x[k] != y[k]:
            return False
    return True


cdef inline uint64_t _hash(const double *x, Py_ssize_t d) noexcept nogil:
    cdef Py_ssize_t k
    cdef uint64_t bits, value = 0
    cdef double positive
    for k in range(d):
        positive = x[k] + 0.0       # -0 equals 0 and must hash like it
        memcpy(&bits, &positive, sizeof(bits))
        value = (value ^ bits) * <uint64_t> 0x9e3779b97f4a7c15
        value ^= value >> 32
    return smartsvm_mix(value)


cdef Py_ssize_t _number_distinct(
    const double *points, Py_ssize_t n, Py_ssize_t d, uint32_t *table, uint32_t *number,
) noexcept nogil:
    """Number the distinct points in the order of the first ones; how many they are.

    `table` has room for 3 n entries.
    """
    cdef Py_ssize_t i, n_distinct = 0
    cdef uint64_t place, mask = 1
    while 2 * mask < 3 * <uint64_t> n:
        mask *= 2
    mask -= 1
    for i in range(<Py_ssize_t> mask + 1):
        table[i] = UINT32_MAX
    for i in range(n):
        place = _hash(points + i * d, d) & mask
        while table[place] != UINT32_MAX and not _equal(
            points + i * d, points + <Py_ssize_t> table[place] * d, d
        ):
            place = (place + 1) & mask
        if table[place] == UINT32_MAX:
            table[place] = <uint32_t> i
            number[i] = <uint32_t> n_distinct
            n_distinct += 1
        else:
            number[i] = number[table[place]]
    return n_distinct


cdef class Parts:
    """See the module."""

    def __init__(self, const double[:, ::1] points, int n_threads):
        cdef Py_ssize_t n = points.shape[0], d = points.shape[1]
        self.points, self.n, self.d = points, n, d
        self.n_parts = 1
        while self.n_parts < MOST_PARTS and self.n_parts * PART < n:
            self.n_parts *= 2
        self.collapsed = True
        self.site = None
        # A pair of coordinates may be read beyond the last one.
        self.coords = np.empty(n * d + 1)
        self.coords[n * d] = 0
        self.start = np.zeros(self.n_parts + 1, dtype=np.intp)
        if self.n_parts == 1:
            self.start[1] = n
            self.order = np.arange(n, dtype=np.uint32)
            self.collapsed = _is_safe(&points[0, 0], n * d)
            memcpy(&self.coords[0], &points[0, 0], n * d * sizeof(double))
        else:
            self.deal(n_threads)
        self.n_sites = n
        if self.collapsed:
            self.collapse(n_threads)

    cdef deal(self, int n_threads):
        """Find and move the points of each part."""
        cdef Py_ssize_t n = self.n
        self.chunk = max(LEAST_CHUNK, (n + 4 * n_threads - 1) // (4 * n_threads))
        self.order = np.empty(n, dtype=np.uint32)
        self.part_of = np.empty(n, dtype=np.uint16)
        self.place = np.zeros(((n + self.chunk - 1) // self.chunk, self.n_parts), dtype=np.intp)
        self.find_cuts()
        run_chunks(self.find_parts, n, self.chunk, n_threads)
        find_places(self.place, self.start)
        run_chunks(self.move_points, n, self.chunk, n_threads)
        self.part_of = self.place = None

    def __dealloc__(self):
        free(self.cuts)

    cdef find_cuts(self):
        cdef Py_ssize_t size = min(self.n, SKELETON_SAMPLE * self.n_parts), d = self.d, s
        cdef double[::1] sample, keys, box
        cdef uint32_t[::1] order
        cdef KDMoving moving
        self.cuts = <KDCut *> malloc(self.n_parts * sizeof(KDCut))
        if self.cuts == NULL:
            raise MemoryError
        sample = np.zeros(size * d + 1)
        keys = np.empty(size if d >= KD_SINGLE else 1)
        box = np.empty(4 * ((d + 1) // 2))
        order = np.empty(size, dtype=np.uint32)
        for s in range(size):
            memcpy(&sample[s * d], &self.points[s * self.n // size, 0], d * sizeof(double))
        moving.points, moving.order, moving.keys = &sample[0], &order[0], &keys[0]
        with nogil:
            kd_find_cuts(moving, 0, size, self.cuts, 1, self.n_parts, &box[0], d)

    def find_parts(self, Py_ssize_t lo, Py_ssize_t hi):
        """The parts of points lo..hi-1, and how many there are of each."""
        cdef Py_ssize_t *count = &self.place[lo // self.chunk, 0]
        cdef Py_ssize_t i
        with nogil:
            if not _is_safe(&self.points[lo, 0], (hi - lo) * self.d):
                self.collapsed = False
            kd_find_parts(
                self.cuts, self.n_parts, &self.points[lo, 0], hi - lo, &self.part_of[lo], self.d
            )
            for i in range(lo, hi):
                count[self.part_of[i]] += 1

    def move_points(self, Py_ssize_t lo, Py_ssize_t hi):
        """Move points lo..hi-1 to their parts."""
        with nogil:
            self.move(lo, hi)

    cdef void move(self, Py_ssize_t lo, Py_ssize_t hi) noexcept nogil:
        cdef Py_ssize_t *place = &self.place[lo // self.chunk, 0]
        cdef const double *points = &self.points[0, 0]
        cdef double *coords = &self.coords[0]
        cdef uint32_t *order = &self.order[0]
        cdef const uint16_t *part_of = &self.part_of[0]
        cdef Py_ssize_t d = self.d, i, k, to
        for i in range(lo, hi):
            to = place[part_of[i]]
            place[part_of[i]] = to + 1
            order[to] = <uint32_t> i
            for k in range(d):
                coords[to * d + k] = points[i * d + k]

    cdef collapse(self, int n_threads):
        """Leave one of equal points."""
        cdef Py_ssize_t d = self.d
        cdef double[::1] sites
        cdef const Py_ssize_t[::1] first
        self.n_distinct = np.empty(self.n_parts, dtype=np.intp)
        run_chunks(self.count_distinct, self.n_parts, 1, n_threads)
        self.n_sites = np.sum(self.n_distinct)
        if self.n_sites == self.n:
            return
        starts = np.concatenate([[0], np.cumsum(self.n_distinct)]).astype(np.intp)
        first = starts
        sites = np.empty(self.n_sites * d + 1)
        sites[self.n_sites * d] = 0
        self.site = np.empty(self.n, dtype=np.uint32)

        def keep_distinct(Py_ssize_t part, Py_ssize_t end):
            cdef Py_ssize_t lo = self.start[part], n = self.start[part + 1] - lo, i
            cdef uint32_t[::1] room = np.empty(4 * n + 1, dtype=np.uint32)
            cdef uint32_t s
            with nogil:
                _number_distinct(&self.coords[lo * d], n, d, &room[n], &room[0])
                for i in range(n):
                    s = <uint32_t> first[part] + room[i]
                    self.site[self.order[lo + i]] = s
                    memcpy(&sites[s * d], &self.coords[(lo + i) * d], d * sizeof(double))

        run_chunks(keep_distinct, self.n_parts, 1, n_threads)
        self.coords, self.start = sites, starts
        self.order = np.arange(self.n_sites, dtype=np.uint32)

    def count_distinct(self, Py_ssize_t part, Py_ssize_t end):
        cdef Py_ssize_t lo = self.start[part], n = self.start[part + 1] - lo
        cdef uint32_t[::1] room = np.empty(4 * n + 1, dtype=np.uint32)
        with nogil:
            self.n_distinct[part] = _number_distinct(
                &self.coords[lo * self.d], n, self.d, &room[n], &room[0]
            )

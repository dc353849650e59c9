"""Spanning trees of corners of a cube: every feature takes two values, as far apart in each.

One-hot and binary data are of this kind. A point is a word of bits, and a squared distance the
number of bits that differ times a power of two, which is exact. Neighbours at one or two bits are
found by changing these bits and looking the word up. So all edges of the smallest length are
listed, then those of the next, and sorted by their keys: Kruskal's algorithm needs no other if
these connect the points. Every edge goes to the first tree whose parts it joins.

By mutual reachability the core of a point is a number of bits, too, and the length of an edge the
largest of three such numbers. Edges of one length come in the order of their distances.

Cost: O(n d) words looked up for edges over one bit, O(n d^2) over two.
"""
from libc.math cimport fabs, frexp
from libc.stdint cimport UINT64_MAX, uint32_t, uint64_t

import numpy as np

from smartsvm._mst.common.disjoint_set cimport joins
from smartsvm._mst.common.edge_sort cimport PackedEdge, edges_sort
from smartsvm._mst.common.equal_points cimport smallest_key, sort_by_rank, two_groups
from smartsvm._mst.common.edge_order cimport tie_ranks
from smartsvm._core.threads cimport check_interrupt

cdef enum:
    MOST_BITS = 64
    MOST_LEVELS = 2
    SAMPLE = 32
    # A tenth of a second, and 64 MiB with the room to sort them. One site has at most 2^11.
    MOST_EDGES = 1 << 21
    MOST_OF_A_SITE = 1 << 11
    # With a limit of memory a point may have so many edges beside d / 2, which all words of d bits
    # have: with 32 bytes each they fit what trees/out_of_core/memory_plan.py counts for products.
    EDGES_FOR_A_TREE = 8
    EDGES_FOR_A_NEIGHBOR = 2
    MOST_NEIGHBORS = 64


cdef double _find_words(
    const double[:, ::1] points, double *first, double *second, uint64_t *word
) noexcept nogil:
    """A bit of each word for each feature; the squared distance it stands for, or 0: no cube."""
    cdef Py_ssize_t n = points.shape[0], d = points.shape[1], i, k
    cdef uint64_t bits, bit
    cdef double x, width = 0, other
    cdef int exponent
    cdef Py_ssize_t count
    for k in range(d):
        first[k] = second[k] = points[0, k]
    for i in range(n):
        bits = 0
        for k in range(d):
            x = points[i, k]
            bit = x != first[k]
            if bit & (x != second[k]):
                other = fabs(x - first[k])
                if second[k] != first[k] or (width > 0 and other != width):
                    return 0
                second[k], width = x, other
            bits |= bit << k
        word[i] = bits
    # Let few words have a bit: as many are changed to look for neighbours.
    bits = 0
    for k in range(d):
        count = 0
        for i in range(SAMPLE):
            count += word[i * n // SAMPLE] >> k & 1
        bits |= <uint64_t> (2 * count > SAMPLE) << k
    for i in range(n):
        word[i] ^= bits
    return width * width if frexp(width, &exponent) == 0.5 else 0


cdef class _Corners:
    """The distinct words of some points ("sites"), and where to find them."""

    cdef Py_ssize_t n_points, n_sites, n_edges, most_edges, room
    cdef int shift
    cdef uint64_t all_bits
    cdef uint64_t[::1] word         # by site
    cdef uint32_t[::1] table        # hash -> site + 1; 0: none
    # By site the first of its points, which lie in the order of their ranks.
    cdef uint32_t[::1] start, point, rank
    cdef uint64_t[:, ::1] edges     # PackedEdge: keys, and two sites
    cdef int listed                 # bits between the ends of the edges that are listed
    cdef uint32_t[::1] core         # by site, in bits; 0 where lengths are distances

    def __init__(
        self, uint64_t[::1] words, const uint32_t[::1] ids, uint64_t seed, Py_ssize_t most_edges
    ):
        cdef Py_ssize_t n = words.shape[0], i
        cdef uint32_t s, place
        cdef uint32_t[::1] site = np.empty(n, dtype=np.uint32)
        cdef uint64_t[::1] room
        self.n_points, self.most_edges, self.shift = n, most_edges, 63
        while <Py_ssize_t> 1 << (64 - self.shift) < 2 * n:
            self.shift -= 1
        self.table = np.zeros(1 << (64 - self.shift), dtype=np.uint32)
        self.word = words
        self.all_bits = np.bitwise_or.reduce(words)
        for i in range(n):
            place = self.place_of(words[i])
            if self.table[place] == 0:
                # In place: no word is read again before its site is.
                self.word[self.n_sites] = words[i]
                self.n_sites += 1
                self.table[place] = <uint32_t> self.n_sites
            site[i] = self.table[place] - 1
        self.rank = np.empty(n, dtype=np.uint32)
        tie_ranks(&ids[0], n, seed, &self.rank[0])
        self.point = np.arange(n, dtype=np.uint32)
        self.core = np.zeros(self.n_sites, dtype=np.uint32)
        if self.n_sites == n:
            self.start = np.arange(n + 1, dtype=np.uint32)
            return
        sizes = np.bincount(site, minlength=self.n_sites)
        self.start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint32)
        self.point = np.argsort(site, kind="stable").astype(np.uint32)
        self.rank = np.asarray(self.rank)[self.point]
        room = np.empty(sizes.max(), dtype=np.uint64)
        for s in range(self.n_sites):
            i = self.start[s]
            sort_by_rank(&self.rank[i], &self.point[i], self.start[s + 1] - i, &room[0])

    cdef inline uint32_t place_of(self, uint64_t word) noexcept nogil:
        """The place of a word in the table, or the empty one where it would be."""
        cdef uint64_t mask = <uint64_t> self.table.shape[0] - 1
        cdef uint64_t place = word * <uint64_t> 0x9e3779b97f4a7c15 >> self.shift
        while self.table[place] != 0 and self.word[self.table[place] - 1] != word:
            place = place + 1 & mask
        return <uint32_t> place

    cdef bint are_near(self):
        """Whether each of some sites has a neighbour over one or two bits."""
        # Most have one that is soon found: far less work than to list all edges.
        cdef Py_ssize_t i, n_asked = max(SAMPLE, self.n_sites // 4)
        cdef uint64_t word, one, two, rest, more
        cdef bint found
        for i in range(n_asked):
            word = self.word[i * self.n_sites // n_asked]
            found, rest = False, self.all_bits
            while rest != 0 and not found:
                one = rest & (~rest + 1)
                rest ^= one
                found = self.table[self.place_of(word ^ one)] != 0
                more = rest
                while more != 0 and not found:
                    two = more & (~more + 1)
                    more ^= two
                    found = self.table[self.place_of(word ^ one ^ two)] != 0
            if not found:
                return False
        return True

    cdef bint find_cores(self, Py_ssize_t k):
        """The bits to the k-th neighbour of each point; False if these are more than two."""
        cdef Py_ssize_t[::1] size = np.diff(self.start).astype(np.intp)
        cdef Py_ssize_t[::1] seen = np.asarray(size) - 1
        cdef Py_ssize_t e
        cdef uint32_t s, t
        cdef int level
        for level in range(MOST_LEVELS + 1):
            if level > 0:
                if not self.list_edges(level):
                    return False
                for e in range(self.n_edges):
                    s, t = <uint32_t> (self.edges[e, 1] >> 32), <uint32_t> self.edges[e, 1]
                    seen[s] += size[t]
                    seen[t] += size[s]
            short = np.asarray(seen) < k
            if not short.any():
                return True
            np.asarray(self.core)[short] = level + 1
        return False

    cdef bint list_edges(self, int level):
        """List the edges over this many bits, sorted by key; False: there are too many."""
        cdef uint32_t s
        cdef uint64_t one, rest, more
        cdef uint64_t[:, ::1] spare
        if self.listed == level:
            return True
        self.n_edges, self.listed = 0, 0
        with nogil:
            for s in range(self.n_sites):
                if self.n_edges > self.most_edges:
                    return False
                if self.n_edges + MOST_OF_A_SITE > self.room:
                    with gil:
                        check_interrupt()
                        self.grow()
                # Of two sites one has the lowest bit in which they differ.
                rest = self.word[s]
                while rest != 0:
                    one = rest & (~rest + 1)
                    rest ^= one
                    if level == 1:
                        self.list_edge(s, self.word[s] ^ one)
                        continue
                    more = self.all_bits & ~(one | one - 1)
                    while more != 0:
                        self.list_edge(s, self.word[s] ^ one ^ (more & (~more + 1)))
                        more &= more - 1
        spare = np.empty((self.n_edges + 1, 2), dtype=np.uint64)
        with nogil:
            edges_sort(
                <PackedEdge *> &self.edges[0, 0], <PackedEdge *> &spare[0, 0], self.n_edges
            )
        self.listed = level
        return True

    cdef grow(self):
        """Room for the edges of some more sites."""
        self.room = min(
            2 * self.room + 32 * self.n_sites + MOST_OF_A_SITE, self.most_edges + MOST_OF_A_SITE
        )
        grown = np.empty((self.room, 2), dtype=np.uint64)
        if self.n_edges > 0:
            grown[:self.n_edges] = self.edges[:self.n_edges]
        self.edges = grown

    cdef inline void list_edge(self, uint32_t s, uint64_t word) noexcept nogil:
        cdef uint32_t found = self.table[self.place_of(word)]
        cdef Py_ssize_t ends[2]
        if found != 0:
            self.edges[self.n_edges, 0] = self.smallest(s, found - 1, ends)
            self.edges[self.n_edges, 1] = <uint64_t> s << 32 | (found - 1)
            self.n_edges += 1

    cdef inline uint64_t smallest(self, uint32_t s, uint32_t t, Py_ssize_t *ends) noexcept nogil:
        """The smallest key between the points of two sites, and these points' places."""
        cdef const uint32_t *start = &self.start[0]
        return smallest_key(
            two_groups(&self.rank[0], start[s], start[s + 1], start[t], start[t + 1]), 0,
            UINT64_MAX, ends,
        )


def forests(points, ids, seed, n_trees, *, limited=False):
    """Orthogonal spanning forests of points; None if this is not a cube, or edges are too long."""
    found = _forests(points, ids, seed, n_trees, 0, limited)
    return None if found is None else found[:3]


def mutual_forests(points, ids, seed, n_trees, k, *, limited=False):
    """Forests by mutual reachability, and squared cores; None as above, or if cores are long."""
    return _forests(points, ids, seed, n_trees, k, limited)


cdef _forests(
    const double[:, ::1] points, const uint32_t[::1] ids, uint64_t seed, Py_ssize_t n_trees,
    Py_ssize_t k, bint limited,
):
    """What `mutual_forests` returns; k = 0 for plain distances, and cores of 0."""
    cdef Py_ssize_t n = points.shape[0], d = points.shape[1], tree, e, i, most_edges = MOST_EDGES
    cdef uint64_t[::1] words
    cdef double[:, ::1] values
    cdef double unit
    cdef _Corners corners
    cdef Py_ssize_t[::1] left
    cdef uint32_t[:, ::1] parent
    cdef uint32_t[:, :, ::1] found
    cdef double[:, ::1] squared
    cdef uint32_t s, t, longest, length, level
    cdef Py_ssize_t ends[2]
    if d > MOST_BITS:
        return None
    words, values = np.empty(n, dtype=np.uint64), np.empty((2, d))
    with nogil:
        unit = _find_words(points, &values[0, 0], &values[1, 0], &words[0])
    if unit == 0:
        return None
    if limited:
        e = d // 2 + EDGES_FOR_A_TREE * n_trees + EDGES_FOR_A_NEIGHBOR * min(k, MOST_NEIGHBORS)
        most_edges = min(most_edges, n * e)
    corners = _Corners(words, ids, seed, most_edges)
    # Of edges between two sites with several points a later tree may need a second one.
    if (n_trees > 1 and corners.n_sites < n) or not corners.are_near():
        return None
    if k > 0 and not corners.find_cores(k):
        return None
    longest = np.max(corners.core)
    left = np.full(n_trees, corners.n_sites - 1)
    parent = np.tile(np.arange(corners.n_sites, dtype=np.uint32), (n_trees, 1))
    found, squared = np.empty((n_trees, n - 1, 2), dtype=np.uint32), np.empty((n_trees, n - 1))
    # Equal points first, along their ranks: no edge of theirs is smaller.
    e = n - 1
    for s in range(corners.n_sites):
        for i in range(corners.start[s], corners.start[s + 1] - 1):
            e -= 1
            found[0, e, 0], found[0, e, 1] = corners.point[i], corners.point[i + 1]
            squared[0, e] = corners.core[s] * unit
    for length in range(1, MOST_LEVELS + 1):
        for level in range(1 if longest >= length else length, length + 1):
            if not corners.list_edges(level):
                return None
            with nogil:
                for e in range(corners.n_edges):
                    s, t = <uint32_t> (corners.edges[e, 1] >> 32), <uint32_t> corners.edges[e, 1]
                    if longest > 0 and max(level, corners.core[s], corners.core[t]) != length:
                        continue
                    for tree in range(n_trees):
                        if joins(&parent[tree, 0], s, t):
                            left[tree] -= 1
                            corners.smallest(s, t, ends)
                            found[tree, left[tree], 0] = corners.point[ends[0]]
                            found[tree, left[tree], 1] = corners.point[ends[1]]
                            squared[tree, left[tree]] = length * unit
                            break
        if not np.any(left):
            core = np.empty(n)
            core[np.asarray(corners.point)] = np.repeat(corners.core, np.diff(corners.start)) * unit
            return (
                np.asarray(found).reshape(-1, 2), np.asarray(squared).reshape(-1),
                np.full(n_trees, n - 1), core,
            )
    return None

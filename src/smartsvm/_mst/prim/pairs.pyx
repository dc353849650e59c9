"""Orthogonal spanning forests of many pairs of small sets, one call for all of them.

Of two sets whose own forests are known, only the edges between them are new. So all distances
between the two are computed once, and Prim's algorithm (prim_loops.c) reads them for every tree,
beside the few edges of each point within its set. Used edges become infinite where they lie.
What a pair needs is prepared once for each set, and pairs share memory: with a thousand classes
half a million pairs are joined.

Cost of a pair: one distance for each two points of different sets, and about 2 n^2 comparisons for
a tree, both in vectors; 16 bytes for each distance. Order of edges: edge_order.h.
"""
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcpy

import numpy as np

from smartsvm._mst.common.edge_order cimport tie_ranks
from smartsvm._mst.common.vector_loops cimport vector_kind
from smartsvm._mst.prim.fringe cimport (
    FRINGE_GROUP, PAIR_BLOCK, PairSet, PairTrees, prim_loops, turn_cross,
)
from smartsvm._core.threads cimport check_interrupt

# Distances between two sets that are worth keeping for all trees: up to 16 megabytes.
MOST_DISTANCES = 1 << 20

# Terms of distances and comparisons between two looks for Ctrl-C: a few hundredths of a second.
cdef enum:
    WORK_BETWEEN_SIGNAL_CHECKS = 1 << 25


cdef inline size_t _next_line(const void *address) noexcept nogil:
    """The next address on a line of the cache: a block there takes half the loads."""
    return (<size_t> address + 63) // 64 * 64


cdef class Sets:
    """Sets of points, each with its own forests, one after the other from `starts` on."""

    cdef const double[:, ::1] points
    cdef const Py_ssize_t[::1] starts, known_start
    cdef const uint32_t[::1] known_to
    cdef const double[::1] known_length
    cdef uint32_t[::1] ranks
    cdef double[:, :, ::1] blocks           # the points of each set in blocks, feature by feature
    cdef const Py_ssize_t[::1] block_start  # set -> its first block
    cdef Py_ssize_t n_trees

    def __init__(
        self, points, starts, const uint32_t[::1] ids, own_forests, uint64_t seed,
        Py_ssize_t n_trees,
    ):
        self.points, self.n_trees = points, n_trees
        self.starts = np.asarray(starts, dtype=np.intp)
        self._know(own_forests)
        self.ranks = np.empty(len(ids), dtype=np.uint32)
        tie_ranks(&ids[0], len(ids), seed, &self.ranks[0])
        self._lay_out()

    def _know(self, own_forests):
        """The edges of each point within its set, to points by their numbers in it."""
        shift = np.repeat(self.starts[:-1], [len(edges) for edges, _ in own_forests])
        edges = np.concatenate([edges for edges, _ in own_forests]).astype(np.intp)
        ends = (edges + shift[:, None]).ravel()
        order = np.argsort(ends, kind="stable")
        squared = np.concatenate([squared for _, squared in own_forests])
        # One more, so that there is something to point to if there are none.
        self.known_to = np.append(edges[:, ::-1].ravel()[order], 0).astype(np.uint32)
        self.known_length = np.append(np.repeat(squared, 2)[order], 0.0)
        counts = np.bincount(ends, minlength=self.points.shape[0])
        self.known_start = np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)

    cdef _lay_out(self):
        """Copy the points into blocks; where there is no point, distances are infinite."""
        cdef Py_ssize_t s, i, k, d = self.points.shape[1], block
        widths = -(-np.diff(self.starts) // PAIR_BLOCK)
        self.block_start = np.concatenate([[0], np.cumsum(widths)])
        self.blocks = np.full((widths.sum(), d, PAIR_BLOCK), np.inf)
        for s in range(self.starts.shape[0] - 1):
            for i in range(self.starts[s + 1] - self.starts[s]):
                block = self.block_start[s] + i // PAIR_BLOCK
                for k in range(d):
                    self.blocks[block, k, i % PAIR_BLOCK] = self.points[self.starts[s] + i, k]

    def forests(self, const Py_ssize_t[:, ::1] pairs):
        """Orthogonal spanning forests, pair after pair of sets; sizes (n_pairs, n_trees)."""
        widths, sizes = PAIR_BLOCK * np.diff(self.block_start), np.diff(self.starts)
        left, right = np.asarray(pairs).T
        most = self.n_trees * int((sizes[left] + sizes[right] - 1).sum())
        cdef Py_ssize_t room = (widths[left] + widths[right]).max() + FRINGE_GROUP
        cdef Py_ssize_t most_cross = (widths[left] * widths[right]).max()
        cdef Py_ssize_t most_known = np.diff(np.asarray(self.known_start)[self.starts]).max()
        cdef uint32_t[:, ::1] edges = np.empty((most + 1, 2), dtype=np.uint32)
        cdef double[::1] squared = np.empty(most + 1)
        cdef Py_ssize_t[:, ::1] found = np.zeros((len(left), self.n_trees), dtype=np.intp)
        cdef double[::1] lengths = np.empty(2 * (room + most_cross + most_known) + PAIR_BLOCK)
        cdef uint32_t[::1] ranks = np.zeros(room, dtype=np.uint32)
        cdef uint32_t[::1] vertices = np.arange(room, dtype=np.uint32)
        cdef int64_t[::1] sources = np.zeros(room + PAIR_BLOCK, dtype=np.int64)
        cdef Py_ssize_t p, total = 0, work = 0
        cdef PairTrees pair
        pair.fringe.rank, pair.fringe.vertex = &ranks[0], &vertices[0]
        pair.fringe.core = pair.fringe.distance = NULL
        pair.fringe.source = <int64_t *> _next_line(&sources[0])
        pair.fringe.nearest = <double *> _next_line(&lengths[0])
        pair.outside = pair.fringe.nearest + room
        pair.sets[0].cross = pair.outside + room
        pair.sets[1].cross = pair.sets[0].cross + most_cross
        pair.sets[0].known_length = pair.sets[1].cross + most_cross
        pair.sets[1].known_length = pair.sets[0].known_length + most_known
        with nogil:
            for p in range(pairs.shape[0]):
                self._begin(&pair, pairs[p, 0], pairs[p, 1])
                total += self._grow(&pair, pairs[p, 0], pairs[p, 1], &edges[total, 0],
                                    &squared[total], &found[p, 0])
                work += pair.fringe.size * pair.fringe.size * self.n_trees
                work += pair.sets[0].n * pair.sets[1].n * self.points.shape[1]
                if work > WORK_BETWEEN_SIGNAL_CHECKS:
                    work = 0
                    with gil:
                        check_interrupt()
        return np.asarray(edges)[:total], np.asarray(squared)[:total], np.asarray(found)

    cdef void _begin(self, PairTrees *pair, Py_ssize_t left, Py_ssize_t right) noexcept nogil:
        """Lay out a pair: what is known of each set, and all distances between them."""
        cdef Py_ssize_t s, number, first, known, position = 0
        cdef PairSet *own
        for s in range(2):
            number = right if s else left
            own = &pair.sets[s]
            first = self.starts[number]
            own.n = self.starts[number + 1] - first
            own.width = PAIR_BLOCK * (self.block_start[number + 1] - self.block_start[number])
            own.first = position
            own.known_start = &self.known_start[first]
            known = own.known_start[0]
            own.known_to = &self.known_to[0] + known
            memcpy(
                own.known_length, &self.known_length[0] + known,
                (own.known_start[own.n] - known) * sizeof(double),
            )
            memcpy(pair.fringe.rank + position, &self.ranks[first], own.n * sizeof(uint32_t))
            position += own.width
        pair.fringe.size = (position + FRINGE_GROUP - 1) // FRINGE_GROUP * FRINGE_GROUP
        prim_loops(vector_kind()).fill(
            &self.points[self.starts[left], 0], pair.sets[0].n,
            &self.blocks[self.block_start[right], 0, 0], pair.sets[1].width, pair.sets[0].cross,
            self.points.shape[1],
        )
        turn_cross(pair)

    cdef Py_ssize_t _grow(
        self, PairTrees *pair, Py_ssize_t left, Py_ssize_t right, uint32_t *edges,
        double *squared, Py_ssize_t *sizes,
    ) noexcept nogil:
        """Write the forests of a pair; how many edges."""
        cdef Py_ssize_t tree, e, total = 0, first = pair.sets[1].first
        cdef Py_ssize_t left_start = self.starts[left], right_start = self.starts[right] - first
        for tree in range(self.n_trees):
            sizes[tree] = prim_loops(vector_kind()).grow(pair, edges + 2 * total, squared + total)
            if sizes[tree] == 0:
                break
            total += sizes[tree]
        for e in range(2 * total):
            edges[e] += <uint32_t> (right_start if edges[e] >= first else left_start)
        return total

"""Points cut into blocks of near ones, with a float32 copy for matrix products.

The set, or each of its clusters (clusters.py), is cut across a wide direction until a piece fits
one block. The ball around a block bounds its distances from others. Near neighbours meet in the
first tiles, so later ones propose little.

The float32 copy is taken about a centre and divided by a power of two that makes it about unit
size: nothing overflows, and what underflows is far below its own rounding. Given a basis
(projection.py), the copy holds projections, whose distances are lower bounds of the true ones.

Cost: O(n d log(n / block)) time, O(n d) memory.
"""
from libc.math cimport sqrt
from libc.stdint cimport uint32_t
from libc.string cimport memcpy

from threading import Lock

import numpy as np

from smartsvm._mst.common.edge_order cimport squared_distance
from smartsvm._mst.common.equal_points import equal_rows
from smartsvm._mst.common.vector_loops cimport vector_kind
from smartsvm._mst.edges.bottleneck import Linkage
from smartsvm._mst.products.clusters import find_clusters
from smartsvm._mst.products.tile_loops cimport BLOCK, PANEL, TileLoops
from smartsvm._core.threads import run_chunks

cdef extern from "products/tile_loops.h" nogil:
    const TileLoops *tile_loops(int kind)

cdef extern from "products/cut_blocks.h" nogil:
    ctypedef struct CutPlace:
        float along
        uint32_t row

    Py_ssize_t cut_piece(
        const float *points, Py_ssize_t d, CutPlace *places, Py_ssize_t n, Py_ssize_t block,
        float *room,
    )
    double cut_measure(
        const float *points, Py_ssize_t d, CutPlace *places, Py_ssize_t n, double *centre,
        double *norms, double *along_centre,
    )

cdef enum:
    # Small blocks are far apart more often. That pays where few points are near others: in small
    # sets, which are classes of many, and near a manifold. Clusters are apart with any blocks.
    SMALL_SET = 2048
    SMALL_BLOCK = 64
    MIDDLE_BLOCK = 128
    ROWS_AT_ONCE = 1024
    # Coordinates that justify a thread.
    SHARE = 1 << 16


cpdef double rounding_slack(Py_ssize_t d, bint symmetric) noexcept nogil:
    """Share of |x|^2 + |y|^2 + |g|^2 by which a tile entry may exceed the truth.

    Notation of tiles.pxi: g is the vector between the centres of two sets, 0 if there is one.
    With N = |x| + |y| + |g| and u = 2^-24 the roundings are, in units of u N^2, at most 4 of the
    coordinates, 4 of the constants and their sum, and (d + 1) / (1 - d u) of the product in any
    order of summation: partial sums may begin with the constants, stay below N^2, and round d
    times. A reference BLAS attains that bound.

    N^2 <= 2 (|x|^2 + |y|^2), or 3 (|x|^2 + |y|^2 + |g|^2). 1.1 is ample for d < 10^6; beyond,
    nothing is known of a sum in float32, and no entry may exceed 0.
    """
    if d >= 1 << 20:
        return 8.0
    return (2 if symmetric else 3) * (d + 9) * 1.1 * 2.0 ** -24


def _rounded(points, centre, basis, n_threads):
    """The float32 points along a basis, if any, and the exponent of the power that divides them."""
    single = np.empty(
        (len(points), points.shape[1] if basis is None else basis.shape[1]), dtype=np.float32
    )
    largest = []

    def measure(start, stop):
        largest.append(_longest(points[start:stop], centre))

    run_chunks(measure, len(points), ROWS_AT_ONCE, n_threads)
    # Beyond 2^500 squares leave the range of float64; entries are 0 then, and all is computed.
    exponent = max(-500, min(int(np.frexp(np.sqrt(max(largest)))[1]), 500))
    factor = np.ldexp(1.0, -exponent)

    def project(start, stop):
        if basis is None:
            _round_rows(points[start:stop], centre, factor, single[start:stop])
        else:
            single[start:stop] = (points[start:stop] - centre) @ basis * factor

    run_chunks(project, len(points), ROWS_AT_ONCE, n_threads)
    return single, exponent


cdef double _longest(const double[:, ::1] points, const double[::1] centre):
    """The largest squared distance from the centre."""
    cdef double longest = 0
    cdef Py_ssize_t i
    with nogil:
        for i in range(points.shape[0]):
            longest = max(longest, squared_distance(&points[i, 0], &centre[0], points.shape[1]))
    return longest


cdef _round_rows(
    const double[:, ::1] points, const double[::1] centre, double factor, float[:, ::1] single,
):
    cdef Py_ssize_t i, k
    with nogil:
        for i in range(points.shape[0]):
            for k in range(points.shape[1]):
                single[i, k] = <float> ((points[i, k] - centre[k]) * factor)


def _cut(single, clusters, block, n_threads):
    """Places of the rows, a `CutPlace` each, such that blocks are together; where blocks begin."""
    n = len(single)
    places, start = np.empty((n, 2), dtype=np.uint32), {0, n}
    places[:, 1] = np.arange(n)
    if clusters is not None:
        # There are few clusters, and small numbers are sorted in linear time.
        places[:, 1] = np.argsort(clusters.astype(np.uint16), kind="stable")
        start.update(np.cumsum(np.bincount(clusters)).tolist())
    while True:
        ends = sorted(start)
        pieces = [(a, b) for a, b in zip(ends, ends[1:]) if b - a > block]
        if not pieces:
            return places, np.array(ends, dtype=np.intp)

        def cut(lo, hi):
            start.update([_middle(single, places, a, b, block) for a, b in pieces[lo:hi]])

        run_chunks(cut, len(pieces), 1 + len(pieces) // (8 * n_threads), n_threads)


cdef Py_ssize_t _middle(
    const float[:, ::1] points, uint32_t[:, ::1] places, Py_ssize_t lo, Py_ssize_t hi,
    Py_ssize_t block,
):
    """Split the piece lo..hi-1 of the places; where its second part begins."""
    cdef float[::1] room = np.empty(4 * points.shape[1], dtype=np.float32)
    with nogil:
        return lo + cut_piece(
            &points[0, 0], points.shape[1], <CutPlace *> &places[lo, 0], hi - lo, block, &room[0]
        )


cdef void pack(const float *rows, Py_ssize_t n, Py_ssize_t d, float *packed) noexcept nogil:
    """Rows in panels of PANEL, feature by feature; the last one ends with zeros."""
    cdef Py_ssize_t i, k
    for i in range((n + PANEL - 1) // PANEL * PANEL):
        for k in range(d):
            packed[(i // PANEL * d + k) * PANEL + i % PANEL] = rows[i * d + k] if i < n else 0


cdef _arrange(
    Index index, const double[:, ::1] points, const float[:, ::1] single,
    uint32_t[:, ::1] places, double[:, ::1] ordered, Py_ssize_t lo, Py_ssize_t hi,
):
    """Measure blocks lo..hi-1, and copy and pack their points, shell by shell.

    Points of one shell, which fill a panel, are about equally far from other blocks; those near
    the centre are far from all of them.
    """
    cdef double[:, ::1] centre = index.ball_centre
    cdef Py_ssize_t b, i, first, size, width = index.width
    with nogil:
        for b in range(lo, hi):
            first, size = index.start[b], index.start[b + 1] - index.start[b]
            # A point's true place is within a rounding of its float32 copy, of unit size.
            index.ball_radius[b] = 2.0 ** -22 + (1 + 1e-9) * sqrt(cut_measure(
                &single[0, 0], width, <CutPlace *> &places[first, 0], size, &centre[b, 0],
                &index.norms[first], &index.along_centre[first],
            ))
            for i in range(first, first + size):
                memcpy(&index.single[i, 0], &single[places[i, 1], 0], width * sizeof(float))
                memcpy(&ordered[i, 0], &points[places[i, 1], 0], index.d * sizeof(double))
            if index.packed is not None:
                pack(
                    &index.single[first, 0], size, width,
                    &index.packed[index.panel_start[b], 0, 0],
                )


cdef class Index:
    """What `products.index` returns; see there.

    Nodes are the points in the order of their blocks. A set with equal points is cut into blocks
    only when a search among its points needs them (`build`): one among its sites does not.
    """

    def __init__(self, points, ids, n_threads=1, basis=None):
        self.n, self.d = points.shape
        self.basis, self.width = basis, self.d if basis is None else basis.shape[1]
        self.points, self.ids = points, np.asarray(ids, dtype=np.uint32)
        self.order, self.loops = np.arange(self.n), tile_loops(vector_kind())
        self.equal_start, self.equal = equal_rows(points)
        self.is_built, self.last_edges, self.lock = False, (None, 0, None), Lock()
        if len(self.equal) == 0:
            self.build(n_threads)

    cdef build(self, n_threads):
        """Cut the points into blocks, unless that is done."""
        with self.lock:
            if not self.is_built:
                self._build(n_threads)

    cdef rows(self):
        """Points, identities and rows of the nodes, and groups of equal ones, as they are now."""
        with self.lock:
            return self.points, self.ids, self.order, self.equal

    cdef own_edges(self, forests, Py_ssize_t n_trees):
        """The edges of the set's own forests, for a search between it and another one.

        `forests` are edges and squared distances. Of the edges within a set the forests of a union
        have none but these. Returns them as `PackedEdge`, and the squared distance beyond which a
        node needs no edge. A class is in a pair with every other class, so the answer is kept.
        """
        with self.lock:
            if self.last_edges[0] is not forests[0] or self.last_edges[1] != n_trees:
                self.last_edges = forests[0], n_trees, self._own_edges(*forests, n_trees)
            return self.last_edges[2]

    def _own_edges(self, edges, distances, n_trees):
        n_last, longest = self.n - 1, np.full(self.n, np.inf)
        node = np.empty(self.n, dtype=np.uint32)
        node[self.order] = np.arange(self.n, dtype=np.uint32)
        ends = np.ascontiguousarray(node[edges])
        if 0 < n_last and len(edges) == n_trees * n_last:
            # All of them are trees, and the last one has the longest paths. A component without
            # its core has a tree edge out of it that is no longer than that of any of its nodes,
            # so nodes need no longer ones elsewhere.
            last = slice(len(edges) - n_last, len(edges))
            longest = Linkage(ends[last], distances[last], self.n).distances_to_core()
        packed = np.empty((len(ends), 2), dtype=np.uint64)
        packed[:, 0] = np.asarray(distances).view(np.uint64)
        packed[:, 1] = ends[:, 0].astype(np.uint64) << 32 | ends[:, 1]
        return packed, longest

    def _build(self, n_threads):
        points, n_threads = self.points, min(n_threads, 1 + self.points.size // SHARE)
        # A centre among the points keeps norms small, and with them rounding errors; the median
        # of a sample is robust to outliers.
        sample = points[:: max(1, self.n // 128)]
        # One of the two middle ones: `np.median` takes longer than all else for a small set.
        middle = len(sample) // 2
        self.centre = np.partition(sample, middle, axis=0)[middle]
        single, self.exponent = _rounded(points, self.centre, self.basis, n_threads)
        clusters, lie_together = find_clusters(single, n_threads)
        self.clustered = clusters is not None
        self.lies_together = lie_together or self.n <= SMALL_SET
        block = SMALL_BLOCK if self.n <= SMALL_SET else BLOCK
        if block == BLOCK and lie_together and clusters is None:
            block = MIDDLE_BLOCK
        places, self.start = _cut(single, clusters, block, n_threads)
        self._allocate()
        ordered = np.empty_like(points)

        def arrange(lo, hi):
            _arrange(self, points, single, places, ordered, lo, hi)

        run_chunks(arrange, len(self.start) - 1, 1 + ROWS_AT_ONCE // BLOCK, n_threads)
        self.largest_norm = np.max(self.norms)
        self.order = places[:, 1].astype(np.intp)
        self.points, self.ids = ordered, self.ids[self.order]
        node = np.empty(self.n, dtype=np.intp)
        node[self.order] = np.arange(self.n)
        self.equal = node[self.equal]
        self.is_built = True

    def _allocate(self):
        """Room for what `_arrange` measures and copies."""
        n_blocks, n_panels = len(self.start) - 1, (np.diff(self.start) + PANEL - 1) // PANEL
        self.panel_start = np.concatenate([[0], np.cumsum(n_panels)]).astype(np.intp)
        self.norms, self.along_centre = np.empty((2, self.n))
        self.ball_centre, self.ball_radius = np.empty((n_blocks, self.width)), np.empty(n_blocks)
        self.single = np.empty((self.n, self.width), dtype=np.float32)
        self.packed = None
        if self.width <= self.loops.most_features:
            self.packed = np.empty((n_panels.sum(), self.width, PANEL), dtype=np.float32)

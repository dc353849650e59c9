"""Points cut into blocks of near ones, with a float32 copy for matrix products.

The set, or each cluster of it (clusters.py), is cut across a wide direction until a piece
fits one block. A block has a ball around it: blocks of different clusters are
far apart, which excludes whole tiles, and near neighbours meet in the first tiles, which keeps
later ones from proposing much.

The float32 copy is taken about a centre and divided by a power of two that makes it about unit
size: nothing overflows, and what underflows is far below its own rounding. Given a basis
(projection.py), it is a copy of the points' projections: everything here and in the products
then is about these, whose distances are lower bounds of the true ones.

Cost: O(n d log(n / block)) time, O(n d) memory.
"""
from libc.math cimport sqrt
from libc.stdint cimport uint32_t

from threading import Lock

import numpy as np

from smartsvm._mst.common.equal_points cimport equal_rows
from smartsvm._mst.products.clusters import find_clusters
from smartsvm._mst.products.tiles cimport BLOCK, PANEL, most_features_packed
from smartsvm._threads import run_chunks

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
    # Small sets are classes of many, whose pairs have few near points: of small blocks more are
    # far apart.
    SMALL_SET = 2048
    SMALL_BLOCK = 64
    ROWS_AT_ONCE = 1024


cpdef double rounding_slack(Py_ssize_t d, bint symmetric) noexcept nogil:
    """Share of |x|^2 + |y|^2 + |g|^2 by which a tile entry may exceed the truth.

    Notation of tiles.pxd: g is the vector between the centres of two sets, 0 if there is one.
    With N = |x| + |y| + |g| and u = 2^-24 the roundings are, in units of u N^2, at most:

    - 4 of the coordinates to float32;
    - 4 of the two constants and of their sum;
    - (d + 1) / (1 - d u) of the product, in any order of summation, fused or not. BLAS adds to
      what the tile holds already (beta = 1), possibly term by term: partial sums are then up to
      the sum of the constants and of 2 |x| |y|, which is at most N^2, and each of d additions
      rounds once. A reference BLAS attains that bound.

    N^2 <= 2 (|x|^2 + |y|^2), or 3 (|x|^2 + |y|^2 + |g|^2). 1.1 is ample for d < 10^6; beyond,
    nothing is known of a sum in float32, and no entry may exceed 0.
    """
    if d >= 1 << 20:
        return 8.0
    return (2 if symmetric else 3) * (d + 9) * 1.1 * 2.0 ** -24


def _first_pieces(clusters, n):
    """An order of the rows, by cluster if there are any, and the pieces of it to begin with."""
    if clusters is None:
        return np.arange(n, dtype=np.uint32), [(0, n)]
    ends = np.cumsum(np.bincount(clusters)).tolist()
    pieces = [piece for piece in zip([0, *ends], ends) if piece[0] < piece[1]]
    return np.argsort(clusters, kind="stable").astype(np.uint32), pieces[::-1]


def panels(rows):
    """Rows, a multiple of PANEL of them, in panels: feature by feature for PANEL rows each."""
    return np.ascontiguousarray(rows.reshape(-1, PANEL, rows.shape[1]).transpose(0, 2, 1))


def _project(points, centre, basis, n_threads):
    """Coordinates of the points, about a centre, along the directions of a basis."""
    about = np.empty((len(points), basis.shape[1]))

    def project(start, stop):
        np.matmul(points[start:stop] - centre, basis, out=about[start:stop])

    run_chunks(project, len(points), ROWS_AT_ONCE, n_threads)
    return about


cdef class Index:
    """What `blocked.index` returns; see there.

    Nodes are the points in the order of their blocks. A set with equal points is cut into blocks
    only when a search among its points asks for them (`build`): one among its sites does not.
    """

    def __init__(self, points, ids, n_threads=1, basis=None):
        self.n, self.d = points.shape
        self.basis, self.width = basis, self.d if basis is None else basis.shape[1]
        self.points, self.ids = points, np.asarray(ids, dtype=np.uint32)
        self.order = np.arange(self.n)
        self.equal_start, self.equal = equal_rows(points)
        self.is_built, self.set_edges, self.lock = False, None, Lock()
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

    def _build(self, n_threads):
        points = self.points
        # A centre among the points keeps norms small, and with them rounding errors; the median
        # of a sample is robust to outliers.
        sample = points[:: max(1, self.n // 128)]
        self.centre = np.median(sample, axis=0)
        if self.basis is None:
            about = points - self.centre
        else:
            about = _project(points, self.centre, self.basis, n_threads)
        largest = np.sqrt(np.einsum("ij,ij->i", about, about).max())
        # Beyond 2^500 squares leave the range of float64; entries are 0 then, and all is computed.
        self.exponent = max(-500, min(int(np.frexp(largest)[1]), 500))
        about *= np.ldexp(1.0, -self.exponent)
        single = about.astype(np.float32)
        del about  # as large as the points
        clusters = find_clusters(single, n_threads)
        self.clustered = clusters is not None
        self._cut(single, *_first_pieces(clusters, self.n))
        self._pack(single)
        del single
        self.points, self.ids = points[self.order], self.ids[self.order]
        node = np.empty(self.n, dtype=np.intp)
        node[self.order] = np.arange(self.n)
        self.equal = node[self.equal]
        self.is_built = True

    def _cut(self, const float[:, ::1] single, const uint32_t[::1] first_order, list pieces):
        """Blocks, norms of the points, and balls around the blocks, whose points are in shells.

        Points of one shell, which fill a panel, are about equally far from other blocks; those near
        the centre are far from all of them.
        """
        cdef Py_ssize_t n = self.n, d = self.width, start, stop, middle, i, b
        cdef Py_ssize_t block = BLOCK if n > SMALL_SET else SMALL_BLOCK
        cdef float[::1] room = np.empty(4 * d, dtype=np.float32)
        memory = np.empty((n, 2), dtype=np.uint32)
        cdef uint32_t[:, ::1] memory_view = memory
        cdef CutPlace *places = <CutPlace *> &memory_view[0, 0]
        cdef Py_ssize_t[::1] starts, order = np.empty(n, dtype=np.intp)
        cdef double[::1] norms = np.empty(n), along = np.empty(n), radius
        cdef double[:, ::1] centre
        for i in range(n):
            places[i].row = first_order[i]
        found = []
        while pieces:
            start, stop = pieces.pop()
            if stop - start <= block:
                found.append(start)
                continue
            with nogil:
                middle = start + cut_piece(
                    &single[0, 0], d, places + start, stop - start, block, &room[0]
                )
            pieces += [(middle, stop), (start, middle)]
        starts = np.array([*found, n], dtype=np.intp)
        centre, radius = np.empty((len(found), d)), np.empty(len(found))
        with nogil:
            for b in range(radius.shape[0]):
                start = starts[b]
                radius[b] = sqrt(cut_measure(
                    &single[0, 0], d, places + start, starts[b + 1] - start, &centre[b, 0],
                    &norms[start], &along[start],
                ))
                # A point's true place is within a rounding of its float32 copy, of unit size.
                radius[b] = radius[b] * (1 + 1e-9) + 2.0 ** -22
            for i in range(n):
                order[i] = places[i].row
        self.order, self.start = np.asarray(order), np.asarray(starts)
        self.norms, self.along_centre = np.asarray(norms), np.asarray(along)
        self.ball_centre, self.ball_radius = np.asarray(centre), np.asarray(radius)

    def _pack(self, single):
        """Panels of PANEL points, feature by feature; a block's last one ends with zeros."""
        sizes = np.diff(self.start)
        n_panels = (sizes + PANEL - 1) // PANEL
        self.panel_start = np.concatenate([[0], np.cumsum(n_panels)]).astype(np.intp)
        self.single, self.packed = single[self.order], None
        if self.width <= most_features_packed():
            rows = np.zeros((PANEL * n_panels.sum(), self.width), dtype=np.float32)
            shift = PANEL * (self.panel_start[1:] - n_panels) - (self.start[1:] - sizes)
            rows[np.arange(self.n) + np.repeat(shift, sizes)] = self.single
            self.packed = panels(rows)

"""Lower bounds of the distances between blocks of points.

Two blocks are at least as far apart as the balls around them, and as their projections onto the
line through the centres p and q of these balls. In high dimension a projection is far narrower
than a ball: d normal variables project to about 3 on either side, the ball has radius sqrt(d).

The reach of a block towards another centre is the largest product of its points with q - p, less
that of its own centre: how far its points come. Two blocks are no nearer than minus the sum of
their reaches.

Rounding: all is in a unit in which points, centres and the vector between the two sets are no
longer than 1. Float32 products are then off by at most 2 (d + 4) 1.1 2^-24, on either side;
`ROUNDING` (d + 16) is taken off.

Cost: one product of every point with the centre of every block.
"""
from libc.math cimport INFINITY, ldexp, sqrt

import numpy as np

from smartsvm._mst.common.edge_order cimport squared_distance
from smartsvm._mst.products.index cimport Index, pack
from smartsvm._mst.products.tile_loops cimport BLOCK, PANEL
from smartsvm._core.threads import run_chunks

cdef enum:
    PANEL_ROOM = 8
    PRODUCTS_AT_ONCE = 1 << 19

cdef double ROUNDING = 8 * 2.0 ** -24
# Squared distance of centres below which rounding hides their direction: there is no bound.
cdef double NEAREST = 1e-6


def ball_distances(Index left, Index right, apart, int exponent):
    """Distances of the balls, negative where they meet, and squared ones of their centres.

    Also returns the centres of the balls of both sets, relative to the right centre. `apart` is the
    vector from the right centre to the left one; everything is divided by two to the power of
    `exponent`.
    """
    cdef double scale_left = ldexp(1.0, left.exponent - exponent)
    cdef double scale_right = ldexp(1.0, right.exponent - exponent)
    cdef const double[:, ::1] of_left = left.ball_centre * scale_left + apart
    cdef const double[:, ::1] of_right = right.ball_centre * scale_right
    cdef Py_ssize_t n_left = of_left.shape[0], n_right = of_right.shape[0], a, b
    cdef double[:, ::1] found = np.empty((n_left, n_right)), between = np.empty((n_left, n_right))
    with nogil:
        for a in range(n_left):
            for b in range(n_right):
                between[a, b] = squared_distance(&of_left[a, 0], &of_right[b, 0], left.width)
                found[a, b] = (
                    sqrt(between[a, b]) * (1 - 1e-9)
                    - left.ball_radius[a] * scale_left - right.ball_radius[b] * scale_right
                )
    return np.asarray(found), np.asarray(between), np.asarray(of_left), np.asarray(of_right)


def _room(n, width):
    """Room for the panels of n points."""
    return np.empty(((n + PANEL - 1) // PANEL, width, PANEL), dtype=np.float32)


cdef class _Reaches:
    """Reaches of one set towards the centres of another; threads run `find`."""

    cdef Index index
    cdef double scale, rounding
    cdef float[:, :, ::1] centres                   # in panels
    cdef const double[:, :] between
    cdef const double[::1] along, to_own, to_other
    cdef const Py_ssize_t[::1] start, panel_start   # first point and panel of a block
    cdef float[:, ::1] reach                        # (blocks, centres)

    def __init__(
        self, Index index, centres, int exponent, between, to_own, to_other, double rounding,
    ):
        cdef const float[:, ::1] rows = centres.astype(np.float32)
        cdef Py_ssize_t n_blocks = len(index.start) - 1, n_centres = len(centres)
        self.index, self.rounding = index, rounding
        self.scale, self.between = ldexp(1.0, index.exponent - exponent), between
        self.along, self.to_own, self.to_other = index.along_centre, to_own, to_other
        self.start, self.panel_start = index.start, index.panel_start
        self.centres = _room(n_centres, index.width)
        pack(&rows[0, 0], n_centres, index.width, &self.centres[0, 0, 0])
        self.reach = np.full((n_blocks, n_centres), -np.inf, dtype=np.float32)

    cdef run(self, Py_ssize_t n_threads):
        n_blocks, n_centres = self.reach.shape[0], self.reach.shape[1]
        at_once = max(1, PRODUCTS_AT_ONCE * n_blocks // (self.index.n * n_centres))
        run_chunks(self.find, n_blocks, at_once, n_threads)

    def find(self, Py_ssize_t lo, Py_ssize_t hi):
        """The reaches of blocks lo..hi-1."""
        cdef double[:, ::1] room = np.empty((2, self.reach.shape[1]))
        cdef float[:, :, ::1] packed = self.index.packed
        cdef Py_ssize_t b, first = 0
        if packed is None:
            packed = _room(BLOCK, self.index.width)
        with nogil:
            for b in range(lo, hi):
                if self.index.packed is None:
                    pack(
                        &self.index.single[self.start[b], 0], self.start[b + 1] - self.start[b],
                        self.index.width, &packed[0, 0, 0],
                    )
                else:
                    first = self.panel_start[b]
                self.multiply(b, &packed[first, 0, 0])
                self.divide_by_distance(b, &room[0, 0], &room[1, 0])

    cdef void multiply(self, Py_ssize_t b, const float *packed) noexcept nogil:
        """The largest product of the points of a block with each centre."""
        cdef Py_ssize_t i, p, first, size, d = self.index.width
        cdef float own[PANEL_ROOM]
        for p in range(self.panel_start[b + 1] - self.panel_start[b]):
            first = self.start[b] + PANEL * p
            size = min(<Py_ssize_t> PANEL, self.start[b + 1] - first)
            for i in range(size):
                own[i] = <float> (self.along[first + i] * self.scale)
            self.index.loops.raise_reach(
                packed, size, own, &self.centres[0, 0, 0], self.reach.shape[1], d,
                &self.reach[b, 0],
            )
            packed += PANEL * d

    cdef void divide_by_distance(
        self, Py_ssize_t b, double *factor, double *term
    ) noexcept nogil:
        """Turn products into lengths; `factor` and `term` have room for a number per centre."""
        cdef Py_ssize_t c, n = self.reach.shape[1]
        cdef double length
        for c in range(n):
            factor[c], term[c] = 0, INFINITY
            if self.between[b, c] > NEAREST:
                length = sqrt(self.between[b, c])
                factor[c] = self.scale / length
                term[c] = (
                    (self.to_other[c] - self.to_own[b] + self.rounding) / length + 2.0 ** -21
                )
        for c in range(n):
            self.reach[b, c] = <float> (self.reach[b, c] * factor[c] + term[c])


def projected_distances(
    Index left, Index right, apart, int exponent, between, centres_left, centres_right,
    Py_ssize_t n_threads=1,
):
    """Distances of the blocks' projections, negative where there is no bound.

    Arguments are those of `ball_distances`, and what it returns.
    """
    # Add what rounding may have hidden, half of it to each side.
    rounding = (
        ROUNDING / 2 * (left.width + 16) * max(1.0, left.largest_norm, right.largest_norm)
    )
    cdef _Reaches of_left, of_right
    of_left = _Reaches(
        left, centres_right - apart, exponent, between, centres_left @ apart,
        centres_right @ apart, rounding,
    )
    of_left.run(n_threads)
    of_right = of_left
    if left is not right:
        zeros = np.zeros(max(between.shape))
        of_right = _Reaches(right, centres_left, exponent, between.T, zeros, zeros, rounding)
        of_right.run(n_threads)
    return -(np.asarray(of_left.reach, dtype=float) + np.asarray(of_right.reach).T)

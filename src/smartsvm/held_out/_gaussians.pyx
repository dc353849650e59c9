"""Loops of the Gaussian classes: clipped columns, scores, and leave-one-out densities.

They work on tiles of rows that run along the last axis, so that sums over directions are sums of
vectors.
"""
from libc.math cimport log, sqrt
from libc.string cimport memset
from scipy.linalg.cython_blas cimport dgemm, sgemm

import numpy as np

from smartsvm._core.threads cimport check_interrupt

cdef enum:
    TILE = 256          # rows at a time
    WIDTH = 8           # columns of a triangle that are multiplied at once
    TILES_AT_ONCE = 16  # between two checks for Ctrl-C

cdef double PLUS = 1.0, ZERO = 0.0
cdef float SINGLE_PLUS = 1.0, SINGLE_ZERO = 0.0
cdef int TILE_ROWS = TILE


def clip_columns(
    const double[:, ::1] points, const double[::1] first, double unit, const double[::1] middle,
    const double[::1] limits, basis, double[:, ::1] out,
):
    """(points - first) / unit - middle, clipped at ± limits, times a basis if there is one."""
    cdef Py_ssize_t start, n = points.shape[0], d = points.shape[1]
    cdef const double[:, ::1] directions = basis
    cdef int n_rows, n_features = <int> d, m = <int> (d if basis is None else directions.shape[1])
    # Two factors in place of a slow division; the root of 1 / unit is finite for every unit.
    cdef double root = 1 / sqrt(unit)
    if (
        first.shape[0] != d or middle.shape[0] != d or limits.shape[0] != d or out.shape[1] != m
        or out.shape[0] != n or (basis is not None and directions.shape[0] != d)
    ):
        raise ValueError("points, first, middle, limits, basis and out must have matching shapes.")
    if n == 0 or m == 0:
        return
    if basis is None:
        with nogil:
            _clip(&points[0, 0], n, d, &first[0], root, &middle[0], &limits[0], &out[0, 0])
        return
    # A tile of rows is multiplied while it is in the cache.
    cdef double[:, ::1] pulled = np.empty((min(TILE, n), d))
    with nogil:
        for start in range(0, n, 256):  # TILE; a step must be a literal here
            n_rows = <int> min(TILE, n - start)
            _clip(
                &points[start, 0], n_rows, d, &first[0], root, &middle[0], &limits[0],
                &pulled[0, 0],
            )
            dgemm(
                b"N", b"N", &m, &n_rows, &n_features, &PLUS, <double *> &directions[0, 0], &m,
                &pulled[0, 0], &n_features, &ZERO, &out[start, 0], &m,
            )


cdef void _clip(
    const double *points, Py_ssize_t n_rows, Py_ssize_t d, const double *first, double root,
    const double *middle, const double *limits, double *out,
) noexcept nogil:
    cdef Py_ssize_t _row, j
    cdef double value
    for _row in range(n_rows):
        for j in range(d):
            value = (points[j] - first[j]) * root * root - middle[j]
            value = limits[j] if value > limits[j] else value
            out[j] = -limits[j] if value < -limits[j] else value
        points += d
        out += d


cdef class SingleScores:
    """Scores of Gaussian classes in single precision: twice as fast."""

    # Directions times `scales` are in the range of single precision; `factors` are the upper
    # triangles that whiten the classes, `centres` the whitened means, `constants` the scores there.

    cdef object given
    cdef const double[::1] scales, constants
    cdef const float[:, ::1] centres
    cdef const float[::1] packed

    def __init__(self, scales, factors, centres, constants):
        self.given = scales, factors, centres, constants
        n_classes, m = np.shape(centres)
        if (
            np.shape(scales) != (m,) or np.shape(factors) != (n_classes, m, m)
            or np.shape(constants) != (n_classes,)
        ):
            raise ValueError("scales, factors, centres and constants must have matching shapes.")
        self.scales = np.array(scales, dtype=np.float64)
        self.constants = np.array(constants, dtype=np.float64)
        self.centres = np.array(centres, dtype=np.float32, order="C")
        # A few columns of all classes side by side, without the zeros below the triangle.
        parts = [
            np.asarray(factors)[:, : start + WIDTH, start : start + WIDTH].swapaxes(1, 2).ravel()
            for start in range(0, m, WIDTH)
        ]
        self.packed = np.concatenate([np.empty(0), *parts]).astype(np.float32)

    def __reduce__(self):
        return SingleScores, self.given

    def scores(self, const double[:, ::1] inside, double[:, ::1] out):
        """Write the scores of points in the directions, shape (n, m), to `out` of shape (K, n)."""
        cdef Py_ssize_t start, n = inside.shape[0], m = self.scales.shape[0]
        cdef Py_ssize_t n_classes = self.constants.shape[0]
        if inside.shape[1] != m or out.shape[0] != n_classes or out.shape[1] != n:
            raise ValueError(f"inside must have {m} columns and out be of shape {(n_classes, n)}.")
        cdef float[:, ::1] points = np.zeros((m, TILE), dtype=np.float32)
        cdef float[:, ::1] white = np.empty((n_classes * WIDTH, TILE), dtype=np.float32)
        cdef float[:, ::1] lengths = np.empty((n_classes, TILE), dtype=np.float32)
        with nogil:
            for start in range(0, n, 256):  # TILE; a step must be a literal here
                self.fill(inside, start, min(TILE, n - start), points, white, lengths, out)

    cdef void fill(
        self, const double[:, ::1] inside, Py_ssize_t start, Py_ssize_t n_rows,
        float[:, ::1] points, float[:, ::1] white, float[:, ::1] lengths, double[:, ::1] out,
    ) noexcept nogil:
        cdef Py_ssize_t j, k, row, begin, offset = 0
        cdef Py_ssize_t m = self.scales.shape[0], n_classes = self.constants.shape[0]
        cdef int width, depth, n_columns
        for row in range(n_rows):
            for j in range(m):
                points[j, row] = <float> (inside[start + row, j] * self.scales[j])
        memset(&lengths[0, 0], 0, n_classes * TILE * sizeof(float))
        for begin in range(0, m, 8):  # WIDTH
            width, depth = min(WIDTH, m - begin), min(begin + WIDTH, m)
            n_columns = n_classes * width
            sgemm(
                b"N", b"N", &TILE_ROWS, &n_columns, &depth, &SINGLE_PLUS, &points[0, 0], &TILE_ROWS,
                <float *> &self.packed[offset], &depth, &SINGLE_ZERO, &white[0, 0], &TILE_ROWS,
            )
            offset += depth * n_columns
            for k in range(n_classes):
                if width == WIDTH:  # usually: a constant, so that the loop unrolls
                    _add_squares(
                        &white[k * WIDTH, 0], &self.centres[k, begin], WIDTH, &lengths[k, 0]
                    )
                else:
                    _add_squares(
                        &white[k * width, 0], &self.centres[k, begin], width, &lengths[k, 0]
                    )
        for k in range(n_classes):
            for row in range(n_rows):
                out[k, start + row] = self.constants[k] - 0.5 * lengths[k, row]


cdef inline void _add_squares(
    const float *white, const float *centre, int width, float *lengths
) noexcept nogil:
    """Add squared distances of a tile of rows from a centre, in some whitened directions."""
    cdef Py_ssize_t i, row
    cdef float gap, total
    for row in range(TILE):
        total = 0
        for i in range(width):
            gap = white[i * TILE + row] - centre[i]
            total = total + gap * gap
        lengths[row] += total


def left_out_densities(
    const double[:, ::1] points, const double[::1] weights, const Py_ssize_t[::1] own,
    const double[:, ::1] means, const double[:, :, ::1] factors, const double[::1] log_determinants,
    const double[::1] sizes, double strength, double share, double[:, ::1] out,
):
    """Write log densities of points sorted by class, each without itself; not of an only one."""
    # `factors` F are of inverse scatters F Fᵀ, `log_determinants` of the scatters. What a point
    # takes from the scatter of its class, it takes `share` times from the others.
    cdef Py_ssize_t start, n = points.shape[0], m = means.shape[1], n_classes = means.shape[0]
    if (
        points.shape[1] != m or weights.shape[0] != n or own.shape[0] != n
        or factors.shape[0] != n_classes or factors.shape[1] != m or factors.shape[2] != m
        or log_determinants.shape[0] != n_classes or sizes.shape[0] != n_classes
        or out.shape[0] != n or out.shape[1] != n_classes
        or (n and not 0 <= np.min(own) <= np.max(own) < n_classes)
    ):
        raise ValueError("points, weights, own, moments and out must have matching shapes.")
    cdef double[:, ::1] residuals = np.empty((m, TILE)), white = np.empty((m, TILE))
    cdef double[:, ::1] gaps = np.empty((TILE, m)), apart = np.empty((TILE, m))
    for start in range(0, n, TILE):
        if start % (TILE * TILES_AT_ONCE) == 0:
            check_interrupt()
        with nogil:
            _left_out_tile(
                points[start : start + TILE], &weights[start], own[start : start + TILE], means,
                factors, log_determinants, sizes, strength, share, residuals, white, gaps, apart,
                out[start : start + TILE],
            )


cdef void _left_out_tile(
    const double[:, ::1] points, const double *weights, const Py_ssize_t[::1] own,
    const double[:, ::1] means, const double[:, :, ::1] factors, const double[::1] log_determinants,
    const double[::1] sizes, double strength, double share, double[:, ::1] residuals,
    double[:, ::1] white, double[:, ::1] gaps, double[:, ::1] apart, double[:, ::1] out,
) noexcept nogil:
    cdef Py_ssize_t j, k, part, row, n_classes = means.shape[0]
    cdef int n_rows = points.shape[0], m = means.shape[1], n_parts = 0
    cdef Py_ssize_t[TILE + 1] begins  # of the classes in the tile
    cdef double[TILE] h, t, lost  # squared whitened residuals, and their products with `apart`
    cdef double taken, rest, distance, samples, left, length, moved
    for row in range(n_rows):
        if row == 0 or own[row] != own[row - 1]:
            begins[n_parts] = row
            n_parts += 1
        left = sizes[own[row]] - weights[row]
        lost[row] = weights[row] * sizes[own[row]] / left if left > 1e-9 * sizes[own[row]] else 0
        for j in range(m):
            residuals[j, row] = points[row, j] - means[own[row], j]
    begins[n_parts] = n_rows
    for k in range(n_classes):
        for part in range(n_parts):
            for j in range(m):
                gaps[part, j] = means[own[begins[part]], j] - means[k, j]
        if m > 0:
            dgemm(
                b"N", b"T", &n_rows, &m, &m, &PLUS, &residuals[0, 0], &TILE_ROWS,
                <double *> &factors[k, 0, 0], &m, &ZERO, &white[0, 0], &TILE_ROWS,
            )
            dgemm(
                b"N", b"N", &m, &n_parts, &m, &PLUS, <double *> &factors[k, 0, 0], &m,
                &gaps[0, 0], &m, &ZERO, &apart[0, 0], &m,
            )
        memset(h, 0, n_rows * sizeof(double))
        memset(t, 0, n_rows * sizeof(double))
        for j in range(m):
            for row in range(n_rows):
                h[row] += white[j, row] * white[j, row]
            for part in range(n_parts):
                for row in range(begins[part], begins[part + 1]):
                    t[row] += white[j, row] * apart[part, j]
        for part in range(n_parts):
            length = 0
            for j in range(m):
                length += apart[part, j] * apart[part, j]
            for row in range(begins[part], begins[part + 1]):
                taken, samples = share * lost[row], sizes[k] + strength
                if k == own[row]:
                    taken, samples = (1 + share) * lost[row], samples - weights[row]
                rest = max(1 - taken * h[row], 1e-9)
                distance = h[row] + 2 * t[row] + length
                distance += taken * (h[row] + t[row]) * (h[row] + t[row]) / rest
                if k == own[row]:  # its mean moves along the residual, which is scaled
                    moved = 1 + weights[row] / (sizes[k] - weights[row])
                    distance *= moved * moved
                out[row, k] = -0.5 * (
                    distance * samples + log(rest) - m * log(samples) + log_determinants[k]
                )

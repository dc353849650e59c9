"""Quadratic columns and weighted sums of evidence, each in one pass over the rows."""
from cython cimport floating
from libc.math cimport fabs
from scipy.linalg.cython_blas cimport dgemm, sgemm

import numpy as np

from smartsvm.classifier.nodes._log_sums cimport log_one_and

cdef enum:
    TILE = 64  # rows at a time


def quadratic_terms(
    const double[:, ::1] inside, Py_ssize_t n_factors, const double[::1] shift,
    const double[::1] scale, double[:, ::1] out,
):
    """The (n, m) columns and all products of two of the first `n_factors`, into `out`.

    Every column of the result is standardised: `shift` subtracted, then multiplied by `scale`.
    """
    cdef Py_ssize_t row, k, n = inside.shape[0], m = inside.shape[1]
    cdef Py_ssize_t n_columns = m + n_factors * (n_factors + 1) // 2
    if not 0 <= n_factors <= m:
        raise ValueError(f"n_factors must be from 0 to {m}, got {n_factors}.")
    if (
        out.shape[0] != n or out.shape[1] < n_columns
        or shift.shape[0] != n_columns or scale.shape[0] != n_columns
    ):
        raise ValueError(f"out, shift and scale must have {n_columns} columns and out {n} rows.")
    if m == 0:
        return
    with nogil:
        for row in range(n):
            for k in range(m):
                out[row, k] = inside[row, k]
            _append_products(&out[row, 0], m, n_factors)
            for k in range(n_columns):
                out[row, k] = (out[row, k] - shift[k]) * scale[k]


def quadratic_margins(
    const double[:, ::1] inside, Py_ssize_t n_factors, const double[::1] units,
    const floating[:, ::1] weights, double[:, ::1] out,
):
    """Sums of columns times `units`, and of products of two of them, by (k, p) weights, into `out`.

    The last weight is a constant. Sums have the precision of the weights. The columns of a tile of
    rows are computed and multiplied while they are in the cache. Tiles are always full, padded with
    zeros: BLAS rounds differently for another number of rows.
    """
    cdef Py_ssize_t row, n_rows, start, node, i, n = inside.shape[0], m = inside.shape[1]
    cdef int n_columns = <int> (m + n_factors * (n_factors + 1) // 2), n_weights = n_columns + 1
    cdef int k = <int> weights.shape[0], tile_rows = TILE
    cdef floating one = 1, zero = 0
    dtype = np.float32 if floating is float else np.float64
    if not 0 <= n_factors <= m:
        raise ValueError(f"n_factors must be from 0 to {m}, got {n_factors}.")
    if (
        weights.shape[1] != n_weights or units.shape[0] != m or out.shape[0] != k
        or out.shape[1] != n
    ):
        raise ValueError("inside, n_factors, units, weights and out must have matching shapes.")
    cdef floating[:, ::1] columns = np.zeros((TILE, n_columns + 1), dtype=dtype)
    cdef floating[:, ::1] sums = np.empty((k, TILE), dtype=dtype)
    if n == 0 or k == 0:
        return
    columns[:, n_columns] = 1
    with nogil:
        for start in range(0, n, 64):  # TILE; a step must be a literal here
            n_rows = min(TILE, n - start)
            for row in range(n_rows):
                for i in range(m):
                    columns[row, i] = <floating> (inside[start + row, i] * units[i])
                _append_products(&columns[row, 0], m, n_factors)
            if floating is float:
                sgemm(
                    b"T", b"N", &tile_rows, &k, &n_weights, &one, &columns[0, 0], &n_weights,
                    <float *> &weights[0, 0], &n_weights, &zero, &sums[0, 0], &tile_rows,
                )
            else:
                dgemm(
                    b"T", b"N", &tile_rows, &k, &n_weights, &one, &columns[0, 0], &n_weights,
                    <double *> &weights[0, 0], &n_weights, &zero, &sums[0, 0], &tile_rows,
                )
            for node in range(k):
                for i in range(n_rows):
                    out[node, start + i] = sums[node, i]


cdef inline void _append_products(
    floating *columns, Py_ssize_t m, Py_ssize_t n_factors
) noexcept nogil:
    """Append all products of two of the first `n_factors` to the m coordinates of a point."""
    cdef Py_ssize_t i, j, k = m
    for i in range(n_factors):
        for j in range(i, n_factors):
            columns[k] = columns[i] * columns[j]
            k += 1


def add_clipped(
    const double[:, ::1] values, const Py_ssize_t[::1] nodes, const double[::1] weights,
    double limit, double[:, ::1] out,
):
    """Add weight · value, clipped at ±limit, of (k, n) values to the rows `nodes` of `out`."""
    cdef Py_ssize_t i, j, n = values.shape[1], k = values.shape[0]
    cdef double value, weight
    cdef const double* given
    cdef double* sums
    if nodes.shape[0] != k or weights.shape[0] != k or out.shape[1] != n:
        raise ValueError("values, nodes, weights and out must have matching shapes.")
    for j in range(k):
        if not 0 <= nodes[j] < out.shape[0]:
            raise ValueError(f"nodes must be from 0 to {out.shape[0] - 1}, got {nodes[j]}.")
    if n == 0:
        return
    with nogil:
        for j in range(k):
            given, sums, weight = &values[j, 0], &out[nodes[j], 0], weights[j]
            for i in range(n):
                value = given[i]
                value = limit if value > limit else value
                value = -limit if value < -limit else value
                sums[i] += weight * value


def sum_sides(const Py_ssize_t[:, ::1] children, double[:, ::1] scores, double[:, ::1] out):
    """Log odds of the right side of all nodes from (K, n) log densities, which it overwrites."""
    cdef Py_ssize_t i, node, side, child, n_nodes = children.shape[0], n = scores.shape[1]
    cdef double gap, larger
    cdef const double* sums[2]
    cdef double* total
    if scores.shape[0] != n_nodes + 1 or out.shape[0] != n_nodes or out.shape[1] != n:
        raise ValueError("children, scores and out must have matching shapes.")
    # The sum of a node replaces that of one of its classes, which is not needed again.
    cdef Py_ssize_t[::1] place = np.empty(n_nodes, dtype=np.intp)
    for node in range(n_nodes - 1, -1, -1):  # children come after their node
        for side in range(2):
            child = children[node, side]
            if not -n_nodes - 1 <= child < n_nodes or (child >= 0 and child <= node):
                raise ValueError("children must be nodes after their parent, or leaves.")
            child = place[child] if child >= 0 else ~child
            place[node] = child
            sums[side] = &scores[child, 0]
        if n == 0:
            continue
        total = &scores[place[node], 0]
        with nogil:
            for i in range(n):
                gap = sums[1][i] - sums[0][i]
                out[node, i] = gap
                if node:  # the sum of the root is not needed
                    larger = sums[1][i] if gap > 0 else sums[0][i]
                    total[i] = larger + log_one_and(fabs(gap))

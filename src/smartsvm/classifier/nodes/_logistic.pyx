"""Logistic regression on a few columns, with the log odds of held-out samples."""
from libc.math cimport exp, fabs, log, log1p
from scipy.linalg.cython_blas cimport ddot
from scipy.linalg.cython_lapack cimport dposv

import numpy as np

from smartsvm._core.threads cimport check_interrupt

cdef enum:
    BLOCK = 256  # samples fit the cache; the product of so many numbers from 1 to 2 is finite

cdef int STRIDE = 1


cdef class Logistic:
    """The penalised likelihood of (q, n) rows, one of them constant.

    `shares` are the fractions of each sample that belong to the second class, `counts` (or None)
    the weights of the samples, `ridge` the positive penalties of the squared weights.
    """

    cdef const double[:, ::1] rows
    cdef const double[::1] shares, counts, ridge
    cdef double[::1] chances, gradient
    cdef double[::1, :] hessian
    cdef int n_rows
    cdef Py_ssize_t n

    def __init__(self, rows, shares, counts, ridge):
        self.rows, self.shares, self.counts, self.ridge = rows, shares, counts, ridge
        self.n_rows, self.n = rows.shape
        if (
            self.n_rows < 1 or self.n < 1 or len(shares) != self.n or len(ridge) != self.n_rows
            or (counts is not None and len(counts) != self.n)
        ):
            raise ValueError("rows, shares, counts and ridge must have matching shapes.")
        self.chances = np.empty(self.n)
        self.gradient = np.empty(self.n_rows)
        self.hessian = np.empty((self.n_rows, self.n_rows), order="F")

    def fit(self, start, int most_steps, double least_gain):
        """The weights by Newton's method; ends after a step that gains less than `least_gain`."""
        cdef double[::1] solution = np.array(start, dtype=np.float64), tried = solution.copy()
        cdef double value, before, size, slope
        cdef Py_ssize_t k
        cdef int _, failed, n_rows = self.n_rows
        if solution.shape[0] != n_rows:
            raise ValueError(f"start must have {n_rows} numbers, got {solution.shape[0]}.")
        value = self.evaluate(&solution[0])
        for _ in range(most_steps):
            check_interrupt()
            with nogil:
                self.differentiate(&solution[0])
                tried[:] = self.gradient
                dposv(
                    b"L", &n_rows, &STRIDE, &self.hessian[0, 0], &n_rows, &tried[0], &n_rows,
                    &failed,
                )
                slope = ddot(&n_rows, &tried[0], &STRIDE, &self.gradient[0], &STRIDE)
                self.gradient[:] = tried  # the step
                size, before = 1.0, value
                while size > 1e-6:
                    for k in range(n_rows):
                        tried[k] = solution[k] - size * self.gradient[k]
                    value = self.evaluate(&tried[0])
                    if value <= before - 1e-4 * size * slope:
                        break
                    size /= 2
                solution[:] = tried
            if before - value <= least_gain * before:
                break
        return np.asarray(solution)

    def held_out(self, const double[::1] solution):
        """Log odds of every sample after one Newton step of the weights without it."""
        cdef double[::1, :] inverse = np.eye(self.n_rows, order="F")
        cdef double[::1] out = np.empty(self.n)
        cdef double leverage, p, rest
        cdef Py_ssize_t i, j, k
        cdef int failed, n_rows = self.n_rows
        if solution.shape[0] != n_rows:
            raise ValueError(f"solution must have {n_rows} numbers, got {solution.shape[0]}.")
        with nogil:
            self.evaluate(&solution[0])
            self.differentiate(&solution[0])
            dposv(
                b"L", &n_rows, &n_rows, &self.hessian[0, 0], &n_rows, &inverse[0, 0], &n_rows,
                &failed,
            )
            for i in range(self.n):
                out[i], leverage = 0, 0
                for k in range(n_rows):
                    out[i] += solution[k] * self.rows[k, i]
                    leverage += inverse[k, k] * self.rows[k, i] * self.rows[k, i]
                    for j in range(k):
                        leverage += 2 * inverse[k, j] * self.rows[k, i] * self.rows[j, i]
                leverage *= self.count(i)
                p = self.chances[i]
                rest = max(1 - p * (1 - p) * leverage, 1e-6)
                out[i] -= (self.shares[i] - p) * leverage / rest
        return np.asarray(out)

    cdef inline double count(self, Py_ssize_t i) noexcept nogil:
        return 1 if self.counts is None else self.counts[i]

    cdef double evaluate(self, const double *solution) noexcept nogil:
        """The objective; sets `chances`, the probabilities of the second class."""
        cdef double[BLOCK] z
        cdef double small, product, value = 0
        cdef Py_ssize_t start, i, k, size
        for k in range(self.n_rows):
            value += 0.5 * self.ridge[k] * solution[k] * solution[k]
        for start in range(0, self.n, 256):  # BLOCK; a step must be a literal here
            size = min(BLOCK, self.n - start)
            for i in range(size):
                z[i] = 0
            for k in range(self.n_rows):
                for i in range(size):
                    z[i] += solution[k] * self.rows[k, start + i]
            # log(1 + exp(z)) is max(z, 0) + log(1 + exp(-|z|)): one logarithm for the block.
            product = 1
            for i in range(size):
                small = exp(-fabs(z[i]))
                self.chances[start + i] = (1 if z[i] > 0 else small) / (1 + small)
                value += self.count(start + i) * (max(z[i], 0) - self.shares[start + i] * z[i])
                if self.counts is None:
                    product *= 1 + small
                else:
                    value += self.counts[start + i] * log1p(small)
            value += log(product)
        return value

    cdef void differentiate(self, const double *solution) noexcept nogil:
        """Gradient and lower triangle of the Hessian at the weights of the last `evaluate`."""
        cdef double[BLOCK] residual, curvature, product
        cdef double p
        cdef Py_ssize_t start, i, j, k
        cdef int size
        for k in range(self.n_rows):
            self.gradient[k] = self.ridge[k] * solution[k]
            for j in range(k):
                self.hessian[k, j] = 0
            self.hessian[k, k] = self.ridge[k]
        for start in range(0, self.n, 256):  # BLOCK; a step must be a literal here
            size = min(BLOCK, self.n - start)
            for i in range(size):
                p = self.chances[start + i]
                residual[i] = self.count(start + i) * (p - self.shares[start + i])
                curvature[i] = self.count(start + i) * p * (1 - p)
            for k in range(self.n_rows):
                self.gradient[k] += ddot(
                    &size, residual, &STRIDE, <double *> &self.rows[k, start], &STRIDE
                )
                for i in range(size):
                    product[i] = curvature[i] * self.rows[k, start + i]
                for j in range(k + 1):
                    self.hessian[k, j] += ddot(
                        &size, product, &STRIDE, <double *> &self.rows[j, start], &STRIDE
                    )

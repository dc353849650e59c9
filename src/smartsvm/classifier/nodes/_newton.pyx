"""Newton's method for the SVM of a node, with the Hessian of the rows inside the margin.

The objective is ½|w|² + C Σ c_i max(0, 1 - t_i z_i·w)²: quadratic as long as the same rows fall
short of the margin. A step goes to the optimum of the current piece; the sums over the rows inside
the margin are updated by the rows that enter and leave.
"""
from libc.math cimport isfinite, sqrt
from libc.string cimport memcpy
from scipy.linalg.cython_blas cimport ddot, dgemv, dsymv, dsyrk, dtrsm
from scipy.linalg.cython_lapack cimport dpotrf, dpotrs

import numpy as np

from smartsvm._core.threads cimport check_interrupt

cdef enum:
    VALUES = 1 << 16    # numbers that are added to a Hessian at once: they fit the cache
    BLOCKS_AT_ONCE = 8  # between two checks for Ctrl-C

cdef enum Answer:
    FURTHER
    ARRIVED
    TOO_LARGE

cdef double LEAST_GAIN = 1e-10  # relative to the objective
cdef double SUFFICIENT = 1e-4   # Armijo's constant
cdef double LEAST_STEP = 1e-10  # as a fraction of the full step

cdef int STRIDE = 1
cdef double PLUS = 1.0, ZERO = 0.0


cdef class Newton:
    """Newton's method on (n, p) rows, the left group (target -1) first."""

    cdef readonly object weights
    cdef readonly object shortfalls  # how far rows fall short of the margin; negative beyond it
    cdef readonly object factor  # Cholesky factor of the Hessian: lower triangle, LAPACK's order
    cdef const double[:, ::1] rows
    cdef const double[::1] row_weights
    cdef Py_ssize_t n_left
    cdef int n, p
    cdef double C, objective
    cdef bint full_step
    cdef double[::1] w, tried, step, gradient  # of the columns
    cdef double[::1] short, short_tried, gain  # of the rows
    # Over the rows inside the margin: Σ weight row rowᵀ (lower triangle, LAPACK's order) and
    # Σ weight target row. They give Hessian and gradient without another pass over the rows.
    cdef double[::1, :] outer, lower
    cdef double[::1] pull
    cdef double[:, ::1] block
    cdef signed char[::1] inside

    def __init__(self, rows, n_left, row_weights, C, start):
        self.rows, self.row_weights = rows, row_weights
        self.n, self.p = rows.shape
        if (
            self.n < 1 or self.p < 1 or not 0 <= n_left <= self.n
            or (row_weights is not None and self.row_weights.shape[0] != self.n)
            or (start is not None and start.shape != rows.shape[1:])
        ):
            raise ValueError("rows, n_left, row_weights and start must have matching shapes.")
        self.n_left, self.C = n_left, C
        self.weights = np.zeros(self.p) if start is None else np.array(start, dtype=np.float64)
        self.shortfalls = np.ones(self.n)
        self.factor = np.zeros((self.p, self.p), order="F")
        self.w, self.short, self.lower = self.weights, self.shortfalls, self.factor
        self.tried, self.step, self.gradient, self.pull = np.zeros((4, self.p))
        self.short_tried, self.gain = np.zeros((2, self.n))
        self.outer = np.zeros((self.p, self.p), order="F")
        self.block = np.empty((max(1, VALUES // self.p), self.p))
        self.inside = np.zeros(self.n, dtype=np.int8)

    def solve(self, int most_steps):
        """Go to the optimum; False if that takes more steps."""
        cdef int answer = FURTHER, number = 0
        with nogil:
            self.find_gain(self.w)
            self.objective = self.evaluate(self.w, 1.0)
            self.short[:] = self.short_tried
        while answer == FURTHER and number < most_steps:
            check_interrupt()
            with nogil:
                answer = self.advance()
            number += 1
        if answer == TOO_LARGE:
            raise ValueError(
                f"X has values too large to be squared with C={self.C}; scale the features, "
                f"to [-1, 1] for instance."
            )
        return answer == ARRIVED

    cdef inline double target(self, Py_ssize_t i) noexcept nogil:
        return -1 if i < self.n_left else 1

    cdef int advance(self) except -1 nogil:
        """A step of Newton's method."""
        cdef Py_ssize_t j
        cdef int p = self.p, failed
        cdef double size = 1, slope, before = self.objective, twice = 2 * self.C
        if self.update_sums() == 0 and self.full_step:
            return ARRIVED  # a full step on the same quadratic piece ends at its optimum
        if not self.factorise():
            return TOO_LARGE
        # The gradient, w - 2C (pull - outer w), and Newton's step.
        self.gradient[:] = self.w
        dsymv(
            b"L", &p, &twice, &self.outer[0, 0], &p, &self.w[0], &STRIDE, &PLUS, &self.gradient[0],
            &STRIDE,
        )
        for j in range(p):
            self.gradient[j] -= twice * self.pull[j]
            self.step[j] = -self.gradient[j]
        dpotrs(b"L", &p, &STRIDE, &self.lower[0, 0], &p, &self.step[0], &p, &failed)
        slope = ddot(&p, &self.gradient[0], &STRIDE, &self.step[0], &STRIDE)
        if -slope <= LEAST_GAIN * before:
            return ARRIVED
        self.find_gain(self.step)
        # Halve the step until the objective falls enough; nearly always the full step does.
        while True:
            for j in range(p):
                self.tried[j] = self.w[j] + size * self.step[j]
            self.objective = self.evaluate(self.tried, size)
            if self.objective <= before + SUFFICIENT * size * slope or size < LEAST_STEP:
                break
            size /= 2
        self.w[:] = self.tried
        self.short[:] = self.short_tried
        self.full_step = size == 1
        return FURTHER

    cdef void find_gain(self, double[::1] direction) noexcept nogil:
        """How much each row gains towards its margin along a direction of the weights."""
        cdef Py_ssize_t i
        dgemv(
            b"T", &self.p, &self.n, &PLUS, <double *> &self.rows[0, 0], &self.p, &direction[0],
            &STRIDE, &ZERO, &self.gain[0], &STRIDE,
        )
        for i in range(self.n_left):
            self.gain[i] = -self.gain[i]

    cdef double evaluate(self, double[::1] weights, double size) noexcept nogil:
        """The objective at these weights; sets `short_tried`, the shortfalls there."""
        cdef Py_ssize_t i
        cdef double short, loss = 0
        for i in range(self.n):
            short = self.short[i] - size * self.gain[i]
            self.short_tried[i] = short
            short = short if short > 0 else 0
            if self.row_weights is None:
                loss += short * short
            else:
                loss += self.row_weights[i] * (short * short)
        return 0.5 * ddot(&self.p, &weights[0], &STRIDE, &weights[0], &STRIDE) + self.C * loss

    cdef Py_ssize_t update_sums(self) except -1 nogil:
        """Update the sums to the rows inside the margin; return how many entered or left."""
        cdef Py_ssize_t i, n_changed = 0, n_inside = 0
        cdef bint now
        for i in range(self.n):
            now = self.short[i] > 0
            n_inside += now
            n_changed += now != self.inside[i]
        if n_changed >= n_inside:  # fewer additions from 0
            self.pull[:] = 0
            self.outer[:] = 0
            self.inside[:] = 0
        self.add_rows(True)
        self.add_rows(False)
        return n_changed

    cdef inline double weight(self, Py_ssize_t i) noexcept nogil:
        return 1 if self.row_weights is None else self.row_weights[i]

    cdef int add_rows(self, bint entering) except -1 nogil:
        """Add the rows that enter to the sums, or subtract those that leave."""
        cdef Py_ssize_t i, j, n_blocks = 0
        cdef int collected = 0
        cdef double sign = 1 if entering else -1
        cdef double pulls, root
        cdef double *pull = &self.pull[0]
        cdef double *scaled
        for i in range(self.n):
            if self.inside[i] != entering and (self.short[i] > 0) == entering:
                self.inside[i] = entering
                pulls, root = sign * self.target(i) * self.weight(i), sqrt(self.weight(i))
                scaled = &self.block[collected, 0]
                for j in range(self.p):
                    pull[j] += pulls * self.rows[i, j]
                    scaled[j] = root * self.rows[i, j]
                collected += 1
            if collected == self.block.shape[0] or (i == self.n - 1 and collected > 0):
                dsyrk(
                    b"L", b"N", &self.p, &collected, &sign, &self.block[0, 0], &self.p, &PLUS,
                    &self.outer[0, 0], &self.p,
                )
                collected = 0
                n_blocks += 1
                if n_blocks % BLOCKS_AT_ONCE == 0:
                    with gil:
                        check_interrupt()
        return 0

    cdef bint factorise(self) noexcept nogil:
        """The factor of 1 + 2C outer into `lower`; False if it is not finite."""
        cdef Py_ssize_t i, j
        cdef int p = self.p, failed = 1
        cdef double ridge = 0, largest
        while failed:
            largest = 0
            for j in range(p):
                for i in range(j, p):
                    self.lower[i, j] = 2 * self.C * self.outer[i, j]
                self.lower[j, j] += 1
                largest = max(largest, self.lower[j, j])
                self.lower[j, j] += ridge
            dpotrf(b"L", &p, &self.lower[0, 0], &p, &failed)
            # Rounding with huge features or a huge C: steps get shorter, the optimum is the same.
            ridge = max(1e-9 * largest, 100 * ridge)
            if failed and not isfinite(ridge):
                return False
        return True


def leverages(
    const double[:, ::1] rows, const Py_ssize_t[::1] which, const double[::1] scales,
    const double[::1, :] factor,
):
    """|L⁻¹z|² · scale of the rows `which`, with the Cholesky factor L in LAPACK's order."""
    cdef Py_ssize_t start, k, n = which.shape[0]
    cdef int p = rows.shape[1], n_rows, at_once = max(1, VALUES // p)
    cdef double[:, ::1] block = np.empty((min(n, at_once), p))
    cdef double[::1] out = np.empty(n)
    if scales.shape[0] != n or factor.shape[0] != p or factor.shape[1] != p:
        raise ValueError("rows, which, scales and factor must have matching shapes.")
    for k in range(n):
        if not 0 <= which[k] < rows.shape[0]:
            raise ValueError(f"which must be from 0 to {rows.shape[0] - 1}, got {which[k]}.")
    for start in range(0, n, at_once):
        check_interrupt()
        n_rows = min(at_once, n - start)
        with nogil:
            for k in range(n_rows):
                memcpy(&block[k, 0], &rows[which[start + k], 0], p * sizeof(double))
            dtrsm(
                b"L", b"L", b"N", b"N", &p, &n_rows, &PLUS, <double *> &factor[0, 0], &p,
                &block[0, 0], &p,
            )
            for k in range(n_rows):
                out[start + k] = scales[start + k] * ddot(
                    &p, &block[k, 0], &STRIDE, &block[k, 0], &STRIDE
                )
    return np.asarray(out)

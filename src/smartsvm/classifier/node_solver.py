"""The linear machine of one node: squared hinge loss, solved to its optimum by Newton steps.

The problem is LibLinear's (and `LinearSVC`'s): ½|w|² + Σ c_i max(0, 1 - t_i z_i·w)², with
the intercept as the weight of a constant column. LibLinear solves each problem from
nothing, at 1.5 ms a call and with an inner conjugate-gradient loop; with few features the
Hessian itself is cheap, Newton's method on it ends in a handful of steps at the exact
optimum, starts where another value of C ended, and gives leave-one-out margins for the
price of one more step. With many rows of many features LibLinear is used.
"""

from __future__ import annotations

import threading
from typing import NamedTuple

import numpy as np
from scipy.linalg import blas, lapack, qr, solve_triangular
from scipy.sparse import issparse
from sklearn.svm import LinearSVC

# LibLinear's dual solver draws from one random state a process: two fits at the same
# time disturb each other's seeds. The primal solver draws nothing.
DUAL_SOLVER = threading.Lock()

# Above so many columns a Hessian costs more than LibLinear's inner loops save.
_MOST_NEWTON_COLUMNS = 512
_MOST_KERNEL_ROWS = 3000

_MOST_STEPS = 200
_LEAST_GAIN = 1e-10  # relative to the objective
_SUFFICIENT = 1e-4  # Armijo's constant


class NodeProblem(NamedTuple):
    """Two groups of rows to tell apart.

    Attributes
    ----------
    rows : ndarray of shape (n, p)
        Features, one of them constant; the left group first.
    n_left : int
        Rows of the left group, whose target is -1; the others have +1.
    weights : ndarray of shape (n,) or None
        Weights of the rows, 1 by default.
    gram : ndarray of shape (p, p) or None
        Σ weight · row rowᵀ, if somebody knows it: it saves the first Hessian.
    """

    rows: np.ndarray
    n_left: int
    weights: np.ndarray | None = None
    gram: np.ndarray | None = None

    @property
    def targets(self):
        targets = np.ones(self.rows.shape[0])
        targets[: self.n_left] = -1
        return targets


class Machine(NamedTuple):
    """A solved node.

    Attributes
    ----------
    weights : ndarray of shape (p,)
        Weights of the columns.
    margins : ndarray of shape (n,)
        Decision values of the training rows.
    left_out : ndarray of shape (n,) or None
        Decision values of each row for a machine trained without it, to first order.
    """

    weights: np.ndarray
    margins: np.ndarray
    left_out: np.ndarray | None


def train(problem, C, *, start=None, leave_one_out=True, seed=0):
    """Solve a node.

    Parameters
    ----------
    problem : NodeProblem
        The rows.
    C : float
        Inverse strength of the regularisation.
    start : ndarray of at most p weights, default=None
        Weights to start from, those of another C or of the first columns for
        instance; the result does not depend on them beyond rounding.
    leave_one_out : bool, default=True
        Whether to compute the margins of left-out rows too.
    seed : int, default=0
        Seed of LibLinear's dual solver, which is used for very many columns.

    Returns
    -------
    Machine
        The optimum.
    """
    n_rows, n_columns = problem.rows.shape
    if start is not None and len(start) < n_columns:
        start = np.concatenate([start, np.zeros(n_columns - len(start))])
    basis = None
    if n_rows < n_columns and n_rows <= _MOST_NEWTON_COLUMNS and not issparse(problem.rows):
        # The optimum lies in the span of the rows: solve there.
        basis, triangle = qr(problem.rows.T, mode="economic", check_finite=False)
        problem = NodeProblem(np.ascontiguousarray(triangle.T), problem.n_left, problem.weights)
        start = None if start is None else start @ basis
    newton = problem.rows.shape[1] <= _MOST_NEWTON_COLUMNS and not issparse(problem.rows)
    solver = _Newton(problem, C) if newton else _LibLinear(problem, C)
    weights, margins = solver.solve(start, seed)
    if basis is not None:
        weights = basis @ weights
    left_out = None
    if leave_one_out:
        left_out = margins.copy()
        t = problem.targets
        active = np.flatnonzero(t * margins < 1)
        if len(active):
            slack = np.maximum(1 - solver.leverages(active), 1e-9)
            left_out[active] = t[active] - (t[active] - margins[active]) / slack
    return Machine(weights, margins, left_out)


class _Newton:
    """Newton's method with the Hessian of the rows inside the margin kept up to date."""

    def __init__(self, problem, C):
        self.rows, self.t, self.gram = problem.rows, problem.targets, problem.gram
        self.row_weights = problem.weights
        self.C = C
        n_columns = self.rows.shape[1]
        self.active = np.zeros(len(self.rows), dtype=bool)
        # Over the active rows: Σ weight row rowᵀ (its lower triangle, in LAPACK's order) and
        # Σ weight target row. They give Hessian and gradient without another pass over the rows.
        self.outer = np.zeros((n_columns, n_columns), order="F")
        self.pull = np.zeros(n_columns)
        self.factor = None

    def solve(self, start, seed):
        if start is None:
            w, margins = np.zeros(self.rows.shape[1]), np.zeros(len(self.rows))
        else:
            w, margins = start, self.rows @ start
        whole_step = False
        for _ in range(_MOST_STEPS):
            active = self.t * margins < 1
            if whole_step and np.array_equal(active, self.active):
                break  # a whole step on the same quadratic piece ends at its optimum
            self._move_to(active)
            gradient = w - (2 * self.C) * (self.pull - blas.dsymv(1.0, self.outer, w, lower=1))
            objective = self._objective(w, margins)
            step = lapack.dpotrs(self.factor, -gradient, lower=1)[0]
            slope = gradient @ step
            if -slope <= _LEAST_GAIN * objective:
                break
            change = self.rows @ step
            size = self._step_size(w, margins, step, change, objective, slope)
            w = w + size * step
            margins = margins + size * change
            whole_step = size == 1
        return w, margins

    def _step_size(self, w, margins, step, change, objective, slope):
        """Halve the step until the objective falls enough; nearly always the whole step does."""
        size = 1.0
        while size > 1e-10:
            value = self._objective(w + size * step, margins + size * change)
            if value <= objective + _SUFFICIENT * size * slope:
                break
            size /= 2
        return size

    def _objective(self, w, margins):
        short = np.maximum(0.0, 1 - self.t * margins)
        losses = short @ short if self.row_weights is None else self.row_weights @ (short * short)
        return 0.5 * (w @ w) + self.C * losses

    def _move_to(self, active):
        """Make the sums those of the rows `active`, by the cheapest way."""
        changed = np.flatnonzero(active != self.active)
        n_active = np.count_nonzero(active)
        n_inactive = len(active) - n_active
        if len(changed) < min(n_active, n_inactive):
            entered = active[changed]
            self._add(changed[entered], 1.0)
            self._add(changed[~entered], -1.0)
        elif self.gram is not None and n_inactive < n_active:
            self.outer = self.gram.copy(order="F")
            self.pull = self._weighted_targets(slice(None)) @ self.rows
            self._add(np.flatnonzero(~active), -1.0)
        else:
            self.outer[:], self.pull = 0, np.zeros_like(self.pull)
            self._add(np.flatnonzero(active), 1.0)
        self.active = active
        self.factor = self._factor()

    def _add(self, which, sign):
        if not len(which):
            return
        rows = self.rows if len(which) == len(self.rows) else self.rows[which]
        self.pull += sign * (self._weighted_targets(which) @ rows)
        if self.row_weights is not None:
            rows = rows * np.sqrt(self.row_weights[which, None])
        self.outer = blas.dsyrk(sign, rows.T, 1.0, self.outer, lower=1, overwrite_c=1)

    def _weighted_targets(self, which):
        targets = self.t[which]
        return targets if self.row_weights is None else targets * self.row_weights[which]

    def _factor(self):
        hessian = (2 * self.C) * self.outer
        diagonal = hessian.T.reshape(-1)[:: len(hessian) + 1]  # a view: .T is in C order
        diagonal += 1
        # LAPACK itself: the checks around it cost more than small systems do.
        factor, failed = lapack.dpotrf(hessian, lower=1, clean=0)
        added = 1e-9 * diagonal.max()
        while failed:
            # Rounding beside huge features or a huge C: steps get shorter, the end is the same.
            diagonal += added
            factor, failed = lapack.dpotrf(hessian, lower=1, clean=0)
            added *= 100
            if not np.isfinite(added):
                raise ValueError(
                    f"X has values too large to be squared with C={self.C}; scale the features, "
                    f"to [-1, 1] for instance."
                )
        return factor

    def leverages(self, active):
        """2 c_i z_i·H⁻¹z_i of the active rows: how much each of them pulls its own margin."""
        columns = lapack.dtrtrs(self.factor, self.rows[active].T, lower=1)[0]
        squares = np.einsum("ij,ij->j", columns, columns)
        weights = 1.0 if self.row_weights is None else self.row_weights[active]
        return 2 * self.C * weights * squares


class _LibLinear:
    """LibLinear's primal solver, or its dual one for fewer rows than columns."""

    def __init__(self, problem, C):
        self.problem, self.C = problem, C

    def solve(self, start, seed):
        rows, targets, weights = self.problem.rows, self.problem.targets, self.problem.weights
        dual = rows.shape[0] < rows.shape[1]
        model = LinearSVC(C=self.C, dual=dual, fit_intercept=False, random_state=seed)
        if dual:
            with DUAL_SOLVER:
                model.fit(rows, targets, sample_weight=weights)
        else:
            model.fit(rows, targets, sample_weight=weights)
        found = model.coef_[0].copy()
        return found, rows @ found

    def leverages(self, active):
        """As for Newton's method, by way of the kernel matrix of the active rows."""
        if len(active) > _MOST_KERNEL_ROWS:
            return np.zeros(len(active))  # many rows: leaving one out changes little
        rows = self.problem.rows[active]
        kernel = rows @ rows.T
        kernel = 2 * self.C * (kernel.toarray() if issparse(kernel) else kernel)
        if self.problem.weights is not None:
            roots = np.sqrt(self.problem.weights[active])
            kernel *= np.outer(roots, roots)
        lower = np.linalg.cholesky(kernel + np.eye(len(active)))
        inverse = solve_triangular(lower, np.eye(len(active)), lower=True, check_finite=False)
        return 1 - np.einsum("ij,ij->j", inverse, inverse)

"""The linear machine of one node: squared hinge loss, solved to its optimum.

The problem is LibLinear's (and `LinearSVC`'s): ½|w|² + Σ c_i max(0, 1 - t_i z_i·w)², with
the intercept as the weight of a constant column. LibLinear solves each problem from
nothing, at 1.5 ms a call and with an inner conjugate-gradient loop; with few features the
Hessian itself is cheap, Newton's method on it ends in a handful of steps at the exact
optimum, and starts where another value of C ended. Whichever solver found the optimum,
the margins of left-out rows follow from it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import blas, lapack, qr, solve_triangular
from scipy.sparse import diags, issparse
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from smartsvm._validation import warn

SOLVERS = ("auto", "newton", "liblinear")

# Above so many columns a Hessian costs more than LibLinear's inner loops save.
_MOST_NEWTON_COLUMNS = 1024
_MANY_COLUMNS = 128  # from which on it pays to look for those that are 0
_MOST_DENSE = 2**25  # numbers of sparse rows that are made dense for their left-out margins
_MOST_KERNEL_ROWS = 500  # of more rows inside the margin, left-out margins come from folds
_FOLDS = 3

_VALUES = 2**16  # numbers of rows that are added to a Hessian at once
_MOST_STEPS = 200
_LEAST_GAIN = 1e-10  # relative to the objective
_SUFFICIENT = 1e-4  # Armijo's constant
_LEAST_STEP = 1e-10  # as a share of the whole one
_LIBLINEAR_TOLERANCE = 1e-4  # its own; finer ones often stop at the limit of steps
_LIBLINEAR_STEPS = 1000


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


def train(problem, C, *, solver="auto", start=None, leave_one_out=True):
    """Solve a node.

    Parameters
    ----------
    problem : NodeProblem
        The rows.
    C : float
        Inverse strength of the regularisation.
    solver : {"auto", "newton", "liblinear"}, default="auto"
        "auto" is Newton's method for dense rows if either the columns or the rows are at
        most 1024, and LibLinear for others. Newton's method takes dense rows only.
    start : ndarray of shape (p,), default=None
        Weights that Newton's method starts from, those of another C for instance; the
        result does not depend on them beyond rounding.
    leave_one_out : bool, default=True
        Whether to compute the margins of left-out rows too.

    Returns
    -------
    Machine
        The optimum.
    """
    rows = problem.rows
    if solver == "auto":
        small = min(rows.shape) <= _MOST_NEWTON_COLUMNS
        solver = "newton" if small and not issparse(rows) else "liblinear"
    if solver == "liblinear":
        weights, factor = _liblinear(problem, C), None
        margins = rows @ weights
    else:
        problem, kept = _without_zeros(problem)
        weights = np.zeros(rows.shape[1])
        start = None if start is None else start[kept]
        weights[kept], margins, factor, problem = _solve(problem, C, start)
    left_out = _left_out(problem, C, margins, factor) if leave_one_out else None
    return Machine(weights, margins, left_out)


def _without_zeros(problem):
    """The problem without columns that are 0 in all of its rows, and which columns are left.

    Their weights are 0. It is asked only where there are many columns, as pictures have with
    empty borders: Hessians of fewer columns are worth a copy of the rows.
    """
    n_columns = problem.rows.shape[1]
    if n_columns <= _MANY_COLUMNS:
        return problem, slice(None)
    kept = np.flatnonzero(problem.rows.any(axis=0))
    if len(kept) == n_columns:
        return problem, slice(None)
    gram = None if problem.gram is None else problem.gram[np.ix_(kept, kept)]
    return problem._replace(rows=problem.rows[:, kept], gram=gram), kept


def _solve(problem, C, start):
    """Weights, margins and factor by Newton's method, and the problem that the factor is of."""
    if problem.rows.shape[0] >= problem.rows.shape[1]:
        return *_Newton(problem, C).solve(start), problem
    # The optimum lies in the span of the rows: solve there.
    basis, triangle = qr(problem.rows.T, mode="economic", check_finite=False)
    problem = problem._replace(rows=np.ascontiguousarray(triangle.T), gram=None)
    inside = None if start is None else start @ basis
    weights, margins, factor = _Newton(problem, C).solve(inside)
    return basis @ weights, margins, factor, problem


def _liblinear(problem, C):
    # The primal solver: it draws no random numbers, so that threads cannot disturb it.
    model = LinearSVC(
        C=C,
        dual=False,
        fit_intercept=False,
        tol=_LIBLINEAR_TOLERANCE,
        max_iter=_LIBLINEAR_STEPS,
    )
    # The rows were checked before: looking again at each node takes as long as a small node.
    with config_context(assume_finite=True, skip_parameter_validation=True):
        model.fit(problem.rows, problem.targets, sample_weight=problem.weights)
    return model.coef_[0].copy()


def _left_out(problem, C, margins, factor):
    """Margins of every row by the machine without it, to first order.

    Only the rows inside the margin pull at the weights. A step of Newton's method without row
    i, which pulls its own margin by the share h_i, leads from t - m to (t - m) / (1 - h_i).
    """
    t = problem.targets
    active = np.flatnonzero(t * margins < 1)
    left_out = margins.copy()
    if not len(active):
        return left_out
    leverages = _leverages(problem, C, active, factor)
    if leverages is None:
        return _margins_by_folds(problem, C)
    slack = np.maximum(1 - leverages, 1e-9)
    left_out[active] = t[active] - (t[active] - margins[active]) / slack
    return left_out


def _leverages(problem, C, active, factor):
    """2 c_i z_i·H⁻¹z_i of the active rows; None where neither Hessian nor kernel is small.

    `factor` is that of the Hessian, if it is known.
    """
    rows = problem.rows[active]
    n_rows, n_columns = rows.shape
    roots = np.sqrt(2 * C) * np.ones(n_rows)
    if problem.weights is not None:
        roots *= np.sqrt(problem.weights[active])
    rows = diags(roots) @ rows if issparse(rows) else rows * roots[:, None]
    small = n_columns <= min(n_rows, _MOST_NEWTON_COLUMNS) and n_rows * n_columns <= _MOST_DENSE
    if factor is None and small:
        hessian = _dense(rows.T @ rows)
        hessian[np.diag_indices(n_columns)] += 1
        factor = np.linalg.cholesky(hessian)
    if factor is not None:
        columns = blas.dtrsm(1.0, factor, _dense(rows).T, lower=1, overwrite_b=1)
        return np.einsum("ij,ij->j", columns, columns)
    if n_rows > (_MOST_KERNEL_ROWS if issparse(rows) else _MOST_NEWTON_COLUMNS):
        return None
    lower = np.linalg.cholesky(_dense(rows @ rows.T) + np.eye(n_rows))
    inverse = solve_triangular(lower, np.eye(n_rows), lower=True, check_finite=False)
    return 1 - np.einsum("ij,ij->j", inverse, inverse)


def _dense(matrix):
    return matrix.toarray() if issparse(matrix) else matrix


def _margins_by_folds(problem, C):
    """Margins of rows by machines of LibLinear without a third of the rows, theirs included."""
    left_out = np.empty(problem.rows.shape[0])
    fold = np.arange(len(left_out)) % _FOLDS  # rows are sorted by class: each is divided alike
    for number in range(_FOLDS):
        inside, outside = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        n_left = int(np.searchsorted(inside, problem.n_left))
        weights = None if problem.weights is None else problem.weights[inside]
        part = NodeProblem(problem.rows[inside], n_left, weights)
        found = _liblinear(part, C) if 0 < n_left < len(inside) else _one_sided(part)
        left_out[outside] = problem.rows[outside] @ found
    return left_out


def _one_sided(problem):
    """Weights of rows on one side alone: the intercept, which is the last column, decides."""
    weights = np.zeros(problem.rows.shape[1])
    weights[-1] = 1.0 if problem.n_left == 0 else -1.0
    return weights


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
        self.factor = np.empty_like(self.outer)

    def solve(self, start):
        """The weights, the margins, and the factor of the Hessian there."""
        w = np.zeros(self.rows.shape[1]) if start is None else start
        # How far rows fall short of the margin; those beyond it have less than 0.
        short = np.ones(len(self.rows)) if start is None else 1 - self.t * (self.rows @ start)
        objective, whole_step = self._objective(w, short), False
        for _ in range(_MOST_STEPS):
            active = short > 0
            changed = (active != self.active).nonzero()[0]
            if whole_step and not len(changed):
                break  # a whole step on the same quadratic piece ends at its optimum
            self._move_to(active, changed)
            gradient = w - (2 * self.C) * (self.pull - blas.dsymv(1.0, self.outer, w, lower=1))
            step = lapack.dpotrs(self.factor, -gradient, lower=1)[0]
            slope = gradient @ step
            if -slope <= _LEAST_GAIN * objective:
                break
            gain = self.t * (self.rows @ step)
            # Halve the step until the objective falls enough; nearly always the whole step does.
            size, before, short_before = 1.0, objective, short
            while True:
                moved = w + size * step
                short = short_before - (gain if size == 1 else size * gain)
                objective = self._objective(moved, short)
                if objective <= before + _SUFFICIENT * size * slope or size < _LEAST_STEP:
                    break
                size /= 2
            w, whole_step = moved, size == 1
        else:
            warn(
                f"Newton's method stopped after {_MOST_STEPS} steps before it reached the optimum "
                f"of a node with C={self.C}; scale the features, to [-1, 1] for instance.",
                ConvergenceWarning,
            )
        return w, self.t * (1 - short), self.factor

    def _objective(self, w, short):
        inside = np.maximum(0.0, short)
        if self.row_weights is None:
            return 0.5 * (w @ w) + self.C * (inside @ inside)
        return 0.5 * (w @ w) + self.C * (self.row_weights @ (inside * inside))

    def _move_to(self, active, changed):
        """Make the sums those of the rows `active`, by the fewest additions."""
        n_active = np.count_nonzero(active)
        n_inactive = len(active) - n_active
        if len(changed) < min(n_active, n_inactive):
            entered = active[changed]
            self._add(changed[entered], 1.0)
            self._add(changed[~entered], -1.0)
        elif self.gram is not None and n_inactive < n_active:
            self.outer[:] = self.gram.T  # it is symmetric, and LAPACK's order now
            self.pull = self._weighted_targets(slice(None)) @ self.rows
            self._add(np.flatnonzero(~active), -1.0)
        else:
            self.outer[:], self.pull = 0, np.zeros_like(self.pull)
            self._add(np.flatnonzero(active), 1.0)
        self.active = active
        self.factor = self._factor()

    def _add(self, which, sign):
        step = max(1, _VALUES // self.rows.shape[1])  # few enough to stay in the cache
        for start in range(0, len(which), step):
            some = which[start : start + step]
            rows = self.rows[some]
            self.pull += sign * (self._weighted_targets(some) @ rows)
            if self.row_weights is not None:
                rows *= np.sqrt(self.row_weights[some, None])
            self.outer = blas.dsyrk(sign, rows.T, 1.0, self.outer, lower=1, overwrite_c=1)

    def _weighted_targets(self, which):
        targets = self.t[which]
        return targets if self.row_weights is None else targets * self.row_weights[which]

    def _factor(self):
        # LAPACK itself, in place: the checks and copies around it cost more than small systems.
        added = 0.0
        while True:
            hessian = np.multiply(self.outer, 2 * self.C, out=self.factor)
            diagonal = hessian.T.reshape(-1)[:: len(hessian) + 1]  # a view: .T is in C order
            diagonal += 1
            largest = diagonal.max()
            diagonal += added
            factor, failed = lapack.dpotrf(hessian, lower=1, clean=0, overwrite_a=1)
            if not failed:
                return factor
            # Rounding beside huge features or a huge C: steps get shorter, the end is the same.
            added = max(1e-9 * largest, 100 * added)
            if not np.isfinite(added):
                raise ValueError(
                    f"X has values too large to be squared with C={self.C}; scale the features, "
                    f"to [-1, 1] for instance."
                )

"""The linear machine of one node: squared hinge loss, solved to its optimum.

The problem is LibLinear's (and `LinearSVC`'s): ½|w|² + Σ c_i max(0, 1 - t_i z_i·w)², with
the intercept as the weight of a constant column. LibLinear solves each problem from
scratch, at 1.5 ms a call and with an inner conjugate-gradient loop; with few features the
Hessian itself is cheap, Newton's method on it ends in a handful of steps at the exact
optimum, and starts where another value of C ended. Whichever solver found the optimum,
the margins of left-out rows follow from it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import qr, solve_triangular
from scipy.sparse import diags, issparse
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

try:  # what `LinearSVC` calls; not public, so that it may not be there one day
    from sklearn.svm._liblinear import set_verbosity_wrap, train_wrap
except ImportError:
    train_wrap = None

from smartsvm._core.validation import warn
from smartsvm.classifier.nodes._newton import Newton, leverages

SOLVERS = ("auto", "newton", "liblinear")

# With more columns a Hessian costs more than LibLinear's inner loops save.
_MOST_NEWTON_COLUMNS = 1024
_MANY_COLUMNS = 128  # enough for a look for those that are 0 to pay
_COSTLY_COLUMNS = 400  # from here on a few of LibLinear's steps first spare most of Newton's
_MOST_DENSE = 2**25  # numbers of sparse rows that are made dense for their left-out margins
_MOST_KERNEL_ROWS = 500  # of more rows inside the margin, left-out margins come from folds
_FOLDS = 3

_MOST_STEPS = 200
_LIBLINEAR_TOLERANCE = 1e-4  # its own; finer ones often stop at the limit of steps
_LIBLINEAR_STEPS = 1000
_ROUGH_TOLERANCE, _ROUGH_STEPS = 1e-2, 5  # of what Newton's method starts from
_MOST_ROUGH = 1e30  # values of rows, and C times their weights
_PRIMAL_SQUARED_HINGE = 2  # LibLinear's number of the problem


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
        Σ weight · row rowᵀ, if it is known: it saves the first Hessian.
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
    return problem._replace(rows=np.ascontiguousarray(problem.rows[:, kept]), gram=gram), kept


def _solve(problem, C, start):
    """Weights, margins and factor by Newton's method, and the problem that the factor is of."""
    if problem.rows.shape[0] >= problem.rows.shape[1]:
        return *_newton(problem, C, start), problem
    # The optimum lies in the span of the rows: solve there.
    basis, triangle = qr(problem.rows.T, mode="economic", check_finite=False)
    problem = problem._replace(rows=np.ascontiguousarray(triangle.T), gram=None)
    inside = None if start is None else start @ basis
    weights, margins, factor = _newton(problem, C, inside)
    return basis @ weights, margins, factor, problem


def _newton(problem, C, start):
    """The weights, the margins, and the factor of the Hessian there."""
    if start is None:
        start = _rough_start(problem, C)
    newton = Newton(problem.rows, problem.n_left, problem.weights, problem.gram, C, start)
    if not newton.solve(_MOST_STEPS):
        warn(
            f"Newton's method stopped after {_MOST_STEPS} steps before it reached the optimum "
            f"of a node with C={C}; scale the features, to [-1, 1] for instance.",
            ConvergenceWarning,
        )
    return newton.weights, problem.targets * (1 - newton.shortfalls), newton.factor


def _rough_start(problem, C):
    """Weights near the optimum, where most of Newton's steps would cost more; else None."""
    rows = problem.rows
    n_rows, n_columns = rows.shape
    if n_columns < _COSTLY_COLUMNS or not 0 < problem.n_left < n_rows or train_wrap is None:
        return None
    # LibLinear goes round for ever where squares overflow; Newton's method says so.
    heaviest = 1.0 if problem.weights is None else problem.weights.max()
    if max(-rows.min(), rows.max(), C * heaviest) > _MOST_ROUGH:
        return None
    return _call_liblinear(problem, C, _ROUGH_TOLERANCE, _ROUGH_STEPS)[0]


def _liblinear(problem, C):
    # The primal solver: it draws no random numbers, so that threads cannot disturb it.
    if train_wrap is None or issparse(problem.rows):
        return _linear_svc(problem, C)
    weights, n_steps = _call_liblinear(problem, C, _LIBLINEAR_TOLERANCE, _LIBLINEAR_STEPS)
    if n_steps >= _LIBLINEAR_STEPS:
        warn(
            f"Liblinear failed to converge in {_LIBLINEAR_STEPS} steps at a node with C={C}; scale "
            f"the features, to [-1, 1] for instance.",
            ConvergenceWarning,
        )
    return weights


def _call_liblinear(problem, C, tolerance, most_steps):
    """Weights and the number of steps, for dense rows.

    Without the checks and copies of `LinearSVC`, which take longer than a small node.
    """
    targets, weights = (problem.targets + 1) / 2, problem.weights
    weights = np.ones(len(targets)) if weights is None else np.ascontiguousarray(weights)
    set_verbosity_wrap(0)
    (found,), (n_steps,) = train_wrap(
        problem.rows, targets, False, _PRIMAL_SQUARED_HINGE, tolerance, -1.0, C, np.ones(2),
        most_steps, 0, 0.1, weights,
    )  # fmt: skip
    return np.array(found), n_steps


def _linear_svc(problem, C):
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
    shares = _shares(problem, C, active, factor)
    if shares is None:
        return _margins_by_folds(problem, C)
    slack = np.maximum(1 - shares, 1e-9)
    left_out[active] = t[active] - (t[active] - margins[active]) / slack
    return left_out


def _shares(problem, C, active, factor):
    """2 c_i z_i·H⁻¹z_i of the active rows; None where neither Hessian nor kernel is small.

    `factor` is that of the Hessian, if it is known.
    """
    scales = np.full(len(active), 2.0 * C)
    if problem.weights is not None:
        scales *= problem.weights[active]
    if factor is not None:
        return leverages(problem.rows, active, scales, factor)
    rows = problem.rows[active]
    n_rows, n_columns = rows.shape
    small = n_columns <= min(n_rows, _MOST_NEWTON_COLUMNS) and n_rows * n_columns <= _MOST_DENSE
    if small:
        rows = np.ascontiguousarray(_dense(rows))
        if problem.weights is None:
            hessian = scales[0] * (rows.T @ rows)
        else:
            hessian = (rows * scales[:, None]).T @ rows
        hessian[np.diag_indices(n_columns)] += 1
        factor = np.asfortranarray(np.linalg.cholesky(hessian))
        return leverages(rows, np.arange(n_rows), scales, factor)
    roots = np.sqrt(scales)
    rows = diags(roots) @ rows if issparse(rows) else rows * roots[:, None]
    if n_rows > (_MOST_KERNEL_ROWS if issparse(rows) else _MOST_NEWTON_COLUMNS):
        return None
    lower = np.linalg.cholesky(_dense(rows @ rows.T) + np.eye(n_rows))
    inverse = solve_triangular(lower, np.eye(n_rows), lower=True, check_finite=False)
    return 1 - np.einsum("ij,ij->j", inverse, inverse)


def _dense(matrix):
    return matrix.toarray() if issparse(matrix) else matrix


def _margins_by_folds(problem, C):
    """Margins of rows by LibLinear, each trained without the third that holds the row."""
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

"""The SVM of one node: squared hinge loss, solved to its optimum.

The problem is LibLinear's: ½|w|² + Σ c_i max(0, 1 - t_i z_i·w)², with the intercept as the weight
of a constant column. The margins of held-out rows follow from the optimum of either solver.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import qr, solve_triangular
from scipy.sparse import diags, issparse
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

try:  # what `LinearSVC` calls; it is private and may disappear
    from sklearn.svm._liblinear import set_verbosity_wrap, train_wrap
except ImportError:
    train_wrap = None

from smartsvm._core.validation import warn
from smartsvm.classifier.nodes._newton import Newton, leverages

# With more columns a Hessian costs more than LibLinear's inner loops.
_MOST_NEWTON_COLUMNS = 1024
# Columns from which on dropping those of zeros takes less time than it saves in the Hessian.
_MANY_COLUMNS = 128
# Columns from which on a few rough steps of LibLinear save most steps of Newton's method.
_COSTLY_COLUMNS = 400
# Numbers (256 MiB) that sparse rows may have as an array, to compute held-out margins.
_MOST_DENSE = 2**25
# Sparse rows inside the margin, n: their kernel takes O(n³). With more, held-out margins come from
# three folds.
_MOST_KERNEL_ROWS = 500
_FOLDS = 3

_MOST_STEPS = 200  # of Newton's method; if it needs more, a warning says so
# LibLinear's own tolerance and limit; with a finer tolerance it often stops at the limit.
_LIBLINEAR_TOLERANCE = 1e-4
_LIBLINEAR_STEPS = 1000
# The rough solution that Newton's method starts from, for values and C · weight up to 1e30.
_ROUGH_TOLERANCE = 1e-2
_ROUGH_STEPS = 5
_MOST_ROUGH = 1e30
# Legal values of C · weight of a row. Beyond, LibLinear's norms over- or underflow, and it repeats
# a step that is no improvement for ever: its limit counts only steps that are.
_LEAST_LOSS = 1e-30
_MOST_LOSS = 1e30
_PRIMAL_SQUARED_HINGE = 2  # LibLinear's number of the problem


class NodeProblem(NamedTuple):
    """Two groups of rows to separate, the left one first."""

    rows: np.ndarray  # shape (n, p), one column constant
    n_left: int  # rows with target -1; the others have +1
    weights: np.ndarray | None = None  # of the rows; None if all are 1

    @property
    def targets(self):
        targets = np.ones(self.rows.shape[0])
        targets[: self.n_left] = -1
        return targets


class SVM(NamedTuple):
    """The solution of a node."""

    weights: np.ndarray  # of the columns
    margins: np.ndarray  # of the training rows
    held_out: np.ndarray  # margins by an SVM trained without the row, to first order


def train(problem, C, *, solver="auto", start=None):
    """The `SVM` of a node; `start` are weights near the optimum and change only rounding."""
    weights, margins, factor, problem = SOLVERS[solver](problem, C, start)
    return SVM(weights, margins, _held_out(problem, C, margins, factor))


def _auto(problem, C, start):
    small = min(problem.rows.shape) <= _MOST_NEWTON_COLUMNS and not issparse(problem.rows)
    return (_by_newton if small else _by_liblinear)(problem, C, start)


def _by_liblinear(problem, C, start):
    weights = _liblinear(problem, C)
    return weights, problem.rows @ weights, None, problem


def _by_newton(problem, C, start):
    weights = np.zeros(problem.rows.shape[1])
    problem, nonzero = _without_zeros(problem)
    start = None if start is None else start[nonzero]
    if problem.rows.shape[0] >= problem.rows.shape[1]:
        weights[nonzero], margins, factor = _newton(problem, C, start)
        return weights, margins, factor, problem
    # The optimum lies in the span of the rows: solve there.
    basis, triangle = qr(problem.rows.T, mode="economic", check_finite=False)
    problem = problem._replace(rows=np.ascontiguousarray(triangle.T))
    inside, margins, factor = _newton(problem, C, None if start is None else start @ basis)
    weights[nonzero] = basis @ inside
    return weights, margins, factor, problem


# (problem, C, start) to weights, margins, the factor of the Hessian or None, and the problem in
# whose columns that factor is.
SOLVERS = {"auto": _auto, "newton": _by_newton, "liblinear": _by_liblinear}


def _without_zeros(problem):
    """The problem without columns of zeros, as images have, and the remaining columns."""
    if problem.rows.shape[1] <= _MANY_COLUMNS:
        return problem, slice(None)
    nonzero = problem.rows.any(axis=0)
    if nonzero.all():
        return problem, slice(None)
    return problem._replace(rows=np.ascontiguousarray(problem.rows[:, nonzero])), nonzero


def _newton(problem, C, start):
    """Weights, margins and the factor of the Hessian."""
    if start is None:
        start = _rough_start(problem, C)
    newton = Newton(problem.rows, problem.n_left, problem.weights, C, start)
    if not newton.solve(_MOST_STEPS):
        warn(
            f"Newton's method stopped after {_MOST_STEPS} steps before it reached the optimum "
            f"of a node with C={C}; scale the features, to [-1, 1] for instance.",
            ConvergenceWarning,
        )
    return newton.weights, problem.targets * (1 - newton.shortfalls), newton.factor


def _rough_start(problem, C):
    """Weights near the optimum by a few steps of LibLinear; None where they would not pay."""
    rows = problem.rows
    n_rows, n_columns = rows.shape
    if n_columns < _COSTLY_COLUMNS or not 0 < problem.n_left < n_rows or train_wrap is None:
        return None
    # LibLinear never ends if squares overflow; Newton's method reports it.
    heaviest = 1.0 if problem.weights is None else problem.weights.max()
    if max(-rows.min(), rows.max(), C * heaviest) > _MOST_ROUGH:
        return None
    return _call_liblinear(problem, C, _ROUGH_TOLERANCE, _ROUGH_STEPS)[0]


def _check_losses(problem, C):
    """Raise where LibLinear would not end."""
    weights = np.ones(1) if problem.weights is None else problem.weights
    least = C * weights.min()
    most = C * weights.max()
    if least < _LEAST_LOSS or most > _MOST_LOSS:
        raise ValueError(
            f"C times the weights of the samples must lie between {_LEAST_LOSS:.0e} and "
            f"{_MOST_LOSS:.0e} where LibLinear trains the SVMs, got C={C} and "
            f"{least:.3g} to {most:.3g}."
        )


def _liblinear(problem, C):
    _check_losses(problem, C)
    # The primal solver draws no random numbers: threads cannot change the result.
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
    """Weights and number of steps; skips the checks of `LinearSVC`, slower than a small node."""
    targets = (problem.targets + 1) / 2
    weights = problem.weights
    weights = np.ones(len(targets)) if weights is None else np.ascontiguousarray(weights)
    set_verbosity_wrap(0)
    (solution,), (n_steps,) = train_wrap(
        problem.rows,
        targets,
        False,
        _PRIMAL_SQUARED_HINGE,
        tolerance,
        -1.0,
        C,
        np.ones(2),
        most_steps,
        0,
        0.1,
        weights,
    )
    return np.array(solution), n_steps


def _linear_svc(problem, C):
    limits = {"tol": _LIBLINEAR_TOLERANCE, "max_iter": _LIBLINEAR_STEPS}
    model = LinearSVC(C=C, dual=False, fit_intercept=False, **limits)
    # The rows are checked already: another check takes as long as a small node.
    with config_context(assume_finite=True, skip_parameter_validation=True):
        model.fit(problem.rows, problem.targets, sample_weight=problem.weights)
    return model.coef_[0].copy()


def _held_out(problem, C, margins, factor):
    """Margins of every row by the SVM without it, to first order."""
    # Only the rows inside the margin pull at the weights. Row i contributes the leverage h_i to its
    # own margin; a Newton step without it leads from t - m to (t - m) / (1 - h_i).
    t = problem.targets
    active = np.flatnonzero(t * margins < 1)
    held_out = margins.copy()
    if not len(active):
        return held_out
    try:
        leverages = _leverages(problem, C, active, factor)
    except np.linalg.LinAlgError:  # with a large C rounding hides the penalty
        leverages = None
    if leverages is None:
        return _margins_by_folds(problem, C)
    slack = np.maximum(1 - leverages, 1e-9)
    held_out[active] = t[active] - (t[active] - margins[active]) / slack
    return held_out


def _leverages(problem, C, active, factor):
    """2 c_i z_i·H⁻¹z_i of the active rows; None if both Hessian and kernel are too large."""
    scales = np.full(len(active), 2.0 * C)
    if problem.weights is not None:
        scales *= problem.weights[active]
    if factor is not None:
        return leverages(problem.rows, active, scales, factor)
    rows = problem.rows[active]
    n_rows, n_columns = rows.shape
    small = n_columns <= min(n_rows, _MOST_NEWTON_COLUMNS) and n_rows * n_columns <= _MOST_DENSE
    if small:
        rows = np.ascontiguousarray(dense(rows))
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
    lower = np.linalg.cholesky(dense(rows @ rows.T) + np.eye(n_rows))
    inverse = solve_triangular(lower, np.eye(n_rows), lower=True, check_finite=False)
    return 1 - np.einsum("ij,ij->j", inverse, inverse)


def dense(matrix):
    """The matrix as an array."""
    return matrix.toarray() if issparse(matrix) else matrix


def _margins_by_folds(problem, C):
    """Margins of each row by LibLinear, trained without the third of the rows that holds it."""
    held_out = np.empty(problem.rows.shape[0])
    fold = np.arange(len(held_out)) % _FOLDS  # rows are sorted by class: folds are stratified
    for number in range(_FOLDS):
        inside = np.flatnonzero(fold != number)
        outside = np.flatnonzero(fold == number)
        n_left = int(np.searchsorted(inside, problem.n_left))
        weights = None if problem.weights is None else problem.weights[inside]
        part = NodeProblem(problem.rows[inside], n_left, weights)
        solution = _liblinear(part, C) if 0 < n_left < len(inside) else _one_sided(part)
        held_out[outside] = problem.rows[outside] @ solution
    return held_out


def _one_sided(problem):
    """Weights for rows of one side only: the intercept, the last column, decides."""
    weights = np.zeros(problem.rows.shape[1])
    weights[-1] = 1.0 if problem.n_left == 0 else -1.0
    return weights

"""`bayes_error_scorer`: how well the classes can be told apart after a transformation."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike
from sklearn.pipeline import Pipeline

from smartsvm._core.arithmetic import own_arithmetic
from smartsvm._core.checked_labels import check_labels
from smartsvm._core.points import scale_points
from smartsvm._core.types import RandomState
from smartsvm._core.validation import check_array, check_choice, tie_seed
from smartsvm.estimation.class_forest import ClassForest
from smartsvm.held_out.neighbors import leave_one_out, neighbor_labels
from smartsvm.selection.held_out_error import held_out_mistakes

CRITERIA = ("held_out", "tree", "neighbors")
_NEIGHBORS, _TREES = 5, 3


class _QuietForest(ClassForest):
    """A forest without the warning about small classes, which a search would repeat."""

    _warns = False


@own_arithmetic()
def bayes_error_scorer(
    estimator: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    criterion: str = "held_out",
    random_state: RandomState = 0,
) -> float:
    """Score a fitted transformer by how well the classes can be told apart after it.

    Pass it as ``scoring`` to `GridSearchCV` and similar searches to tune a transformer or a
    pipeline of them, without a classifier of your own. They score on held-out samples, so a
    transformer gains nothing by memorising labels.

    Parameters
    ----------
    estimator : fitted transformer or pipeline
        Anything with ``transform``. In a pipeline that ends with a predictor, the steps before it.
    X : array-like of shape (n_samples, n_features)
        Points that `estimator` was not fitted on.
    y : array-like of shape (n_samples,)
        Their labels.
    criterion : str, default="held_out"
        "held_out": the leave-one-out error of k nearest neighbours, LDA, Gaussian classes and
        kernel ridge, combined into one posterior. "tree": the estimate of `bayes_error` from three
        trees. "neighbors": the leave-one-out error of five nearest neighbours.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the order among equal distances.

    Returns
    -------
    float
        Minus the error, so that greater is better; HP-estimates are not clipped at the
        baseline (``bias_correction=False`` in `bayes_error`).

    Notes
    -----
    For other options use ``functools.partial(bayes_error_scorer, criterion="tree")``.
    Compare scores on equal numbers of samples only: errors fall with more samples.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.decomposition import PCA
    >>> from sklearn.model_selection import GridSearchCV
    >>> from smartsvm import bayes_error_scorer
    >>> X, y = load_digits(return_X_y=True)
    >>> search = GridSearchCV(PCA(), {"n_components": [2, 8, 32]}, scoring=bayes_error_scorer, cv=3)
    >>> search.fit(X, y).best_params_
    {'n_components': 32}
    """
    check_choice(criterion, "criterion", CRITERIA)
    if isinstance(estimator, Pipeline) and not hasattr(estimator, "transform"):
        estimator = estimator[:-1]
    if not hasattr(estimator, "transform"):
        raise TypeError(f"estimator must have a method transform, got {estimator!r}.")
    points = scale_points(_dense(estimator.transform(X)))
    seed = tie_seed(random_state)
    labels = check_labels(y, n_samples=points.n_rows)
    if criterion == "held_out":
        return -float(held_out_mistakes(points, labels.codes, seed=seed, n_jobs=None).mean())
    if criterion == "neighbors":
        k = min(_NEIGHBORS, points.n_rows - 1)
        nearest = neighbor_labels(points, labels.codes, k, seed=seed)
        votes = leave_one_out(nearest, labels.codes, len(labels.classes), np.array([k]))
        return -float(votes.errors[0])
    forest = _QuietForest(points, labels, n_trees=_TREES, random_state=seed)
    return -forest.multiclass(bias_correction=False).value


def _dense(points):
    """The result of a transformer as a finite array of two dimensions."""
    if scipy.sparse.issparse(points):
        points = points.toarray()
    points = np.asarray(points)
    return check_array(points[:, None] if points.ndim == 1 else points, "X")

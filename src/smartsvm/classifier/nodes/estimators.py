"""Nodes made of any scikit-learn classifier: training, and probabilities where it has none."""

from __future__ import annotations

import threading

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import LinearSVC

from smartsvm._core.parallel import parallel_results

_FOLDS = 3
# LibLinear's dual solver draws from one random state per process: two fits at the same
# time disturb each other's seeds. The primal solver draws nothing.
_DUAL_SOLVER = threading.Lock()


def fit_estimators(estimator, X, codes, hierarchy, *, weights, seeds, n_jobs):
    """Fit a clone of a classifier for every node; class 1 is the right side.

    Parameters
    ----------
    estimator : scikit-learn classifier
        What to clone.
    X : ndarray or sparse matrix of shape (n, d)
        Training rows.
    codes : ndarray of shape (n,)
        Their classes.
    hierarchy : ClassHierarchy
        The binary problems.
    weights : ndarray of shape (n,) or None
        Weights of the rows, passed on as sample weights.
    seeds : list of K - 1 int
        For clones that take a `random_state` and have none.
    n_jobs : int or None
        Threads over nodes.

    Returns
    -------
    list of K - 1 classifiers
        Fitted.
    """
    problems = (
        (seeded(clone(estimator), seed), *_node_rows(X, codes, side, weights))
        for seed, side in zip(seeds, hierarchy.sides, strict=True)
    )
    with parallel_results(fit_binary, problems, n_jobs) as results:
        return list(results)


def calibrate(estimators, X, codes, hierarchy, *, weights, n_jobs):
    """Sigmoids from margins to probabilities for classifiers without `predict_proba`.

    They are fitted to cross-validated margins: those of the training rows
    themselves are too sure.

    Parameters
    ----------
    estimators : list of K - 1 classifiers
        The fitted nodes.
    X : ndarray or sparse matrix of shape (n, d)
        Training rows.
    codes : ndarray of shape (n,)
        Their classes.
    hierarchy : ClassHierarchy
        The binary problems.
    weights : ndarray of shape (n,) or None
        Weights of the rows; without them here the sigmoids would undo what they did
        to the classifiers.
    n_jobs : int or None
        Threads over nodes.

    Returns
    -------
    list of (slope, intercept) or None
        None for a classifier that has `predict_proba`.
    """
    problems = (
        (estimator, *_node_rows(X, codes, side, weights))
        for estimator, side in zip(estimators, hierarchy.sides, strict=True)
    )
    with parallel_results(_sigmoid, problems, n_jobs) as results:
        return list(results)


def seeded(estimator, seed):
    """The classifier with a seed, if it takes one and has none."""
    if estimator.get_params(deep=False).get("random_state", 0) is None:
        estimator.set_params(random_state=seed)
    return estimator


def fit_binary(estimator, X, target, weights=None):
    """Fit a classifier, one at a time where two would disturb each other's random numbers."""
    fit_params = {} if weights is None else {"sample_weight": weights}
    if isinstance(estimator, LinearSVC) and estimator.dual is not False:
        with _DUAL_SOLVER:
            return estimator.fit(X, target, **fit_params)
    return estimator.fit(X, target, **fit_params)


def _node_rows(X, codes, side, weights):
    """Rows of a node, whether each is on the right, and their weights (None if all are 1)."""
    target = side[codes]
    rows = np.flatnonzero(target)
    inside = X if len(rows) == X.shape[0] else X[rows]
    own = None if weights is None else weights[rows]
    return inside, (target[rows] > 0).astype(np.intp), own


def _sigmoid(estimator, X, target, weights):
    if hasattr(estimator, "predict_proba"):
        return None
    margins = np.empty(len(target))
    n_folds = min(_FOLDS, np.bincount(target).min())
    if n_folds < 2:
        margins = node_margin(estimator, X)
    else:
        for train, test in StratifiedKFold(n_folds).split(X, target):
            own = None if weights is None else weights[train]
            model = fit_binary(clone(estimator), X[train], target[train], own)
            margins[test] = node_margin(model, X[test])
    spread = np.abs(margins).mean() or 1.0
    model = LogisticRegression(C=1e3).fit(margins[:, None] / spread, target, weights)
    return float(model.coef_[0, 0]) / spread, float(model.intercept_[0])


def node_margin(estimator, X):
    """Signed evidence for class 1 of a fitted binary classifier."""
    if not X.shape[0]:
        return np.empty(0)
    if hasattr(estimator, "decision_function"):
        return estimator.decision_function(X)
    if hasattr(estimator, "predict_proba"):
        return estimator.predict_proba(X)[:, 1] - 0.5
    return estimator.predict(X) - 0.5

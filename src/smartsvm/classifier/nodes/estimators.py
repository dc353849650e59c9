"""Nodes made of any scikit-learn classifier: training, and probabilities where it has none."""

import threading

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import LinearSVC

from smartsvm._core.parallel import parallel_results

_FOLDS = 3  # behind the margins that become log odds: each costs another fit of the node
# LibLinear's dual solver draws from one random state per process: two fits at the same
# time change each other's random numbers. The primal solver draws none.
_DUAL_SOLVER = threading.Lock()


def fit_estimators(estimator, X, codes, hierarchy, *, weights, seeds, n_jobs, probabilistic):
    """A clone for every node, and (slope, intercept) from margin to log odds or None."""

    def at_all_nodes(function, estimators):
        problems = (
            (each, *_node_rows(X, codes, side, weights))
            for each, side in zip(estimators, hierarchy.sides, strict=True)
        )
        with parallel_results(function, problems, n_jobs) as results:
            return list(results)

    fitted = at_all_nodes(fit_binary, [seeded(clone(estimator), seed) for seed in seeds])
    return fitted, at_all_nodes(_sigmoid, fitted) if probabilistic else [None] * len(fitted)


def seeded(estimator, seed):
    """The classifier with a seed, if it takes one and has none."""
    if estimator.get_params(deep=False).get("random_state", 0) is None:
        estimator.set_params(random_state=seed)
    return estimator


def fit_binary(estimator, X, target, weights=None):
    """Fit a classifier; one at a time where two fits change each other's random numbers."""
    fit_params = {} if weights is None else {"sample_weight": weights}
    if isinstance(estimator, LinearSVC) and estimator.dual is not False:
        with _DUAL_SOLVER:
            return estimator.fit(X, target, **fit_params)
    return estimator.fit(X, target, **fit_params)


def _node_rows(X, codes, side, weights):
    """Rows of a node, 1 for those on its right, and their weights (None if all are 1)."""
    target = side[codes]
    rows = np.flatnonzero(target)
    inside = X if len(rows) == X.shape[0] else X[rows]
    return inside, (target[rows] > 0).astype(np.intp), None if weights is None else weights[rows]


def _sigmoid(estimator, X, target, weights):
    """Fitted to cross-validated margins: those of the training rows are too confident."""
    if hasattr(estimator, "predict_proba"):
        return None
    margins = np.empty(len(target))
    n_folds = min(_FOLDS, np.bincount(target).min())
    if n_folds < 2:
        margins = node_margin(estimator, X)
    else:
        for train, test in StratifiedKFold(n_folds).split(X, target):
            fold_weights = None if weights is None else weights[train]
            model = fit_binary(clone(estimator), X[train], target[train], fold_weights)
            margins[test] = node_margin(model, X[test])
    spread = np.abs(margins).mean() or 1.0
    # Without the weights the sigmoid would undo their effect on the classifier.
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

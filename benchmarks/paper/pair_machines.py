"""One-vs-one machines and the two ways to read them: by votes, and by elimination (DAG)."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.multiclass import OneVsOneClassifier
from sklearn.svm import LinearSVC
from sklearn.utils.validation import check_is_fitted, validate_data


class DAGSVM(ClassifierMixin, BaseEstimator):
    """Pair machines read by elimination (Platt, Cristianini and Shawe-Taylor, 2000).

    All classes stand in a row; the machine of the first and the last decides which of the two
    is out, until one is left: K - 1 decisions per sample instead of K(K - 1)/2.

    Parameters
    ----------
    C : float, default=1.0
        Inverse strength of the regularisation.
    machines : fitted OneVsOneClassifier, default=None
        Its machines are used instead of training the same ones again.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels.
    coef_ : ndarray of shape (K(K - 1)/2, n_features)
        Weights; a positive decision is for the later class of the pair.
    intercept_ : ndarray of shape (K(K - 1)/2,)
        Intercepts.
    """

    def __init__(self, C=1.0, *, machines=None):
        self.C = C
        self.machines = machines

    def fit(self, X, y):
        """Train the machine of every pair, or take over those given."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        machines = self.machines
        if machines is None:
            machines = OneVsOneClassifier(LinearSVC(C=self.C, dual=False)).fit(X, y)
        self.classes_ = machines.classes_
        self.coef_ = np.vstack([each.coef_ for each in machines.estimators_])
        self.intercept_ = np.concatenate([each.intercept_ for each in machines.estimators_])
        return self

    def predict(self, X):
        """Labels of the classes that remain."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        n_classes = len(self.classes_)
        decisions = X @ self.coef_.T + self.intercept_
        number = np.zeros((n_classes, n_classes), dtype=np.intp)
        number[np.triu_indices(n_classes, 1)] = np.arange(n_classes * (n_classes - 1) // 2)
        first = np.zeros(len(X), dtype=np.intp)
        last = np.full(len(X), n_classes - 1)
        samples = np.arange(len(X))
        for _ in range(n_classes - 1):
            last_wins = decisions[samples, number[first, last]] > 0
            first = np.where(last_wins, first + 1, first)
            last = np.where(last_wins, last, last - 1)
        return self.classes_[first]

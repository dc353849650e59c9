"""Prediction by a fitted SmartSVM, or by the best one of a search."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from smartsvm._core.sources import is_source
from smartsvm._core.types import Floats, Labels, PointsLike, available_if
from smartsvm._core.validation import check_mask
from smartsvm.classifier.checked_input import check_rows
from smartsvm.classifier.hierarchy_choice import takes_sparse
from smartsvm.classifier.routing import ROUTINGS
from smartsvm.trees.open_points import open_points


def chosen(model):
    """The classifier itself, or the best one of a fitted search."""
    return getattr(model, "best_estimator_", model)


def is_probabilistic(model):
    """Whether a classifier has `predict_proba`."""
    return isinstance(chosen(model).routing, str) and chosen(model).routing == "soft"


class PredictionMixin:
    """The methods that `SmartSVM` and `SmartSVMCV` share."""

    def predict(self, X: PointsLike) -> Labels:
        """Predict the labels of points.

        Parameters
        ----------
        X : array-like, sparse matrix or source of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_samples,)
            Predicted labels.
        """
        check_is_fitted(self)
        if is_source(X):
            chunks = open_points(X).source.chunks()
            return np.concatenate([self.predict(rows) for _, rows in chunks])
        model, X = self._checked(X)
        return model.classes_[getattr(model._router, model.routing)(X)]

    @available_if(is_probabilistic)
    def predict_proba(self, X: PointsLike) -> Floats:
        """Products of the node probabilities on the path to each class, with soft routing only.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_samples, K)
            Probabilities in the order of ``classes_``; each row sums to 1.
        """
        model, X = self._checked(X)
        return model._router.log_probabilities(X, exponentiate=True)

    @available_if(is_probabilistic)
    def predict_log_proba(self, X: PointsLike) -> Floats:
        """Logarithms of the probabilities, precise where those are nearly 0.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_samples, K)
            In the order of ``classes_``.
        """
        model, X = self._checked(X)
        return model._router.log_probabilities(X)

    def decision_function(self, X: PointsLike) -> Floats:
        """Scores of the classes; the largest one is the prediction.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_samples, K), or (n_samples,) for two classes
            With soft routing the logarithms of the probabilities; with hard routing
            the smallest signed margin on the path to each class, positive if every
            node on the path decides for it. For two classes the score of the second.
        """
        model, X = self._checked(X)
        return ROUTINGS[model.routing](model._router, X, model.hierarchy_)

    def score(self, X: PointsLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """The accuracy of the predictions.

        Parameters
        ----------
        X : array-like, sparse matrix or source of shape (n_samples, n_features)
            Points.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        float
            The fraction of the weight that is predicted right.
        """
        check_mask(y, "y")
        check_mask(sample_weight, "sample_weight")
        return super().score(X, y, sample_weight)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = takes_sparse(self.hierarchy)
        return tags

    def _checked(self, X):
        check_is_fitted(self)
        return chosen(self), check_rows(chosen(self), X)

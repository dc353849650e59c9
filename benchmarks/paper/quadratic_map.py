"""The features and their products: the richer map of the reference classifiers."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import PCA
from sklearn.utils.validation import check_is_fitted, validate_data


class QuadraticMap(TransformerMixin, BaseEstimator):
    """x and all products of two features, or of two principal components if there are many.

    Parameters
    ----------
    most : int, default=16
        With more features than this the products are those of the first `most` principal
        components. Products are scaled to at most 1 on the training part.
    """

    def __init__(self, most=16):
        self.most = most

    def fit(self, X, y=None):
        """Learn the principal components and the scale of the products."""
        X = validate_data(self, X, dtype=np.float64)
        self.pca_ = None
        if X.shape[1] > self.most:
            self.pca_ = PCA(self.most, random_state=0).fit(X)
        largest = np.abs(self._products(X)).max(axis=0)
        self.scale_ = np.where(largest > 0, largest, 1.0)
        return self

    def transform(self, X):
        """The features of X followed by the products."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return np.hstack([X, self._products(X) / self.scale_])

    def _products(self, X):
        Z = X if self.pca_ is None else self.pca_.transform(X)
        i, j = np.triu_indices(Z.shape[1])
        return Z[:, i] * Z[:, j]

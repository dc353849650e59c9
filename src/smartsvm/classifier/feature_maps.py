"""Richer features for nodes that no hyperplane in the given ones can separate.

A map adds columns to the given features; it is fitted once on all classes and
shared by the nodes that use it. Its columns have mean 0 and variance 1 on the
training rows, so that one C suits them.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.decomposition import PCA

from smartsvm.classifier._descent import quadratic_terms
from smartsvm.classifier.class_statistics import class_statistics, ridged

NODE_MAPS = ("linear", "quadratic", "mahalanobis", "auto")
_MOST_FACTORS = 16  # features multiplied with each other: 136 products
_MOST_MEASURED = 32  # features in which distances to classes are measured
_ROWS_AT_ONCE = 4096


class _Subspace:
    """Centred features, or their principal components if they are too many."""

    def __init__(self, X, most, seed):
        self.centre = X.mean(axis=0)
        self.basis = None
        if X.shape[1] > most:
            n_components = min(most, len(X))
            solver = "covariance_eigh" if X.shape[1] <= 1000 else "randomized"
            pca = PCA(n_components, svd_solver=solver, random_state=seed)
            self.basis = pca.fit(X).components_.T

    def __call__(self, X):
        inside = X - self.centre
        return inside if self.basis is None else inside @ self.basis


class _Map:
    """Columns beside the given features, standardised over the training rows."""

    @classmethod
    def fit(cls, X, starts, seed):
        """The map of some training rows, and its columns of them.

        Parameters
        ----------
        X : ndarray of shape (n, d)
            Training rows, class after class.
        starts : ndarray of shape (K + 1,)
            Where each class begins, and n.
        seed : int
            Seed of the search for principal components of very many features.

        Returns
        -------
        feature_map : object
            With `transform` for other rows.
        columns : ndarray of shape (n, n_columns)
            The added columns of the training rows.
        """
        found = cls(X, starts, seed)
        found.shift, found.scale = np.zeros(found.n_columns), np.ones(found.n_columns)
        columns = found.transform(X)
        found.shift = columns.mean(axis=0)
        columns -= found.shift
        variance = np.einsum("ij,ij->j", columns, columns) / len(columns)
        # A column that does not change is left at 0, not blown up to noise.
        steady = variance <= 1e-24 * found.shift**2
        found.scale = np.where(steady, 0.0, 1 / np.sqrt(np.where(steady, 1.0, variance)))
        columns *= found.scale
        return found, columns

    def transform(self, X):
        """The added columns, shape (n, n_columns)."""
        out = np.empty((len(X), self.n_columns))
        for start in range(0, len(X), _ROWS_AT_ONCE):
            rows = slice(start, start + _ROWS_AT_ONCE)
            self._write(X[rows], out[rows])
        return out


class QuadraticMap(_Map):
    """All products of two features; of their 16 principal components if they are more.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Training rows.
    starts : ndarray
        Not used: the map knows no classes.
    seed : int
        Seed of the search for principal components of very many features.
    """

    def __init__(self, X, starts, seed):
        self.subspace = _Subspace(X, _MOST_FACTORS, seed)
        factors = min(len(X), _MOST_FACTORS) if X.shape[1] > _MOST_FACTORS else X.shape[1]
        self.n_columns = factors * (factors + 1) // 2

    def _write(self, X, out):
        quadratic_terms(self.subspace(X), self.shift, self.scale, out)


class MahalanobisMap(_Map):
    """The distance to the centroid of every class in the metric of that class.

    Covariances are shrunk towards the pooled one, by as much as d + 2 samples of it
    would, and measured in 32 principal components if the features are more.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Training rows, class after class.
    starts : ndarray of shape (K + 1,)
        Where each class begins, and n.
    seed : int
        Seed of the search for principal components of very many features.
    """

    def __init__(self, X, starts, seed):
        self.subspace = _Subspace(X, _MOST_MEASURED, seed)
        statistics = class_statistics(self.subspace(X), starts)
        d = statistics.means.shape[1]
        pooled, prior = statistics.pooled, d + 2
        self.means = statistics.means
        self.whiteners = np.empty_like(statistics.scatters)
        for k, (count, scatter) in enumerate(
            zip(statistics.counts, statistics.scatters, strict=True)
        ):
            covariance = ridged((scatter + prior * pooled) / (count + prior), 1e-9)
            lower = np.linalg.cholesky(covariance)
            self.whiteners[k] = solve_triangular(lower, np.eye(d), lower=True).T
        self.n_columns = len(statistics.counts)

    def _write(self, X, out):
        inside = self.subspace(X)
        for k, (mean, whitener) in enumerate(zip(self.means, self.whiteners, strict=True)):
            white = (inside - mean) @ whitener
            out[:, k] = np.sqrt(np.einsum("ij,ij->i", white, white))
        out -= self.shift
        out *= self.scale


MAPS = {"quadratic": QuadraticMap, "mahalanobis": MahalanobisMap}

"""Counts, means and scatter of every class, the raw material of maps and centroids."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class ClassStatistics(NamedTuple):
    """First and second moments of the classes.

    Attributes
    ----------
    counts : ndarray of shape (K,)
        Samples of each class.
    means : ndarray of shape (K, d)
        Centroids.
    scatters : ndarray of shape (K, d, d)
        Σ (x - mean)(x - mean)ᵀ over the samples of each class.
    """

    counts: np.ndarray
    means: np.ndarray
    scatters: np.ndarray

    @property
    def pooled(self):
        """Within-class covariance, slightly ridged so that it can be inverted."""
        return ridged(self.scatters.sum(axis=0) / self.counts.sum())


def class_statistics(X, starts):
    """Moments of rows that are sorted by class.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        The rows, class after class.
    starts : ndarray of shape (K + 1,)
        Where each class begins, and n.

    Returns
    -------
    ClassStatistics
        One entry per class.
    """
    n_classes, d = len(starts) - 1, X.shape[1]
    means = np.empty((n_classes, d))
    scatters = np.empty((n_classes, d, d))
    for k in range(n_classes):
        rows = X[starts[k] : starts[k + 1]]
        means[k] = rows.mean(axis=0)
        centred = rows - means[k]
        scatters[k] = centred.T @ centred
    return ClassStatistics(np.diff(starts), means, scatters)


def ridged(covariance, share=1e-3):
    """The covariance with a small part of its mean variance added to every variance."""
    mean_variance = np.trace(covariance) / len(covariance)
    return covariance + share * (mean_variance or 1.0) * np.eye(len(covariance))

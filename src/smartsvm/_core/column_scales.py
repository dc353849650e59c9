"""Columns on a common scale: standardised, by quartiles, as ranks, or from 0 to 1."""

import numpy as np
from scipy.stats import rankdata

from smartsvm._core.parallel import in_threads

SCALES = ("none", "standard", "robust", "ranks", "minmax")
_QUARTILES = 1.349  # (upper - lower quartile) / standard deviation of a Gaussian column


def scale_columns(X, scale, n_jobs=None):
    """X with all columns on one of `SCALES`; a constant column becomes constant."""
    if scale != "ranks":
        return ColumnScale(X, scale).of(X)
    ranks = np.empty(X.shape)

    def fill(column):
        ranks[:, column] = rankdata(X[:, column]) / len(X)

    in_threads(fill, range(X.shape[1]), n_jobs)
    return ranks


class ColumnScale:
    """A scale learnt from the columns of X, for these and for new rows."""

    def __init__(self, X, scale):
        self.scale = scale
        if scale == "none":
            return
        if scale == "ranks":
            self.sorted = np.sort(X, axis=0)
            return
        # Powers of two first: the squares of large values, or a range, would be infinite. A column
        # of mean 0 and variance 1 is the same before and after.
        self.exponent = -np.frexp(np.abs(X).max(axis=0))[1] - 1
        X = np.ldexp(X, self.exponent)
        if scale == "standard":
            self.shift, size = X.mean(axis=0), X.std(axis=0)
        elif scale == "robust":
            low, self.shift, high = np.quantile(X, [0.25, 0.5, 0.75], axis=0)
            size = np.where(high > low, (high - low) / _QUARTILES, X.std(axis=0))
        else:
            self.shift = X.min(axis=0)
            size = np.ptp(X, axis=0)
        self.size = np.where(size > 0, size, 1)

    def of(self, X):
        """Rows on this scale; a new value ranks between those that it separates."""
        if self.scale == "none":
            return X
        if self.scale == "ranks":
            return self._ranks(X)
        return (np.ldexp(X, self.exponent) - self.shift) / self.size

    def _ranks(self, X):
        ranks = np.empty_like(X, dtype=float)
        n = len(self.sorted)
        for j, column in enumerate(self.sorted.T):
            below = np.searchsorted(column, X[:, j], "left")
            ranks[:, j] = (below + np.searchsorted(column, X[:, j], "right") + 1) / (2 * n)
        return ranks

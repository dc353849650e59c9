"""Columns on a common scale: standardised, by quartiles, as ranks, or from 0 to 1."""

import numpy as np
from scipy.stats import rankdata

SCALES = ("none", "standard", "robust", "ranks", "minmax")
_QUARTILES = 1.349  # of a Gaussian column, in standard deviations


def scale_columns(X, scale):
    """X with all columns on one of `SCALES`; a constant column becomes constant."""
    if scale == "none":
        return X
    if scale == "ranks":
        return np.ascontiguousarray(rankdata(X, axis=0) / len(X))
    # Powers of two first: the squares of large values, or a range, would be infinite. A column
    # of mean 0 and variance 1 is the same before and after.
    X = np.ldexp(X, -np.frexp(np.abs(X).max(axis=0))[1] - 1)
    if scale == "standard":
        shift, size = X.mean(axis=0), X.std(axis=0)
    elif scale == "robust":
        low, shift, high = np.quantile(X, [0.25, 0.5, 0.75], axis=0)
        size = np.where(high > low, (high - low) / _QUARTILES, X.std(axis=0))
    else:
        shift, size = X.min(axis=0), np.ptp(X, axis=0)
    return (X - shift) / np.where(size > 0, size, 1)

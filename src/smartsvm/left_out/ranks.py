"""Ranks in place of values: for columns with a few large values, or with many zeros."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

# Mean squared correlation of columns with their ranks above which ranks say nothing new: it is
# .95 for normal columns and 1 for uniform ones and for those of two values.
_ALIKE = 0.9
_ROWS = 500  # about how many are enough to find that out


def telling_ranks(points):
    """The rank of every value in its column, if ranks differ enough from values.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_features)
        Finite points, scaled so that no square of a difference leaves the range.

    Returns
    -------
    ndarray of shape (n_samples, n_features) or None
        Ranks, the mean one for equal values; None if they go with the values, or all points
        are the same.

    Notes
    -----
    Where most values of a column are zero and the others of several magnitudes, distances
    are those of the few largest values; ranks also see which are zero.
    """
    some = points[:: -(-len(points) // _ROWS)]
    values, places = _standardised(some), _standardised(rankdata(some, axis=0))
    moving = places.any(axis=0)
    correlations = np.einsum("ij,ij->j", values, places)[moving]
    if not moving.any() or np.mean(correlations**2) >= _ALIKE:
        return None
    return rankdata(points, axis=0)


def _standardised(columns):
    """Columns of mean 0 and length 1; 0 where nothing changes."""
    centred = columns - columns[0]  # of values far from 0 and near each other: exact
    centred -= centred.mean(axis=0)
    lengths = np.sqrt(np.einsum("ij,ij->j", centred, centred))
    return centred / np.where(lengths > 0, lengths, np.inf)

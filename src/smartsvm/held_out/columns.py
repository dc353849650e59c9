"""Columns as rules see them, whatever the labels: in units of their spread, or as ranks."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

_REACH = 3.0  # mean absolute deviations: values further out are clipped to there
_VALUES = 2**16  # numbers in a chunk of rows with all that is computed from it
# Mean squared correlation of columns with their ranks above which ranks say nothing new: it is
# .95 for normal columns and 1 for uniform ones and for those of two values.
_ALIKE = 0.9
_ROWS = 500  # about how many are enough to find that out


class Columns:
    """The columns with mean 0 and variance 1 and without far values, a few rows at a time.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_features)
        The points.
    """

    def __init__(self, points):
        self._points, self._turned = points, None
        n, d = points.shape
        self.shape = n, min(n, d)
        self._middle = sum(self._from_first(rows).sum(axis=0) for rows in self._chunks()) / n
        away = sum(np.abs(self._from_middle(rows)).sum(axis=0) for rows in self._chunks()) / n
        self._unit = _or_infinite(away)
        self._mean, squares = np.zeros(d), np.zeros(d)
        for rows in self._chunks():
            block = self._clipped(rows)
            self._mean += block.sum(axis=0) / n
            squares += (block**2).sum(axis=0) / n
        self._scale = _or_infinite(np.sqrt(np.maximum(squares - self._mean**2, 0)))
        if d > n:
            # n samples span at most n directions, and no distance changes by turning them.
            self._turned = np.linalg.qr(self.block(slice(None)).T, mode="r").T

    def _chunks(self):
        return chunks_of(len(self._points), self._points.shape[1])

    def _from_first(self, rows):
        # Values far from 0 and near each other have exact differences and no exact mean.
        return self._points[rows] - self._points[0]

    def _from_middle(self, rows):
        block = self._from_first(rows)
        block -= self._middle
        return block

    def _clipped(self, rows):
        block = self._from_middle(rows)
        block /= self._unit
        return np.clip(block, -_REACH, _REACH, out=block)

    def block(self, rows):
        """Some rows as they enter the rule."""
        if self._turned is not None:
            return self._turned[rows]
        block = self._clipped(rows)
        block -= self._mean
        block /= self._scale
        return block


def _or_infinite(spreads):
    """Spreads to divide by: infinity for none, so that a constant column becomes 0."""
    return np.where(spreads > 0, spreads, np.inf)


def chunks_of(n_rows, width):
    """Slices of rows, small enough that a chunk of this width fits the cache."""
    size = max(1, _VALUES // max(1, width))
    return [slice(start, start + size) for start in range(0, n_rows, size)]


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


def normal_scores(ranks):
    """Quantiles of the normal distribution in place of ranks.

    A skewed column, such as amounts or concentrations, becomes a normal one whatever
    monotone function made it skewed: what is a straight line in the logarithms of such
    columns is nearly one in their scores.

    Parameters
    ----------
    ranks : ndarray of shape (n_samples, n_features)
        Ranks in every column, from 1.

    Returns
    -------
    ndarray of shape (n_samples, n_features)
        Scores.
    """
    return ndtri((ranks - 0.5) / len(ranks))


def _standardised(columns):
    """Columns of mean 0 and length 1; 0 where nothing changes."""
    centred = columns - columns[0]  # of values far from 0 and near each other: exact
    centred -= centred.mean(axis=0)
    lengths = np.sqrt(np.einsum("ij,ij->j", centred, centred))
    return centred / np.where(lengths > 0, lengths, np.inf)

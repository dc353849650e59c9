"""Columns as classifiers take them, without any labels: standardised, or as ranks.

The scale of `Points` is chosen for neighbours, and may leave columns in units of their own. LDA,
QDA and kernel ridge shrink all columns alike, so they need equal variances, without outliers.
"""

from copy import copy

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from smartsvm._core.devices import beside
from smartsvm._core.parallel import in_threads

# Values further than 3 mean absolute deviations from the mean are clipped.
_CLIP_IN_MEAN_DEVIATIONS = 3.0
# A chunk has 2^16 / width rows, so that it fits the cache with all that is computed from it, but at
# least 128: a product with fewer rows reads the other factor too often.
_VALUES = 2**16
_LEAST_ROWS = 128
# Mean squared correlation of columns with their ranks above which ranks add nothing: it is 0.95
# for Gaussian columns and 1 for uniform and for binary ones.
_ALIKE = 0.9
# Rows that this correlation is measured on, at most.
_ROWS = 500


class Columns:
    """The columns with outliers clipped, mean 0 and variance 1, a few rows at a time."""

    def __init__(self, points, n_jobs=None):
        self._points = points
        self._turned = None
        n, d = points.shape
        self.shape = n, min(n, d)

        def mean(function):
            """The mean of a function of rows, by chunks whose sums are added in their order."""
            sums = in_threads(lambda rows: function(rows).sum(axis=0), chunks_of(n, d), n_jobs)
            return sum(sums) / n

        def moments(rows):
            block = self._clipped(rows)
            return np.hstack([block, block**2])

        self._middle = mean(self._from_first)
        self._unit = _or_infinite(mean(lambda rows: np.abs(self._from_middle(rows))))
        self._mean, squares = np.split(mean(moments), 2)
        self._scale = _or_infinite(np.sqrt(np.maximum(squares - self._mean**2, 0)))
        if d > n:
            # n samples span at most n directions, and a rotation changes no distance.
            self._turned = np.linalg.qr(self.block(slice(None)).T, mode="r").T

    def of(self, rows):
        """Some of the rows, as if there were no others."""
        part = copy(self)
        part.shape = len(rows), self.shape[1]
        part.block = lambda within: self.block(rows[within])
        return part

    def on(self, points):
        """The columns of the same points as a tensor, whose device computes the blocks."""
        there = copy(self)
        there._points = points.double()
        for name in ("_middle", "_unit", "_mean", "_scale"):
            setattr(there, name, beside(getattr(self, name), points))
        return there

    def _from_first(self, rows):
        # Values far from 0 and near each other have exact differences but no exact mean.
        return self._points[rows] - self._points[0]

    def _from_middle(self, rows):
        block = self._from_first(rows)
        block -= self._middle
        return block

    def _clipped(self, rows):
        block = self._from_middle(rows)
        block /= self._unit
        return block.clip(-_CLIP_IN_MEAN_DEVIATIONS, _CLIP_IN_MEAN_DEVIATIONS)

    def block(self, rows):
        """Some rows, standardised."""
        if self._turned is not None:
            return self._turned[rows]
        block = self._clipped(rows)
        block -= self._mean
        block /= self._scale
        return block


def _or_infinite(spreads):
    """Divisors: infinity in place of 0, so that a constant column becomes 0."""
    return np.where(spreads > 0, spreads, np.inf)


def chunks_of(n_rows, width, most=None):
    """Slices of rows, small enough that a chunk of this width fits the cache, if it can."""
    size = max(_LEAST_ROWS, (most or _VALUES) // max(1, width))
    return [slice(start, start + size) for start in range(0, n_rows, size)]


def informative_ranks(points):
    """The rank of every value in its column, or None where ranks say no more than values."""
    sampled = points[:: -(-len(points) // _ROWS)]
    values = _unit_columns(sampled)
    places = _unit_columns(rankdata(sampled, axis=0))
    varying = places.any(axis=0)
    correlations = np.einsum("ij,ij->j", values, places)[varying]
    if not varying.any() or np.mean(correlations**2) >= _ALIKE:
        return None
    return rankdata(points, axis=0)


def normal_scores(ranks):
    """Gaussian quantiles in place of ranks, which undo any monotone map of a Gaussian column."""
    return ndtri((ranks - 0.5) / len(ranks))


def _unit_columns(columns):
    """Columns of mean 0 and length 1; 0 where a column is constant."""
    centred = columns - columns[0]  # exact, as in `Columns`
    centred -= centred.mean(axis=0)
    return centred / _or_infinite(np.sqrt(np.einsum("ij,ij->j", centred, centred)))

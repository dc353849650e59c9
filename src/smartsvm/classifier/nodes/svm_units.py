"""Units of the features in an SVM: solvers need values near 1, and so does a common C."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import diags, issparse

# Features are used as given if their largest range is at least _LEAST_RANGE, below which C=1
# underfits, and no value exceeds _MOST_MAGNITUDE or _MOST_OFFSET times the range, above which
# solvers converge slowly.
_LEAST_RANGE = 2.0**-2
_MOST_MAGNITUDE = 2.0**14
_MOST_OFFSET = 2.0**14


class SVMUnits(NamedTuple):
    """A shift and a scale of every feature: the SVM is fitted to (X - shift) / scale."""

    shift: np.ndarray | None  # None for sparse points, whose zeros must stay zeros
    scale: np.ndarray  # above 0

    def __call__(self, X):
        """The points in these units, in a new array."""
        if issparse(X):
            return (X @ diags(1 / self.scale)).tocsr()
        with np.errstate(under="ignore"):
            return np.ascontiguousarray((X - self.shift) / self.scale)

    def as_given(self, weights):
        """Weights of the features as given, intercepts last, from those in these units."""
        with np.errstate(over="ignore", invalid="ignore"):
            coef = weights[:, :-1] / self.scale
            intercept = weights[:, -1]
            if self.shift is not None:
                intercept = intercept - coef @ self.shift
        if not (np.isfinite(coef).all() and np.isfinite(intercept).all()):
            raise ValueError(
                "X must hold features whose weights a float can hold, got one with a standard "
                f"deviation of {self.scale.min():.3g}; scale the features, to [-1, 1] for instance."
            )
        return np.column_stack([coef, intercept])


def units_for(X):
    """The units for linear SVMs on these points; None for points that are used as given."""
    low, high = (np.ravel(_dense_row(row)) for row in (X.min(axis=0), X.max(axis=0)))
    widest = (high - low).max()
    largest = max(high.max(), -low.min())
    ordinary = widest >= _LEAST_RANGE and largest <= min(_MOST_MAGNITUDE, _MOST_OFFSET * widest)
    if ordinary or widest == 0:
        return None
    if issparse(X):
        reach = np.maximum(high, -low)
        return SVMUnits(None, np.where(reach > 0, reach, 1.0))
    shift, deviation = _centre_and_deviation(X, low, high)
    return SVMUnits(shift, np.where(deviation > 0, deviation, 1.0))


def _centre_and_deviation(X, low, high):
    """Mean and standard deviation of every feature, at any magnitude."""
    with np.errstate(under="ignore"):
        # Powers of two first: sums of large values overflow, squares of small ones underflow.
        exponent = np.frexp(np.maximum(np.abs(low), np.abs(high)))[1]
        mean = np.ldexp(np.ldexp(X, -exponent).mean(axis=0), exponent)
        mean = np.clip(mean, low, high)  # the very value of a constant feature
        centred = X - mean
        exponent = np.frexp(np.abs(centred).max(axis=0))[1]
        return mean, np.ldexp(np.ldexp(centred, -exponent).std(axis=0), exponent)


def _dense_row(row):
    """The minima or maxima of the columns as an array."""
    return row.toarray() if issparse(row) else row

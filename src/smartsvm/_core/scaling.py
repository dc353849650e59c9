"""Powers of two that bring points into the range in which squares are safe."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smartsvm._core.magnitudes import are_within
from smartsvm._core.validation import warn

# Within these sizes no squared difference of two floats over- or underflows: the
# largest is below 2^1002, and floats of at least 2^-440 differ by at least 2^-493.
SAFE_LARGEST = 2.0**500
SAFE_SMALLEST = 2.0**-440
_SAFE_SPAN = 500  # powers of two between the largest and the smallest difference


class Scale(NamedTuple):
    """How points are scaled; all distances are 2^-exponent times what they were.

    Attributes
    ----------
    exponent : int
        Columns are multiplied by 2^-exponent, which is exact.
    constant : ndarray of bool, shape (n_features,)
        Columns of one value. They are set to zero: they add nothing to a distance, but
        multiplied they could overflow.
    """

    exponent: int
    constant: np.ndarray

    def apply(self, points):
        """The scaled points, in a new array."""
        scaled = points.copy()
        scaled[:, self.constant] = 0
        with np.errstate(under="ignore", over="ignore"):
            np.ldexp(scaled, -self.exponent, out=scaled)
        # A file may have changed since its ranges were found; kernels need finite numbers.
        if not np.isfinite(scaled).all():
            raise ValueError(
                f"X must not change while it is read, got a value that is not finite "
                f"after division by 2^{self.exponent}."
            )
        return scaled


class ScaledPoints(NamedTuple):
    """Points that are checked and scaled already; functions of this package accept them as X.

    Attributes
    ----------
    points : ndarray of shape (n_samples, n_features)
        Finite float64, in C order; no squared difference over- or underflows.
    exponent : int
        Distances in what was given are 2^exponent times those of the points.
    """

    points: np.ndarray
    exponent: int

    @property
    def n_rows(self):
        return len(self.points)

    @property
    def n_features(self):
        return self.points.shape[1]


def is_safe(largest, smallest):
    """Whether points need no scale, from the largest size and the smallest one above 0."""
    return largest <= SAFE_LARGEST and smallest >= SAFE_SMALLEST


def are_safe(X, n_threads=1):
    """Whether points need no scale, and are finite; X is a C-contiguous float64 array."""
    return are_within(X, SAFE_SMALLEST, SAFE_LARGEST, n_threads)


def scale_for(low, high):
    """The scale for points whose ranges are known.

    The largest range decides, not the largest value: next to a column of one large value,
    others may hold all the differences. A value is at most 2^53 times the range of its column
    unless that is 0, so nothing overflows.

    Parameters
    ----------
    low, high : ndarray of shape (n_features,)
        Smallest and largest value of each column.

    Returns
    -------
    Scale
        After it no difference is larger than 1.
    """
    with np.errstate(over="ignore"):
        widest = (high - low).max()
    # Of two floats the difference is below 2^1025, beyond the largest float.
    exponent = 1025 if np.isinf(widest) else int(np.frexp(widest)[1])
    return Scale(exponent, low == high)


def scale_to_safe_range(X, n_threads=1):
    """X times a power of two such that no squared difference over- or underflows.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Checked points.
    n_threads : int, default=1
        Threads that look for the extremes.

    Returns
    -------
    ScaledPoints
        X itself in the ordinary case. Scaling by a power of two is exact, so the trees are
        those of X.
    """
    if are_safe(X, n_threads):
        return ScaledPoints(X, 0)
    scale = scale_for(X.min(axis=0), X.max(axis=0))
    warn_of_lost_differences([tiny_values(X, scale.exponent)], scale.exponent)
    return ScaledPoints(scale.apply(X), scale.exponent)


def tiny_values(X, exponent, most=None):
    """Values of each feature, distinct and sorted, that are small enough to differ by too little.

    Two floats differ by at least half the spacing at the larger one. So a difference that is
    lost beside others of about 2^exponent is between two of these.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Values, not scaled.
    exponent : int
        From `scale_to_safe_range`.
    most : int or None, default=None
        Keep this many for each feature, the ones nearest to 0.

    Returns
    -------
    list of ndarray
        One array per feature.
    """
    found = []
    for column in X.T:
        values = np.unique(column[np.abs(column) < np.ldexp(1.0, exponent - _SAFE_SPAN + 53)])
        if most is not None and len(values) > most:
            values = np.sort(values[np.argsort(np.abs(values))[:most]])
        found.append(values)
    return found


def warn_of_lost_differences(tiny, exponent):
    """Warn if some values of a feature differ by less than squares of float64 can hold.

    Parameters
    ----------
    tiny : list of list of ndarray
        `tiny_values` of parts of the data.
    exponent : int
        From `scale_to_safe_range`.
    """
    least = np.ldexp(1.0, exponent - _SAFE_SPAN)
    for parts in zip(*tiny, strict=True):
        gaps = np.diff(np.unique(np.concatenate(parts)))
        if len(gaps) and gaps.min() < least:
            warn(
                f"The nonzero differences between the values of X span more than "
                f"2^{_SAFE_SPAN}: next to the largest, the smallest underflow and are lost.",
                RuntimeWarning,
            )
            return

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
    """How points are scaled; all distances are 2^-exponent times what they were."""

    exponent: int  # columns are multiplied by 2^-exponent, which is exact
    constant: np.ndarray  # columns of one value

    def apply(self, points):
        """The scaled points, in a new array."""
        scaled = points.copy()
        scaled[:, self.constant] = 0
        with np.errstate(under="ignore", over="ignore"):
            np.ldexp(scaled, -self.exponent, out=scaled)
        return check_unchanged(scaled)


class ScaledPoints(NamedTuple):
    """Points that are checked and scaled already; functions of this package accept them as X."""

    points: np.ndarray  # finite float64, in C order; no squared difference over- or underflows
    exponent: int  # distances in what was given are 2^exponent times those of the points

    @property
    def n_rows(self):
        return len(self.points)

    @property
    def n_features(self):
        return self.points.shape[1]


def check_unchanged(points):
    """The points, an array of ours, or an error: what passed all checks before may have changed.

    Kernels never see a number that is not finite, or whose square is not.
    """
    if not are_within(points, 0.0, SAFE_LARGEST):
        raise ValueError(
            "X must not change while it is read: values that were checked before are no longer "
            "finite or have become very large."
        )
    return points


def take_rows(points, rows):
    """Some rows (an array of their numbers) as float64, of points of any type or in a file."""
    taken = np.ascontiguousarray(points[rows], dtype=np.float64)
    return check_unchanged(taken) if isinstance(points, np.memmap) else taken


def is_safe(largest, smallest):
    """Whether points need no scale, from the largest size and the smallest one above 0."""
    return largest <= SAFE_LARGEST and smallest >= SAFE_SMALLEST


def are_safe(X, n_threads=1):
    """Whether points need no scale, and are finite; X is a C-contiguous float64 array."""
    return are_within(X, SAFE_SMALLEST, SAFE_LARGEST, n_threads)


def scale_for(low, high):
    """The scale for points whose ranges are known."""
    with np.errstate(over="ignore"):
        widest = (high - low).max()
    # Of two floats the difference is below 2^1025, beyond the largest float.
    exponent = 1025 if np.isinf(widest) else int(np.frexp(widest)[1])
    return Scale(exponent, low == high)


def scale_to_safe_range(X, n_threads=1):
    """X, which must be ours, times a power of two: no squared difference leaves the range."""
    if are_safe(X, n_threads):
        return ScaledPoints(X, 0)
    scale = scale_for(X.min(axis=0), X.max(axis=0))
    warn_of_lost_differences([tiny_values(X, scale.exponent)], scale.exponent)
    return ScaledPoints(scale.apply(X), scale.exponent)


def tiny_values(X, exponent, most=None):
    """Distinct values of each feature, sorted, whose differences may be too small to square."""
    found = []
    for column in X.T:
        values = np.unique(column[np.abs(column) < np.ldexp(1.0, exponent - _SAFE_SPAN + 53)])
        if most is not None and len(values) > most:
            values = np.sort(values[np.argsort(np.abs(values))[:most]])
        found.append(values)
    return found


def warn_of_lost_differences(tiny, exponent):
    """Warn if some values of a feature differ by less than squares of float64 can hold."""
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

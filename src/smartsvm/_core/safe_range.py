"""Scale points by a power of two so that squared differences are safe."""

from typing import NamedTuple

import numpy as np

from smartsvm._core.magnitudes import are_within
from smartsvm._core.npy_files import check_mapped
from smartsvm._core.validation import warn

# Between these magnitudes no squared difference of two floats over- or underflows: the largest is
# below 2^1002, and distinct floats of at least 2^-440 differ by at least 2^-493.
SAFE_LARGEST = 2.0**500
SAFE_SMALLEST = 2.0**-440
_SAFE_SPAN = 500  # log2 of the largest difference over the smallest
# Scaled values below this, whose squared differences all but underflow, become 0: distinct points
# at no distance would defeat all pruning.
_LOST = 2.0**-535


class Scale(NamedTuple):
    """A scale: distances are multiplied by 2^-exponent."""

    exponent: int  # features are multiplied by 2^-exponent, which is exact
    constant: np.ndarray  # which features are constant

    def apply(self, points):
        """The scaled points, in a new array."""
        scaled = points.copy()
        scaled[:, self.constant] = 0
        with np.errstate(under="ignore", over="ignore"):
            np.ldexp(scaled, -self.exponent, out=scaled)
        scaled[np.abs(scaled) < _LOST] = 0
        return check_unchanged(scaled)


def check_unchanged(points):
    """Raise if points that passed all checks have changed since; kernels need finite squares."""
    if not are_within(points, 0.0, SAFE_LARGEST):
        raise ValueError(
            "X must not change while it is read: values that were checked before are no longer "
            "finite or have become very large."
        )
    return points


def take_rows(points, rows):
    """Some rows as float64, from points of any dtype or a memory-map."""
    if not isinstance(points, np.memmap):
        return np.ascontiguousarray(points[rows], dtype=np.float64)
    check_mapped(points)
    return check_unchanged(np.ascontiguousarray(points[rows], dtype=np.float64))


def is_safe(largest, smallest):
    """Whether points need no scaling, from their largest and smallest nonzero magnitude."""
    return largest <= SAFE_LARGEST and smallest >= SAFE_SMALLEST


def are_safe(X):
    """Whether a C-contiguous float64 array is finite and needs no scaling."""
    return are_within(X, SAFE_SMALLEST, SAFE_LARGEST)


def scale_for(low, high):
    """The scale for points with these ranges of features."""
    with np.errstate(over="ignore"):
        widest = (high - low).max()
    # The difference of two floats may exceed the largest float, but not 2^1025.
    exponent = 1025 if np.isinf(widest) else int(np.frexp(widest)[1])
    return Scale(exponent, low == high)


def scale_to_safe_range(X):
    """X · 2^-exponent, whose squared differences neither over- nor underflow, and the exponent.

    X is our own copy, and is returned as it is where that is safe.
    """
    if are_safe(X):
        return X, 0
    scale = scale_for(X.min(axis=0), X.max(axis=0))
    warn_of_lost_differences([tiny_values(X, scale.exponent)], scale.exponent)
    return scale.apply(X), scale.exponent


def tiny_values(X, exponent, most=None):
    """Distinct values of each feature, sorted, whose differences may be too small to square."""
    by_feature = []
    for column in X.T:
        values = np.unique(column[np.abs(column) < _power(exponent - _SAFE_SPAN + 53)])
        if most is not None and len(values) > most:
            values = np.sort(values[np.argsort(np.abs(values))[:most]])
        by_feature.append(values)
    return by_feature


def _power(exponent):
    with np.errstate(under="ignore"):
        return np.ldexp(1.0, exponent)


def warn_of_lost_differences(tiny, exponent):
    """Warn if some values of a feature differ by too little for float64 to hold the square."""
    least = _power(exponent - _SAFE_SPAN)
    for parts in zip(*tiny, strict=True):
        gaps = np.diff(np.unique(np.concatenate(parts)))
        if len(gaps) and gaps.min() < least:
            warn(
                f"The nonzero differences between the values of X span more than "
                f"2^{_SAFE_SPAN}: the smallest ones underflow beside the largest and are lost.",
                RuntimeWarning,
            )
            return

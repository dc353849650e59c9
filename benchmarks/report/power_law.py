"""The rival of the learning curve: a power law with an offset, fitted to a measured curve.

POW4 of Viering and Loog (2023): error = a + b (n + c)^-d, by least squares.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import least_squares

PARTS = 0.1, 0.18, 0.32, 0.56, 1.0  # of the rows: the sizes of the curve
_LEAST = 10  # rows of a part, in classes of two rows or more
_STARTS = 0.25, 0.5, 1.0  # of the exponent
_MOST_EXPONENT = 3.0


def measured_curve(error_of, X, y):
    """Sizes and errors on the first rows of a sample, if there are two classes in them."""
    curve = []
    for part in PARTS:
        n = round(part * len(y))
        counts = np.bincount(y[:n])
        counts = counts[counts > 1]  # a report leaves out classes of one row
        if len(counts) > 1 and counts.sum() >= _LEAST:
            curve.append((n, error_of(X[:n], y[:n])))
    return np.array(curve).T


def extrapolated(curve, n):
    """The error at n rows, not below 0; the last one of a curve of fewer than four sizes."""
    sizes, errors = curve
    if len(sizes) < 4:
        return float(errors[-1])
    unit = sizes[-1]  # numbers of about 1 for the solver

    def away(values):
        return _law(values, sizes / unit) - errors

    low, high = [0, 0, -0.9 * sizes[0] / unit, 0], [1, np.inf, 10, _MOST_EXPONENT]
    starts = [[errors[-1] / 2, max(errors[-1] / 2, 1e-3), 0, each] for each in _STARTS]
    found = [least_squares(away, start, bounds=(low, high)) for start in starts]
    best = min(found, key=lambda each: each.cost)
    return float(max(_law(best.x, n / unit), 0.0))


def _law(values, sizes):
    offset, factor, shift, exponent = values
    return offset + factor * (sizes + shift) ** -exponent

"""Counts of cross edges to divergence, bounds and HP-estimates: formulas, nothing else.

All functions work on arrays of counts. For K classes a = (K - 1) / K; two classes
have a = 1/2. R is the number of cross edges, averaged over orthogonal trees, n the
number of points, r = R / n, and e = 1 - max prior, the error of always answering
the largest class.
"""

from __future__ import annotations

import numpy as np

BIAS_CORRECTIONS = (True, False, "prior")


def divergence(cross, n_first, n_second):
    """Estimated Henze–Penrose divergence 1 - nR / (2 n_1 n_2); negative by chance if there is none.

    With equal distributions and fixed class sizes its expectation is exactly 0.
    """
    return 1 - (n_first + n_second) * cross / (2 * n_first * n_second)


def lower_bound(ratio, a=0.5):
    """Lower bound a(1 - sqrt(1 - r/a)) of the Bayes error; ½ - ½√û for two classes."""
    return a * (1 - np.sqrt(np.maximum(0, 1 - ratio / a)))


def cross_ratio_limit(e, a=0.5):
    """The paper's γ / n: the ratio r at which the HP-estimate reaches e.

    For K classes ½[4e - 3a + √(9a² - 8ae)]; a = ½ gives the paper's formula.
    """
    # e ≤ a, so the root is real; rounding at e = a must not make it NaN.
    return (4 * e - 3 * a + np.sqrt(np.maximum(0, 9 * a**2 - 8 * a * e))) / 2


def bayes_error_bounds(cross, n_samples, e, *, n_classes=2, bias_correction=True):
    """HP-estimate with lower and upper bound of the Bayes error."""
    a = (n_classes - 1) / n_classes
    ratio = cross / n_samples
    if bias_correction is True:
        ratio = np.minimum(ratio, cross_ratio_limit(e, a))
    lower, upper = lower_bound(ratio, a), ratio
    if bias_correction == "prior":
        lower, upper = np.minimum(lower, e), np.minimum(upper, e)
    return (lower + upper) / 2, lower, upper

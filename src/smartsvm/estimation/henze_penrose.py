"""The formulas: from counts of cross edges to divergence, bounds and HP-estimates.

All functions work on arrays. R is the number of cross edges, averaged over orthogonal trees, n the
number of points and r = R / n. For K classes a = (K - 1) / K, which is 1/2 for two. The baseline
error e = 1 - max prior is that of always predicting the largest class.
"""

import numpy as np

BIAS_CORRECTIONS = (True, False, "prior")


def divergence(cross, n_samples, chance):
    """1 - R / (n chance), where two random labels differ with probability `chance`.

    For two classes this is Henze and Penrose's 1 - nR / (2 n_1 n_2). Its mean is 0 if the classes
    have equal distributions.
    """
    return 1 - cross / (n_samples * chance)


def lower_bound(ratio, a=0.5):
    """Lower bound a(1 - sqrt(1 - r/a)) of the Bayes error; ½ - ½√û for two classes."""
    return a * (1 - np.sqrt(np.maximum(0, 1 - ratio / a)))


def cross_ratio_limit(e, a=0.5):
    """The paper's γ / n, at which the HP-estimate reaches e: ½[4e - 3a + √(9a² - 8ae)]."""
    # The root is real since e ≤ a, but rounding at e = a could make it NaN.
    return (4 * e - 3 * a + np.sqrt(np.maximum(0, 9 * a**2 - 8 * a * e))) / 2


def bayes_error_bounds(cross, n_samples, e, *, n_classes=2, bias_correction="prior"):
    """HP-estimate, lower and upper bound of the Bayes error."""
    a = (n_classes - 1) / n_classes
    ratio = cross / n_samples
    if bias_correction is True:
        ratio = np.minimum(ratio, cross_ratio_limit(e, a))
    lower = lower_bound(ratio, a)
    upper = ratio
    if bias_correction == "prior":
        lower, upper = np.minimum(lower, e), np.minimum(upper, e)
    return (lower + upper) / 2, lower, upper

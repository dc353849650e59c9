"""Confidence intervals of counts, bounds and held-out errors."""

from typing import NamedTuple

import numpy as np

from smartsvm._core.wilson import wilson_limits
from smartsvm.estimation.henze_penrose import bayes_error_bounds
from smartsvm.estimation.results import Interval


class Intervals(NamedTuple):
    """Estimates with their confidence limits: arrays of one shape."""

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray


def bound_intervals(forest, variance, z):
    """Intervals of the fraction of cross edges, and of the lower and the upper bound.

    The `variance` is that of the number of cross edges.
    """
    n, n_classes = int(forest.class_counts.sum()), len(forest.classes)
    whole = forest.multiclass()
    cross = Interval(whole.cross_counts, *_around(whole.cross_counts, variance, z))
    # The bounds are cut at the baseline's error, their limits at its limits.
    most = np.array(error_interval(1 - forest.class_counts.max() / n, n, z))
    _, low, high = bayes_error_bounds(
        np.array(cross), n, most, n_classes=n_classes, bias_correction="prior"
    )
    lower, upper = Interval(*map(float, low)), Interval(*map(float, high))
    return Interval(*(float(each) / n for each in cross)), lower, upper


def error_interval(error, n, z):
    """Wilson's interval of an error on n independent samples."""
    return Interval(float(error), *map(float, wilson_limits(error, n, z)))


def baseline_interval(class_counts, n, z):
    """Error of always answering the largest class on new samples."""
    # Each of the m classes that may be the largest may have been drawn so often by chance: at the
    # high end the tail beyond z is divided among them, √(z² + 2 log m).
    error = 1 - float(class_counts.max() / class_counts.sum())
    beyond = error_interval(error, n, z * np.sqrt(choice_of_largest(class_counts, n, z)))
    return Interval(error, error_interval(error, n, z).low, beyond.high)


def choice_of_largest(class_counts, n, z):
    """Factor by which choosing the largest class widens the variance of its error."""
    shares = class_counts / class_counts.sum()
    least = wilson_limits(shares.max(), n, z)[0]
    rivals = np.count_nonzero(wilson_limits(shares, n, z)[1] >= least)
    return 1 + 2 * float(np.log(rivals)) / z**2


def _around(count, variance, z):
    """Limits of a count whose variance grows with its mean, as Wilson's; never below 0."""
    if variance <= 0 or count <= 0:
        # Where no label nearby ever differs: the limit of a rare event.
        return 0.0 if count <= 0 else count, count + z**2 / 2 + z * np.sqrt(count + z**2 / 4)
    shift = z**2 / 2 * variance / count
    half = np.sqrt(z**2 * variance + shift**2)
    return max(count + shift - half, 0.0), count + shift + half

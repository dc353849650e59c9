"""How sure the numbers of a report are: limits of counts, bounds and errors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smartsvm.estimates import ErrorEstimate, Interval
from smartsvm.henze_penrose import bayes_error_bounds
from smartsvm.inference import (
    CountVariance,
    count_variance,
    local_shares,
    local_shares_of_class,
)


class BoundIntervals(NamedTuple):
    """What the trees say about the whole problem and about each class.

    Attributes
    ----------
    cross_share : Interval
        Tree edges between classes over the samples.
    lower, upper : Interval
        Bounds of the Bayes error.
    variance : CountVariance
        Of the count of cross edges.
    by_class : ErrorEstimate
        Error of each class against the rest.
    class_limits : ndarray of shape (K, 2)
        Limits of ``by_class.value``.
    """

    cross_share: Interval
    lower: Interval
    upper: Interval
    variance: CountVariance
    by_class: ErrorEstimate
    class_limits: np.ndarray


def bound_intervals(forest, neighbors, z):
    """Intervals of all that is read off the trees.

    Parameters
    ----------
    forest : TieAveragedForest
        The trees.
    neighbors : ndarray of shape (k, n_samples)
        Classes of the nearest neighbours of every sample.
    z : float
        Standard errors that an interval reaches to each side.

    Returns
    -------
    BoundIntervals
        Values and limits.
    """
    n, n_classes = len(forest.codes), len(forest.classes)
    graph = forest.graph()
    variance = count_variance(
        graph, local_shares(neighbors, forest.codes, n_classes), forest.order_variance()
    )
    whole = forest.multiclass(bias_correction="prior")
    cross = Interval(whole.cross_counts, *_around(whole.cross_counts, variance.total, z))
    # Each is cut at the error of guessing or at its limits.
    most = np.array(error_interval(1 - forest.class_counts.max() / n, n, z))
    _, low, high = bayes_error_bounds(
        np.array(cross), n, most, n_classes=n_classes, bias_correction="prior"
    )
    lower, upper = Interval(*map(float, low)), Interval(*map(float, high))
    by_class = forest.one_vs_rest(bias_correction="prior")
    class_limits = np.empty((n_classes, 2))
    for k, count in enumerate(forest.class_counts):
        spread = count_variance(
            graph, local_shares_of_class(neighbors, forest.codes, k), forest.order_variance(k)
        )
        limits = np.array(_around(by_class.cross_counts[k], spread.total, z))
        # The share of a class, which errors are cut at, is an estimate, too.
        most = np.array(error_interval(min(count, n - count) / n, n, z)[1:])
        class_limits[k], _, _ = bayes_error_bounds(limits, n, most, bias_correction="prior")
    share = Interval(*(float(each) / n for each in cross))
    return BoundIntervals(share, lower, upper, variance, by_class, class_limits)


def error_interval(error, n, z):
    """Wilson's interval of a share of n independent samples, which behaves also near 0 and 1."""
    centre = (error + z**2 / (2 * n)) / (1 + z**2 / n)
    reach = z * np.sqrt(error * (1 - error) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    low, high = min(centre - reach, error), max(centre + reach, error)
    return Interval(float(error), float(max(low, 0.0)), float(min(high, 1.0)))


def guessing_interval(class_counts, n, z):
    """Error that always answering the largest class has on new samples.

    Parameters
    ----------
    class_counts : ndarray of shape (K,)
        Samples of each class.
    n : int
        Samples that are no copies of each other.
    z : float
        Standard errors that an interval reaches to each side.

    Returns
    -------
    Interval
        Its high end allows for each class that may be the largest one having been drawn so often
        by luck: the tail beyond z is divided among them (√(z² + 2 log m) for m of them).
    """
    shares = class_counts / class_counts.sum()
    error = 1 - float(shares.max())
    least = 1 - error_interval(error, n, z).high
    rivals = sum(error_interval(share, n, z).high >= least for share in shares)
    beyond = error_interval(error, n, float(np.hypot(z, np.sqrt(2 * np.log(rivals)))))
    return Interval(error, error_interval(error, n, z).low, beyond.high)


def _around(count, variance, z):
    """Limits of a count, never below 0: those with which its score is z.

    Counts are skewed where they are small: their variance goes with their mean, as in
    Wilson's interval.
    """
    if variance <= 0 or count <= 0:
        # Where no label nearby ever differs: as much as a rare event may occur by luck.
        return 0.0 if count <= 0 else count, count + z**2 / 2 + z * np.sqrt(count + z**2 / 4)
    shift = z**2 / 2 * variance / count
    reach = np.sqrt(z**2 * variance + shift**2)
    return max(count + shift - reach, 0.0), count + shift + reach

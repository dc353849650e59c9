"""How sure the numbers of a report are: intervals of counts, bounds and errors, and for the truth.

From above the Bayes error is bounded by any classifier's error on samples it has not seen. From
below nothing bounds it but assumptions: here that labels agree at small distances as they do
at larger ones (`extrapolation`), and that the best classifier gets better with more samples as it
did up to now.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smartsvm.estimation.henze_penrose import bayes_error_bounds, lower_bound
from smartsvm.estimation.results import ErrorEstimate, Interval
from smartsvm.estimation.signal_test import (
    CountVariance,
    count_variance,
    local_shares,
    local_shares_of_class,
)

# Both were chosen on the simulated problems in benchmarks/report/families.py. Of the errors of
# guessing: a classifier that avoids this many has learnt enough for its curve to be believed, one
# that avoids fewer has not seen what there may be to learn.
_LEARNT_ENOUGH = 0.3
# Standard errors above what the trees expect, up to which a classifier's curve is believed: a
# classifier of the wrong form settles above the Bayes error, and does not know.
_CREDIT = 0.1
_SHAPE = 0.25  # standard error of the middle of two bounds, of their distance


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


def baseline_interval(class_counts, n, z):
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


def bayes_error_interval(held_out, limit, n_classes, z, z_above, wrong_share=0.0, lone_share=0.0):
    """The Bayes error with an interval for the truth.

    Parameters
    ----------
    held_out : HeldOutErrors
        What classifiers reach.
    limit : CrossLimit
        Share of cross edges for ever more data.
    n_classes : int
        Classes K.
    z : float
        Standard errors that an interval reaches to each side.
    z_above : float
        Standard errors of a limit in one direction, of the same level.
    wrong_share : float, default 0
        Share of labels that look wrong.
    lone_share : float, default 0
        Share of samples that are the only ones of their class.

    Returns
    -------
    Interval
        Never of width 0.

    Notes
    -----
    Both the best classifier and the trees say what ever more data would give: the classifier its
    limit, with an error as large as what was extrapolated; the trees the middle of the bounds of
    their limit, with its error and a quarter of the distance of the bounds. The value is the mean
    of both, weighted by their precision, at most the error reached, and at least the share of
    labels that look wrong: no classifier foresees those, and where labels are wrong at random,
    a curve that falls for another reason is extrapolated too far. The upper end is a limit of
    the best classifier's error in one direction, less half of what more samples would take off it,
    give or take as much: the best classifier errs no more than the classifier would with ever more
    of them. So the truth lies above it in at most 1 - confidence of the cases, and only if no
    classifier is better than the classifier. It is not below the held-out error. The lower end lies
    between the trees' lower bound and the classifier's limit, each less its errors, the nearer to
    the latter the more of the errors of guessing the classifier avoids, and is the limit if it
    avoids .3 of them: a curve that is flat near chance does not say that there is no more to
    learn. Nor does that of a neighbour, kernel or tree classifier say where it ends while it is
    steep: its limit counts less where a quarter of the samples avoids under .9 of the errors that
    all avoid, and nothing from .7 of them down. A
    classifier does not lift it above the share of edges between classes that the trees expect. It
    is the trees' where that is higher, unless the classifier's interval goes below it, which
    refutes the trees; and 0 where the trees see nothing but chance. The only sample of a class is
    wrong for every classifier and every tree, whatever the problem, so all such samples are taken
    off it.
    """
    a = (n_classes - 1) / n_classes
    value, floor = held_out.limit, 0.0
    if not limit.refused:
        ends = np.maximum(limit.value + limit.error * np.array([0, -1, 1]), 0)
        lower = lower_bound(ends, a)
        middle, below, above = (lower + ends) / 2
        tree_error = max(np.hypot((above - below) / 2, _SHAPE * (ends[0] - lower[0])), 1e-9)
        weight = tree_error**-2 / (tree_error**-2 + held_out.limit_error**-2)
        value += weight * (middle - value)
        floor = float(lower_bound(max(limit.value - z * limit.error, 0.0), a))
        classifier_floor = max(held_out.limit - z * held_out.limit_error, 0.0)
        if floor > held_out.best.low:  # what a classifier may well reach refutes a bound above it
            floor = min(floor, classifier_floor)
        classifier_floor = min(classifier_floor, limit.value + _CREDIT * limit.error)
        believed = min(held_out.gain / _LEARNT_ENOUGH, 1.0) * held_out.known
        floor += believed * max(classifier_floor - floor, 0.0)
    low, high = min(floor, held_out.best.low), _upper_end(held_out, max(z_above, 0.0))
    low = float(max(low - lone_share, 0.0))
    value = np.clip(max(value, wrong_share), low, held_out.best.value)
    return Interval(float(value), low, high)


def _upper_end(held_out, z_above):
    """Limit of the best error in one direction, with half of the excess taken off."""
    error, half = held_out.best.value, held_out.excess / 2
    chance = error_interval(error, held_out.n_independent, z_above).high - error
    return error + max(min(chance, float(np.hypot(chance, z_above * half)) - half), 0.0)

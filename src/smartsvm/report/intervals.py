"""Confidence intervals of counts, bounds and errors, and of the Bayes error.

Any classifier's held-out error bounds the Bayes error from above. Only assumptions bound it from
below: that labels agree at small distances as they do at larger ones (`extrapolation`), and that
the best classifier keeps improving with more samples as it does now.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit, ndtr

from smartsvm.estimation.henze_penrose import bayes_error_bounds, lower_bound
from smartsvm.estimation.results import ErrorEstimate, Interval
from smartsvm.estimation.signal_test import CountVariance, count_variance, local_shares

# All were chosen on the simulated problems in benchmarks/report/families.py.
# Fraction of the baseline's errors: a classifier that avoids it has learnt enough to be believed.
_LEARNT_ENOUGH = 0.3
# Standard errors of the trees' limit above the middle of its bounds, up to which a classifier's
# limit is believed: one of the wrong form settles above the Bayes error.
_CREDIT = 0.2
_SEEN = 0.1  # where neither a classifier nor the trees avoid this fraction, the low end goes down
# Chance of no error at all below the low end: over the samples, times the doubt, and at most.
_SURPRISES, _OF_DOUBT, _SURPRISED = 2.0, 0.3, 0.07
_LEARNT, _UNKNOWN = 0.18, 0.2  # gain below which all is in doubt; doubt in an unconfirmed limit
_OF_MANY = 0.82  # of the standard errors above the best error, with many samples
_MIDDLE = 0.25  # standard error of the middle of two bounds, of their distance


class ChanceShape(NamedTuple):
    """What the chance of a target rests on beside the interval of the Bayes error."""

    to_low: float = 2.4  # standard deviations between its value and the low end
    to_high: float = 1.6  # and the high end
    in_doubt: float = 100.0  # what is in doubt weighs at most this over the number of samples
    no_error: float = 0.16  # chance of a Bayes error of 0 where the low end is 0


class BoundIntervals(NamedTuple):
    """Bounds from the trees for the whole problem and for each class."""

    cross_share: Interval
    lower: Interval
    upper: Interval
    variance: CountVariance
    by_class: ErrorEstimate


def bound_intervals(forest, neighbors, z):
    """Intervals of all that is read off the trees, z standard errors to each side."""
    n, n_classes = len(forest.codes), len(forest.classes)
    shares = local_shares(neighbors, forest.codes)
    variance = count_variance(forest.graph(), shares, forest.order_variance())
    whole = forest.multiclass(bias_correction="prior")
    cross = Interval(whole.cross_counts, *_around(whole.cross_counts, variance.total, z))
    # Each is cut at the error of the baseline or at its limits.
    most = np.array(error_interval(1 - forest.class_counts.max() / n, n, z))
    _, low, high = bayes_error_bounds(
        np.array(cross), n, most, n_classes=n_classes, bias_correction="prior"
    )
    lower, upper = Interval(*map(float, low)), Interval(*map(float, high))
    by_class = forest.one_vs_rest(bias_correction="prior")
    share = Interval(*(float(each) / n for each in cross))
    return BoundIntervals(share, lower, upper, variance, by_class)


def wilson_limits(shares, n, z):
    """Wilson's limits of shares of n independent samples; both may be arrays."""
    centre = (shares + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(shares * (1 - shares) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    low, high = np.minimum(centre - half, shares), np.maximum(centre + half, shares)
    return np.maximum(low, 0.0), np.minimum(high, 1.0)


def error_interval(error, n, z):
    """Wilson's interval of an error on n independent samples."""
    return Interval(float(error), *map(float, wilson_limits(error, n, z)))


def baseline_interval(class_counts, n, z):
    """Error of always answering the largest class on new samples."""
    # Each of the m classes that may be the largest may have been drawn so often by chance: at the
    # high end the tail beyond z is divided among them, √(z² + 2 log m).
    shares = class_counts / class_counts.sum()
    error = 1 - float(shares.max())
    least = 1 - error_interval(error, n, z).high
    rivals = sum(error_interval(share, n, z).high >= least for share in shares)
    beyond = error_interval(error, n, float(np.hypot(z, np.sqrt(2 * np.log(rivals)))))
    return Interval(error, error_interval(error, n, z).low, beyond.high)


def _around(count, variance, z):
    """Limits of a count whose variance grows with its mean, as Wilson's; never below 0."""
    if variance <= 0 or count <= 0:
        # Where no label nearby ever differs: the limit of a rare event.
        return 0.0 if count <= 0 else count, count + z**2 / 2 + z * np.sqrt(count + z**2 / 4)
    shift = z**2 / 2 * variance / count
    half = np.sqrt(z**2 * variance + shift**2)
    return max(count + shift - half, 0.0), count + shift + half


def bayes_error_interval(held_out, limit, n_classes, z, z_above, lone_share=0.0, later=None):
    """The Bayes error with an interval for the truth, as in the notes of `difficulty_report`."""
    # `lone_share` is taken off the low end: the only sample of a class is always wrong. `later` is
    # the error that the classifier would have with far more samples.
    a = (n_classes - 1) / n_classes
    value, floor, seen = held_out.limit, 0.0, held_out.gain
    if not limit.refused:
        ends = np.maximum(limit.value + limit.error * np.array([0, -1, 1]), 0)
        lower = lower_bound(ends, a)
        middle, below, above = (lower + ends) / 2
        tree_error = max(np.hypot((above - below) / 2, _MIDDLE * (ends[0] - lower[0])), 1e-9)
        weight = tree_error**-2 / (tree_error**-2 + held_out.limit_error**-2)
        value += weight * (middle - value)
        floor = float(lower_bound(max(limit.value - z * limit.error, 0.0), a))
        classifier_floor = max(held_out.limit - z * held_out.limit_error, 0.0)
        refuted = 1.0 if floor > held_out.best.low else 1 - held_out.known  # by the classifier
        floor -= refuted * max(floor - classifier_floor, 0.0)
        classifier_floor = min(classifier_floor, middle + _CREDIT * limit.error)
        believed = min(held_out.gain / _LEARNT_ENOUGH, 1.0) * held_out.known
        floor += believed * max(classifier_floor - floor, 0.0)
        seen = max(seen, 1 - (limit.value + z * limit.error) / limit.chance)
    low, high = min(floor, held_out.best.low), min(_upper_end(held_out, max(z_above, 0.0)), a)
    if later is not None:
        value, low = min(value, later.value), min(low, later.low)
    low = float(max(min(seen / _SEEN, 1.0) * low - lone_share, 0.0))
    value = np.clip(value, low, held_out.best.value)
    return Interval(float(value), low, high)


def doubt(gain, limit, known):
    """The weight of a Bayes error that may lie anywhere below the high end."""
    if gain <= 0:
        return 1.0
    vague = 1.0 if limit.refused else limit.error / limit.chance
    return max(float(expit(16 * (_LEARNT - gain) + 8 * vague)), _UNKNOWN * (1 - known) ** 2)


def chance_below(error, bayes_error, doubt, n_samples, shape):
    """The chance that the Bayes error is at most `error`, by its value and interval."""
    # Where the doubt is 1, the chance is at most a half: labels may be pure noise.
    value, low, high = bayes_error
    below, above = max(value - low, 1e-4) / shape.to_low, max(high - value, 1e-4) / shape.to_high
    chance = ndtr((error - value) / (below if error < value else above))
    unseen = min(doubt, shape.in_doubt / n_samples) if doubt < 1 else 1.0
    chance += unseen * (np.clip(error / max(high, 1e-9), 0, 1) - chance)
    surprise = min(_SURPRISES / n_samples + _OF_DOUBT * doubt, _SURPRISED)
    chance += (surprise if low > 0 else shape.no_error) * (1 - chance)
    return float(chance if doubt < 1 else min(chance, 0.5))


def _upper_end(held_out, z_above):
    """One-sided limit of the best error, with half of the excess taken off."""
    # With many samples the best error exceeds the Bayes error by more than chance explains.
    error, half, n = held_out.best.value, held_out.excess / 2, held_out.n_independent
    z_above *= _OF_MANY + (1 - _OF_MANY) * min(100 / n, 1.0)
    chance = error_interval(error, n, z_above).high - error
    return error + max(min(chance, float(np.hypot(chance, z_above * half)) - half), 0.0)

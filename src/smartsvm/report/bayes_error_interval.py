"""The interval for the Bayes error: from what rules reach and from ever more data.

From above the Bayes error is bounded by any rule's error on samples it has not seen. From
below nothing bounds it but assumptions: here that labels agree at small distances as they do
at larger ones (`extrapolation`), and that the best rule gets better with more samples as it
did up to now.
"""

from __future__ import annotations

import numpy as np

from smartsvm.estimates import Interval
from smartsvm.henze_penrose import lower_bound
from smartsvm.report.count_intervals import error_interval

# Both were chosen on the simulated problems in benchmarks/report/families.py. Of the errors of
# guessing: a rule that avoids this many has learnt enough for its curve to be believed, one that
# avoids fewer has not seen what there may be to learn.
_LEARNT_ENOUGH = 0.3
# Standard errors above what the trees expect, up to which a rule's curve is believed: a rule of the
# wrong form settles above the Bayes error, and does not know.
_CREDIT = 0.1
_SHAPE = 0.25  # standard error of the middle of two bounds, of their distance


def bayes_error_interval(reached, limit, n_classes, z, z_above, wrong_share=0.0):
    """The Bayes error with an interval for the truth.

    Parameters
    ----------
    reached : Reached
        What rules reach.
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

    Returns
    -------
    Interval
        Never of width 0.

    Notes
    -----
    Both the best rule and the trees say what ever more data would give: the rule its limit,
    with an error as large as what was extrapolated; the trees the middle of the bounds of their
    limit, with its error and a quarter of the distance of the bounds. The value is the mean of
    both, weighted by their precision, at most the error reached, and at least the share of
    labels that look wrong: no classifier foresees those, and where labels are wrong at random,
    a curve that falls for another reason is extrapolated too far. The upper end is a limit of
    the best rule's error in one direction, less half of what more samples would take off it,
    give or take as much: the best classifier errs no more than the rule would with ever more of
    them. So the truth lies above it in at most 1 - confidence of the cases, and only if no
    classifier is better than the rule. It is not below the error reached. The lower end lies
    between the trees' lower bound and the rule's limit, each less its errors, the nearer to the
    latter the more of the errors of guessing the rule avoids, and is the limit if it avoids .3
    of them: a curve that is flat near chance does not say that there is no more to learn. A
    rule does not lift it above the share of edges between classes that the trees expect. It is
    the trees' where that is higher, unless the rule's interval goes below it, which refutes the
    trees; and 0 where the trees see nothing but chance.
    """
    a = (n_classes - 1) / n_classes
    value, floor = reached.limit, 0.0
    if not limit.refused:
        ends = np.maximum(limit.value + limit.error * np.array([0, -1, 1]), 0)
        lower = lower_bound(ends, a)
        middle, below, above = (lower + ends) / 2
        tree_error = max(np.hypot((above - below) / 2, _SHAPE * (ends[0] - lower[0])), 1e-9)
        weight = tree_error**-2 / (tree_error**-2 + reached.limit_error**-2)
        value += weight * (middle - value)
        floor = float(lower_bound(max(limit.value - z * limit.error, 0.0), a))
        rule_floor = max(reached.limit - z * reached.limit_error, 0.0)
        if floor > reached.best.low:  # what a rule may well reach refutes a bound above it
            floor = min(floor, rule_floor)
        rule_floor = min(rule_floor, limit.value + _CREDIT * limit.error)
        floor += min(reached.gain / _LEARNT_ENOUGH, 1.0) * max(rule_floor - floor, 0.0)
    low, high = min(floor, reached.best.low), _upper_end(reached, max(z_above, 0.0))
    value = np.clip(max(value, wrong_share), low, reached.best.value)
    return Interval(float(value), low, high)


def _upper_end(reached, z_above):
    """Limit of the best error in one direction, with half of the excess taken off."""
    error, half = reached.best.value, reached.excess / 2
    chance = error_interval(error, reached.n_independent, z_above).high - error
    return error + max(min(chance, float(np.hypot(chance, z_above * half)) - half), 0.0)

"""The last stage of a report: the Bayes error, the learning curve and the warnings.

Everything measured comes together here: statistics of it go through the fitted model, within the
limits that need no model.
"""

from typing import NamedTuple

import numpy as np

from smartsvm.estimation.results import Interval
from smartsvm.report.bayes_error import BayesError, Known
from smartsvm.report.confusions import PairErrors, pair_errors
from smartsvm.report.equal_rows import EqualRows
from smartsvm.report.fitted_model import ACCURACY, BALANCED, fitted_error
from smartsvm.report.flags import (
    Flag,
    RepeatedRows,
    chance_flags,
    data_flags,
    dependence_flags,
    duplicate_flags,
)
from smartsvm.report.intervals import choice_of_largest
from smartsvm.report.learning_curve import LearningCurve, learning_curve
from smartsvm.report.result import SubsampleNote
from smartsvm.report.statistics import Measurements, statistics_of

_CERTAIN = 1e9  # samples that stand for a number that needs none


class Conclusions(NamedTuple):
    """The Bayes error and warnings."""

    bayes_error: Interval
    distributions: dict
    statistics: dict
    equal_rows: EqualRows
    learning_curve: LearningCurve | None
    pair_errors: PairErrors
    flags: tuple[Flag, ...]
    subsample: SubsampleNote | None


def conclude(samples, problem, near, held_out, trees, extrapolation, equal):
    """The interval of the Bayes error and the warnings."""
    n, errors, limit = len(samples.X), held_out.held_out, extrapolation.cross_limit
    flags = (
        *dependence_flags(near.copies, trees.forest.between_groups),
        *chance_flags(limit.refused, trees.signal.significant, errors.gain),
        *duplicate_flags(trees.forest.duplicate_share, read_repeated_rows(near, held_out, equal)),
        *data_flags(samples.X, samples.classes, samples.codes, samples.feature_names, samples.time),
    )
    statistics, distributions = fit_errors(samples, problem, equal, held_out, trees, limit)
    bayes_error = distributions[ACCURACY].interval(problem.confidence)
    curve = learning_curve(
        errors,
        bayes_error,
        statistics[ACCURACY],
        equal,
        held_out.baseline.value,
        n,
        problem.confidence,
    )
    of_pairs = pair_errors(held_out.confusions, problem.z)
    note = None
    if n < samples.n_given:
        error = np.sqrt(trees.bounds.variance.total * (1 - n / samples.n_given)) / n
        note = SubsampleNote(samples.n_given, n, float(error), extrapolation.curve.fall)
    return Conclusions(bayes_error, distributions, statistics, equal, curve, of_pairs, flags, note)


def read_repeated_rows(near, held_out, equal):
    """What k nearest neighbours err if repeated rows are cases of their own, and if copies."""
    counted = float(near.votes.errors.min())
    if near.distinct is not None:
        once = min(error for _, error in held_out.trial_ladder)
    else:
        others = near.votes.wrong[:, ~near.equal]
        once = float(others.mean(axis=1).min()) if others.size else counted
    return RepeatedRows(near.distinct is not None, counted, once, equal.in_large_cells)


def fit_errors(samples, problem, equal, held_out, trees, limit):
    """Statistics and distributions of the Bayes error and of the least balanced error."""
    errors, even, counts = held_out.held_out, held_out.recall.even_error, trees.class_counts
    n, n_classes = problem.n_independent, len(problem.classes)
    measured = Measurements(
        n_independent=n,
        n_columns=samples.X.shape[1],
        n_classes=n_classes,
        errors={each.classifier: each.error.value for each in errors.classifiers},
        neighbor_ladder=held_out.trial_ladder,
        kernel_gain=held_out.kernel_gain,
        log_loss=held_out.log_loss,
        tree_limit=limit,
        equal_rows=equal,
    )
    # The only sample of a class is always wrong, which says nothing about new samples.
    lone = np.count_nonzero(counts == 1) / len(samples.codes)
    independent = n / len(samples.codes)
    of_largest = n / choice_of_largest(counts, n, problem.z)
    deviation = max((even.high - even.low) / (2 * problem.z), 1e-9)
    of_even = max(even.value * (1 - even.value), 0.25 / n) / deviation**2
    statistics, distributions = {}, {}
    for target, best, baseline, apart in (
        (
            ACCURACY,
            Known(errors.best.value, errors.n_independent * independent),
            Known(held_out.baseline.value, of_largest),
            equal,
        ),
        (BALANCED, Known(even.value, of_even), Known(1 - 1 / n_classes, _CERTAIN), None),
    ):
        statistics[target] = statistics_of(measured, best.value, baseline.value, apart)
        fitted = fitted_error(target, statistics[target], best.value, baseline.value, apart)
        fitted = fitted._replace(location=max(fitted.location - lone, 0.0))
        proven = Known(0.0 if apart is None else apart.outvoted, n)
        distributions[target] = BayesError(fitted, best, baseline, proven, 1 - 1 / n_classes)
    return statistics, distributions

"""The Bayes error and the learning curve: what was measured goes through the fitted model."""

from typing import NamedTuple

import numpy as np

from smartsvm.report.bayes_error import BayesError, MeasuredError
from smartsvm.report.equal_rows import EqualRows
from smartsvm.report.errors import ErrorResults
from smartsvm.report.fitted_model import ACCURACY, BALANCED, fitted_error
from smartsvm.report.intervals import choice_of_largest
from smartsvm.report.learning_curve import learning_curve
from smartsvm.report.statistics import Measurements, statistics_of

# 1 - 1/K is exact: it counts as measured on so many samples that its standard error is 0.
_CERTAIN = 1e9


def conclude(samples, problem, held_out, trees, limit, equal, forward):
    """The interval of the Bayes error, and all errors of the report."""
    errors = held_out.errors
    statistics, distributions = fit_errors(samples, problem, equal, held_out, trees, limit)
    bayes_error = distributions[ACCURACY].interval(problem.confidence)
    curve = learning_curve(
        errors,
        bayes_error,
        statistics[ACCURACY],
        equal,
        held_out.baseline.value,
        len(samples.X),
        problem.confidence,
    )
    return bayes_error, ErrorResults(
        held_out=errors,
        by_n_neighbors=held_out.by_n_neighbors,
        baseline=held_out.baseline,
        balanced=held_out.balanced.error,
        reweighted=held_out.balanced.reweighted,
        learning_curve=curve,
        forward_in_time=forward,
        distributions=distributions,
        statistics=statistics,
    )


class _Target(NamedTuple):
    """An error that the model is fitted to."""

    best: MeasuredError  # of the best classifier
    baseline: MeasuredError
    apart: EqualRows | None  # whose large cells are estimated by themselves


def fit_errors(samples, problem, equal, held_out, trees, limit):
    """Statistics and distributions of the Bayes error and of the least balanced error."""
    measured = _measurements(samples, problem, equal, held_out, limit)
    counts, n = trees.counts.forest.class_counts, problem.n_independent
    # The only sample of a class is always wrong, which says nothing about new samples; the location
    # is about half of a best error that holds all of them.
    lone = np.count_nonzero(counts == 1) / len(samples.codes) / 2
    most = 1 - 1 / len(problem.classes)
    statistics, distributions = {}, {}
    for name, target in _targets(problem, equal, held_out, counts).items():
        best, baseline, apart = target
        statistics[name] = statistics_of(measured, best.value, baseline.value, apart)
        fitted = fitted_error(name, statistics[name], best.value, baseline.value, apart)
        fitted = fitted.less(lone)
        proven = MeasuredError(0.0 if apart is None else apart.outvoted, n)
        distributions[name] = BayesError(fitted, best, baseline, proven, most)
    return statistics, distributions


def _measurements(samples, problem, equal, held_out, limit):
    """What the stages measured, as the statistics take it."""
    return Measurements(
        n_independent=problem.n_independent,
        n_columns=samples.X.shape[1],
        n_classes=len(problem.classes),
        errors={each.classifier: each.error.value for each in held_out.errors.classifiers},
        by_n_neighbors=held_out.once_by_n_neighbors,
        kernel_gain=held_out.kernel_gain,
        log_loss=held_out.log_loss,
        tree_limit=limit,
        equal_rows=equal,
    )


def _targets(problem, equal, held_out, class_counts):
    """Both errors, each with the number of samples on which it would be as certain."""
    n, n_classes = problem.n_independent, len(problem.classes)
    errors, even = held_out.errors, held_out.balanced.reweighted
    n_best = errors.n_independent * (n / len(problem.codes))
    n_baseline = n / choice_of_largest(class_counts, n, problem.z)
    # The n at which a binomial error of this value has this standard error: p (1 - p) / se².
    deviation = max((even.high - even.low) / (2 * problem.z), 1e-9)
    n_even = max(even.value * (1 - even.value), 0.25 / n) / deviation**2
    return {
        ACCURACY: _Target(
            best=MeasuredError(errors.best.value, n_best),
            baseline=MeasuredError(held_out.baseline.value, n_baseline),
            apart=equal,
        ),
        BALANCED: _Target(
            best=MeasuredError(even.value, n_even),
            baseline=MeasuredError(1 - 1 / n_classes, _CERTAIN),
            apart=None,
        ),
    }

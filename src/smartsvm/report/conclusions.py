"""The errors of a report: what was measured goes through the fitted model."""

from typing import NamedTuple

import numpy as np

from smartsvm.held_out.trials import CERTAIN
from smartsvm.report.bayes_error import BayesError, MeasuredError
from smartsvm.report.confusions import balanced_errors
from smartsvm.report.equal_rows import EqualRows
from smartsvm.report.errors import ErrorResults
from smartsvm.report.fitted_model import ACCURACY, BALANCED, fitted_error
from smartsvm.report.held_out_errors import held_out_errors
from smartsvm.report.intervals import baseline_interval, choice_of_largest
from smartsvm.report.learning_curve import learning_curve
from smartsvm.report.statistics import statistics_of


def measure_errors(problem, neighborhood, held_out, limit, equal, forward):
    """The interval of the Bayes error, and all errors of the report."""
    errors = held_out_errors(held_out.joined, problem.z, problem.seed)
    baseline, balanced = _baseline(problem, held_out), _balanced(problem, held_out)
    statistics, distributions = fit_errors(problem, held_out, errors, limit, equal)
    confidence = problem.settings.confidence
    bayes_error = distributions[ACCURACY].interval(confidence)
    curve = learning_curve(
        errors,
        bayes_error,
        statistics[ACCURACY],
        equal,
        baseline.value,
        len(problem.codes),
        confidence,
    )
    votes = neighborhood.votes if problem.splits is None else held_out.neighbors
    return bayes_error, ErrorResults(
        held_out=errors,
        by_n_neighbors=votes.by_setting,
        baseline=baseline,
        balanced=balanced.error,
        reweighted=balanced.reweighted,
        learning_curve=curve,
        forward_in_time=forward,
        distributions=distributions,
        statistics=statistics,
    )


class _Target(NamedTuple):
    """An error that the model is fitted to."""

    best: MeasuredError  # of the best classifier
    baseline: MeasuredError
    large_cells: EqualRows | None  # whose large cells are estimated by themselves


def fit_errors(problem, held_out, errors, limit, equal):
    """Statistics and distributions of the Bayes error and of the least balanced error."""
    n, n_classes = problem.n_independent, len(problem.classes)
    measurements = {
        "n_independent": n,
        "n_columns": problem.X.shape[1],
        "n_classes": n_classes,
        "errors": {each.classifier: each.error.value for each in errors.classifiers},
        "by_n_neighbors": held_out.neighbors.by_setting,
        "kernel_gain": held_out.trials.kernel_gain(),
        "shared_mistakes": held_out.trials.shared_mistakes(),
        "log_loss": held_out.log_loss,
        "tree_limit": limit,
        "equal_rows": equal,
    }
    # The only sample of a class is always wrong, which says nothing about new samples; the location
    # is about half of a best error that holds all of them.
    lone = np.count_nonzero(problem.class_counts == 1) / len(problem.codes) / 2
    statistics, distributions = {}, {}
    for name, target in _targets(problem, held_out, errors, equal).items():
        best, baseline, large_cells = target
        values = statistics_of(best.value, baseline.value, large_cells, **measurements)
        fitted = fitted_error(name, values, best.value, baseline.value, large_cells).less(lone)
        proven_error = MeasuredError(0.0 if large_cells is None else large_cells.outvoted, n)
        statistics[name] = values
        distributions[name] = BayesError(fitted, best, baseline, proven_error, 1 - 1 / n_classes)
    return statistics, distributions


def _baseline(problem, held_out):
    counts = np.bincount(problem.codes[problem.held_out_rows], minlength=len(problem.classes))
    return baseline_interval(counts, len(held_out.trials.held_out_rows), problem.z)


def _balanced(problem, held_out):
    return balanced_errors(held_out.confusions, problem.z)


def _targets(problem, held_out, errors, equal):
    """Both errors, each with the number of samples on which it would be as certain."""
    n, n_classes = problem.n_independent, len(problem.classes)
    even = _balanced(problem, held_out).reweighted
    n_best = errors.n_independent * (n / len(problem.codes))
    n_baseline = n / choice_of_largest(problem.class_counts, n, problem.z)
    # The n at which a binomial error of this value has this standard error: p (1 - p) / se².
    deviation = max((even.high - even.low) / (2 * problem.z), 1e-9)
    n_even = max(even.value * (1 - even.value), 0.25 / n) / deviation**2
    return {
        ACCURACY: _Target(
            best=MeasuredError(errors.best.value, n_best),
            baseline=MeasuredError(_baseline(problem, held_out).value, n_baseline),
            large_cells=equal,
        ),
        BALANCED: _Target(
            best=MeasuredError(even.value, n_even),
            baseline=MeasuredError(1 - 1 / n_classes, CERTAIN),
            large_cells=None,
        ),
    }

"""The Bayes error and the learning curve: what was measured goes through the fitted model."""

import numpy as np

from smartsvm.report.bayes_error import BayesError, MeasuredError
from smartsvm.report.errors import ErrorResults
from smartsvm.report.fitted_model import ACCURACY, BALANCED, fitted_error
from smartsvm.report.intervals import choice_of_largest
from smartsvm.report.learning_curve import learning_curve
from smartsvm.report.statistics import Measurements, statistics_of

# Samples behind 1 - 1/K, which is exact: so many that its standard error is 0.
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


def fit_errors(samples, problem, equal, held_out, trees, limit):
    """Statistics and distributions of the Bayes error and of the least balanced error."""
    errors, even, counts = held_out.errors, held_out.balanced.reweighted, trees.forest.class_counts
    n, n_classes = problem.n_independent, len(problem.classes)
    measured = Measurements(
        n_independent=n,
        n_columns=samples.X.shape[1],
        n_classes=n_classes,
        errors={each.classifier: each.error.value for each in errors.classifiers},
        by_n_neighbors=held_out.once_by_n_neighbors,
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
            MeasuredError(errors.best.value, errors.n_independent * independent),
            MeasuredError(held_out.baseline.value, of_largest),
            equal,
        ),
        (
            BALANCED,
            MeasuredError(even.value, of_even),
            MeasuredError(1 - 1 / n_classes, _CERTAIN),
            None,
        ),
    ):
        statistics[target] = statistics_of(measured, best.value, baseline.value, apart)
        fitted = fitted_error(target, statistics[target], best.value, baseline.value, apart)
        fitted = fitted._replace(location=max(fitted.location - lone, 0.0))
        proven = MeasuredError(0.0 if apart is None else apart.outvoted, n)
        distributions[target] = BayesError(fitted, best, baseline, proven, 1 - 1 / n_classes)
    return statistics, distributions

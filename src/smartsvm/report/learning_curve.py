"""The error of the report's best classifier with more samples, by the fitted model."""

from __future__ import annotations

from typing import NamedTuple

from smartsvm.estimation.results import Interval
from smartsvm.report.fitted_model import TEN_TIMES, TWICE, fitted_error

MULTIPLES = (1, 2, 10)  # of the samples


class LearningCurve(NamedTuple):
    """The smallest held-out error now, with twice and with ten times the samples."""

    sizes: tuple[int, ...]  # numbers of samples
    # the smallest held-out error of a report on as many samples; the first is the present one
    errors: tuple[Interval, ...]


def learning_curve(held_out, bayes_error, statistics, large_cells, baseline, n_samples, confidence):
    """Errors with more samples; None where no classifier clearly beats the baseline."""
    if not held_out.gain:
        return None
    errors, tail = [held_out.best], (1 - confidence) / 2
    for target in (TWICE, TEN_TIMES):
        later = fitted_error(target, statistics, held_out.best.value, baseline, large_cells)
        low, high = (max(later.quantile(p), 0.0) for p in (tail, 1 - tail))
        # More samples make no classifier worse: no number is above that of fewer samples.
        before = errors[-1]
        low, high = min(low, before.value), min(high, before.high)
        value = min(max(later.location, bayes_error.value, low), before.value)
        errors.append(Interval(value, low, max(high, value)))
    return LearningCurve(tuple(times * n_samples for times in MULTIPLES), tuple(errors))

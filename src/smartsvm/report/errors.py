"""The errors of a report: what classifiers reach now, with more samples, and later in time."""

from __future__ import annotations

from dataclasses import dataclass

from smartsvm.estimation.results import Interval
from smartsvm.report.bayes_error import BayesError
from smartsvm.report.forward_in_time import ForwardInTime
from smartsvm.report.held_out_errors import HeldOutErrors
from smartsvm.report.learning_curve import LearningCurve
from smartsvm.report.priors import Priors


@dataclass(frozen=True, eq=False)
class ErrorResults:
    """Errors of classifiers: `DifficultyReport.errors`.

    Attributes
    ----------
    held_out : HeldOutErrors
        Errors of several classifiers on samples that they were not fitted to: ``best``, the
        smallest, with its ``classifier``, its ``gain`` over the baseline, and all ``classifiers``.
    by_n_neighbors : tuple of tuple
        Numbers k of neighbours that were tried and the held-out error of each.
    baseline : Interval
        Error of always answering the largest class.
    balanced : Interval
        Balanced error of all classifiers combined: 1 less the mean of the recalls.
    reweighted : Interval
        The same for answers that weigh all classes alike, however large they are.
    learning_curve : LearningCurve or None
        The smallest held-out error of a report with twice and ten times the samples; None where
        no classifier clearly beats the baseline.
    forward_in_time : ForwardInTime or None
        Whether labels drift along time, and the error of training on the past and testing on later
        samples, if times are known.
    distributions : dict of BayesError
        The distributions behind the Bayes error and the chances: "bayes_error" and
        "balanced_bayes_error", by the fitted model and the limits that need none.
    statistics : dict of dict
        What the fitted model saw, for each of these: statistics by name.
    priors : Priors or None
        How errors under the shares of the sample became those under the priors, if these are given.
    """

    held_out: HeldOutErrors
    by_n_neighbors: tuple[tuple[int, float], ...]
    baseline: Interval
    balanced: Interval
    reweighted: Interval
    learning_curve: LearningCurve | None
    forward_in_time: ForwardInTime | None
    distributions: dict[str, BayesError]
    statistics: dict[str, dict[str, float]]
    priors: Priors | None = None

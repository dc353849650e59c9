"""The classifiers of a report: their held-out errors, and all that later stages take from them."""

from typing import NamedTuple

import numpy as np

from smartsvm.estimation.results import Interval
from smartsvm.held_out.mistakes import Mistakes
from smartsvm.held_out.posterior import Posterior, combined_posterior
from smartsvm.held_out.registry import COMBINED, NEIGHBORS
from smartsvm.held_out.trials import Trials
from smartsvm.report.confusions import (
    BalancedErrors,
    Confusions,
    balanced_errors,
    count_confusions,
)
from smartsvm.report.held_out_errors import HeldOutErrors, held_out_errors
from smartsvm.report.intervals import baseline_interval
from smartsvm.report.judged_models import answers_of_models, mistakes_of


class HeldOutStage(NamedTuple):
    """Held-out errors and all that later stages take from the classifiers."""

    trials: Trials
    joined: Trials  # by the models that were cross-validated
    errors: HeldOutErrors
    baseline: Interval
    balanced: BalancedErrors
    by_n_neighbors: tuple  # numbers of neighbours and the error of each
    once_by_n_neighbors: tuple  # the same on one row of each case
    posterior: Posterior  # of all samples
    confusions: Confusions
    kernel_gain: float  # by which a quarter of the samples raises the error of kernel ridge
    log_loss: float  # of the combined posterior
    models: tuple  # `Model` with its answers


def measure_held_out_errors(samples, problem, near, classifiers):
    """Fit the classifiers and count their held-out mistakes, on one row of each case."""
    points, codes, rows = problem.points, problem.codes, np.arange(len(problem.codes))
    categories = problem.categories
    votes = near.votes if samples.splits is None else None
    if near.distinct is not None:
        rows, votes = near.distinct, None
        points, codes = points.of(rows), codes[rows]
        categories = None if categories is None else categories.of(rows)
    options = {"categories": categories, "folds": problem.folds} | problem.threads
    trials = Trials(points, codes, votes, classifiers, **options)
    n_classes = len(problem.classes)
    posterior = combined_posterior(trials, codes, n_classes, problem.groups)
    judged, own = posterior.of(trials.judged), codes[trials.judged]
    trials.mistakes[COMBINED] = Mistakes((None,), (judged.answers() != own)[None])
    models = answers_of_models(samples, problem, rows)
    joined = trials
    for model in models:
        if not model.is_given:
            joined = joined.joined_by(mistakes_of(model, trials))
    once = trials.mistakes[NEIGHBORS]
    confusions = count_confusions(judged, own, problem.n_jobs)
    counts = np.bincount(problem.codes[problem.judged], minlength=n_classes)
    return HeldOutStage(
        trials=trials,
        joined=joined,
        errors=held_out_errors(joined, problem.z, problem.seed),
        baseline=baseline_interval(counts, len(own), problem.z),
        balanced=balanced_errors(confusions, problem.z),
        by_n_neighbors=_by_number(near.votes if samples.splits is None else once),
        once_by_n_neighbors=_by_number(once),
        posterior=posterior if near.stand_ins is None else posterior.of(near.stand_ins),
        confusions=confusions,
        kernel_gain=trials.kernel_gain(),
        log_loss=float(judged.log_losses(own).mean()),
        models=models,
    )


def _by_number(votes):
    """Numbers of neighbours and the error of each."""
    return tuple(zip(votes.settings, votes.errors.tolist(), strict=True))

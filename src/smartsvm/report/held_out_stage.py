"""The classifiers' answers for every sample without its own label, for all later stages."""

from typing import NamedTuple

import numpy as np

from smartsvm.held_out.mistakes import Mistakes
from smartsvm.held_out.posterior import Posterior, combined_posterior
from smartsvm.held_out.registry import COMBINED, NEIGHBORS
from smartsvm.held_out.trials import Trials
from smartsvm.report.confusions import Confusions, count_confusions
from smartsvm.report.judged_models import answers_of_models, mistakes_of


class HeldOut(NamedTuple):
    """The classifiers, tried on samples that they were not fitted to."""

    trials: Trials  # on one row of each case
    joined: Trials  # by the models that were cross-validated
    posterior: Posterior  # of all samples, by all classifiers combined
    held_out_posterior: Posterior  # of the held-out samples of the trials
    log_loss: float  # of this posterior
    confusions: Confusions  # of this posterior
    models: tuple  # `Model` with its answers

    @property
    def neighbors(self):
        """Mistakes of k nearest neighbours on one row of each case."""
        return self.trials.mistakes[NEIGHBORS]


def try_classifiers(problem, neighborhood, classifiers):
    """Fit the classifiers and count their held-out mistakes, on one row of each case."""
    points, codes, rows = problem.points, problem.codes, np.arange(len(problem.codes))
    categories = problem.categories
    votes = neighborhood.votes if problem.splits is None else None
    if neighborhood.distinct is not None:
        rows, votes = neighborhood.distinct, None
        points, codes = points.of(rows), codes[rows]
        categories = None if categories is None else categories.of(rows)
    options = {"categories": categories, "folds": problem.folds} | problem.threads
    trials = Trials(points, codes, votes, classifiers, **options)
    posterior = combined_posterior(trials, codes, len(problem.classes), problem.groups)
    combined, labels = posterior.of(trials.held_out_rows), codes[trials.held_out_rows]
    trials.mistakes[COMBINED] = Mistakes((None,), (combined.answers() != labels)[None])
    models = answers_of_models(problem, rows)
    joined = trials
    for model in models:
        if not model.is_given:
            joined = joined.joined_by(mistakes_of(model, trials))
    return HeldOut(
        trials=trials,
        joined=joined,
        posterior=posterior
        if neighborhood.places_of_cases is None
        else posterior.of(neighborhood.places_of_cases),
        held_out_posterior=combined,
        log_loss=float(combined.log_losses(labels).mean()),
        confusions=count_confusions(combined, labels, problem.n_jobs),
        models=models,
    )

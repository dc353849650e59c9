"""Held-out mistakes of quick classifiers, compared on the same samples."""

from typing import NamedTuple

import numpy as np

from smartsvm.held_out.posterior import combined_posterior
from smartsvm.held_out.trials import Trials

# Classifiers behind the held-out error, besides k nearest neighbours: the quick ones.
JUDGES = ("linear", "gaussians", "kernel")
# Mistakes more that are no loss, however small the standard error: if two classifiers differ on two
# samples and are equally good, one of them makes both mistakes with probability 1/2.
BY_CHANCE = 2


class Judgement(NamedTuple):
    """Whether held-out classifiers are wrong, for every sample."""

    wrong: np.ndarray  # by the combined posterior of all
    of_each: dict  # of each alone at its best setting, by name


def held_out_judgement(points, codes, *, seed, n_jobs):
    """The `Judgement` of quick classifiers on `Points`."""
    trials = Trials(points, codes, None, JUDGES, seed=seed, n_jobs=n_jobs)
    posterior = combined_posterior(trials, codes, int(codes.max()) + 1)
    of_each = {name: each.wrong[each.best] for name, each in trials.mistakes.items()}
    return Judgement(posterior.answers() != codes, of_each)


def excess_mistakes(wrong, least):
    """How many more mistakes than the least ones on the same samples, and the standard error."""
    excess = wrong.astype(float) - least
    # Adding 1 keeps the standard error above 0 where all mistakes are the same.
    return excess.sum(), np.sqrt(np.square(excess).sum() + 1)


def as_good(wrong, least):
    """Whether mistakes exceed the least ones by at most a standard error, or by two."""
    excess, error = excess_mistakes(wrong, least)
    return excess <= max(BY_CHANCE, error)

"""The held-out mistakes of quick classifiers, compared on the same samples."""

import numpy as np

from smartsvm.held_out.extra_trees import extra_trees_out_of_bag
from smartsvm.held_out.posterior import combined_posterior
from smartsvm.held_out.trials import Trials

# Quick classifiers, besides k nearest neighbours.
_CLASSIFIERS = ("linear", "gaussians", "kernel")
# Mistakes more that are no loss, however small the standard error: if two classifiers differ on two
# samples and are equally good, one of them makes both mistakes with probability 1/2.
_BY_CHANCE = 2


def held_out_mistakes(points, codes, *, seed, n_jobs):
    """Whether the combined posterior of quick classifiers is wrong about each row of `Points`."""
    return _combined(points, codes, seed, n_jobs)[0]


def mistakes_by_kind(points, codes, *, seed, n_jobs):
    """The same, and whether LDA and a forest are wrong, each by itself: (3, n)."""
    combined, linear = _combined(points, codes, seed, n_jobs)
    n_classes = int(codes.max()) + 1
    trees = extra_trees_out_of_bag(points.values, codes, n_classes, seed=seed, n_jobs=n_jobs)
    return np.array([combined, linear, trees.wrong[0]], dtype=bool)


def _combined(points, codes, seed, n_jobs):
    """Whether the combined posterior is wrong about each row, and whether LDA is."""
    trials = Trials(points, codes, None, _CLASSIFIERS, seed=seed, n_jobs=n_jobs)
    posterior = combined_posterior(trials, codes, int(codes.max()) + 1)
    linear = trials.mistakes.get("linear")
    combined = posterior.answers() != codes
    return combined, combined if linear is None else linear.wrong[linear.best]


def as_good(wrong, least, tolerance=1.0):
    """Whether mistakes exceed the least ones by at most so many standard errors, or by two."""
    excess = wrong.astype(float) - least
    # Adding 1 keeps the standard error above 0 where all mistakes are the same.
    limit = tolerance * np.maximum(_BY_CHANCE, np.sqrt(np.square(excess).sum(axis=-1) + 1))
    return excess.sum(axis=-1) <= limit

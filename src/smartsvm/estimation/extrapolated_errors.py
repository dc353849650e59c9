"""The Bayes error between two groups of classes, extrapolated to infinitely many samples."""

import numpy as np

from smartsvm.estimation.extrapolation import cross_limit
from smartsvm.estimation.henze_penrose import bayes_error_bounds
from smartsvm.estimation.number_of_trees import AVERAGED_TREES
from smartsvm.trees.in_memory.class_trees import SpanningForest

LEAST_OF_CLASS = 30  # samples of the smaller side: with fewer, the limit is mostly noise


def extrapolated_split(forest, left, right):
    """Extrapolated Bayes error between two groups of classes; NaN where it is unknown."""
    if min(forest.class_counts[side].sum() for side in (left, right)) < LEAST_OF_CLASS:
        return np.nan
    trees = forest._counts.forest
    rows = np.flatnonzero(np.isin(trees.codes, [*left, *right]))
    codes = np.isin(trees.codes[rows], right).astype(np.intp)
    work = {"seed": trees.seed, "n_jobs": trees.n_jobs}
    # Three trees, unless the user chose fewer.
    automatic = forest._counts.averages_ties
    n_trees = AVERAGED_TREES if automatic else min(forest.n_trees, AVERAGED_TREES)
    forest = SpanningForest(trees.points.of(rows), codes, n_trees=n_trees, **work)
    limit = cross_limit(forest, **work)
    if limit.refused:
        return np.nan
    n = len(rows)
    baseline = np.bincount(codes, minlength=2).min() / n
    return float(bayes_error_bounds(limit.value * n, n, baseline)[0])

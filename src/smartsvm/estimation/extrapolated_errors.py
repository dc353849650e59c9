"""Bayes errors extrapolated to infinitely many samples."""

from dataclasses import replace

import numpy as np

from smartsvm.estimation.extrapolation import (
    NEIGHBOR_RUNGS,
    cross_limit,
    extrapolate,
    rungs_of,
    trees_of_parts,
)
from smartsvm.estimation.henze_penrose import bayes_error_bounds
from smartsvm.estimation.number_of_trees import AVERAGED_TREES
from smartsvm.held_out.neighbors import neighbor_labels
from smartsvm.trees.in_memory.class_trees import SpanningForest

LEAST_OF_CLASS = 30  # samples of the smaller class: with fewer, the limit is mostly noise


def extrapolated_whole(forest, estimate, bias_correction):
    """The estimate of the whole problem with its count extrapolated."""
    trees = _trees_to_extrapolate(forest)
    n_classes, n = len(estimate.classes), len(trees.codes)
    baseline = 1 - estimate.class_counts.max() / n
    limit = None
    if np.sort(estimate.class_counts)[-2] >= LEAST_OF_CLASS:
        limit = cross_limit(trees, **_work(trees))
    if limit is None or limit.refused:
        return replace(estimate, cross_limit=np.nan, cross_limit_error=np.nan)
    unit = baseline if estimate.normalized else 1
    bounds = bayes_error_bounds(
        limit.value * n, n, baseline, n_classes=n_classes, bias_correction=bias_correction
    )
    return _replaced(estimate, [*(float(each / unit) for each in bounds), limit.value, limit.error])


def extrapolated_pairs(forest, estimate, bias_correction):
    """The estimates of all pairs with their counts extrapolated."""
    counts = estimate.class_counts
    arrays = _extrapolated_so_far(estimate)
    for i, j in zip(*np.triu_indices(len(counts), 1), strict=True):
        if min(counts[i], counts[j]) < LEAST_OF_CLASS:
            continue
        limit, baseline, bounds = _of_groups(forest, [i], [j], bias_correction)
        if limit.refused:
            continue
        # A limit that is known so badly says nothing, and the plain estimate would look like one.
        unit = np.nan if limit.is_vague else baseline if estimate.normalized else 1
        value, lower, upper = bounds
        new = value / unit, lower / unit, upper / unit, limit.value, limit.error
        arrays[:, i, j] = arrays[:, j, i] = new
    return _replaced(estimate, arrays)


def _extrapolated_so_far(estimate):
    """The fields of `_replaced`, with no limit known."""
    unknown = np.full(np.shape(estimate.value), np.nan)
    return np.stack([estimate.value, estimate.lower, estimate.upper, unknown, unknown])


def _replaced(estimate, arrays):
    names = ("value", "lower", "upper", "cross_limit", "cross_limit_error")
    return replace(estimate, **dict(zip(names, arrays, strict=True)))


def extrapolated_split(forest, left, right):
    """Extrapolated Bayes error between two groups of classes; NaN where it is unknown."""
    if min(forest.class_counts[side].sum() for side in (left, right)) < LEAST_OF_CLASS:
        return np.nan
    limit, _, bounds = _of_groups(forest, left, right, "prior", verbose=0)
    return np.nan if limit.refused else float(bounds[0])


def _of_groups(forest, left, right, bias_correction, **work):
    """The limit for two groups of classes, the prior of the smaller one, and the bounds."""
    trees = _in_memory(forest)
    rows = np.flatnonzero(np.isin(trees.codes, [*left, *right]))
    codes = np.isin(trees.codes[rows], right).astype(np.intp)
    n = len(rows)
    work = _work(trees) | work
    own = SpanningForest(trees.points.of(rows), codes, n_trees=_extrapolated_trees(forest), **work)
    limit = cross_limit(own, **work)
    baseline = np.bincount(codes, minlength=2).min() / n
    bounds = bayes_error_bounds(limit.value * n, n, baseline, bias_correction=bias_correction)
    return limit, baseline, bounds


def extrapolated_classes(forest, estimate, bias_correction):
    """The estimates of each class against the rest, extrapolated except for the upper bounds."""
    trees = _trees_to_extrapolate(forest)
    work = _work(trees)
    counts = estimate.class_counts
    n = len(trees.codes)
    neighbors = neighbor_labels(trees.points, trees.codes, min(NEIGHBOR_RUNGS[-1], n - 1), **work)
    parts = trees_of_parts(trees.points, trees.codes, trees.whole(), **work)
    arrays = _extrapolated_so_far(estimate)
    for k, count in enumerate(counts):
        smaller = min(count, n - count)
        if smaller < LEAST_OF_CLASS:
            continue
        own = (trees.codes == k).astype(np.intp)
        limit = extrapolate(rungs_of(neighbors == k, own, 2, parts, trees.whole()))
        if limit.refused:
            continue
        value, lower, _ = bayes_error_bounds(
            limit.value * n, n, smaller / n, bias_correction=bias_correction
        )
        unit = np.nan if limit.is_vague else smaller / n if estimate.normalized else 1
        arrays[:2, k] = value / unit, min(lower / unit, estimate.upper[k])
        arrays[3:, k] = limit.value, limit.error
    return _replaced(estimate, arrays)


def _extrapolated_trees(forest):
    """How many trees of a problem to extrapolate from: three, unless the user chose fewer."""
    return AVERAGED_TREES if forest._counts.averages_ties else min(forest.n_trees, AVERAGED_TREES)


def _trees_to_extrapolate(forest):
    """The trees over all samples, with as many more as the extrapolation needs."""
    trees = _in_memory(forest)
    n_trees = _extrapolated_trees(forest)
    if trees.n_trees >= min(n_trees, len(trees.codes) // 2):
        return trees
    return SpanningForest(trees.points, trees.codes, n_trees=n_trees, **_work(trees))


def _work(trees):
    """Seed, threads and progress of what is computed beside some trees."""
    return {"seed": trees.seed, "n_jobs": trees.n_jobs, "verbose": trees.verbose}


def _in_memory(forest):
    if isinstance(forest._counts.forest, SpanningForest):
        return forest._counts.forest
    raise ValueError(
        "extrapolate=True needs the points in memory, but this call works in blocks: pass an "
        "array (of a subsample, if need be) without memory_limit and checkpoint."
    )

"""The spanning trees of a report, and all that is read off them."""

from typing import NamedTuple

import numpy as np

from smartsvm.estimation.cross_edges import between_groups, count_by_sample
from smartsvm.estimation.extrapolation import (
    ConvergenceCurve,
    CrossLimit,
    convergence_curve,
    cross_limit,
    extrapolate,
    limit_of_equal_rows,
    rungs_of,
    trees_of_parts,
)
from smartsvm.estimation.friedman_rafsky import SignalTest, pairwise_tests, signal_on_trees
from smartsvm.estimation.number_of_trees import AVERAGED_TREES
from smartsvm.estimation.results import ErrorEstimate
from smartsvm.estimation.tie_averaged_forest import TieAveragedForest
from smartsvm.report.equal_rows import MANY_EQUAL
from smartsvm.report.intervals import BoundIntervals, bound_intervals
from smartsvm.trees.in_memory.class_trees import SpanningForest

# The signal test has 2,000,000 / (trees · samples) permutations, from 99 to 999: its time then
# hardly grows with the samples.
_PERMUTED_EDGES = 2_000_000


class TreeStage(NamedTuple):
    """The spanning trees and all that is read off them."""

    forest: TieAveragedForest
    bounds: BoundIntervals
    signal: SignalTest
    sample_difficulty: np.ndarray
    pairwise: ErrorEstimate
    pair_scores: np.ndarray


class Extrapolation(NamedTuple):
    """The fraction of cross edges with more samples."""

    curve: ConvergenceCurve
    limit: CrossLimit


def grow_trees(problem, near, n_trees):
    """Compute the trees and all that is read off them."""
    forest = TieAveragedForest(
        problem.points,
        problem.codes,
        problem.classes,
        n_trees=n_trees.made,
        counted_trees=n_trees.counted,
        groups=problem.groups,
        averages_ties=n_trees.averages_ties,
        **problem.work,
    )
    signal, difficulty = _test_signal(problem, near, forest, n_trees)
    return TreeStage(
        forest=forest,
        bounds=bound_intervals(forest, near.labels, problem.z),
        signal=signal,
        sample_difficulty=difficulty,
        pairwise=forest.pairwise(normalize=True),
        pair_scores=pairwise_tests(forest),
    )


def _test_signal(problem, near, forest, n_trees):
    """The signal test and the difficulty of every sample, from more trees if they are cheap."""
    points, codes, groups = problem.points, problem.codes, problem.groups
    edges, difficulty = forest.tree_edges(), forest.sample_difficulty()
    if n_trees.tested > n_trees.made:
        more = SpanningForest(points, codes, n_trees=n_trees.tested, **problem.threads)
        edges = more.tree_edges()
        crossing, total = count_by_sample(between_groups(np.concatenate(edges), groups), codes)
        difficulty = crossing / np.maximum(total, 1)
    if near.distinct is not None:  # edges between copies of one case say nothing
        points, codes = points.of(near.distinct), codes[near.distinct]
        n_tested = min(n_trees.tested, max(1, len(codes) // 2))
        edges = SpanningForest(points, codes, n_trees=n_tested, **problem.threads).tree_edges()
    n_permutations = int(np.clip(_PERMUTED_EDGES / (n_trees.tested * len(codes)), 99, 999))
    signal = signal_on_trees(
        edges, codes, n_permutations, groups=groups, points=points.values, **problem.threads
    )
    return signal, difficulty


def extrapolate_trees(problem, near, trees):
    """Trees of growing parts of the data, and where the fraction of cross edges ends."""
    points, codes, groups = problem.points, problem.codes, problem.groups
    whole = trees.forest.whole()
    parts = trees_of_parts(points, codes, whole, **problem.work)
    curve = convergence_curve(parts, codes, trees.forest.first_tree_cross(), groups)
    if near.distinct is None:
        n_classes = len(problem.classes)
        limit = extrapolate(rungs_of(near.labels, codes, n_classes, parts, whole, groups))
        if near.equal.mean() >= MANY_EQUAL and groups is None:
            limit = limit_of_equal_rows(points.values, codes, limit)
    else:
        distinct = points.of(near.distinct), codes[near.distinct]
        own = SpanningForest(*distinct, n_trees=AVERAGED_TREES, **problem.threads)
        limit = cross_limit(own, **problem.work)
    return Extrapolation(curve, limit)

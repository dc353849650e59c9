"""The spanning trees of a report, and all that is read off them."""

from typing import NamedTuple

import numpy as np

from smartsvm.estimation.class_forest import ClassForest
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
from smartsvm.estimation.forest_counts import ForestCounts
from smartsvm.estimation.friedman_rafsky import SignalTest, pairwise_tests, signal_on_trees
from smartsvm.estimation.number_of_trees import AVERAGED_TREES
from smartsvm.estimation.results import ErrorEstimate
from smartsvm.report.equal_rows import MANY_EQUAL
from smartsvm.report.intervals import BoundIntervals, bound_intervals
from smartsvm.trees.in_memory.class_trees import SpanningForest
from smartsvm.trees.in_memory.forests import most_trees

# The signal test has 2,000,000 / (trees · samples) permutations, from 99 to 999: its time then
# hardly grows with the samples.
_PERMUTED_EDGES = 2_000_000


class TreeStage(NamedTuple):
    """The spanning trees and all that is read off them."""

    counts: ForestCounts
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
    counts = count_edges(
        problem.points, problem.codes, n_trees, groups=problem.groups, **problem.work
    )
    forest = ClassForest._of_counts(counts, problem.classes, n_trees.made)
    signal, difficulty = _test_signal(problem, near, counts, n_trees)
    return TreeStage(
        counts=counts,
        bounds=bound_intervals(forest, counts, near.labels, problem.z),
        signal=signal,
        sample_difficulty=difficulty,
        pairwise=forest.pairwise(normalize=True),
        pair_scores=pairwise_tests(counts),
    )


def count_edges(points, codes, n_trees, *, seed, groups=None, n_jobs=None, verbose=0):
    """`ForestCounts` of the trees that a report computes; `n_trees` are its `ReportTrees`."""
    made = most_trees(len(codes), n_trees.made)
    forest = SpanningForest(points, codes, n_trees=made, seed=seed, n_jobs=n_jobs, verbose=verbose)
    forest.keeps_pairs = False
    counts = ForestCounts(
        forest,
        n_trees.counted,
        averages_ties=n_trees.averages_ties,
        groups=groups,
        keeps_edges=True,
    )
    _ = counts.of_pairs  # first, since the trees of all samples are among those of the pairs
    return counts


def _test_signal(problem, near, counts, n_trees):
    """The signal test and the difficulty of every sample, from more trees if they are cheap."""
    points, codes, groups = problem.points, problem.codes, problem.groups
    edges, difficulty = counts.forest.tree_edges(), counts.sample_difficulty()
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
    whole = trees.counts.forest.whole()
    parts = trees_of_parts(points, codes, whole, **problem.work)
    curve = convergence_curve(parts, codes, trees.counts.first_tree_cross(), groups)
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

"""The spanning trees of a report, and all that is read off them."""

import numpy as np

from smartsvm._core.sampling import stratified_rows
from smartsvm.estimation.cross_edges import between_groups, count_by_sample
from smartsvm.estimation.extrapolation import (
    cross_limit,
    extrapolate,
    limit_of_equal_rows,
    rungs_of,
    trees_of_parts,
)
from smartsvm.estimation.forest_counts import ForestCounts
from smartsvm.estimation.friedman_rafsky import count_variance, local_shares, signal_on_trees
from smartsvm.estimation.number_of_trees import AVERAGED_TREES
from smartsvm.report.equal_rows import MANY_EQUAL
from smartsvm.report.intervals import bound_intervals
from smartsvm.report.trees import TreeResults
from smartsvm.trees.in_memory.class_trees import SpanningForest
from smartsvm.trees.in_memory.forests import most_trees

# The signal test has 2,000,000 / (trees · samples) permutations, from 99 to 999: its time then
# hardly grows with the samples.
_PERMUTED_EDGES = 2_000_000
_MOST_CASES = 20_000


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


def cross_variance(problem, neighborhood, counts):
    """Variance of the number of cross edges."""
    shares = local_shares(neighborhood.labels, problem.codes)
    return count_variance(counts.graph(), shares, counts.order_variance()).total


def forest_of_cases(problem, neighborhood):
    """The trees of one row of each case, None where no row is repeated.

    Edges between copies of one case say nothing. What is measured on these trees is a limit and a
    test, for which a part of very many rows is enough.
    """
    if neighborhood.distinct is None:
        return None
    codes = problem.codes[neighborhood.distinct]
    rows = neighborhood.distinct[stratified_rows(codes, _MOST_CASES, problem.seed)]
    points, codes = problem.points.of(rows), problem.codes[rows]
    n_trees = AVERAGED_TREES if len(rows) == len(neighborhood.distinct) else 1
    return SpanningForest(points, codes, n_trees=n_trees, **problem.threads)


def measure_signal(problem, cases, counts, n_trees):
    """The signal test and the difficulty of every sample, from more trees if they are cheap."""
    points, codes, groups = problem.points, problem.codes, problem.groups
    edges, difficulty = counts.forest.tree_edges(), counts.sample_difficulty()
    if n_trees.tested > n_trees.made:
        more = SpanningForest(points, codes, n_trees=n_trees.tested, **problem.threads)
        edges = more.tree_edges()
        crossing, total = count_by_sample(between_groups(np.concatenate(edges), groups), codes)
        difficulty = crossing / np.maximum(total, 1)
    if cases is not None:
        points, codes = cases.points, cases.codes
        n_tested = min(n_trees.tested, max(1, len(codes) // 2))
        if n_tested > cases.n_trees:
            cases = SpanningForest(points, codes, n_trees=n_tested, **problem.threads)
        edges = cases.tree_edges()[:n_tested]
    n_permutations = int(np.clip(_PERMUTED_EDGES / (n_trees.tested * len(codes)), 99, 999))
    signal = signal_on_trees(
        edges, codes, n_permutations, groups=groups, points=points.values, **problem.threads
    )
    return signal, difficulty


def measure_trees(problem, neighborhood, cases, counts, forest, difficulty):
    """`TreeResults`, and the limit of the fraction of cross edges also where it is refused."""
    cross_share, lower, upper = bound_intervals(
        forest, cross_variance(problem, neighborhood, counts), problem.z
    )
    limit = _extrapolated(problem, neighborhood, cases, counts)
    return TreeResults(
        lower=lower,
        upper=upper,
        cross_share=cross_share,
        cross_limit=limit.if_known(),
        sample_difficulty=difficulty,
        n_trees=counts.n_counted,
        n_tie_orders=len(counts.orders),
        between_groups=counts.share_between_groups,
    ), limit


def _extrapolated(problem, neighborhood, cases, counts):
    """The fraction of cross edges that infinitely many samples would have."""
    points, codes, groups = problem.points, problem.codes, problem.groups
    if cases is not None:
        return cross_limit(cases, **problem.work)
    whole = counts.forest.whole()
    parts = trees_of_parts(points, codes, whole, **problem.work)
    n_classes = len(problem.classes)
    limit = extrapolate(rungs_of(neighborhood.labels, codes, n_classes, parts, whole, groups))
    if neighborhood.equal.mean() >= MANY_EQUAL and groups is None:
        limit = limit_of_equal_rows(points.values, codes, limit)
    return limit

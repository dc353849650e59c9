"""Counts in trees: means over orders of ties."""

import numpy as np
import pytest

from smartsvm import ClassForest
from smartsvm._core.points import Points
from smartsvm._core.validation import tie_seed
from smartsvm.estimation.number_of_trees import ReportTrees
from smartsvm.estimation.tie_orders import N_ORDERS
from smartsvm.report.tree_stage import count_edges


def counts_of_report(X, y, made, counted):
    """The counts of a report with random_state=0, and the errors that follow."""
    classes, codes = np.unique(y, return_inverse=True)
    n_trees = ReportTrees(made, counted, made, averages_ties=True)
    counts = count_edges(Points(X), codes, n_trees, seed=tie_seed(0))
    return counts, ClassForest._of_counts(counts, classes, made)


def test_without_ties_the_forest_is_the_plain_one():
    random = np.random.default_rng(1)
    X = random.normal(size=(120, 3))
    y = np.arange(120) % 3
    counts, averaged = counts_of_report(X, y, made=3, counted=3)
    plain = ClassForest(X, y)
    assert len(counts.orders) == 1
    assert counts.tie_share == counts.order_variance() == 0
    for question in ("pairwise", "one_vs_rest", "multiclass"):
        found, expected = (getattr(forest, question)() for forest in (averaged, plain))
        assert np.array_equal(found.value, expected.value)
        assert np.array_equal(found.cross_counts, expected.cross_counts)
    graph = counts.graph()
    assert graph.weights.sum() == pytest.approx(119)


def test_with_ties_counts_are_means_over_orders():
    random = np.random.default_rng(2)
    X = random.integers(0, 3, size=(200, 2)).astype(float)
    y = random.integers(0, 3, 200)
    counts, forest = counts_of_report(X, y, made=2, counted=1)
    assert len(counts.orders) == N_ORDERS
    assert counts.tie_share > 0.9
    graph = counts.graph()
    crossing = y[graph.edges[:, 0]] != y[graph.edges[:, 1]]
    assert forest.multiclass(bias_correction=False).cross_counts == pytest.approx(
        graph.weights[crossing].sum()
    )
    assert graph.weights.sum() == pytest.approx(199)  # one tree's worth
    assert len(np.unique(np.sort(graph.edges, axis=1), axis=0)) == len(graph.edges)
    assert counts.order_variance() > 0
    # Pairs are counted in the first order only.
    first = ClassForest(X, y, n_trees=1).pairwise().cross_counts
    pairs = forest.pairwise().cross_counts
    assert np.array_equal(pairs, first)
    assert (pairs[~np.eye(3, dtype=bool)] > 0).all()
    assert np.array_equal(pairs, pairs.T)


def test_order_of_rows_matters_less_than_with_one_order():
    random = np.random.default_rng(3)
    X = np.eye(8)[random.integers(0, 8, 300)]
    y = random.integers(0, 2, 300)
    single, averaged = [], []
    for seed in range(12):
        rows = np.random.default_rng(seed).permutation(300)
        single.append(ClassForest(X[rows], y[rows], n_trees=1).multiclass().cross_counts)
        averaged.append(ClassForest(X[rows], y[rows]).multiclass().cross_counts)
    assert np.std(averaged) < np.std(single)

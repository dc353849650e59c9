"""The curve over parts of the data, and means over tie orders."""

import numpy as np
import pytest

from smartsvm import ClassForest, euclidean_mst
from smartsvm.report.convergence import ConvergenceCurve, convergence_curve
from smartsvm.report.tie_orders import N_ORDERS, TieAveragedForest


def test_sizes_and_shares():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(410, 2)), np.arange(410) % 2
    edges = euclidean_mst(X).edges[0]
    cross = np.count_nonzero(y[edges[:, 0]] != y[edges[:, 1]])
    curve = convergence_curve(X, y, cross)
    assert curve.sizes.tolist() == [51, 102, 205, 410]
    assert curve.cross_shares[-1] == cross / 410
    assert ((curve.cross_shares > 0.3) & (curve.cross_shares < 0.7)).all()


def test_too_few_samples_give_no_fall():
    curve = convergence_curve(np.arange(99.0).reshape(-1, 1), np.arange(99) % 2, 98)
    assert curve.sizes.tolist() == [99]
    assert np.isnan(curve.fall)
    assert np.isnan(curve.fall_error)


def test_fall_is_the_slope_per_doubling():
    curve = ConvergenceCurve(np.array([100, 200, 400, 800]), np.array([0.4, 0.35, 0.3, 0.25]))
    assert curve.fall == pytest.approx(0.05)
    two = ConvergenceCurve(np.array([100, 200]), np.array([0.4, 0.38]))
    assert two.fall == pytest.approx(0.02)


@pytest.mark.slow
@pytest.mark.parametrize("separation", [0.0, 1.0, 2.0])
def test_fall_error_is_that_of_settled_curves(separation):
    falls, errors = [], []
    for seed in range(150):
        random = np.random.default_rng(seed)
        y = random.integers(0, 2, 800)
        X = random.normal(size=(800, 2))
        X[:, 0] += separation * y
        edges = euclidean_mst(X).edges[0]
        cross = np.count_nonzero(y[edges[:, 0]] != y[edges[:, 1]])
        curve = convergence_curve(X, y, cross, seed=seed)
        falls.append(curve.fall)
        errors.append(curve.fall_error)
    assert np.mean(errors) / np.std(falls) == pytest.approx(1, abs=0.25)


def test_parts_hold_every_class_in_proportion():
    # One class on each of two far lines: a part without one of them would have no cross edge.
    y = np.repeat([0, 1], [360, 40])
    X = np.column_stack([np.arange(400.0), y * 1e6])
    curve = convergence_curve(X, y, 1)
    assert (curve.cross_shares * curve.sizes).round(6).tolist() == [1, 1, 1, 1]


def test_without_ties_the_forest_is_the_plain_one():
    random = np.random.default_rng(1)
    X, y = random.normal(size=(120, 3)), np.arange(120) % 3
    averaged, plain = TieAveragedForest(X, y), ClassForest(X, y)
    assert averaged.n_orders == 1
    assert averaged.tie_share == averaged.duplicate_share == averaged.order_variance() == 0
    for question in ("pairwise", "one_vs_rest", "multiclass"):
        found, expected = (getattr(forest, question)() for forest in (averaged, plain))
        assert np.array_equal(found.value, expected.value)
        assert np.array_equal(found.cross_counts, expected.cross_counts)
    graph = averaged.graph()
    assert graph.weights.sum() == pytest.approx(119)


def test_with_ties_counts_are_means_over_orders():
    random = np.random.default_rng(2)
    X, y = random.integers(0, 3, size=(200, 2)).astype(float), random.integers(0, 3, 200)
    forest = TieAveragedForest(X, y, n_trees=2, counted_trees=1)
    assert forest.n_orders == N_ORDERS
    assert forest.duplicate_share == pytest.approx(1 - len(np.unique(X, axis=0)) / 200)
    assert forest.tie_share > 0.9
    graph = forest.graph()
    crossing = y[graph.edges[:, 0]] != y[graph.edges[:, 1]]
    assert forest.multiclass(bias_correction=False).cross_counts == pytest.approx(
        graph.weights[crossing].sum()
    )
    assert graph.weights.sum() == pytest.approx(199)  # one tree's worth
    assert len(np.unique(np.sort(graph.edges, axis=1), axis=0)) == len(graph.edges)
    assert forest.order_variance() > 0
    assert forest.order_variance(0) > 0
    pairs = forest.pairwise(connectivity_offset=True).cross_counts
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
        forest = TieAveragedForest(X[rows], y[rows], n_trees=1, pairs=False)
        averaged.append(forest.multiclass().cross_counts)
    assert np.std(averaged) < np.std(single)

"""Trees of growing parts of the data: the curve and the intrinsic dimension."""

import numpy as np
import pytest
from problems import two_gaussians

from smartsvm.convergence import (
    ConvergenceCurve,
    convergence_curve,
    intrinsic_dimension,
    trees_of_parts,
)
from smartsvm.forest import SpanningForest


def parts_and_cross(X, y, seed=0):
    """Trees of parts, and the cross edges of the whole."""
    whole = SpanningForest(X, y, n_trees=1, seed=0).whole()
    return trees_of_parts(X, y, whole, seed=seed), crossing(whole.edges, y)


def crossing(edges, y):
    return np.count_nonzero(y[edges[:, 0]] != y[edges[:, 1]])


def curve_of(X, y, seed=0):
    parts, cross = parts_and_cross(X, y, seed)
    return convergence_curve(parts, y, cross)


def test_sizes_and_shares():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(410, 2)), np.arange(410) % 2
    parts, cross = parts_and_cross(X, y)
    curve = convergence_curve(parts, y, cross)
    assert curve.sizes.tolist() == [51, 102, 205, 410]
    assert curve.cross_shares[-1] == cross / 410
    assert ((curve.cross_shares > 0.3) & (curve.cross_shares < 0.7)).all()
    assert [len(edges) for edges in parts.edges] == [402, 406, 408, 409]
    distances = [np.linalg.norm(X[e[:, 0]] - X[e[:, 1]], axis=1).mean() for e in parts.edges]
    assert parts.mean_lengths == pytest.approx(distances)
    apart = np.linalg.norm(X[:, None] - X[None], axis=2) + np.diag(np.full(410, np.inf))
    assert parts.nearest_length == pytest.approx(apart.min(axis=1).mean())


def test_too_few_samples_give_no_fall():
    curve = curve_of(np.arange(49.0).reshape(-1, 1), np.arange(49) % 2)
    assert curve.sizes.tolist() == [49]
    assert np.isnan(curve.fall)
    assert np.isnan(curve.fall_error)
    assert curve.dimension == 1


def test_fall_is_the_slope_per_doubling():
    sizes, shares = np.array([100, 200, 400, 800]), np.array([0.4, 0.35, 0.3, 0.25])
    assert ConvergenceCurve(sizes, shares, 2.0).fall == pytest.approx(0.05)
    assert ConvergenceCurve(sizes[:2], np.array([0.4, 0.38]), 2.0).fall == pytest.approx(0.02)


@pytest.mark.slow
@pytest.mark.parametrize("separation", [0.0, 1.0, 2.0])
def test_fall_error_is_that_of_settled_curves(separation):
    falls, errors = [], []
    for seed in range(150):
        curve = curve_of(*two_gaussians(800, 2, separation, seed), seed)
        falls.append(curve.fall)
        errors.append(curve.fall_error)
    assert np.mean(errors) / np.std(falls) == pytest.approx(1, abs=0.25)


def test_parts_hold_every_class_in_proportion():
    # One class on each of two far lines: a part without one of them would have no cross edge.
    y = np.repeat([0, 1], [360, 40])
    X = np.column_stack([np.arange(400.0), y * 1e6])
    curve = curve_of(X, y)
    assert (curve.cross_shares * curve.sizes).round(6).tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("dimension", [1, 2, 5])
def test_intrinsic_dimension_is_that_of_the_sheet_not_of_the_room(dimension):
    random = np.random.default_rng(dimension)
    X = random.uniform(size=(2000, dimension)) @ random.normal(size=(dimension, 30))
    parts, _ = parts_and_cross(X, np.arange(2000) % 2)
    assert parts.dimension == pytest.approx(dimension, rel=0.25)


def test_dimension_without_lengths_is_the_number_of_columns():
    assert intrinsic_dimension(np.array([100]), np.array([0.1]), 7) == 7
    assert intrinsic_dimension(np.array([50, 100]), np.array([0.0, 0.0]), 7) == 7
    # Edges that do not shrink: as many dimensions as there are.
    assert intrinsic_dimension(np.array([50, 100]), np.array([1.0, 1.0]), 7) == 7

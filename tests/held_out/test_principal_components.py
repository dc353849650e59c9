"""Directions: no label, no far value, no constant column, no overflow."""

import numpy as np
import pytest

from smartsvm.held_out.principal_components import Directions


def test_few_columns_stay_columns_without_far_values():
    points = np.random.default_rng(0).uniform(size=(200, 3))
    points[5, 1] = 1e6
    directions = Directions(points)
    inside = directions(points)
    assert directions.are_columns
    assert directions.n_directions == inside.shape[1] == 3
    assert inside[5, 1] == pytest.approx(
        3 * np.sqrt(np.var(points[:, 1])) / np.ptp(points), rel=0.1
    )
    others = np.delete(np.arange(200), 5)
    assert np.corrcoef(inside[others, 0], points[others, 0])[0, 1] > 1 - 1e-9


def test_constant_columns_are_left_out():
    points = np.random.default_rng(0).normal(size=(50, 4))
    points[:, 2] = 3.0
    directions = Directions(points)
    assert directions.n_directions == 3
    moved = points.copy()
    moved[:, 2] = np.arange(50)
    np.testing.assert_array_equal(directions(points), directions(moved))
    assert Directions(np.ones((5, 2))).n_directions == 0


@pytest.mark.parametrize(("n", "d"), [(300, 80), (20, 100), (40, 1200)])
def test_many_columns_become_their_principal_components(n, d):
    random = np.random.default_rng(0)
    points = random.normal(size=(n, 5)) @ random.normal(size=(5, d))
    directions = Directions(points)
    assert not directions.are_columns
    assert directions.n_directions <= min(32, n - 1)
    inside = directions(points)
    variances = inside.var(axis=0)
    assert (np.diff(variances) <= 1e-9).all()
    assert variances[:5].sum() > 0.95 * variances.sum()


def test_huge_and_tiny_values():
    points = np.random.default_rng(0).normal(size=(50, 3))
    wanted = Directions(points)(points)
    for scale in (2.0**-500, 2.0**200):
        np.testing.assert_allclose(Directions(points * scale)(points * scale), wanted)

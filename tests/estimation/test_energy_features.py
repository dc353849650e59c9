"""The energy distance in coordinates against its definition."""

import numpy as np
import pytest
from hypothesis import given
from scipy.spatial.distance import cdist, pdist
from strategies import point_sets

from smartsvm._core.points import scale_points
from smartsvm.estimation.energy_features import (
    distance_features,
    mean_distance,
    mean_distances_within,
    squared_means,
)


def between_classes(coordinates, codes, n_classes):
    """Σ n_k |mean of class k|²."""
    return squared_means(coordinates, codes, n_classes) @ np.bincount(codes[:, 0])


def unit_of(points):
    """The length that is 1 in the coordinates."""
    return np.abs(points - np.median(points, axis=0)).max()


def energy_between(points, codes):
    """Σ n_k times the energy distance terms: what `between_classes` must give, by definition."""
    total = -cdist(points, points).sum() / len(points)
    for k in np.unique(codes):
        inside = points[codes == k]
        total += cdist(inside, inside).sum() / len(inside)
    return -total


@pytest.mark.parametrize("n_classes", [2, 3])
def test_few_rows_give_the_energy_distance_itself(n_classes):
    random = np.random.default_rng(0)
    points = random.normal(size=(90, 4))
    codes = np.arange(90, dtype=np.uint8) % n_classes
    points[codes == 0] += 0.5
    found = distance_features(points, seed=0)
    ours = between_classes(found.coordinates, codes[:, None], n_classes)[0] * unit_of(points)
    assert ours == pytest.approx(energy_between(points, codes), rel=1e-4)


@pytest.mark.parametrize("n_landmarks", [90, 20])
def test_mean_distances_within_classes(n_landmarks):
    random = np.random.default_rng(0)
    points = random.normal(size=(90, 40))
    codes = np.repeat(np.arange(3), [20, 30, 40]).astype(np.uint8)
    points[codes == 1] *= 1.2
    found = distance_features(points, seed=0, n_landmarks=n_landmarks)
    squares = squared_means(found.coordinates, codes[:, None], 3)
    rows = np.sort(np.random.default_rng(0).permutation(90)[:n_landmarks])
    size = unit_of(points if n_landmarks == 90 else points[rows])
    ours = mean_distances_within(found, squares, codes[:, None], 3)[0] * size
    truth = [pdist(points[codes == k]).mean() for k in range(3)]
    assert ours == pytest.approx(truth, rel=1e-4 if n_landmarks == 90 else 0.03)
    assert ours[1] > max(ours[0], ours[2])


def test_landmarks_come_near_the_energy_distance():
    random = np.random.default_rng(1)
    points = random.normal(size=(1500, 3))
    codes = np.arange(1500, dtype=np.uint8) % 2
    points[codes == 0] += 0.3
    exact, near = (
        between_classes(
            distance_features(points, seed=0, n_landmarks=number).coordinates, codes[:, None], 2
        )[0]
        for number in (1500, 300)
    )
    size = {}
    for number in (1500, 300):
        rows = np.random.default_rng(0).permutation(1500)[:number]
        size[number] = unit_of(points if number == 1500 else points[np.sort(rows)])
    assert near * size[300] == pytest.approx(exact * size[1500], rel=0.1)


def test_threads_do_not_change_the_coordinates():
    points = np.random.default_rng(2).normal(size=(5000, 5))
    one, four = (distance_features(points, seed=3, n_jobs=n_jobs) for n_jobs in (1, 4))
    assert (one.coordinates == four.coordinates).all()
    assert (one.ranks == four.ranks).all()
    assert (one.with_itself == four.with_itself).all()


@given(point_sets(least=4))
def test_any_points_give_finite_features(points):
    points = scale_points(points).values
    found = distance_features(points, seed=0)
    assert np.isfinite(found.coordinates).all()
    assert np.abs(found.ranks).max() <= 0.5
    assert found.ranks.sum() == pytest.approx(0, abs=1e-9)


def test_equal_points_have_no_distance():
    found = distance_features(np.full((10, 2), 3.0), seed=0)
    assert not found.coordinates.any()
    assert not found.ranks.any()
    assert not found.with_itself.any()


@pytest.mark.parametrize("n", [2, 50])
def test_mean_distance_of_rows(n):
    rows = np.random.default_rng(0).normal(size=(n, 3)) + 100
    assert mean_distance(rows) == pytest.approx(pdist(rows).mean())

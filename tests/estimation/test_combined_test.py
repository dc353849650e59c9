"""The combined permutation test: exact level, ties, groups, threads."""

import numpy as np
import pytest

from smartsvm import euclidean_mst
from smartsvm.estimation.combined_test import combined_test
from smartsvm.estimation.energy_features import distance_features


def labels_on(points, codes, *, seed=0, n_permutations=99, **options):
    trees = euclidean_mst(points, n_trees=3).edges.astype(np.uint32)
    features = distance_features(points, seed=0)
    n_classes = int(codes.max()) + 1
    return combined_test(trees, features, codes, n_classes, n_permutations, seed=seed, **options)


def aligned(X):
    """The same rows with equal signs in both columns: spread and centre stay."""
    return np.abs(X) * np.sign(X[:, :1])


def test_ties_count_against_a_difference():
    # All rows are equal: no order of the labels lies apart, nor spreads, more than another.
    found = labels_on(np.zeros((40, 3)), np.arange(40) % 2)
    assert found.p_values["distance"] == 1
    assert 0 < found.p_values["spread"] <= 1


def test_every_order_is_as_likely_to_be_rejected():
    # Over all orders of the labels, at most 5% may have p <= 0.05, whatever the points.
    points = np.random.default_rng(0).normal(size=(40, 3)).round()
    codes = np.arange(40) % 2
    random = np.random.default_rng(1)
    rejected = [
        labels_on(points, random.permutation(codes), seed=draw, n_permutations=39).p_value <= 0.05
        for draw in range(300)
    ]
    assert np.mean(rejected) <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / 300)


def test_threads_do_not_change_the_result():
    points = np.random.default_rng(0).normal(size=(60, 3))
    codes = np.arange(60) % 3
    one, four = (labels_on(points, codes, n_permutations=300, n_jobs=n_jobs) for n_jobs in (1, 4))
    assert one.p_value == four.p_value
    for name, values in one.statistics.items():
        assert (values == four.statistics[name]).all()


@pytest.mark.parametrize(
    ("change", "part"),
    [
        (lambda X, codes: X + 0.7 * codes[:, None], "distance"),
        (lambda X, codes: X * (1 + 0.5 * codes[:, None]), "spread"),
        (lambda X, codes: np.where(codes[:, None], aligned(X), X), "neighbors"),
    ],
)
def test_each_part_finds_its_difference(change, part):
    codes = np.arange(200) % 2
    found = labels_on(change(np.random.default_rng(0).normal(size=(200, 2)), codes), codes)
    assert found.p_values[part] == 0.01
    assert found.p_value <= 0.05


def test_without_features_only_edges_count():
    points = np.random.default_rng(0).normal(size=(40, 2))
    codes = np.arange(40) % 2
    trees = euclidean_mst(points).edges.astype(np.uint32)
    found = combined_test(trees, None, codes, 2, 99)
    assert set(found.statistics) == {"neighbors", "scale"}
    assert set(found.p_values) == {"neighbors", "spread"}


def test_groups_are_permuted_as_wholes():
    # Ten rows of each of 20 patients lie together: without groups, patients look like samples.
    random = np.random.default_rng(0)
    centres = 3 * random.normal(size=(20, 2))
    groups = np.repeat(np.arange(20), 10)
    points = centres[groups] + random.normal(size=(200, 2)) / 3
    codes = groups % 2
    apart = [
        np.ascontiguousarray(edges[np.diff(groups[edges]).ravel() != 0], dtype=np.uint32)
        for edges in euclidean_mst(points, n_trees=3).edges
    ]
    features = distance_features(points, seed=0)
    assert labels_on(points, codes).p_value <= 0.05
    assert combined_test(apart, features, codes, 2, 99, groups=groups).p_value > 0.05

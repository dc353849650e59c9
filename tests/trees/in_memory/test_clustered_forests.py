"""Orthogonal trees by clusters are those of all points."""

import numpy as np
import pytest

from smartsvm import euclidean_mst
from smartsvm.trees.in_memory import class_trees
from smartsvm.trees.in_memory import clustered_forests as module
from smartsvm.trees.in_memory.clustered_forests import clustered_forests


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(module, "_LEAST_POINTS", 1000)
    monkeypatch.setattr(module, "_LEAST_COLUMNS", 8)
    monkeypatch.setattr(class_trees, "_LEAST_COLUMNS", 8)
    monkeypatch.setattr(class_trees, "_LEAST_POINTS", 1000)


def clusters(far, lattice=False):
    random = np.random.default_rng(0)
    inside = random.normal(size=(1200, 10))
    if lattice:
        inside = random.integers(0, 3, size=(1200, 10)).astype(float)
    return inside + np.round(far * random.normal(size=(40, 10)))[np.arange(1200) % 40]


@pytest.mark.parametrize("n_trees", [2, 3])
@pytest.mark.parametrize(
    ("far", "lattice", "used"), [(9, False, True), (9, True, True), (1, 0, False)]
)
def test_trees_are_those_of_the_kernels(n_trees, far, lattice, used):
    X = clusters(far, lattice)
    assert (clustered_forests(X, n_trees, 0, 1) is not None) == used
    found = euclidean_mst(X, n_trees=n_trees)
    expected = euclidean_mst(X, n_trees=n_trees, algorithm="blocked")
    assert np.array_equal(found.edges, expected.edges)
    assert np.array_equal(found.weights, expected.weights)


def test_one_tree_and_copies_are_searched_for():
    assert clustered_forests(clusters(9), 1, 0, 1) is None
    X = np.repeat(np.random.default_rng(1).normal(size=(60, 10)), 20, axis=0)
    found = euclidean_mst(X, n_trees=2)
    expected = euclidean_mst(X, n_trees=2, algorithm="blocked")
    assert np.array_equal(found.edges, expected.edges)

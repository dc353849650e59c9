"""Corners of a cube: the trees of Prim's algorithm, or none where words cannot tell them."""

import tracemalloc

import numpy as np
import pytest

from smartsvm import euclidean_mst
from smartsvm._mst import cube


def categories(levels, *, drop_first, seed=0):
    """All combinations of some categories in random order, a column for each (but the first)."""
    codes = np.indices(levels).reshape(len(levels), -1)
    columns = [np.eye(m)[code][:, drop_first:] for m, code in zip(levels, codes, strict=True)]
    return np.random.default_rng(seed).permutation(np.hstack(columns))


def trees_of(X, n_trees, seed=3):
    ids = np.arange(len(X), dtype=np.uint32)
    return cube.forests(np.ascontiguousarray(X), ids, seed, n_trees)


def mutual_trees_of(X, n_trees, k, seed=3):
    ids = np.arange(len(X), dtype=np.uint32)
    return cube.mutual_forests(np.ascontiguousarray(X), ids, seed, n_trees, k)


def assert_trees_of_prim(X, n_trees=1, k=0):
    assert (mutual_trees_of(X, n_trees, k) if k else trees_of(X, n_trees)) is not None
    expected = euclidean_mst(X, n_trees=n_trees, core_neighbors=k, algorithm="prim")
    found = euclidean_mst(X, n_trees=n_trees, core_neighbors=k)
    np.testing.assert_array_equal(found.edges, expected.edges)
    np.testing.assert_array_equal(found.weights, expected.weights)
    if k:
        np.testing.assert_array_equal(found.core_distances, expected.core_distances)


@pytest.mark.parametrize("n_trees", [1, 3])
@pytest.mark.parametrize("drop_first", [True, False])
def test_categories(drop_first, n_trees):
    assert_trees_of_prim(categories((3, 5, 4, 4, 3), drop_first=drop_first), n_trees)


def test_edges_over_one_bit_come_before_those_over_two():
    X = categories((2, 3, 4, 5, 6), drop_first=True)
    assert_trees_of_prim(X[: len(X) // 3])


def test_copies():
    X = categories((3, 5, 4, 4), drop_first=True)
    random = np.random.default_rng(1)
    X = X[random.integers(0, len(X), size=1_000)]
    assert_trees_of_prim(X)
    assert trees_of(X, 2) is None  # two trees may take edges between the same two corners


@pytest.mark.parametrize("values", [(-1.0, 1.0), (7.0, 7.25), (2.0**60, 0.0)])
def test_any_two_values(values):
    X = np.array(values)[categories((4, 4, 4, 4, 2), drop_first=True).astype(int)]
    X[:, ::3] = values[0] + values[1] - X[:, ::3]
    assert_trees_of_prim(np.column_stack([X, np.full(len(X), 5.0)]))


def test_words_that_do_not_tell():
    X = categories((3, 5, 4, 4, 3), drop_first=True)
    third = X.copy()
    third[100, 2] = 2
    unequal = X * np.where(np.arange(X.shape[1]) == 3, 2, 1)
    inexact = X * 0.3
    long = np.column_stack([X, *[X[:, :1]] * 60])
    apart = np.random.default_rng(0).integers(0, 2, size=(900, 40)).astype(float)
    same = np.ones((500, 3))
    for points in (third, unequal, inexact, long, apart, same):
        assert trees_of(points, 1) is None
        found = euclidean_mst(points)
        np.testing.assert_array_equal(found.edges, euclidean_mst(points, algorithm="prim").edges)


def test_near_neighbours_that_do_not_connect():
    # Two copies of a cube, five bits apart.
    X = categories((3, 4, 4, 5), drop_first=True)
    X = np.vstack([np.hstack([X, np.full((len(X), 5), bit)]) for bit in (0.0, 1.0)])
    assert trees_of(X, 1) is None
    expected = euclidean_mst(X, algorithm="prim")
    np.testing.assert_array_equal(euclidean_mst(X).edges, expected.edges)


@pytest.mark.parametrize("k", [1, 4, 9, 14])
@pytest.mark.parametrize("n_trees", [1, 3])
@pytest.mark.parametrize("drop_first", [True, False])
def test_mutual_reachability(drop_first, n_trees, k):
    assert_trees_of_prim(categories((3, 5, 4, 4, 3), drop_first=drop_first), n_trees, k)


@pytest.mark.parametrize("k", [1, 3, 6])
def test_mutual_reachability_where_cores_differ(k):
    # With a third of the categories left out, points have few neighbours over one bit, or many.
    X = categories((2, 3, 4, 5, 6), drop_first=True)
    X = X[: len(X) * 2 // 3]
    assert_trees_of_prim(X, 2, k)
    random = np.random.default_rng(k)
    assert_trees_of_prim(X[random.integers(0, len(X), size=1_200)], 1, k)


def test_cores_over_more_than_two_bits():
    # Another category is two bits away, and there are 14 of them.
    X = categories((3, 5, 4, 4, 3), drop_first=False)
    assert mutual_trees_of(X, 1, 15) is None
    found, expected = (euclidean_mst(X, core_neighbors=15, algorithm=a) for a in ("auto", "prim"))
    np.testing.assert_array_equal(found.edges, expected.edges)


def test_too_many_edges_are_left_to_a_kernel():
    # All words of 17 bits: 1.1 million edges over one bit, 8.9 million over two.
    words = np.arange(2**17)[:, None] >> np.arange(17) & 1
    X = np.ascontiguousarray(words[np.random.default_rng(0).permutation(2**17)], dtype=float)
    assert trees_of(X, 1) is not None  # edges over one bit connect them
    assert mutual_trees_of(X, 1, 17) is not None
    before = peak_traced(lambda: mutual_trees_of(X, 1, 18))
    assert mutual_trees_of(X, 1, 18) is None  # the core needs those over two
    assert before < 150 * 2**20


def peak_traced(call):
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

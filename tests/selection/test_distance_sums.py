"""Trees and neighbours under sums of squared distances, against those of the points."""

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartsvm._mst.prim.prim import prim_points, prim_sum
from smartsvm.selection._distance_sums import add_squared_differences, nearest_in_sum

SEED = 12345


@st.composite
def points(draw, least=3):
    """Integers full of ties, or numbers without any."""
    n = draw(st.integers(least, 40))
    d = draw(st.integers(1, 6))
    random = np.random.default_rng(draw(st.integers(0, 10_000)))
    if draw(st.booleans()):
        return random.integers(0, draw(st.integers(2, 5)), (n, d)).astype(np.float64)
    return random.normal(size=(n, d))


def sum_of(X):
    matrix = np.zeros((len(X), len(X)))
    for column in X.T:
        add_squared_differences(matrix, np.ascontiguousarray(column), matrix)
    return matrix


def ids_of(X):
    return np.arange(len(X), dtype=np.uint32)


@given(points(), st.integers(1, 3))
def test_trees_of_a_sum_are_trees_of_all_columns(X, n_trees):
    matrix = sum_of(X[:, :-1])
    last = np.ascontiguousarray(X[:, -1])
    found = prim_sum(matrix, last, ids_of(X), ids_of(X), SEED, n_trees)
    expected = prim_points(X, ids_of(X), SEED, n_trees)
    assert oracle.edge_sets(found[0], found[2]) == oracle.edge_sets(expected[0], expected[2])
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-12)


@given(points(least=6), st.integers(1, 2), st.randoms(use_true_random=False))
def test_trees_of_some_rows_leave_the_others_out(X, n_trees, random):
    rows = np.array(random.sample(range(len(X)), len(X) // 2 + 1), dtype=np.uint32)
    matrix = sum_of(X[:, :-1])
    last = np.ascontiguousarray(X[:, -1])
    found = prim_sum(matrix, last, rows, ids_of(X), SEED, n_trees)
    part = np.ascontiguousarray(X[rows])
    expected = prim_points(part, rows, SEED, n_trees)
    as_rows = rows[expected[0]]
    assert oracle.edge_sets(found[0], found[2]) == oracle.edge_sets(as_rows, expected[2])


@given(points(), st.integers(1, 5))
def test_nearest_rows_are_the_first_in_the_order_of_edges(X, k):
    k = min(k, len(X) - 1)
    matrix = sum_of(X[:, :-1])
    last = np.ascontiguousarray(X[:, -1])
    found = nearest_in_sum(matrix, last, ids_of(X), SEED, k)
    whole = sum_of(X)
    for i in range(len(X)):
        others = [j for j in range(len(X)) if j != i]
        others.sort(key=lambda j: (whole[i, j], oracle.tie_key(i, j, SEED)))
        assert found[i].tolist() == others[:k]


def test_sums_go_elsewhere_if_asked():
    X = np.random.default_rng(0).integers(0, 9, (20, 2)).astype(np.float64)
    first = sum_of(X[:, :1])
    kept = first.copy()
    out = np.empty_like(first)
    add_squared_differences(first, np.ascontiguousarray(X[:, 1]), out)
    assert np.array_equal(first, kept)
    assert np.array_equal(out, ((X[:, None] - X[None]) ** 2).sum(axis=2))


def test_shapes_are_checked():
    matrix = np.zeros((4, 4))
    column = np.zeros(5)
    ids = np.arange(5, dtype=np.uint32)
    with pytest.raises(ValueError, match="matrix must have"):
        prim_sum(matrix, column, ids, ids, 0, 1)
    with pytest.raises(ValueError, match="matrix must have"):
        nearest_in_sum(matrix, column, ids, 0, 1)
    with pytest.raises(ValueError, match="matrix and out must have"):
        add_squared_differences(matrix, column, matrix)
    with pytest.raises(ValueError, match="k must be"):
        nearest_in_sum(matrix, column[:4], ids[:4], 0, 4)

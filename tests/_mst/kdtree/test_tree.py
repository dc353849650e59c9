"""Sets of many regions of space: equal points are found, and the trees are those of Prim."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import by_tree
from strategies import examples

from smartsvm import euclidean_mst
from smartsvm._mst.kdtree import kdtree
from smartsvm._mst.prim.prim import prim_points

# A region has some 2000 points.
SHAPES = {
    "uniform": lambda r, n, d: r.random((n, d)),
    "signed": lambda r, n, d: r.normal(size=(n, d)),
    "clusters far apart": lambda r, n, d: r.integers(0, 3, (n, 1)) * 1e8 + r.random((n, d)),
    "small lattice": lambda r, n, d: r.integers(-9, 9, (n, d)) * 1.0,
    "copies": lambda r, n, d: r.normal(size=(n, d))[r.integers(0, n, n)],
    "mostly one point": lambda r, n, d: (r.random((n, 1)) < 0.02) * r.normal(size=(n, d)),
    "two values": lambda r, n, d: r.choice([0.0, -0.0, 1.0], (n, d), p=[0.1, 0.1, 0.8]),
    "constant": lambda r, n, d: np.full((n, d), 0.1),
    "one varies": lambda r, n, d: np.eye(d)[0] * r.integers(0, n, (n, 1)),
    "outliers": lambda r, n, d: r.random((n, d)) ** 20 * 1e6,
    "powers": lambda r, n, d: 2.0 ** -r.integers(0, 400, (n, d)),
    "neighbouring floats": lambda r, n, d: 1 + np.spacing(1.0) * r.integers(0, 40, (n, d)),
    "sorted": lambda r, n, d: np.sort(r.random((n, d)), axis=0),
    # Evenly spaced rows are not representative of these points.
    "periodic": lambda r, n, d: np.where(np.arange(n)[:, None] % 32 < 31, r.random((n, d)), 7.0),
}


def draw(shape, n, d, seed):
    r = np.random.default_rng(seed)
    return np.ascontiguousarray(SHAPES[shape](r, n, d), dtype=np.float64)


@given(
    st.sampled_from(sorted(SHAPES)),
    st.one_of(st.integers(1, 40), st.integers(2000, 20_000)),
    st.sampled_from([1, 2, 3, 4, 5, 6, 9, 12]),
    st.integers(1, 5),
    st.integers(0, 2**32 - 1),
)
@examples(150)
def test_equal_points_share_a_site(shape, n, d, n_threads, seed):
    X = draw(shape, n, d, seed)
    index = kdtree.index(X, np.arange(n, dtype=np.uint32), n_threads)
    # Zeros of both signs are equal.
    distinct, counts = np.unique(X + 0.0, axis=0, return_counts=True)
    assert index.collapsed
    assert index.n_sites == len(distinct)
    assert index.largest_site == counts.max()


@pytest.mark.parametrize("d", [1, 3, 6])
@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_trees_are_those_of_prim(shape, d):
    X = draw(shape, 4500, d, d)
    ids = np.random.default_rng(1).permutation(9000)[:4500].astype(np.uint32)
    expected = by_tree(prim_points(X, ids, 3, 2))
    for n_threads in (1, 3):
        index = kdtree.index(X, ids, n_threads)
        assert by_tree(kdtree.forests(index, 3, 2, n_threads)) == expected


@pytest.mark.parametrize("d", [2, 3])
def test_a_tree_without_gaps(d):
    X = draw("uniform", 18_000, d, 5)
    expected = euclidean_mst(X, algorithm="prim")
    for n_jobs in (1, 3):
        found = euclidean_mst(X, algorithm="kdtree", n_jobs=n_jobs)
        np.testing.assert_array_equal(found.edges, expected.edges)
        np.testing.assert_array_equal(found.weights, expected.weights)


@pytest.mark.parametrize("d", [2, 7])
def test_equal_points_stay_apart_where_squares_underflow(d):
    X = draw("small lattice", 5000, d, 0) * 1e-200
    index = kdtree.index(X, np.arange(5000, dtype=np.uint32), 2)
    assert not index.collapsed
    assert (index.n_sites, index.largest_site) == (5000, 1)

"""nearest_neighbors against brute force and scikit-learn, whatever the kernel."""

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import NearestNeighbors
from strategies import examples, point_sets

from smartsvm import Neighbors, euclidean_mst, nearest_neighbors

ALGORITHMS = ("auto", "prim", "kdtree", "products")
KINDS = ("normal", "lattice", "duplicated", "collinear", "constant", "offset", "far", "onehot")
X = np.random.default_rng(2).normal(size=(300, 4))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_neighbors_are_those_of_scikit_learn(algorithm):
    found = nearest_neighbors(X, 7, algorithm=algorithm, n_jobs=2)
    assert isinstance(found, Neighbors)
    distances, indices = NearestNeighbors(n_neighbors=7).fit(X).kneighbors()
    assert np.array_equal(found.indices, indices)
    np.testing.assert_allclose(found.distances, distances, rtol=1e-12)


@examples(40)
@given(
    points=point_sets(least=2, most=20, kinds=KINDS), k=st.integers(1, 19), seed=st.integers(0, 9)
)
def test_ties_follow_the_order_of_edges(points, k, seed):
    k = min(k, len(points) - 1)
    ties = int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
    found = [
        nearest_neighbors(points, k, algorithm=algorithm, random_state=seed)
        for algorithm in ALGORITHMS
    ]
    for each in found[1:]:
        assert np.array_equal(each.indices, found[0].indices)
        assert np.array_equal(each.distances, found[0].distances)
    wanted, squared = oracle.nearest(points, k, ties)
    assert np.array_equal(found[0].indices, wanted)
    assert np.array_equal(found[0].distances, np.sqrt(squared))


@pytest.mark.parametrize("exponent", [-900, 900])
def test_any_scale(exponent):
    plain, scaled = nearest_neighbors(X, 3), nearest_neighbors(np.ldexp(X, exponent), 3)
    assert np.array_equal(scaled.indices, plain.indices)
    assert np.array_equal(scaled.distances, np.ldexp(plain.distances, exponent))


def test_the_cores_of_mutual_reachability_are_the_last_distances():
    trees = euclidean_mst(X, core_neighbors=6)
    assert np.array_equal(trees.core_distances, nearest_neighbors(X, 6).distances[:, -1])


def test_a_file_is_read(tmp_path):
    np.save(tmp_path / "points.npy", X)
    found = nearest_neighbors(tmp_path / "points.npy", 2)
    assert np.array_equal(found.indices, nearest_neighbors(X, 2).indices)


def test_bad_numbers_of_neighbors_are_named():
    with pytest.raises(ValueError, match=r"n_neighbors must be less .* 300, got 300"):
        nearest_neighbors(X, 300)
    with pytest.raises(ValueError, match="n_neighbors must be at least 1, got 0"):
        nearest_neighbors(X, 0)
    with pytest.raises(TypeError, match="n_neighbors must be an integer"):
        nearest_neighbors(X, 2.5)
    with pytest.raises(ValueError, match="algorithm must be"):
        nearest_neighbors(X, 2, algorithm="tree")

"""euclidean_mst with core_neighbors: definitions, options that exclude each other, and scale."""

import pickle

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist
from sklearn.cluster import DBSCAN, HDBSCAN
from strategies import examples, point_sets

from smartsvm import euclidean_mst
from smartsvm.trees.out_of_core.memory_plan import direct_bytes

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(120, 3))


def test_the_point_itself_does_not_count():
    trees = euclidean_mst([[0.0], [1.0], [3.0], [7.0]], core_neighbors=1)
    assert trees.core_distances.tolist() == [1, 1, 2, 4]
    trees = euclidean_mst([[0.0], [1.0], [3.0], [7.0]], core_neighbors=2)
    assert trees.core_distances.tolist() == [3, 2, 3, 6]
    assert trees.weights.tolist() == [[3, 3, 6]]
    assert euclidean_mst(X).core_distances is None


def test_trees_are_pairs_that_keep_their_core_distances():
    trees = pickle.loads(pickle.dumps(euclidean_mst(X, core_neighbors=2)))
    edges, weights = trees
    assert edges is trees.edges
    assert weights is trees.weights
    assert trees.core_distances.shape == (len(X),)


def test_edges_of_equal_reachability_are_ordered_by_distance():
    # Of the edges of length 3 those of distance 1 come first, (0, 2) and (1, 3) after them.
    points = np.array([[0.0], [1.0], [3.0], [4.0]])
    trees = euclidean_mst(points, core_neighbors=2)
    assert trees.core_distances.tolist() == [3, 2, 2, 3]
    assert {tuple(edge) for edge in trees.edges[0].tolist()} == {(0, 1), (1, 2), (2, 3)}
    assert trees.weights.tolist() == [[2, 3, 3]]


@pytest.mark.parametrize("k", [1, 4, 15])
def test_scikit_learn_counts_the_point_itself(k):
    model = HDBSCAN(min_samples=k + 1, min_cluster_size=5, algorithm="kd_tree", copy=True).fit(X)
    heights = euclidean_mst(X, core_neighbors=k).linkage()[:, 2]
    np.testing.assert_allclose(heights, model._single_linkage_tree_["value"], rtol=1e-12)


def test_parts_of_the_tree_are_the_core_points_of_dbscan():
    eps, k = 0.6, 4
    parts = euclidean_mst(X, core_neighbors=k).components(eps)
    model = DBSCAN(eps=eps, min_samples=k + 1).fit(X)
    core = model.core_sample_indices_
    assert 0 < len(core) < len(X)
    together = parts[core][:, None] == parts[core]
    assert np.array_equal(together, model.labels_[core][:, None] == model.labels_[core])
    others = np.setdiff1d(np.arange(len(X)), core)
    assert (np.bincount(parts)[parts[others]] == 1).all()


@pytest.mark.parametrize("algorithm", ["auto", "prim", "kdtree", "products"])
def test_weights_are_those_of_the_full_matrix(algorithm):
    distances = cdist(X, X)
    core = np.sort(distances, axis=1)[:, 5]
    reach = np.maximum(distances, np.maximum(core, core[:, None]))
    np.fill_diagonal(reach, 0)
    trees = euclidean_mst(X, core_neighbors=5, algorithm=algorithm)
    np.testing.assert_allclose(trees.core_distances, core, rtol=1e-12)
    np.testing.assert_allclose(
        trees.weights[0], np.sort(minimum_spanning_tree(reach).data), rtol=1e-12
    )


@examples(40)
@given(
    points=point_sets(least=3, most=16),
    k=st.integers(1, 15),
    n_trees=st.integers(1, 2),
    seed=st.integers(0, 9),
)
def test_a_matrix_of_distances_is_taken_as_it_is(points, k, n_trees, seed):
    matrix, k = cdist(points, points, "cityblock"), min(k, len(points) - 1)
    ties = int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
    core, listed = oracle.mutual_edges(points, k, ties, matrix=matrix)
    wanted = oracle.peel(listed, len(points), n_trees)
    options = {"metric": "precomputed", "core_neighbors": k, "random_state": seed}
    if any(len(forest) < len(points) - 1 for forest in wanted):
        with pytest.raises(ValueError, match="n_trees must be at most"):
            euclidean_mst(matrix, n_trees=n_trees, **options)
        return
    trees = euclidean_mst(matrix, n_trees=n_trees, **options)
    assert trees.core_distances.tolist() == core.tolist()
    for edges, weights, forest in zip(trees.edges, trees.weights, wanted, strict=True):
        found = dict(zip(map(tuple, edges.tolist()), weights.tolist(), strict=True))
        assert found == {(i, j): length for (length, _), _, i, j in forest}


@pytest.mark.parametrize("exponent", [-1000, -700, 700, 1000])
@pytest.mark.parametrize("algorithm", ["prim", "kdtree", "products"])
def test_scale_changes_nothing_else(exponent, algorithm):
    plain = euclidean_mst(X, core_neighbors=3, n_trees=2, algorithm=algorithm)
    scaled = euclidean_mst(np.ldexp(X, exponent), core_neighbors=3, n_trees=2, algorithm=algorithm)
    assert np.array_equal(scaled.edges, plain.edges)
    assert np.array_equal(scaled.weights, np.ldexp(plain.weights, exponent))
    assert np.array_equal(scaled.core_distances, np.ldexp(plain.core_distances, exponent))


@pytest.mark.parametrize("k", [120, 121, 10**6])
@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_as_many_neighbors_as_points_are_refused(k, metric):
    points = X if metric == "euclidean" else cdist(X, X)
    with pytest.raises(ValueError, match=rf"core_neighbors must be less .* 120, got {k}"):
        euclidean_mst(points, core_neighbors=k, metric=metric)
    assert euclidean_mst(points, core_neighbors=119, metric=metric).weights.shape == (1, 119)


@pytest.mark.parametrize(
    ("value", "error"), [(-1, ValueError), (1.5, TypeError), (True, TypeError)]
)
def test_bad_numbers_of_neighbors_are_named(value, error):
    with pytest.raises(error, match="core_neighbors must be"):
        euclidean_mst(X, core_neighbors=value)


def test_what_would_be_cut_into_blocks_is_refused(tmp_path):
    with pytest.raises(ValueError, match="core_neighbors=5 needs points in one piece"):
        euclidean_mst(X, core_neighbors=5, checkpoint=tmp_path)
    with pytest.raises(ValueError, match="raise memory_limit"):
        euclidean_mst(X, core_neighbors=5, memory_limit="4 kB")


def test_points_that_fit_a_limit_or_a_file_give_the_same_tree(tmp_path):
    np.save(tmp_path / "points.npy", X)
    wanted = euclidean_mst(X, core_neighbors=5)
    for points, options in ((tmp_path / "points.npy", {}), (X, {"memory_limit": "1 GiB"})):
        found = euclidean_mst(points, core_neighbors=5, **options)
        assert np.array_equal(found.edges, wanted.edges)
        assert np.array_equal(found.core_distances, wanted.core_distances)


def test_neighbors_count_in_the_estimate_of_memory():
    estimates = [direct_bytes(1000, 5, 1, core_neighbors=k) for k in (0, 1, 10, 100)]
    assert estimates == sorted(set(estimates))

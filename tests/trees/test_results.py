"""What is read off spanning trees: linkages, sparse matrices, parts."""

import numpy as np
import pytest
from hypothesis import given
from scipy.cluster.hierarchy import cophenet, is_valid_linkage, linkage
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.spatial.distance import pdist, squareform
from strategies import point_sets

from smartsvm import euclidean_mst

X = np.random.default_rng(1).normal(size=(90, 2))


@given(points=point_sets(least=2, kinds=("normal", "lattice", "duplicated", "constant")))
def test_the_linkage_is_that_of_scipy(points):
    found = euclidean_mst(points).linkage()
    assert found.dtype == np.float64
    assert is_valid_linkage(found)
    assert (found[:, 0] < found[:, 1]).all()
    # Ties may be joined in another order; the heights at which points meet are the same.
    wanted = linkage(pdist(points), "single")
    np.testing.assert_allclose(cophenet(found), cophenet(wanted), rtol=1e-12)


def test_heights_are_the_weights_of_the_tree_that_is_named():
    trees = euclidean_mst(X, n_trees=3)
    for tree in range(3):
        assert np.array_equal(trees.linkage(tree)[:, 2], trees.weights[tree])
        assert trees.linkage(tree)[-1, 3] == len(X)


def test_a_sparse_matrix_has_every_edge_once():
    trees = euclidean_mst(X, n_trees=2)
    for tree in range(2):
        matrix = trees.to_csr(tree)
        assert matrix.shape == (90, 90)
        (i, j), weights = trees.edges[tree].T, trees.weights[tree]
        assert matrix.nnz == 89
        assert np.array_equal(matrix.toarray()[i, j], weights)
        assert connected_components(matrix, directed=False)[0] == 1
    wanted = minimum_spanning_tree(squareform(pdist(X)))
    assert abs(trees.to_csr() - (wanted + wanted.T) * (trees.to_csr() > 0)).max() < 1e-12


def test_equal_rows_stay_joined_in_a_sparse_matrix():
    matrix = euclidean_mst([[1.0], [1.0], [2.0]]).to_csr()
    assert matrix.nnz == 2
    assert connected_components(matrix, directed=False)[0] == 1


def test_parts_are_joined_by_edges_up_to_the_longest():
    trees = euclidean_mst([[0.0], [1.0], [3.0], [3.0], [7.0]])
    assert trees.components(0.5).tolist() == [0, 1, 2, 2, 3]
    assert trees.components(1.0).tolist() == [0, 0, 1, 1, 2]
    assert trees.components(np.inf).tolist() == [0] * 5
    assert trees.components(0).tolist() == [0, 1, 2, 2, 3]


def test_one_point_is_a_tree():
    trees = euclidean_mst([[1.0, 2.0]])
    assert trees.linkage().shape == (0, 4)
    assert trees.to_csr().shape == (1, 1)
    assert trees.components(1.0).tolist() == [0]


@pytest.mark.parametrize("read", ["linkage", "to_csr", "components"])
def test_bad_values_are_named(read):
    trees = euclidean_mst(X, n_trees=2)
    given = (1.0,) if read == "components" else ()
    with pytest.raises(ValueError, match="tree must be at most 1, got 2"):
        getattr(trees, read)(*given, tree=2)
    with pytest.raises(ValueError, match="longest must be a number of at least 0, got -1"):
        trees.components(-1)
    with pytest.raises(ValueError, match="longest must be a number of at least 0, got nan"):
        trees.components(np.nan)

"""Trees of equal points, and the order of ties that makes them fast."""

import itertools

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, seeds

from smartsvm import ClassForest, euclidean_mst
from smartsvm._mst.kdtree import kdtree
from smartsvm._mst.prim import prim
from smartsvm._mst.products import products
from smartsvm.trees.open_points import open_points
from smartsvm.trees.out_of_core.forest import BlockForest

KERNELS = {"prim": prim, "kdtree": kdtree, "products": products}


@st.composite
def groups(draw, most_groups=6, most_points=14):
    """Points of a few places, some of them equally far from each other, and their identities."""
    sizes = draw(st.lists(st.integers(1, most_points), min_size=1, max_size=most_groups))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    places = random.integers(0, 3, (len(sizes), draw(st.integers(1, 3)))).astype(float)
    X = np.repeat(places, sizes, axis=0)[random.permutation(sum(sizes))]
    return X, random.permutation(3 * len(X))[: len(X)].astype(np.uint32)


def expected(X, ids, seed, n_trees):
    trees = oracle.peel(oracle.sorted_edges(X, seed, ids), len(X), n_trees)
    return [{(i, j) for _, _, i, j in tree} for tree in trees]


def forests(kernel, X, ids, seed, n_trees):
    index = kernel.index(np.ascontiguousarray(X), ids)
    edges, _, sizes = kernel.forests(index, seed, n_trees, 1)
    return oracle.edge_sets(edges, sizes)


@given(groups(), st.sampled_from(sorted(KERNELS)), st.integers(1, 6), seeds)
@examples(150)
def test_trees_of_groups_are_those_of_brute_force(points, kernel, n_trees, seed):
    X, ids = points
    assert forests(KERNELS[kernel], X, ids, seed, n_trees) == expected(X, ids, seed, n_trees)


@given(groups(), st.sampled_from(sorted(KERNELS)), st.integers(1, 4), seeds, st.data())
@examples(150)
def test_pairs_of_sets_share_groups(points, name, n_trees, seed, data):
    X, ids = points
    kernel = KERNELS[name]
    n_a = data.draw(st.integers(0, len(X)))
    if n_a in (0, len(X)):
        return
    parts = [kernel.index(X[:n_a].copy(), ids[:n_a]), kernel.index(X[n_a:].copy(), ids[n_a:])]
    within = [kernel.forests(part, seed, n_trees, 1)[:2] for part in parts]
    edges, _, sizes = kernel.pair_forests(*parts, *within, seed, n_trees, 1)
    assert oracle.edge_sets(edges, sizes) == expected(X, ids, seed, n_trees)


@given(groups(most_points=20), st.integers(1, 3), st.integers(1, 8), seeds)
@examples(100)
def test_blocks_cut_through_groups(points, n_trees, n_blocks, seed):
    X = points[0]
    forest = BlockForest(open_points(X), n_trees=n_trees, seed=seed, n_blocks=min(n_blocks, len(X)))
    edges, _, sizes = forest.whole()
    assert oracle.edge_sets(edges, sizes) == expected(X, range(len(X)), seed, n_trees)


@pytest.mark.parametrize("n", [2, 3, 33, 500])
def test_all_points_equal(n):
    X = np.full((n, 3), 0.1)
    ids = np.arange(n, dtype=np.uint32)
    trees = expected(X, ids, 5, 4)
    for name, kernel in KERNELS.items():
        assert forests(kernel, X, ids, 5, 4) == trees, name


def test_the_first_tree_of_equal_points_is_a_path_by_rank():
    n, seed = 300, 9
    order = sorted(range(n), key=lambda i: oracle.tie_rank(i, seed))
    path = {tuple(sorted(pair)) for pair in itertools.pairwise(order)}
    found = forests(kdtree, np.zeros((n, 2)), np.arange(n, dtype=np.uint32), seed, 1)
    assert found == [path]


@pytest.mark.parametrize("n_trees", [2, 3, 5])
def test_later_trees_join_near_ranks(n_trees):
    n, seed = 400, 3
    place = {i: k for k, i in enumerate(sorted(range(n), key=lambda i: oracle.tie_rank(i, seed)))}
    trees = forests(kdtree, np.zeros((n, 1)), np.arange(n, dtype=np.uint32), seed, n_trees)
    for number, tree in enumerate(trees, start=1):
        assert len(tree) == n - 1
        assert max(abs(place[i] - place[j]) for i, j in tree) <= 2 * number - 1


def test_many_equal_points_have_distinct_edges_in_all_trees():
    # Far beyond what a look at every pair would allow.
    trees = euclidean_mst(np.full((200_000, 2), 7.0), n_trees=3)
    assert len(trees.edges) == 3
    keys = trees.edges[..., 0] * 200_000 + trees.edges[..., 1]
    assert len(np.unique(keys)) == 3 * 199_999


@pytest.mark.parametrize("sizes", [(3, 2), (10, 2), (20, 20), (12, 6, 2)])
def test_mean_over_seeds_is_the_expected_one(sizes):
    # (m^2 - sum of m_c^2) / m edges between classes, for all trees that span a group.
    m = sum(sizes)
    n_seeds = 1500
    y = np.repeat(np.arange(len(sizes)), sizes)
    ids = np.arange(m, dtype=np.uint32)
    index = kdtree.index(np.zeros((m, 1)), ids)
    counts = np.zeros((n_seeds, 2))
    for seed in range(n_seeds):
        edges, _, found = kdtree.forests(index, seed, 2, 1)
        assert list(found) == [m - 1, m - 1]
        counts[seed] = (y[edges[:, 0]] != y[edges[:, 1]]).reshape(2, m - 1).sum(axis=1)
    error = counts.std(axis=0) / np.sqrt(n_seeds)
    assert (np.abs(counts.mean(axis=0) - (m**2 - np.square(sizes).sum()) / m) < 4 * error).all()
    # A path has the variance of the number of runs (Wald and Wolfowitz, 1940).
    if len(sizes) == 2:
        both = 2 * sizes[0] * sizes[1]
        variance = both * (both - m) / (m**2 * (m - 1))
        assert counts[:, 0].var() == pytest.approx(variance, rel=0.2)


def test_groups_at_tied_distances_count_by_their_pairs():
    # Of two places equally far from a third, the one of b points of b + c gets the first edge in
    # b / (b + c) of the orders: the smallest of all keys wins, not one key for each place.
    sizes = (3, 4, 1)
    n_seeds = 3000
    X = np.repeat([[0.0], [1.0], [-1.0]], sizes, axis=0)
    index = kdtree.index(X, np.arange(len(X), dtype=np.uint32))
    to_larger = 0
    for seed in range(n_seeds):
        edges, squared, _ = kdtree.forests(index, seed, 1, 1)
        between = edges[squared == 1]
        keys = [oracle.tie_key(int(i), int(j), seed) for i, j in between]
        to_larger += X[between[keys.index(min(keys))]].max() == 1
    assert abs(to_larger / n_seeds - 0.8) < 4 * np.sqrt(0.16 / n_seeds)


def test_pairs_of_classes_with_many_equal_rows():
    X = np.repeat([[0.0, 0.0], [1.0, 0.0]], 6000, axis=0)
    y = np.arange(12_000) % 3
    cross = ClassForest(X, y, n_trees=2)._counts.of_pairs.cross
    # Pure chance: half of a pair's edges join its two classes.
    assert np.abs(cross[:, 0, 1] / 8000 - 0.5).max() < 0.05

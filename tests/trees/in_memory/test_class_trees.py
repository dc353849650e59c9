"""Trees of pairs and of the whole fit together, however they were computed."""

import numpy as np
import oracle
from hypothesis import given
from hypothesis import strategies as st
from strategies import point_sets, seeds

from smartsvm._core.points import Points
from smartsvm._mst.choice import KERNELS
from smartsvm.estimation.cross_edges import count_by_class, count_pairs, mean_over_trees
from smartsvm.trees.in_memory.class_trees import SpanningForest


@st.composite
def labelled(draw):
    X = draw(point_sets(least=6, most=22, most_features=6))
    n_classes = draw(st.integers(2, 4))
    return X, np.random.default_rng(draw(st.integers(0, 999))).permutation(
        np.arange(len(X)) % n_classes
    )


@given(problem=labelled(), seed=seeds, n_trees=st.integers(1, 4))
def test_pairs_and_whole_equal_trees_from_scratch(problem, seed, n_trees):
    X, codes = problem
    forest = SpanningForest(Points(X), codes, n_trees=n_trees, seed=seed)
    edges = oracle.sorted_edges(X, seed)
    for k, m, found in forest.pairs():
        inside = {int(i) for i in np.flatnonzero((codes == k) | (codes == m))}
        expected = oracle.peel([edge for edge in edges if inside >= set(edge[2:])], len(X), n_trees)
        assert oracle.edge_sets(found.edges, found.sizes) == [
            {edge[2:] for edge in tree} for tree in expected
        ]
    expected = [{edge[2:] for edge in tree} for tree in oracle.peel(edges, len(X), n_trees)]
    gathered = forest.whole()
    assert oracle.edge_sets(gathered.edges, gathered.sizes) == expected
    direct = SpanningForest(Points(X), codes, n_trees=n_trees, seed=seed).whole()
    assert oracle.edge_sets(direct.edges, direct.sizes) == expected


@given(problem=labelled(), n_trees=st.integers(1, 3))
def test_counts_by_class_add_up(problem, n_trees):
    X, codes = problem
    forest = SpanningForest(Points(X), codes, n_trees=n_trees, seed=1)
    whole = forest.whole()
    counts = count_by_class(whole.edges, whole.sizes, codes, forest.n_classes)
    assert np.array_equal(counts, counts.transpose(0, 2, 1))
    assert np.array_equal(np.triu(counts).sum(axis=(1, 2)), whole.sizes)
    pairs = count_pairs(forest)
    assert np.array_equal(pairs.spanning, pairs.spanning.T)
    # A class connected to another needs at least one edge in every tree that spans.
    first = pairs.cross[0][~np.eye(forest.n_classes, dtype=bool)]
    assert (first >= 1).all()


def test_many_pairs_are_gathered_in_little_memory():
    random = np.random.default_rng(0)
    X, codes = random.normal(size=(120, 2)), np.arange(120) % 40
    forest = SpanningForest(Points(X), codes, n_trees=2, seed=3)
    total = sum(len(found.edges) for _, _, found in forest.pairs())
    assert total > 8 * 2 * 120  # enough to be peeled in between
    expected = SpanningForest(Points(X), codes, n_trees=2, seed=3).whole()
    gathered = forest.whole()
    assert oracle.edge_sets(gathered.edges, gathered.sizes) == oracle.edge_sets(
        expected.edges, expected.sizes
    )


def test_mean_over_the_first_trees():
    cross = np.array([[4, 1], [2, 5], [0, 9]])
    assert mean_over_trees(cross, np.array([3, 1])).tolist() == [2.0, 1.0]


@given(problem=labelled(), seed=seeds, n_trees=st.integers(1, 4), data=st.data())
def test_unions_equal_trees_from_scratch(problem, seed, n_trees, data):
    X, codes = problem
    n_classes = int(codes.max()) + 1
    chosen = data.draw(
        st.lists(st.integers(0, n_classes - 1), min_size=2, max_size=n_classes, unique=True)
    )
    inside = {int(i) for i in np.flatnonzero(np.isin(codes, chosen))}
    edges = [edge for edge in oracle.sorted_edges(X, seed) if inside >= set(edge[2:])]
    expected = [{edge[2:] for edge in tree} for tree in oracle.peel(edges, len(X), n_trees)]
    forest = SpanningForest(Points(X), codes, n_trees=n_trees, seed=seed)
    direct = forest.union(chosen)
    assert oracle.edge_sets(direct.edges, direct.sizes) == expected
    list(forest.pairs())
    peeled = forest.union(chosen)
    assert oracle.edge_sets(peeled.edges, peeled.sizes) == expected


def test_every_pair_takes_the_kernel_for_its_own_size():
    # One large class among small ones: the mean pair is small, those of the large class are not.
    codes = np.repeat(np.arange(6), [3000, 4, 4, 5, 6, 7])
    points = np.random.default_rng(0).random((len(codes), 3))
    forest = SpanningForest(Points(points), codes, n_trees=1, seed=3)
    kernels = forest._pair_trees().kernels
    assert kernels[8] is KERNELS["prim"]
    assert kernels[3004] is KERNELS["kdtree"]
    by_prim = SpanningForest(Points(points), codes, n_trees=1, seed=3, algorithm="prim")
    for (*pair, found), (*_, wanted) in zip(forest.pairs(), by_prim.pairs(), strict=True):
        assert oracle.edge_sets(found.edges, found.sizes) == oracle.edge_sets(
            wanted.edges, wanted.sizes
        ), pair

"""euclidean_mst and its kernels against brute force, and the laws of spanning trees."""

import threading
import time
import warnings
from fractions import Fraction
from itertools import pairwise

import numpy as np
import oracle
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from scipy.stats import special_ortho_group
from strategies import point_sets, seeds

from smartsvm import SpanningTrees, euclidean_mst
from smartsvm._core.safe_range import SAFE_LARGEST, SAFE_SMALLEST
from smartsvm._mst.edges.peel import peel
from smartsvm._mst.prim.prim import prim_matrix, prim_points


def as_sets(forests):
    return [{(i, j) for _, _, i, j in forest} for forest in forests]


def test_trees_have_edges_and_weights():
    trees = euclidean_mst(np.random.default_rng(0).normal(size=(30, 3)), n_trees=2)
    assert isinstance(trees, SpanningTrees)
    assert [edges.shape for edges in trees.edges] == [(29, 2)] * 2
    assert [len(weights) for weights in trees.weights] == [29, 29]


@given(X=point_sets(), seed=seeds, n_trees=st.integers(1, 5), data=st.data())
def test_prim_equals_brute_force(X, seed, n_trees, data):
    ids = np.array(data.draw(st.permutations(range(3 * len(X)))), dtype=np.uint32)[
        : len(X)
    ]  # identities of points in some larger set
    edges, squared, sizes = prim_points(X, ids, seed, n_trees)
    expected = oracle.peel(oracle.sorted_edges(X, seed, ids), len(X), n_trees)
    assert oracle.edge_sets(edges, sizes) == as_sets(expected)
    for (i, j), length in zip(edges, squared, strict=True):
        assert length == oracle.squared_distance(X[i], X[j])


@given(X=point_sets(), seed=seeds, n_trees=st.integers(1, 4))
def test_prim_on_a_matrix_equals_brute_force(X, seed, n_trees):
    matrix = np.ascontiguousarray(cdist(X, X, "cityblock"))
    ids = np.arange(len(X), dtype=np.uint32)
    edges, _, sizes = prim_matrix(matrix, ids, seed, n_trees)
    expected = oracle.peel(oracle.sorted_edges(X, seed, matrix=matrix), len(X), n_trees)
    assert oracle.edge_sets(edges, sizes) == as_sets(expected)


@given(X=point_sets(least=2), seed=seeds, n_trees=st.integers(1, 4), repeats=st.integers(1, 2))
def test_peel_of_all_edges_equals_brute_force(X, seed, n_trees, repeats):
    listed = oracle.sorted_edges(X, seed)
    edges = np.array([edge[2:] for edge in listed] * repeats, dtype=np.uint32)
    squared = np.array([edge[0] for edge in listed] * repeats)
    ids = np.arange(len(X), dtype=np.uint32)
    shuffled = np.random.default_rng(0).permutation(len(edges))
    found, _, sizes = peel(edges[shuffled], squared[shuffled], ids, seed, n_trees)
    assert oracle.edge_sets(found, sizes) == as_sets(oracle.peel(listed, len(X), n_trees))


@given(X=point_sets(least=2), n_trees=st.integers(1, 4))
def test_trees_span_are_disjoint_and_in_canonical_order(X, n_trees):
    try:
        trees = euclidean_mst(X, n_trees=n_trees)
    except ValueError:
        forests = oracle.peel(oracle.sorted_edges(X, 0), len(X), n_trees)
        assert any(len(forest) < len(X) - 1 for forest in forests) or n_trees > len(X) // 2
        return
    assert trees.edges.shape == (n_trees, len(X) - 1, 2)
    assert trees.weights.shape == (n_trees, len(X) - 1)
    seen = set()
    for edges, weights in zip(trees.edges, trees.weights, strict=True):
        forest = [(w, 0, int(i), int(j)) for (i, j), w in zip(edges, weights, strict=True)]
        assert all(i < j for _, _, i, j in forest)
        assert forest == sorted(forest)
        # Kruskal takes every edge only if they are acyclic; n - 1 of them then span.
        assert len(oracle.peel(forest, len(X), 1)[0]) == len(X) - 1
        pairs = {(i, j) for _, _, i, j in forest}
        assert not pairs & seen
        seen |= pairs
        np.testing.assert_allclose(
            weights, [np.linalg.norm(X[i] - X[j]) for i, j in edges], rtol=1e-12
        )


@given(X=point_sets(least=4, kinds=("lattice", "duplicated", "onehot")), seed=st.integers(0, 99))
def test_weights_do_not_depend_on_the_order_of_rows(X, seed):
    shuffled = np.random.default_rng(seed).permutation(len(X))
    assert np.array_equal(euclidean_mst(X).weights, euclidean_mst(X[shuffled]).weights)


@given(
    X=point_sets(least=4, most_features=8, kinds=("normal", "constant")), seed=st.integers(0, 99)
)
def test_weights_do_not_depend_on_the_frame(X, seed):
    assume(len(X) >= 8)
    d = X.shape[1]
    turn = special_ortho_group.rvs(d, random_state=seed) if d > 1 else -np.eye(1)
    moved = X @ turn + 3
    expected = euclidean_mst(X, n_trees=2).weights
    np.testing.assert_allclose(euclidean_mst(moved, n_trees=2).weights, expected, atol=1e-12)


@given(X=point_sets(least=3, kinds=("lattice",)), shift=st.integers(-1000, 1000))
def test_exact_translation_changes_nothing(X, shift):
    before, after = euclidean_mst(X), euclidean_mst(X + shift)
    assert np.array_equal(before.edges, after.edges)
    assert np.array_equal(before.weights, after.weights)


@given(
    X=point_sets(least=4, kinds=("normal", "lattice", "duplicated")),
    exponent=st.sampled_from([-1000, -700, -300, 300, 700, 1000]),
)
def test_any_finite_scale_gives_the_same_trees(X, exponent):
    X = np.round(X * 1024)  # whole numbers, so that the scaling itself is exact
    scaled = np.ldexp(X, exponent)
    before, after = euclidean_mst(X), euclidean_mst(scaled)
    assert np.array_equal(before.edges, after.edges)
    assert np.array_equal(np.ldexp(before.weights, exponent), after.weights)


def test_subnormal_and_huge_points():
    tiny = np.array([[0.0], [5e-324], [2e-323]])
    assert euclidean_mst(tiny).weights.tolist() == [[5e-324, 1.5e-323]]
    huge = np.array([[-1.7e308], [1.7e308], [1.6e308]])
    with pytest.warns(RuntimeWarning, match="overflow"):
        trees = euclidean_mst(huge)
    assert trees.edges.tolist() == [[[1, 2], [0, 2]]]


@pytest.mark.parametrize("values", [[0, 1e-200, 1], [0, 1e-300, 1e300], [1e140, 2e140, 1e300]])
def test_too_wide_a_span_warns_the_caller(values, tmp_path):
    X = np.array(values)[:, None]
    for options in ({}, {"checkpoint": tmp_path / "blocks"}):
        with pytest.warns(RuntimeWarning, match=r"span more than 2\^500") as caught:
            euclidean_mst(X, **options)
        assert caught[0].filename == __file__


@given(
    st.lists(
        st.tuples(st.sampled_from([-3.0, -1.0, 0.0, 1.0, 1.5]), st.integers(-900, 900)),
        min_size=2,
        max_size=8,
    )
)
def test_blocks_warn_where_arrays_do(parts):
    X = np.array([np.ldexp(*part) for part in parts])[:, None]
    lost = []
    for options in ({}, {"memory_limit": 4000}):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            euclidean_mst(X, **options)
        lost.append(any("span more" in str(each.message) for each in caught))
    assert lost[0] == lost[1]
    values = sorted({Fraction(x) for x in X[:, 0].tolist()})
    gaps = [b - a for a, b in pairwise(values)]
    # Scales are powers of two: within a factor of two of the limit either answer is right.
    sizes = [abs(value) for value in values if value]
    inside = all(Fraction(SAFE_SMALLEST) <= size <= Fraction(SAFE_LARGEST) for size in sizes)
    if gaps and values[-1] - values[0] > 2**502 * min(gaps) and not inside:
        assert lost[0]
    if gaps and values[-1] - values[0] < 2**498 * min(gaps):
        assert not lost[0]


def test_random_state_decides_ties_only():
    lattice = np.random.default_rng(0).integers(0, 3, size=(60, 3)).astype(float)
    first = euclidean_mst(lattice)
    assert np.array_equal(first.edges, euclidean_mst(lattice).edges)
    others = [euclidean_mst(lattice, random_state=seed) for seed in range(1, 5)]
    assert all(np.array_equal(first.weights, other.weights) for other in others)
    assert any(not np.array_equal(first.edges, other.edges) for other in others)
    drawn = [euclidean_mst(lattice, random_state=None).edges for _ in range(2)]
    assert not np.array_equal(*drawn)
    for random in (np.random.RandomState(3), np.random.default_rng(3)):
        assert not np.array_equal(
            euclidean_mst(lattice, random_state=random).edges,
            euclidean_mst(lattice, random_state=random).edges,
        )


def test_ties_do_not_make_stars():
    edges = euclidean_mst(np.zeros((200, 2))).edges[0]
    assert np.bincount(edges.ravel()).max() < 30


def test_largest_feasible_number_of_trees_is_named():
    star = np.vstack([np.zeros((1, 6)), np.eye(6)])  # the centre is nearest to every tip
    with pytest.raises(ValueError, match=r"n_trees must be at most 1 .* got 3"):
        euclidean_mst(star, n_trees=3)
    assert euclidean_mst(star, n_trees=1).edges.shape == (1, 6, 2)


def test_one_point_is_a_tree():
    trees = euclidean_mst([[1.0, 2.0]])
    assert trees.edges.shape == (1, 0, 2)
    assert trees.weights.shape == (1, 0)


def test_precomputed_matches_points_and_may_be_read_only():
    X = np.random.default_rng(1).normal(size=(40, 3))
    distances = cdist(X, X)
    distances.setflags(write=False)
    expected = euclidean_mst(X, n_trees=3)
    trees = euclidean_mst(distances, n_trees=3, metric="precomputed")
    assert np.array_equal(trees.edges, expected.edges)
    np.testing.assert_allclose(trees.weights, expected.weights)
    rounded = cdist(X, X) * (1 + 1e-14 * np.random.default_rng(2).normal(size=(40, 40)))
    assert np.array_equal(
        euclidean_mst(rounded, n_trees=3, metric="precomputed").edges, expected.edges
    )


def test_kernel_releases_the_interpreter():
    X = np.random.default_rng(0).normal(size=(3000, 20))
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    for _ in range(200):  # on a busy machine the other thread may not get its turn
        start = time.perf_counter()
        prim_points(X, np.arange(len(X), dtype=np.uint32), 0, 2)
        stop = time.perf_counter()
        n_ticks = sum(start < tick < stop for tick in list(ticks))
        if n_ticks > 2:
            break
    done.set()
    thread.join()
    assert n_ticks > 2

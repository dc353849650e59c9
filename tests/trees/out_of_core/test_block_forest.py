"""Forests of blocks are the forests of the whole: any blocks, limits, sources, ties and trees."""

from functools import partial

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib import parallel_config
from strategies import examples, point_sets, seeds

from smartsvm import ClassForest, euclidean_mst
from smartsvm._core.safe_range import scale_to_safe_range
from smartsvm._core.sources import open_source
from smartsvm._mst.edges.bottleneck import Linkage
from smartsvm._mst.kdtree import kdtree
from smartsvm.trees.open_points import open_points
from smartsvm.trees.out_of_core.classes import BlockSpanningForest
from smartsvm.trees.out_of_core.forest import BlockForest
from smartsvm.trees.out_of_core.memory_plan import BlockMemory, BlockPlan
from smartsvm.trees.out_of_core.partition import (
    box_distances,
    distances_to_box,
    kd_plan,
    leaf_of,
    near_box,
)
from smartsvm.trees.out_of_core.summary import run_in_threads, summarize
from smartsvm.trees.out_of_core.tasks import _components, _within_reach
from smartsvm.trees.tree_plan import parse_bytes


def direct(X, n_trees, seed):
    points, _ = scale_to_safe_range(np.ascontiguousarray(X, dtype=np.float64))
    index = kdtree.index(points, np.arange(len(X), dtype=np.uint32))
    return kdtree.forests(index, seed, n_trees, 1)


def assert_same(forests, expected):
    assert oracle.edge_sets(forests[0], forests[2]) == oracle.edge_sets(expected[0], expected[2])
    # Not only the same edges: the same bits of their lengths.
    for mine, theirs in zip(
        np.split(forests[1], np.cumsum(forests[2])[:-1]),
        np.split(expected[1], np.cumsum(expected[2])[:-1]),
        strict=True,
    ):
        np.testing.assert_array_equal(np.sort(mine), np.sort(theirs))


@given(point_sets(most=70, most_features=6), st.integers(1, 3), st.integers(1, 12), seeds)
def test_any_blocks_give_the_same_forests(X, n_trees, n_blocks, seed):
    forest = BlockForest(open_points(X), n_trees=n_trees, seed=seed, n_blocks=min(n_blocks, len(X)))
    assert_same(forest.whole(), direct(X, n_trees, seed))
    report = forest.report
    assert report.n_looked + report.n_skipped == report.n_pairs
    assert report.n_pairs == report.n_blocks * (report.n_blocks - 1) // 2


@given(st.integers(2, 5), st.integers(1, 3), st.integers(0, 2**32 - 1), st.integers(2, 9), seeds)
def test_clusters_of_any_scale_and_gap(n_clusters, n_trees, random, n_blocks, seed):
    # Blocks of several clusters, clusters of several blocks, outliers: every kind of task.
    rng = np.random.default_rng(random)
    d = int(rng.integers(1, 5))
    centres = rng.normal(size=(n_clusters, d)) * 10.0 ** rng.integers(-1, 4)
    scale = 10.0 ** rng.uniform(-2, 1, size=n_clusters)
    which = rng.integers(0, n_clusters, size=int(rng.integers(20, 300)))
    X = centres[which] + scale[which, None] * rng.standard_t(2, size=(len(which), d))
    if rng.random() < 0.3:
        X = np.round(X)
    forest = BlockForest(open_points(X), n_trees=n_trees, seed=seed, n_blocks=n_blocks)
    assert_same(forest.whole(), direct(X, n_trees, seed))


@examples(40)
@given(
    point_sets(least=20, most=90, most_features=4),
    st.integers(1, 3),
    st.integers(2, 60),
    st.sampled_from(["prim", "kdtree", "products", "auto"]),
)
def test_any_memory_limit_gives_the_same_trees(X, n_trees, rows, algorithm):
    limit = BlockMemory(*X.shape, n_trees, algorithm).needed(rows, 1, 0)
    try:
        expected = euclidean_mst(X, n_trees=n_trees)
    except ValueError as error:  # the trees run out
        with pytest.raises(ValueError, match=f"n_trees must be at most {str(error).split()[5]}"):
            euclidean_mst(X, n_trees=n_trees, memory_limit=limit, algorithm=algorithm)
        return
    found = euclidean_mst(X, n_trees=n_trees, memory_limit=limit, algorithm=algorithm)
    np.testing.assert_array_equal(found.edges, expected.edges)
    np.testing.assert_array_equal(found.weights, expected.weights)


@given(
    point_sets(least=12, most=60, most_features=4),
    st.integers(2, 4),
    st.integers(1, 3),
    st.integers(1, 9),
)
def test_classes_in_blocks_give_the_same_errors(X, n_classes, n_trees, n_blocks):
    y = np.arange(len(X)) * 7919 % 101 % n_classes
    expected = ClassForest(X, y, n_trees=n_trees)
    found = ClassForest(X, y, n_trees=n_trees)
    inner = expected._counts.forest
    options = {"codes": inner.codes, "n_trees": inner.n_trees, "n_blocks": n_blocks}
    blocks = BlockForest(open_points(X), seed=inner.seed, **options)
    found._counts.forest = BlockSpanningForest(blocks, inner.codes)
    for mine, theirs in zip(found._counts.forest.pairs(), inner.pairs(), strict=True):
        assert mine[:2] == theirs[:2]
        assert_same(mine[2], theirs[2])
    assert_same(found._counts.forest.whole(), inner.whole())
    assert_same(found._counts.forest.union([0, 1]), inner.union([0, 1]))
    fresh = BlockSpanningForest(
        BlockForest(open_points(X), seed=inner.seed, **options), inner.codes
    )
    assert_same(fresh.whole(), inner.whole())
    assert_same(fresh.in_other_order(3).whole(), inner.in_other_order(3).whole())
    np.testing.assert_array_equal(found._counts.of_pairs.cross, expected._counts.of_pairs.cross)


@pytest.mark.parametrize("backend", ["threading", "loky", "sequential"])
@pytest.mark.parametrize("kind", ["uniform", "ties"])
def test_every_backend_gives_the_same_trees(backend, kind, rng_points):
    X = rng_points if kind == "uniform" else np.round(8 * rng_points)
    expected = direct(X, 2, 5)
    n_jobs = 1 if backend == "sequential" else 2
    with (
        parallel_config(backend=backend, n_jobs=n_jobs),
        BlockForest(open_points(X), n_trees=2, seed=5, n_blocks=5) as forest,
    ):
        assert_same(forest.whole(), expected)
        assert forest.report.n_blocks == 5


@pytest.fixture
def rng_points():
    return np.random.default_rng(3).random((1500, 3))


def test_far_blocks_are_skipped(rng_points):
    forest = BlockForest(open_points(rng_points * [50, 1, 1]), n_trees=1, seed=0, n_blocks=10)
    assert_same(forest.whole(), direct(rng_points * [50, 1, 1], 1, 0))
    assert forest.report.n_skipped >= 30  # of 45: blocks in a row have two neighbours


def test_scaled_data_has_the_same_weights():
    X = np.random.default_rng(0).normal(size=(80, 2))
    for power in (-1000, -500, 505, 1000):
        expected = euclidean_mst(np.ldexp(X, power), n_trees=2)
        found = euclidean_mst(np.ldexp(X, power), n_trees=2, memory_limit=80 * 240 + 8_000)
        np.testing.assert_array_equal(found.edges, expected.edges)
        np.testing.assert_array_equal(found.weights, expected.weights)


@given(point_sets(least=2, most=60, most_features=5), st.integers(1, 9))
def test_leaves_of_a_plan(X, n_leaves):
    plan = kd_plan(X, n_leaves)
    leaves = leaf_of(X, plan)
    assert plan.leaf.max() == n_leaves - 1
    assert leaves.min() >= 0
    if len(np.unique(X, axis=0)) == len(X) == len(np.unique(X[:, 0])):
        assert np.bincount(leaves).max() <= -(-len(X) // n_leaves) + plan.depth


@given(point_sets(least=2, most=40, most_features=6), st.integers(1, 39))
def test_boxes_never_overstate(X, cut):
    cut = min(cut, len(X) - 1)
    sides = X[:cut], X[cut:]
    low = np.array([side.min(axis=0) for side in sides])
    high = np.array([side.max(axis=0) for side in sides])
    true = np.array([[oracle.squared_distance(x, y) for y in sides[1]] for x in sides[0]])
    assert box_distances(low, high)[0, 1] <= true.min()
    to_box = distances_to_box(sides[0], low[1], high[1])
    assert (to_box <= true.min(axis=1)).all()
    for reach in (0.0, float(np.median(true)), float(true.min())):
        rows = near_box(sides[0], low[1], high[1], reach)
        assert np.isin(np.flatnonzero((true <= reach).any(axis=1)), rows).all()
        assert (to_box[rows] <= 1.001 * reach).all()


@given(point_sets(least=4, most=60, most_features=5), st.integers(0, 2**32 - 1))
def test_nobody_within_reach_is_missed(X, random):
    cut = len(X) // 2
    others, points = X[:cut], X[cut:]
    true = np.array([[oracle.squared_distance(x, y) for y in points] for x in others])
    rng = np.random.default_rng(random)
    # Reaches that are exactly some distance: the edge of equal length must stay.
    reaches = true[np.arange(cut), rng.integers(0, len(points), size=cut)]
    needed = np.flatnonzero((true <= reaches[:, None]).any(axis=0))
    assert np.isin(needed, _within_reach(points, others, reaches)).all()


@given(st.integers(2, 30), st.integers(0, 60), st.integers(0, 2**32 - 1))
def test_linkage_is_the_longest_edge_of_the_best_path(n, n_edges, random):
    rng = np.random.default_rng(random)
    edges = rng.integers(0, n, size=(n_edges, 2)).astype(np.uint32)
    squared = rng.integers(0, 9, size=n_edges).astype(float)
    longest = np.full((n, n), np.inf)
    np.fill_diagonal(longest, 0)
    for (i, j), length in zip(edges, squared, strict=True):
        longest[i, j] = longest[j, i] = min(longest[i, j], length)
    for k in range(n):
        longest = np.minimum(longest, np.maximum(longest[:, k, None], longest[None, k]))
    linkage = Linkage(edges, squared, n)
    for start in range(n):
        np.testing.assert_array_equal(linkage.distances(start), longest[start])
    labels = _components(edges[squared <= 4], n)
    np.testing.assert_array_equal(labels[:, None] == labels, longest <= 4)
    assert len(np.unique(labels)) == labels.max() + 1


def test_memory_limits_are_understood():
    assert parse_bytes(None) is None
    assert parse_bytes(5000) == 5000
    assert parse_bytes("4 GiB") == 4 * 2**30
    assert parse_bytes("1.5MB") == 1_500_000
    with pytest.raises(ValueError, match="memory_limit must be a number of bytes or a text"):
        parse_bytes("plenty")
    with pytest.raises(ValueError, match="memory_limit must be a number of bytes or a text"):
        parse_bytes("9" * 400)
    with pytest.raises(ValueError, match="memory_limit must be at least 1, got 0"):
        parse_bytes(0)
    with pytest.raises(TypeError, match="memory_limit must be an integer"):
        parse_bytes(1.5)
    with pytest.raises(ValueError, match=r"memory_limit must be at least .* got 100"):
        euclidean_mst(np.random.default_rng(0).random((50, 2)), memory_limit=100)


@given(st.integers(10, 10**9), st.integers(1, 800), st.integers(1, 3), st.integers(1, 16))
def test_blocks_keep_to_the_limit(n_rows, n_features, n_trees, n_workers):
    memory = BlockMemory(n_rows, n_features, n_trees)
    limit = memory.needed(-(-n_rows // 100), 1, 0) + 10**8
    plan, workers = memory.plan(limit, n_workers)
    assert memory.needed(plan.most_rows, workers, limit) <= limit
    assert 1 <= workers <= n_workers
    assert plan.n_blocks * plan.most_rows >= n_rows


def test_one_large_pile_is_divided():
    X = np.zeros((300, 2))  # no cut divides equal points
    X[-1] = 1
    found = euclidean_mst(X, memory_limit=BlockMemory(*X.shape, 1, "kdtree").needed(40, 1, 0))
    expected = euclidean_mst(X)
    np.testing.assert_array_equal(found.edges, expected.edges)


def test_summary_of_a_source_is_that_of_the_array():
    X = np.random.default_rng(1).normal(size=(1000, 4)) * 1e200
    source = open_source(X)
    run = partial(run_in_threads, source, 1 << 20, 1)
    summary = summarize(source, BlockPlan(1, len(X), 100, 1 << 20), run)
    scaled, exponent = scale_to_safe_range(X)
    assert summary.exponent == exponent
    np.testing.assert_array_equal(summary.sample, scaled[summary.sampled])

"""Blocks that follow clusters: bounds between blocks hold, and trees stay those of Prim."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from products_checks import assert_same_forests, check_set
from strategies import examples

from smartsvm._mst.prim.prim import prim_points
from smartsvm._mst.products import clusters, products
from smartsvm._mst.products.block_bounds import ball_distances, projected_distances


def clustered(n, d, n_clusters, apart, rng):
    centres = apart * rng.normal(size=(n_clusters, d))
    return centres[rng.integers(n_clusters, size=n)] + rng.normal(size=(n, d))


@pytest.fixture
def small_sets(monkeypatch):
    """Look for clusters in sets that Prim's algorithm can check."""
    monkeypatch.setattr(clusters, "FEWEST_POINTS", 300)


def test_clusters_are_found():
    rng = np.random.default_rng(0)
    centres = 4 * rng.normal(size=(40, 16))
    truth = rng.integers(40, size=4000)
    points = centres[truth] + rng.normal(size=(4000, 16))
    labels, lie_together = clusters.find_clusters((points - points.mean(axis=0)).astype(np.float32))
    assert lie_together
    # Nearly every label has one cluster, and nearly every cluster one label.
    table = np.zeros((40, labels.max() + 1))
    np.add.at(table, (truth, labels), 1)
    assert table.max(axis=0).sum() > 3900
    assert table.max(axis=1).sum() > 3900


@pytest.mark.parametrize("kind", ["uniform", "normal", "equal", "few"])
def test_no_clusters_are_found_where_there_are_none(kind):
    rng = np.random.default_rng(1)
    points = {
        "uniform": rng.random((3000, 16)) - 0.5,
        "normal": rng.normal(size=(3000, 8)),
        "equal": np.zeros((3000, 16)),
        "few": clustered(500, 16, 5, 10.0, rng),
    }[kind]
    labels, _ = clusters.find_clusters(points.astype(np.float32))
    assert labels is None


def test_points_on_a_sheet_lie_together():
    rng = np.random.default_rng(2)
    sheet = np.tanh(rng.random((3000, 3)) @ rng.normal(size=(3, 16)))
    for points, expected in ((sheet, True), (rng.random((3000, 16)), False)):
        _, lie_together = clusters.find_clusters((points - 0.5).astype(np.float32))
        assert lie_together == expected


@given(
    d=st.integers(1, 40),
    apart=st.sampled_from([0.0, 1.0, 5.0, 1e3, 1e8]),
    offset=st.sampled_from([0.0, 1e8]),
    exponent=st.sampled_from([-240, 0, 240]),
    seed=st.integers(0, 10**6),
)
@examples(40)
def test_bounds_never_exceed_the_nearest_points(d, apart, offset, exponent, seed):
    rng = np.random.default_rng(seed)
    points = np.ldexp(clustered(700, d, 6, apart, rng) + offset, exponent)
    index = products.index(points, np.arange(700, dtype=np.uint32))
    blocks = [
        np.ldexp(index.points[start:stop], -index.exponent)
        for start, stop in zip(index.start, index.start[1:], strict=False)
    ]
    apart = np.zeros(d)
    balls, *centres = ball_distances(index, index, apart, index.exponent)
    projected = projected_distances(index, index, apart, index.exponent, *centres)
    for a, first in enumerate(blocks):
        for b, second in enumerate(blocks):
            least = np.sqrt(((first[:, None] - second) ** 2).sum(axis=2).min())
            assert balls[a, b] <= least
            assert projected[a, b] <= least


def test_a_projection_is_narrower_than_a_ball(small_sets):
    rng = np.random.default_rng(3)
    points = clustered(600, 100, 6, 1.8, rng)
    index = products.index(points, np.arange(600, dtype=np.uint32))
    assert index.clustered
    apart = np.zeros(100)
    balls, *centres = ball_distances(index, index, apart, index.exponent)
    projected = projected_distances(index, index, apart, index.exponent, *centres)
    between = ~np.eye(len(index.start) - 1, dtype=bool)
    # Some blocks share a cluster.
    assert (projected > np.maximum(2 * balls, 0))[between].mean() > 0.8


@pytest.mark.parametrize("n_trees", [1, 3])
@pytest.mark.parametrize(
    "kind", ["apart", "touching", "copies", "far", "lattice", "small", "large"]
)
def test_trees_of_clusters_are_those_of_prim(kind, n_trees, small_sets):
    rng = np.random.default_rng(4)
    points = clustered(900, 12, 20, {"touching": 1.5, "far": 1e8}.get(kind, 5.0), rng)
    if kind == "copies":
        points[::3] = points[1::3]
    elif kind == "lattice":
        # Masses of ties inside clusters and between them.
        points = np.round(points) + 40 * rng.integers(0, 2, size=(900, 12))
    elif kind in ("small", "large"):
        points = np.ldexp(points, -240 if kind == "small" else 240)
    check_set(points, n_trees)


@pytest.mark.parametrize("n_threads", [1, 2, 4])
def test_threads_share_the_tiles_of_clusters(n_threads):
    rng = np.random.default_rng(5)
    points = clustered(6000, 16, 30, 4.0, rng)
    ids = np.arange(6000, dtype=np.uint32)
    index = products.index(points, ids)
    assert index.clustered
    found = products.forests(index, 7, 2, n_threads)
    assert_same_forests(found, prim_points(points, ids, 7, 2))

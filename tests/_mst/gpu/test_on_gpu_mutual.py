"""Trees by mutual reachability on a GPU: the edges, lengths and core distances of the processor."""

import numpy as np
import pytest
import torch
from fuzz_gpu import DEVICE, PROBLEMS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import examples, point_sets

from smartsvm import euclidean_mst
from smartsvm._mst.gpu import neighbors, rounds, trees
from smartsvm._mst.gpu.rounded_points import RoundedPoints

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.filterwarnings("ignore:The nonzero differences"),
]


@pytest.fixture(autouse=True)
def on_device(gpu, monkeypatch):
    """Small chunks; trees must come from the device."""
    monkeypatch.setattr(neighbors, "CHUNK", 16)
    forests = trees.forests

    def found(*arguments, **options):
        result = forests(*arguments, **options)
        assert result is not None
        return result

    monkeypatch.setattr(trees, "forests", found)


def trees_or_error(X, **options):
    """Trees, or the text of the error that there are too few."""
    try:
        return euclidean_mst(X, **options)
    except ValueError as error:
        return str(error)


def assert_same_trees(X, **options):
    want = trees_or_error(X, **options)
    got = trees_or_error(X, device="cuda", **options)
    if isinstance(want, str):
        assert got == want
        return
    np.testing.assert_array_equal(got.core_distances, want.core_distances)
    np.testing.assert_array_equal(got.weights, want.weights)
    np.testing.assert_array_equal(got.edges, want.edges)


@pytest.mark.parametrize("kind", list(PROBLEMS))
def test_edges_are_those_of_the_processor(kind):
    X = np.asarray(PROBLEMS[kind](np.random.default_rng(len(kind)), 66, 9), dtype=np.float64)
    assert_same_trees(X, core_neighbors=5, random_state=3)


@pytest.mark.parametrize("kind", ["normal", "lattice", "copies", "twins"])
def test_orthogonal_trees_are_those_of_the_processor(kind):
    X = np.asarray(PROBLEMS[kind](np.random.default_rng(1), 66, 9), dtype=np.float64)
    assert_same_trees(X, n_trees=2, core_neighbors=2, random_state=3)


@settings(examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    points=point_sets(least=2, most=20),
    share=st.floats(0, 1),
    n_trees=st.integers(1, 2),
    exponent=st.sampled_from([-900, -300, 0, 300, 900]),
    seed=st.integers(0, 9),
)
def test_any_points_and_numbers_of_neighbors(points, share, n_trees, exponent, seed):
    X = points if np.abs(points).max() > 1e50 else np.ldexp(points, exponent)
    k = 1 + int(share * (len(X) - 2))
    assert_same_trees(X, n_trees=n_trees, core_neighbors=k, random_state=seed)


def test_equal_points_reach_others_with_all_their_points():
    # Groups of 3, 1, 6 and 40 points on a line, 1 apart: the fourth nearest point.
    X = np.repeat([[0.0], [1.0], [2.0], [3.0]], [3, 1, 6, 40], axis=0)
    got = euclidean_mst(X, core_neighbors=4, device="cuda")
    assert got.core_distances[[0, 3, 4, 10]].tolist() == [2, 1, 0, 0]
    assert_same_trees(X, core_neighbors=4, n_trees=2)


@pytest.mark.parametrize("kind", ["normal", "outlier", "twins", "lattice", "unlike columns"])
def test_keys_of_cores_lie_within_the_slack(kind):
    random = np.random.default_rng(5)
    X = torch.from_numpy(np.asarray(PROBLEMS[kind](random, 90, 12), dtype=np.float64)).to(DEVICE)
    rows = np.arange(90)
    ones = np.ones(90, dtype=np.intp)
    core = neighbors.core_squares(X, rows, ones, 6, 1 << 20)
    points = RoundedPoints(X, rows, 32)
    points.set_cores(core[points.order])
    table = rounds.Table(points, rounds.Tiles(32, 16, 4, 1))
    table.fill()
    scaled = X[points.rows.long()].cpu().numpy() * points.scale
    reach = np.sqrt(((scaled[:, None] - scaled[None]) ** 2).sum(axis=2))
    own = np.sqrt(points.core.cpu().numpy()) * points.scale
    reach = np.maximum(reach, np.maximum(own, own[:, None]))
    np.fill_diagonal(reach, np.inf)
    i = torch.arange(points.n, dtype=torch.int32, device=DEVICE)
    for chunk, first in enumerate(points.tensors.first.tolist()[:-1]):
        nearest = torch.from_numpy(reach[:, first : first + 32].min(axis=1)).to(DEVICE)
        lists = table._listed(0, points.n, i, nearest, table.nobody)
        listed = lists.rows[lists.starts[chunk] :][: lists.counts[chunk]]
        assert set(listed.tolist()) == set(range(points.n))


def test_computed_entries_bound_the_reach_from_above():
    X = torch.from_numpy(np.random.default_rng(6).normal(size=(50, 7))).to(DEVICE)
    core = neighbors.core_squares(X, np.arange(50), np.ones(50, dtype=np.intp), 20, 1 << 20)
    points = RoundedPoints(X, np.arange(50), 64)
    points.set_cores(core[points.order])
    table = rounds.Table(points)
    table.fill()
    table.columns = torch.full_like(table.keys, -2)
    i = torch.arange(50, dtype=torch.int32, device=DEVICE)
    bounds = torch.full((50,), float("inf"), dtype=torch.float64, device=DEVICE)
    table._compute(i, bounds, table.nobody)
    x = X[points.rows.long()].cpu().numpy() * points.scale
    own = np.sqrt(points.core.cpu().numpy()) * points.scale
    reach = np.sqrt(((x[:, None] - x[None]) ** 2).sum(axis=2))
    reach = np.maximum(reach, np.maximum(own, own[:, None]))
    np.fill_diagonal(reach, np.inf)
    bounds, least = bounds.cpu().numpy(), reach.min(axis=1)
    assert (bounds >= least).all()
    assert (bounds <= 1.01 * least).all()


def test_points_that_fp16_cannot_tell_apart_go_to_the_processor(monkeypatch):
    X = np.random.default_rng(2).normal(size=(60, 3))
    monkeypatch.undo()
    monkeypatch.setattr(neighbors, "_MOST_CANDIDATES", 0)
    ids = np.arange(60, dtype=np.uint32)
    assert trees.forests(torch.from_numpy(X).to(DEVICE), ids, 0, 1, 5) is None


def test_a_limit_of_memory_means_larger_chunks_for_neighbors():
    X = torch.from_numpy(np.random.default_rng(2).normal(size=(80, 3))).to(DEVICE)
    table = neighbors._table(X, np.arange(80), 4, 1 << 20)
    assert table.n_slots == 5
    assert neighbors._table(X, np.arange(80), 4, 4 * 80 * 3).n_slots == 3


@pytest.mark.parametrize("k", [90, 1000])
def test_as_many_neighbors_as_points_are_refused(k):
    with pytest.raises(ValueError, match=rf"core_neighbors must be less .* 90, got {k}"):
        euclidean_mst(np.zeros((90, 2)), core_neighbors=k, device="cuda")

"""Trees by the kernels of the GPU: the edges and bits of the other kernels."""

import numpy as np
import pytest
import torch
from fuzz_gpu import DEVICE, PROBLEMS, problem

from smartsvm import euclidean_mst
from smartsvm._mst.gpu import rounds, trees
from smartsvm._mst.gpu.joining import Nodes
from smartsvm._mst.gpu.rounded_points import RoundedPoints, equal_rows

pytestmark = pytest.mark.gpu


def trees_or_error(X, **options):
    """Edges and weights, or the text of the error that there are too few trees."""
    try:
        return euclidean_mst(X, **options)
    except ValueError as error:
        return str(error), "too few trees"


def assert_same_trees(X, device, **options):
    want = trees_or_error(X, **options)
    got = trees_or_error(X, device=device, **options)
    for one, other in zip(want, got, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.filterwarnings("ignore:The nonzero differences")
@pytest.mark.parametrize("kind", list(PROBLEMS))
@pytest.mark.parametrize("n_trees", [1, 2])
def test_edges_are_those_of_the_processor(kind, n_trees, gpu, monkeypatch):
    random = np.random.default_rng([len(kind), n_trees])
    monkeypatch.setattr(trees, "forests", _must_find(trees.forests))
    X = np.asarray(PROBLEMS[kind](random, 66, 9), dtype=np.float64)
    assert_same_trees(X, gpu, n_trees=n_trees, random_state=3)


def _must_find(forests):
    """Forests that must come from the device."""

    def found(*arguments, **options):
        result = forests(*arguments, **options)
        assert result is not None
        return result

    return found


@pytest.mark.filterwarnings("ignore:The nonzero differences")
@pytest.mark.parametrize("case", range(12))
def test_random_problems(case, gpu, monkeypatch):
    X, options, chunk, _ = problem(case)
    monkeypatch.setattr(trees, "CHUNK", chunk)
    assert_same_trees(X, gpu, **options)


@pytest.mark.parametrize("d", [1, 2, 3, 7, 8, 9, 15, 17])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_distances_are_summed_in_eight_lanes(d, dtype, gpu):
    X = torch.randn(40, d, dtype=torch.float64, generator=torch.manual_seed(d)).to(dtype)
    table = rounds.Table(RoundedPoints(X.to(DEVICE), np.arange(40), 64))
    u, v = torch.triu_indices(40, 40, 1, dtype=torch.int32)
    rows = table.points.rows.long().cpu()
    x, y = (X.double().numpy()[rows[each.long()]] for each in (u, v))
    lanes = np.zeros((8, len(u)))
    for k in range(d):
        lanes[k % 8] += (x[:, k] - y[:, k]) ** 2
    s = lanes
    want = ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
    np.testing.assert_array_equal(table.measure(u.to(DEVICE), v.to(DEVICE)).cpu(), want)


@pytest.mark.parametrize("kind", ["normal", "outlier", "twins", "lattice", "unlike columns"])
def test_true_distances_lie_within_the_slack(kind, gpu):
    random = np.random.default_rng(5)
    X = torch.from_numpy(np.asarray(PROBLEMS[kind](random, 90, 12), dtype=np.float64))
    table = rounds.Table(RoundedPoints(X.to(DEVICE), np.arange(90), 32), rounds.Tiles(32, 16, 4, 1))
    table.fill()
    p = table.points
    scaled = X[p.rows.long().cpu()].numpy() * p.scale
    apart = np.sqrt(((scaled[:, None] - scaled[None]) ** 2).sum(axis=2))
    np.fill_diagonal(apart, np.inf)
    codes = table.keys
    first = p.tensors.first.tolist()
    keys = torch.where(codes < 0, codes ^ 0x7FFFFFFF, codes).view(torch.float32)
    for chunk, key in enumerate(keys):
        i = torch.arange(p.n, device=DEVICE)
        nearest = apart[:, first[chunk] : first[chunk + 1]].min(axis=1)
        nearest = torch.from_numpy(nearest).to(DEVICE)
        assert (p.upper(i, key, torch.tensor(chunk)) >= nearest).all()
        rows, starts, counts = table._listed(0, p.n, i.int(), nearest, table.nobody)
        found = rows[starts[chunk] :][: counts[chunk]]
        expected = i[torch.isfinite(nearest)]  # a chunk of one row has nothing for it
        assert set(expected.tolist()) <= set(found.tolist())


def test_the_table_serves_any_chunk(gpu):
    X = np.random.default_rng(0).normal(size=(80, 5)).round(1)
    ids = np.arange(80, dtype=np.uint32)
    found = []
    for chunk in (32, 64, 256):
        edges, _, _ = trees.forests(torch.from_numpy(X).to(DEVICE), ids, 7, 2, chunk=chunk)
        found.append({tuple(sorted(edge)) for edge in edges.tolist()})
    assert found[0] == found[1] == found[2]


def test_a_table_that_does_not_fit_has_larger_chunks(gpu, monkeypatch):
    X = np.random.default_rng(1).normal(size=(100, 4))
    seen = []
    points = trees.RoundedPoints
    monkeypatch.setattr(
        trees, "RoundedPoints", lambda X, rows, chunk: points(X, rows, seen.append(chunk) or chunk)
    )
    monkeypatch.setattr(trees, "FIXED", 0)
    assert_same_trees(X, gpu, memory_limit=10**9)
    assert_same_trees(X, gpu, memory_limit=12_800)
    assert seen == [64, 128]
    with pytest.raises(MemoryError, match=r"at least 12,400 bytes .* 12,399 may be used: raise"):
        euclidean_mst(X, device=gpu, memory_limit=12_399)


@pytest.mark.parametrize("what", ["_MOST_CANDIDATES", "_MOST_TIED"])
def test_points_that_fp16_cannot_tell_apart_go_to_the_processor(what, gpu, monkeypatch):
    X = np.random.default_rng(2).normal(size=(60, 3))
    monkeypatch.setattr(rounds, what, 5)
    ids = np.arange(60, dtype=np.uint32)
    assert trees.forests(torch.from_numpy(X).to(DEVICE), ids, 0, 1) is None
    assert_same_trees(X, gpu)


def test_more_candidates_than_there_is_room_for(gpu, monkeypatch):
    monkeypatch.setattr(rounds, "_ROOM", 80)
    monkeypatch.setattr(rounds, "_LISTED", 130)
    assert_same_trees(np.random.default_rng(3).integers(0, 4, (90, 3)).astype(float), gpu)


def test_hubs_use_many_columns(gpu):
    # A star: every edge of the first tree ends at its centre.
    X = np.r_[np.zeros((1, 40)), np.eye(40), -np.eye(40)]
    assert_same_trees(X, gpu, n_trees=2)


def test_equal_rows_are_found():
    X = torch.tensor([[0.0, 1.0], [2.0, 3.0], [-0.0, 1.0], [2.0, 3.0], [5.0, 5.0], [2.0, 3.0]])
    start, members = equal_rows(X.to(DEVICE))
    groups = {tuple(part.tolist()) for part in np.split(members, start[1:-1])}
    assert groups == {(0, 2), (1, 3, 5)}


def test_a_pair_of_nodes_is_used_up_after_all_its_edges():
    # Two groups of three and two equal points: six edges.
    ids = np.arange(5, dtype=np.uint32)
    nodes = Nodes(ids, 1, 1, (np.array([0, 3, 5]), np.array([0, 1, 2, 3, 4])))
    assert nodes.collapsed
    u, v = np.array([0], dtype=np.int32), np.array([1], dtype=np.int32)
    taken = []
    for _ in range(6):
        keys = nodes.keys(u, v)
        taken += keys.tolist()
        gone = nodes.take(u, v, keys)
    assert sorted(set(taken)) == taken
    assert gone.all()

"""What may be given to a GPU, and what happens when it cannot compute."""

import weakref

import numpy as np
import pytest
import torch
from fuzz_gpu import DEVICE

from smartsvm import (
    ClassForest,
    bayes_error,
    difficulty_report,
    euclidean_mst,
    ovr_bayes_error,
    pairwise_bayes_error,
    sample_difficulty,
)
from smartsvm._core import points
from smartsvm._mst.gpu import neighbors, rounds
from smartsvm.report import neighborhood
from smartsvm.trees.in_memory import on_device

pytestmark = pytest.mark.gpu

X = np.random.default_rng(0).normal(size=(60, 6))


class OnlyDLPack:
    """An array of a library that we do not know."""

    def __init__(self, tensor):
        self._tensor = tensor

    def __dlpack__(self, **options):
        return self._tensor.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._tensor.__dlpack_device__()


@pytest.mark.parametrize(
    "given",
    [
        torch.from_numpy(X),
        torch.from_numpy(X).float(),
        torch.from_numpy(X).half(),
        torch.from_numpy(X).bfloat16(),
        torch.from_numpy(X).requires_grad_(),
        torch.from_numpy(np.ascontiguousarray(X.T)).T,
        torch.from_numpy(X)[::2],
        torch.from_numpy((9 * X).astype(np.int32)),
        torch.from_numpy(X > 0),
        OnlyDLPack(torch.from_numpy(X).float()),
        X.astype(np.float16),
        X.tolist(),
        (9 * X).astype(np.int8),
    ],
    ids=lambda given: f"{type(given).__name__} {getattr(given, 'dtype', '')}",
)
def test_every_kind_of_array(given, gpu):
    tensor = given._tensor if isinstance(given, OnlyDLPack) else given
    plain = tensor.detach().double().numpy() if isinstance(tensor, torch.Tensor) else tensor
    want = euclidean_mst(np.asarray(plain, dtype=np.float64), n_trees=2)
    for device in (gpu, None, "cpu"):
        got = euclidean_mst(given, n_trees=2, device=device)
        np.testing.assert_array_equal(got.edges, want.edges)
        np.testing.assert_array_equal(got.weights, want.weights)
    if isinstance(given, torch.Tensor):
        got = euclidean_mst(given.to(DEVICE), n_trees=2)
        np.testing.assert_array_equal(got.edges, want.edges)


def test_memory_maps_and_files(gpu, tmp_path):
    np.save(tmp_path / "X.npy", X.astype(np.float32))
    want = euclidean_mst(X.astype(np.float32))
    for given in (np.load(tmp_path / "X.npy", mmap_mode="r"), tmp_path / "X.npy"):
        np.testing.assert_array_equal(euclidean_mst(given, device=gpu).edges, want.edges)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_must_be_finite(value, gpu):
    bad = torch.from_numpy(X.copy())
    bad[3, 4] = value
    with pytest.raises(ValueError, match=rf"X must be finite, got {value} at \[3, 4\]"):
        euclidean_mst(bad, device=gpu)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (torch.zeros(3), ValueError, r"X must have 2 dimensions, got shape \(3,\)"),
        (torch.zeros(0, 3), ValueError, "X must not be empty"),
        (torch.zeros(3, 3, dtype=torch.complex64), TypeError, "X must hold real numbers"),
    ],
)
def test_bad_tensors(given, error, message, gpu):
    with pytest.raises(error, match=message):
        euclidean_mst(given, device=gpu)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"algorithm": "prim"}, 'algorithm must be "auto" on a GPU'),
        ({"checkpoint": "folder"}, "checkpoint must be None on a GPU"),
        ({"metric": "precomputed"}, 'needs device="cpu"'),
    ],
)
def test_options_of_the_processor(options, message, gpu):
    with pytest.raises(ValueError, match=message):
        euclidean_mst(X, device=gpu, **options)


def test_one_point(gpu):
    assert euclidean_mst(X[:1], device=gpu).edges.shape == (1, 0, 2)


def test_too_little_memory_is_an_error_that_says_what_to_do(gpu, monkeypatch):
    def fail(*_):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 9 GiB")

    monkeypatch.setattr(points, "to_device", fail)
    with pytest.raises(MemoryError, match=r'out of memory.*fewer rows.*device="cpu"'):
        euclidean_mst(X, device=gpu)


def test_nothing_stays_allocated_without_enough_memory(gpu, monkeypatch):
    kept, freed = [], []

    def fail(table):
        tensor = torch.zeros(3, device=table.points.device)
        kept.append(weakref.ref(tensor))
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 9 GiB")

    monkeypatch.setattr(rounds.Table, "fill", fail)
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: freed.append(kept[0]() is None))
    with pytest.raises(MemoryError):
        euclidean_mst(X, device=gpu)
    assert freed == [True]


@pytest.mark.parametrize(
    "estimate",
    [
        bayes_error,
        pairwise_bayes_error,
        ovr_bayes_error,
        sample_difficulty,
        ClassForest,
    ],
    ids=lambda function: function.__name__,
)
def test_every_estimate_takes_a_device_and_tensors(estimate, gpu):
    y = np.arange(60) % 2
    want = estimate(X, y, n_trees=1)
    got = estimate(torch.from_numpy(X).requires_grad_(), torch.from_numpy(y), n_trees=1, device=gpu)
    if estimate is ClassForest:
        want, got = want.multiclass(), got.multiclass()
    assert repr(got) == repr(want)


def _count_calls(monkeypatch, name, calls):
    """Note the calls of a function of the GPU that found something."""
    function = getattr(on_device, name)

    def noted(*arguments):
        found = function(*arguments)
        calls.extend([name] if found is not None else [])
        return found

    monkeypatch.setattr(on_device, name, noted)


def test_a_report_is_the_same(gpu, monkeypatch):
    monkeypatch.setattr(neighbors, "CHUNK", 8)
    monkeypatch.setattr(neighborhood, "COPY_NEIGHBORS", 5)  # as many as chunks at most
    Z = np.tile(X, 2)  # kd-trees find neighbours in few columns
    y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 1)
    options = {"classifiers": ["neighbors"], "n_trees": 1}
    want = difficulty_report(Z, y, **options)
    calls = []
    for name in ("neighbors", "forests", "class_pairs"):
        _count_calls(monkeypatch, name, calls)
    got = difficulty_report(torch.from_numpy(Z), torch.from_numpy(y), device=gpu, **options)
    assert set(calls) == {"neighbors", "forests", "class_pairs"}
    assert str(got) == str(want)


def test_compiling_is_announced_once(capsys, monkeypatch):
    from triton import knobs

    from smartsvm._mst.gpu import compiling

    monkeypatch.setattr(compiling, "_said", False)
    with compiling.announced():
        knobs.compilation.listener(cache_hit=True)
        assert capsys.readouterr().err == ""
        knobs.compilation.listener(cache_hit=False)
        knobs.compilation.listener(cache_hit=False)
    assert capsys.readouterr().err.count("Compiling kernels") == 1
    assert knobs.compilation.listener is None
    monkeypatch.setattr(knobs.compilation, "listener", len)
    with compiling.announced():
        assert knobs.compilation.listener is len

"""The device parameter where there is no GPU."""

import sys

import numpy as np
import pytest

from smartsvm import difficulty_report, euclidean_mst
from smartsvm.__main__ import main

X = np.random.default_rng(0).normal(size=(20, 3))


@pytest.mark.parametrize("device", ["gpu", "cuda:", "cuda:-1", "CPU", "", 0, True, "cuda:x"])
def test_bad_names(device):
    with pytest.raises(ValueError, match=r'device must be None, "cpu", "cuda".*got'):
        euclidean_mst(X, device=device)


@pytest.mark.parametrize("device", [None, "cpu"])
def test_the_processor_needs_no_torch(device, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    want = euclidean_mst(X)
    np.testing.assert_array_equal(euclidean_mst(X, device=device).edges, want.edges)


@pytest.mark.parametrize(
    "call", [euclidean_mst, lambda X, **k: difficulty_report(X, X[:, 0] > 0, **k)]
)
def test_without_torch_the_error_says_what_to_install(call, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r"device='cuda' needs PyTorch.*pip install .*\[gpu\]"):
        call(X, device="cuda")


class Torch:
    """PyTorch without a GPU, as far as we look."""

    __version__ = "9.9"
    Tensor = type("Tensor", (), {})

    def __init__(self, built, n_devices):
        self.version = type("Version", (), {"cuda": built})
        self.cuda = type(
            "Cuda",
            (),
            {"is_available": lambda: n_devices > 0, "device_count": lambda: n_devices},
        )


@pytest.mark.parametrize(
    ("torch", "message"),
    [
        (Torch(None, 0), "is built without CUDA"),
        (Torch("12.8", 0), "finds no GPU with CUDA here"),
        (Torch("12.8", 2), "finds 2 of them"),
    ],
)
def test_a_gpu_that_is_not_there(torch, message, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", torch)
    with pytest.raises(ValueError, match=rf"device must be .*got 'cuda:3': PyTorch.*{message}"):
        euclidean_mst(X, device="cuda:3")


class OnGPU:
    """An array on a GPU; nothing else of it can be read here."""

    kind = 2

    def __dlpack__(self, **options):
        raise AssertionError("not without a GPU")

    def __dlpack_device__(self):
        return self.kind, 1


class Pinned(OnGPU):
    """An array in pinned memory, which the processor reads."""

    kind = 3

    def __array__(self, dtype=None, copy=None):
        return X


def test_pinned_memory_is_memory():
    np.testing.assert_array_equal(euclidean_mst(Pinned()).edges, euclidean_mst(X).edges)


def test_none_computes_where_the_input_lives(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", Torch("12.8", 0))
    with pytest.raises(ValueError, match=r"device must be .*got None: PyTorch 9.9 finds no GPU"):
        euclidean_mst(OnGPU())


def test_the_command_line_takes_a_device(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "torch", None)
    rows = [f"{a},{b},{'xy'[i % 2]}" for i, (a, b, _) in enumerate(X)]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,label", *rows]))
    assert main(["report", str(tmp_path / "t.csv"), "--target", "label", "--device", "cuda"]) != 0
    assert "pip install" in capsys.readouterr().err

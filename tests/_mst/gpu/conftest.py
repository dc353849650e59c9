"""Kernels of the GPU: `TRITON_INTERPRET=1` runs them in Triton's interpreter, 0 on a real one.

Runs without the variable leave them out.
"""

import os

import pytest

collect_ignore_glob = [] if "TRITON_INTERPRET" in os.environ else ["test_on_gpu_*.py"]


@pytest.fixture
def gpu(monkeypatch):
    """The name of a device that computes with the kernels, in small tiles and chunks."""
    import torch
    from fuzz_gpu import INTERPRETED

    from smartsvm._core import devices
    from smartsvm._mst.gpu import rounds, trees
    from smartsvm.trees.in_memory import class_trees, on_device

    if INTERPRETED:
        monkeypatch.setattr(devices, "_open", lambda *_: torch.device("cpu"))
    monkeypatch.setattr(rounds.Tiles.__new__, "__defaults__", (64, 64, 4, 1, 64, 64))
    monkeypatch.setattr(trees, "CHUNK", 64)
    monkeypatch.setattr(trees, "SMALLEST_CHUNK", 64)
    monkeypatch.setattr(class_trees, "_LEAST_POINTS", 2)
    monkeypatch.setattr(on_device, "LEAST_ON_DEVICE", 2)
    monkeypatch.setattr(rounds, "_SHARES", 2)
    return "cuda"

"""Kernels of the GPU in Triton's interpreter, for `make test-gpu`; other runs leave them out."""

import os

import pytest

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
collect_ignore_glob = [] if INTERPRETED else ["test_on_gpu_*.py"]


@pytest.fixture
def gpu(monkeypatch):
    """The name of a device that computes with the kernels, on tensors in memory."""
    import torch

    from smartsvm._core import devices
    from smartsvm._mst.gpu import rounds, trees
    from smartsvm.trees.in_memory import class_trees

    monkeypatch.setattr(devices, "_open", lambda *_: torch.device("cpu"))
    monkeypatch.setattr(rounds.Tiles.__new__, "__defaults__", (64, 64, 4, 1, 64, 64))
    monkeypatch.setattr(trees, "CHUNK", 64)
    monkeypatch.setattr(class_trees, "LEAST_ON_DEVICE", 2)
    return "cuda"

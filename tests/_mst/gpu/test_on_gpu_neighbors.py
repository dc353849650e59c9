"""Nearest neighbours by the kernels of the GPU: those of the kernel of products, ties included."""

import numpy as np
import pytest
import torch
from fuzz_gpu import DEVICE, PROBLEMS

from smartsvm._core.points import Points, scale_points
from smartsvm._mst.gpu import neighbors
from smartsvm._mst.prim import prim
from smartsvm._mst.products import products
from smartsvm.held_out.neighbors import nearest_rows
from smartsvm.trees.in_memory import on_device

pytestmark = pytest.mark.gpu


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch):
    monkeypatch.setattr(neighbors, "CHUNK", 16)


@pytest.mark.parametrize("kind", ["normal", "lattice", "copies", "outlier", "one-hot"])
def test_rows_are_those_of_the_processor(kind, gpu):
    X = np.asarray(PROBLEMS[kind](np.random.default_rng(1), 80, 10), dtype=np.float64)
    ids = np.arange(80, dtype=np.uint32)
    want = products.neighbor_rows(products.index(X, ids, 1, None), 7, 4, 1)
    got, squared = neighbors.neighbors(torch.from_numpy(X).to(DEVICE), ids, 7, 4)
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(squared, prim.neighbors((X, ids), 7, 4, 1)[1])


@pytest.mark.parametrize("most", [0, 64])
def test_few_chunks_or_many_candidates_go_to_the_processor(most, gpu, monkeypatch):
    monkeypatch.setattr(neighbors, "_MOST_CANDIDATES", most)
    monkeypatch.setattr(neighbors, "_MOST_PAIRS", 0)
    X = np.random.default_rng(2).normal(size=(40, 9))
    n_neighbors = 2 if most == 0 else 5
    points = scale_points(X, device=gpu)
    assert on_device.neighbors(points, 3, n_neighbors) is None
    want = nearest_rows(Points(X), n_neighbors, seed=3)
    got = nearest_rows(points, n_neighbors, seed=3)
    np.testing.assert_array_equal(got, want)

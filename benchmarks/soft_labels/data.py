"""Counts of human labels that the benchmark fetches: CIFAR-10H and Fashion-MNIST-H."""

from __future__ import annotations

import io
from urllib.request import urlopen

import numpy as np

from ..paper.datasets import cache_folder

_FILES = "https://raw.githubusercontent.com/"
SETS = {
    "cifar10h-counts.npy": "jcpeterson/cifar-10h/master/data/cifar10h-counts.npy",
    "fmh_counts.csv": "takashiishida/irreducible/main/data/fmh_counts.csv",
}
# Columns of the classes on one side of each question.
_ANIMALS = [2, 3, 4, 5, 6, 7]
_TOPS = [0, 2, 3, 4, 6]  # T-shirt, pullover, dress, coat, shirt
SECONDS = 60


def questions():
    """Name of each question, and the counts of its answers for each image."""
    images = np.load(io.BytesIO(_fetched("cifar10h-counts.npy"))).astype(float)
    clothes = np.loadtxt(io.BytesIO(_fetched("fmh_counts.csv")), delimiter=",")
    return {
        "CIFAR-10H, animals against the rest": _one_side(images, _ANIMALS),
        "CIFAR-10H, ten classes": images,
        "Fashion-MNIST-H, tops against the rest": _one_side(clothes, _TOPS),
        "Fashion-MNIST-H, ten classes": clothes,
    }


def _one_side(counts, columns):
    side = counts[:, columns].sum(axis=1)
    return np.column_stack([side, counts.sum(axis=1) - side])


def _fetched(name):
    path = cache_folder() / name
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with urlopen(_FILES + SETS[name], timeout=SECONDS) as answer:
            path.write_bytes(answer.read())
    return path.read_bytes()

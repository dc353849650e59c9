"""Sizes of a run, and the problem of one cell: split, scaling, folds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.preprocessing import MinMaxScaler

TEST_SHARE = 0.2
ONE_TREE = ("fars", "shuttle")  # as in the paper; three trees elsewhere
PAPER_CS = tuple(2.0**k for k in range(-18, 19, 2))


@dataclass(frozen=True)
class Size:
    """How much of the paper's protocol a run does."""

    n_splits: int
    n_folds: int
    Cs: tuple
    cap: float  # seconds of one cell
    most_rows: int | None = None  # of any set
    most_rows_of: tuple = ()  # ((set, rows), ...)
    rbf_rows: int = 20_000  # of the training part, at most, for the RBF SVM
    boosting_rounds: int = 100

    def rows(self, name, n):
        """Rows of a set that are used, at most n."""
        limits = [n, self.most_rows or n, dict(self.most_rows_of).get(name, n)]
        return min(limits)


SIZES = {
    "quick": Size(2, 3, PAPER_CS[::4], 10.0, most_rows=600, boosting_rounds=10),
    "paper": Size(5, 5, PAPER_CS[::2], 240.0, most_rows_of=(("fars", 20_000),)),
    "full": Size(5, 10, PAPER_CS, float("inf"), rbf_rows=100_000),
}


@dataclass(frozen=True)
class Problem:
    """Training and test part of one split, features scaled to [-1, 1] on the training part."""

    name: str
    X_train: np.ndarray
    y_train: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    size: Size

    @property
    def n_trees(self):
        """Orthogonal trees behind the estimates."""
        return 1 if self.name in ONE_TREE else 3

    @cached_property
    def folds(self):
        """Stratified folds of the training part as (training rows, validation rows)."""
        splitter = StratifiedKFold(self.size.n_folds, shuffle=True, random_state=0)
        return list(splitter.split(self.X_train, self.y_train))


def subsample(y, rows, random):
    """Sorted indices of `rows` samples, classes in proportion, at least ten of each if it has."""
    counts = np.bincount(y)
    if rows >= len(y):
        return np.arange(len(y))
    wanted = np.maximum(np.round(counts * rows / len(y)), np.minimum(counts, 10)).astype(int)
    chosen = [
        random.choice(np.flatnonzero(y == k), size, replace=False) for k, size in enumerate(wanted)
    ]
    return np.sort(np.concatenate(chosen))


def prepare(dataset, size, folder):
    """Save the rows that a run uses as plain arrays, which workers map into memory."""
    rows = subsample(dataset.y, size.rows(dataset.name, len(dataset.y)), np.random.default_rng(0))
    np.save(Path(folder) / f"{dataset.name}-X.npy", dataset.X[rows])
    np.save(Path(folder) / f"{dataset.name}-y.npy", dataset.y[rows])
    return {
        "n": len(rows),
        "d": dataset.X.shape[1],
        "K": len(dataset.classes),
        "subsampled": len(rows) < len(dataset.y),
    }


@lru_cache(maxsize=1)
def problem(name, split, size, folder):
    """The problem of one split of a prepared set."""
    X = np.load(Path(folder) / f"{name}-X.npy", mmap_mode="r")
    y = np.load(Path(folder) / f"{name}-y.npy")
    return divide(name, X, y, split, size)


def divide(name, X, y, split, size):
    """The problem of one random, stratified split of points and labels."""
    splitter = StratifiedShuffleSplit(1, test_size=TEST_SHARE, random_state=split)
    train, test = next(splitter.split(np.empty((len(y), 0)), y))
    scaler = MinMaxScaler((-1, 1)).fit(X[train])
    return Problem(
        name, scaler.transform(X[train]), y[train], scaler.transform(X[test]), y[test], size
    )

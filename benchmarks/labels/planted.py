"""Real tables, and labels of them that are made wrong.

uniform
    by any other label;
by class
    by that of the next class, at half the rate in every second class and one and a half times the
    rate in the others;
rare
    by that of the rarest class, as many as 30% of its samples, at least two.

`none` leaves the labels alone.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn import datasets as toy

from smartsvm import prepare_table

from ..paper import datasets

TABLES = Path(__file__).parent / "tables.csv"
KINDS, RATE, ROWS = ("none", "uniform", "by class", "rare"), 0.05, 500
TOY = "wine", "digits", "breast_cancer", "iris"


class Table(NamedTuple):
    """Where a table is."""

    path: Path
    target: str


def problems(tables):
    """Name and place of the sets of the paper, of scikit-learn's and of the tables in a folder."""
    for name in datasets.NAMES:
        yield name, None
    for name in TOY:
        yield name, "toy"
    with TABLES.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            yield row["name"], Table(Path(tables) / f"{row['name']}.csv", row["target"])


def read(name, place, seed, most=ROWS):
    """A prepared table or points of at most so many random rows of a set, and class codes."""
    if isinstance(place, Table):
        import pandas

        # Texts may hold a carriage return, which pandas else takes for the end of a line.
        frame = pandas.read_csv(place.path, lineterminator="\n")
        frame = frame.sample(min(len(frame), most), random_state=seed)
        table = prepare_table(frame, place.target)
        return table, _numbered(table.y)
    if place == "toy":
        X, y = getattr(toy, f"load_{name}")(return_X_y=True)
    else:
        found = datasets.load(name)
        X, y = np.asarray(found.X, dtype=float), found.y
    rows = np.random.default_rng(seed).permutation(len(y))[:most]
    X, spread = X[rows], X[rows].std(axis=0)
    X = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1)
    return X, _numbered(y[rows])


def _numbered(y):
    return np.unique(np.asarray(y, str), return_inverse=True)[1]


def flip(y, kind, seed):
    """Labels of which a share is wrong, and which of them are."""
    random, n = np.random.default_rng([seed, KINDS.index(kind)]), len(y)
    n_classes, wrong = int(y.max()) + 1, np.zeros(n, dtype=bool)
    if kind == "uniform":
        wrong[random.permutation(n)[: round(RATE * n)]] = True
        return np.where(wrong, (y + random.integers(1, n_classes, n)) % n_classes, y), wrong
    if kind == "by class":
        wrong = random.random(n) < RATE * np.where(y % 2, 1.5, 0.5)
        return np.where(wrong, (y + 1) % n_classes, y), wrong
    if kind == "rare":
        counts = np.bincount(y)
        rarest = int(counts.argmin())
        others = random.permutation(np.flatnonzero(y != rarest))
        wrong[others[: max(2, int(0.3 * counts[rarest]))]] = True
        return np.where(wrong, rarest, y), wrong
    return y, wrong

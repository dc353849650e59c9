"""The cells of the race: data, what is asked, and the ratio we want to reach."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .. import keel
from ..paper import datasets, sources
from . import everyday

DATA_VARIABLE = datasets.FOLDER_VARIABLE  # a folder of .npz files with X and y

# The paper's sets, and the ratio that is wanted for one tree.
REAL = dict.fromkeys(datasets.NAMES, 1.0) | {
    "abalone": 1.5,
    "letter": 2.2,
    "pageblocks": 1.2,
    "pendigits": 4,
    "shuttle": 1.1,
    "wine_white": 3,
}


class MissingData(Exception):
    """A cell needs a data set that is not here."""


@dataclass(frozen=True)
class Cell:
    """One race.

    Attributes
    ----------
    name : str
        Shown in the table, and given to ``--cells``.
    task : {"trees", "pairs"}
        Spanning trees of one set, or of every pair of its classes.
    kind : str
        Data: uniform, clustered, 50 clusters, integers, lattice, equal (rows), one-large or
        long-tailed (classes), the name of one of the paper's sets, or KEEL or everyday and that of
        another.
    n, d : int
        Points and features; 0 for all of a data set.
    bar : float
        The ratio peer / ours that we want.
    n_trees : int
        Orthogonal trees; the peer runs as often.
    n_classes : int
        Classes of made data, for pairs.
    scaled : bool
        Whether every feature is brought to [0, 1].
    """

    name: str
    task: str
    kind: str
    n: int
    d: int
    bar: float
    n_trees: int = 1
    n_classes: int = 0
    scaled: bool = False


def _grid():
    for d, bar in ((2, 1.4), (3, 1.6), (5, 2)):
        for n, size in ((10**5, "1e5"), (10**6, "1e6")):
            for kind in ("uniform", "clustered"):
                yield Cell(f"d{d}-{size}-{kind}", "trees", kind, n, d, bar)
    for d in (8, 10):
        for n, size in ((2 * 10**4, "2e4"), (10**5, "1e5")):
            yield Cell(f"d{d}-{size}-clustered", "trees", "clustered", n, d, 3)
            yield Cell(f"d{d}-{size}-uniform", "trees", "uniform", n, d, 1.2)
    for kind in ("clustered", "uniform", "integers"):
        yield Cell(f"d16-2e4-{kind}", "trees", kind, 20_000, 16, 5)
    for d in (34, 64):
        for kind in ("clustered", "uniform"):
            yield Cell(f"d{d}-2e4-{kind}", "trees", kind, 20_000, d, 8)
    for kind in ("clustered", "uniform"):
        yield Cell(f"d784-5e3-{kind}", "trees", kind, 5_000, 784, 10)
    yield Cell("lattice-d3", "trees", "lattice", 20_000, 3, 1)
    for name in ("nursery", "kr-vs-k"):
        yield Cell(name, "trees", name, 0, 0, 1)
    yield Cell("fars-2e4", "trees", "fars", 20_000, 0, 1)
    for d, n, bar in ((3, 10**5, 2.2), (16, 20_000, 8), (64, 20_000, 15)):
        for kind in ("clustered", "uniform"):
            yield Cell(f"three-trees-d{d}-{kind}", "trees", kind, n, d, bar, n_trees=3)
    yield Cell("pairs-letter", "pairs", "letter", 0, 0, 15)
    yield Cell("pairs-optdigits", "pairs", "optdigits", 0, 0, 16)
    yield Cell("pairs-mnist-6e3", "pairs", "mnist", 6_000, 0, 20)
    yield Cell("pairs-d3-26-classes", "pairs", "clustered", 20_000, 3, 2.5, n_classes=26)


def _real():
    for name, bar in REAL.items():
        yield Cell(f"real-{name}", "trees", name, 0, 0, bar)
        yield Cell(f"real-{name}-scaled", "trees", name, 0, 0, bar, scaled=True)
        yield Cell(f"real-{name}-three-trees", "trees", name, 0, 0, 1, n_trees=3)
        yield Cell(f"real-{name}-pairs", "pairs", name, 0, 0, 1)
    for name, n in (("segment", 150), ("yeast", 300), ("wine_red", 600)):
        yield Cell(f"small-{name}-{n}", "trees", name, n, 0, 1)
    yield Cell("equal-4e4", "trees", "equal", 40_000, 4, 1)
    yield Cell("pairs-one-large", "pairs", "one-large", 10_000, 3, 1, n_classes=100)
    yield Cell("pairs-long-tailed", "pairs", "long-tailed", 10_000, 16, 1, n_classes=50)


def _keel():
    """Sets that no kernel was tuned to; the choice among kernels has looked at their times."""
    for name in keel.NAMES:
        yield Cell(f"keel-{name}", "trees", f"KEEL {name}", 0, 0, 1, scaled=True)
        yield Cell(f"keel-{name}-pairs", "pairs", f"KEEL {name}", 0, 0, 1, scaled=True)


def _everyday():
    for name in everyday.NAMES:
        kind = f"everyday {name}"
        yield Cell(f"everyday-{name}", "trees", kind, 0, 0, 1)
        yield Cell(f"everyday-{name}-scaled", "trees", kind, 0, 0, 1, scaled=True)
        yield Cell(f"everyday-{name}-three-trees", "trees", kind, 0, 0, 1, n_trees=3)
        yield Cell(f"everyday-{name}-pairs", "pairs", kind, 0, 0, 1)


CELLS = {cell.name: cell for cell in (*_grid(), *_real(), *_keel(), *_everyday())}


def load(cell):
    """Points and labels (None for one set of points) of a cell; raises MissingData."""
    random = np.random.default_rng(cell.n + cell.d)
    n, d = cell.n, cell.d
    if cell.kind == "uniform":
        X = random.random((n, d))
    elif cell.kind in ("clustered", "50 clusters"):
        n_clusters = 50 if cell.kind == "50 clusters" else 100
        centres = random.normal(size=(n_clusters, d)) * 4
        X = centres[random.integers(n_clusters, size=n)] + random.normal(size=(n, d))
    elif cell.kind == "integers":
        X = random.integers(0, 17, size=(n, d)).astype(float)
    elif cell.kind == "lattice":
        # As many cells as make three of four points a copy of another.
        side = round((n / 4) ** (1 / d))
        X = random.integers(0, side, size=(n, d)).astype(float)
    elif cell.kind == "equal":
        X = np.full((n, d), 0.1)
    elif cell.kind in ("one-large", "long-tailed"):
        return random.normal(size=(n, d)), _unequal_classes(cell)
    else:
        return _data_set(cell, random)
    y = random.integers(0, cell.n_classes, size=n) if cell.n_classes else None
    return X, y


def _unequal_classes(cell):
    """Labels: one class with all points but five for each other, or sizes as one over the rank."""
    if cell.kind == "one-large":
        sizes = np.full(cell.n_classes, 5)
    else:
        sizes = 1 / np.arange(1, cell.n_classes + 1)
        sizes = np.maximum(2, cell.n * sizes / sizes.sum()).astype(int)
    sizes[0] += cell.n - sizes.sum()
    return np.repeat(np.arange(cell.n_classes), sizes)


def _data_set(cell, random):
    source, _, name = cell.kind.partition(" ")
    X, y = _fetched(_PACKAGED[source], name) if name else _from_paper(source)
    if cell.n and cell.n < len(X):
        rows = np.sort(random.choice(len(X), cell.n, replace=False))
        X, y = X[rows], y[rows]
    if cell.scaled:
        low, width = X.min(axis=0), np.ptp(X, axis=0)
        X = (X - low) / np.where(width > 0, width, 1)
    return np.ascontiguousarray(X), y


_PACKAGED = {"KEEL": keel.load, "everyday": everyday.load}


def _fetched(load, name):
    try:
        return load(name)
    except sources.FAILURES as error:
        raise MissingData(f"{name}: not fetched: {error}") from error


def _from_paper(name):
    folder = os.environ.get(DATA_VARIABLE)
    path = Path(folder or ".") / f"{name}.npz"
    if folder and path.exists():
        with np.load(path, allow_pickle=True) as archive:
            return archive["X"].astype(np.float64), archive["y"]
    try:
        found = datasets.load(name)
    except datasets.Unavailable as error:
        raise MissingData(str(error)) from error
    return found.X, found.y

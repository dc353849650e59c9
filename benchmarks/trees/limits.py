"""Where the time of a cell goes, beside the work that cannot be avoided.

    python -m benchmarks.trees.limits [--cells 'd2-*' ...]

Of the kd-tree kernel: CPU seconds in each phase, and the seconds that bare scans of every
point's own leaf would take: no search computes fewer distances than these 16 per point. Of
the blocked kernel: the whole, and the bare float32 products over one triangle, which every
method that looks at all pairs has to make.
"""

from __future__ import annotations

import argparse
import fnmatch
import time
from collections import defaultdict

import numpy as np

from smartsvm import euclidean_mst
from smartsvm._core import threads as _threads
from smartsvm._core.scaling import scale_to_safe_range
from smartsvm._mst import blocked, boruvka
from smartsvm._mst.choice import KernelChoice

from .cells import CELLS, MissingData, load

PHASES = {
    "find_parts": "index", "move_points": "index", "count_distinct": "index", "split": "index",
    "build": "index", "pack": "index", "_join_part": "lists",
    "_list_neighbors": "lists", "_find_ties": "lists", "_refresh": "reading",
    "_list_near": "searches", "_probe": "searches", "_find_aliens": "searches",
}  # fmt: skip
HEAD = [
    "| cell | kernel | whole, s | index | lists and what they certify | reading lists | searches "
    "| merging, sort, Python | least work, s |",
    "|---|---|---|---|---|---|---|---|---|",
]
_LEAF = 16


def phases_of(X, n_trees):
    """CPU seconds of one call: the whole, and by phase (of the kd-tree kernel)."""
    spent = defaultdict(float)
    run = _threads.Team.run

    def timed(self, task, size, chunk):
        start = time.process_time()
        run(self, task, size, chunk)
        spent[PHASES.get(task.__name__, "rest")] += time.process_time() - start

    _threads.Team.run = timed
    try:
        start = time.process_time()
        euclidean_mst(X, n_trees=n_trees)
        return time.process_time() - start, spent
    finally:
        _threads.Team.run = run


def leaf_scans(X):
    """Seconds for the squared distances of every point to sixteen others, in one order."""
    n = len(X) // _LEAF * _LEAF
    leaves = X[:n].reshape(-1, _LEAF, X.shape[1])
    start = time.process_time()
    for part in np.array_split(leaves, max(1, n // 2**14)):
        ((part[:, :, None] - part[:, None]) ** 2).sum(axis=3)
    return time.process_time() - start


def products(X, block=512):
    """Seconds for the float32 products of one triangle, in blocks."""
    X = X.astype(np.float32)
    start = time.process_time()
    for i in range(0, len(X), block):
        for j in range(i, len(X), block):
            X[i : i + block] @ X[j : j + block].T
    return time.process_time() - start


def row(cell):
    """One line of the table."""
    try:
        X, _ = load(cell)
    except MissingData as error:
        return f"| {cell.name} | not run: {error} |"
    points, _ = scale_to_safe_range(X)
    kernel = KernelChoice("auto", points, cell.n_trees).for_size(len(X))
    whole, spent = min((phases_of(X, cell.n_trees) for _ in range(3)), key=lambda each: each[0])
    name = kernel.__name__.rsplit(".", 1)[1]
    if kernel is boruvka:
        parts = [spent[phase] for phase in ("index", "lists", "reading", "searches")]
        shown = " | ".join(f"{part / whole:.0%}" for part in [*parts, whole - sum(parts)])
        return f"| {cell.name} | {name} | {whole:.3g} | {shown} | {leaf_scans(X):.3g} |"
    least = f"{products(X):.3g}" if kernel is blocked else ""
    return f"| {cell.name} | {name} | {whole:.3g} | | | | | | {least} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", nargs="+", default=["*"], help="names or patterns")
    options = parser.parse_args()
    print("\n".join(HEAD))
    for name, cell in CELLS.items():
        if cell.task == "trees" and any(fnmatch.fnmatch(name, p) for p in options.cells):
            print(row(cell), flush=True)


if __name__ == "__main__":
    main()

"""What each kind of evidence adds: linear nodes, the defaults, the forest alone, and all of it.

    python -m benchmarks.classifier.ablation [--sets NAME ...] [--splits 3] [--page FILE]

Accuracy on the test part, mean over the splits. The forest alone votes with the same trees as in
the accurate mode, 64 of them, without a hierarchy and without machines.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np

from smartsvm import SmartSVM
from smartsvm.held_out.extra_trees import SIZES, ExtraTrees

from ..page import write_table
from .problems import KNOWN, split


def forest_alone(X, y, X_test):
    """Classes by the votes of the whole forest."""
    forest = ExtraTrees(X, y, int(y.max()) + 1)
    forest.grow(SIZES[-1])
    return forest.voters().votes(X_test).argmax(axis=1)


def by_nodes(nodes):
    """Predictions of SmartSVM with some kind of nodes."""
    return lambda X, y, X_test: SmartSVM(nodes=nodes).fit(X, y).predict(X_test)


WAYS = {
    "linear nodes": by_nodes("linear"),
    "default": by_nodes("evidence"),
    "forest alone": forest_alone,
    "accurate": by_nodes("forest"),
}


def table(names, n_splits):
    """The lines of the page."""
    yield "| set | " + " | ".join(WAYS) + " |"
    yield "|---" * (len(WAYS) + 1) + "|"
    rows = []
    for name in names:
        found = np.zeros(len(WAYS))
        for number in range(n_splits):
            X, y, X_test, y_test = split(name, number)
            found += [np.mean(way(X, y, X_test) == y_test) for way in WAYS.values()]
        rows.append(found / n_splits)
        yield f"| {name} | " + " | ".join(f"{value:.4f}" for value in rows[-1]) + " |"
    yield "| mean | " + " | ".join(f"{value:.4f}" for value in np.mean(rows, axis=0)) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=list(KNOWN))
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--page", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    lines = []
    for line in table(options.sets, options.splits):
        print(line, flush=True)
        lines.append(line)
    if options.page is not None:
        write_table(options.page, "ablation", [*lines[:2], lines[-1]])  # the means


if __name__ == "__main__":
    main()

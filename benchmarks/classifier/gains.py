"""Does the Bayes error of a node tell what richer evidence gains there, and when to stop growing?

    python -m benchmarks.classifier.gains [--sets NAME ...]

Every node of the first split of the paper's sets is fitted as a linear machine, by the defaults
and with the forest, all on one hierarchy. What a node leaves to gain is its left-out error less its
Bayes error, read off the trees of 2,000 samples as they are, or taken to ever more data.
Beside that stands what the next richer kind of node gains, as left-out errors see it. The
forest is grown to 64 trees whatever it gains, so that a rule for stopping can be judged.
"""

from __future__ import annotations

import argparse
import warnings
from unittest import mock

import numpy as np

from smartsvm import ClassForest, SmartSVM
from smartsvm._core.sampling import stratified_rows
from smartsvm._core.validation import tie_seed
from smartsvm.held_out.extra_trees import SIZES, ExtraTrees

from .problems import KNOWN, split


def grown_errors(hierarchy, X, y):
    """The nodes with the whole forest, and the left-out error of all nodes at each size of it."""
    errors = []

    def to_the_end(forest, criterion, **_):
        for size in SIZES:
            forest.grow(size)
            errors.append(criterion(forest.left_out(size), size))
        return SIZES[-1]

    with mock.patch.object(ExtraTrees, "grow_while_it_pays", to_the_end):
        model = SmartSVM(nodes="forest", hierarchy=hierarchy).fit(X, y)
    return model, errors


def measure(name):
    """One set: columns of its nodes, and its errors while the forest grows."""
    X, y, _, _ = split(name, 0)
    default = SmartSVM(bayes_error_samples=2000).fit(X, y)
    hierarchy = default.hierarchy_
    linear = SmartSVM(nodes="linear", hierarchy=hierarchy).fit(X, y)
    accurate, errors = grown_errors(hierarchy, X, y)
    reached = [
        np.array([node.held_out_error for node in model.nodes_])
        for model in (linear, default, accurate)
    ]
    shares = np.array([node.share for node in default.nodes_])
    rows = stratified_rows(np.unique(y, return_inverse=True)[1], 2000, tie_seed(0))
    plain = ClassForest(X[rows], y[rows], n_trees=1).node_errors(hierarchy)
    return shares, reached, plain, default.bayes_errors_, errors


def table(names):
    """The lines of the page."""
    columns, stops = [], []
    yield "| set | left out, 16 trees | 32 trees | 64 trees | Bayes error | trees as they are |"
    yield "|---" * 6 + "|"
    for name in names:
        shares, reached, plain, corrected, errors = measure(name)
        columns.append(np.array([shares, *reached, plain, corrected]))
        stops.append([*errors, shares @ corrected, shares @ plain])
        yield f"| {name} | " + " | ".join(f"{value:.4f}" for value in stops[-1]) + " |"
    shares, linear, default, forest, plain, corrected = np.hstack(columns)
    first, middle, last, bayes, as_they_are = np.array(stops).T
    yield ""
    yield (
        f"Correlation of what is left to gain with what is gained, over {len(shares)} nodes "
        f"(growing on: over {len(names)} sets, sums over nodes):"
    )
    yield ""
    yield "| step | trees as they are | for ever more data |\n|---|---|---|"
    for step, before, after, *estimates in (
        ("linear to default", linear, default, plain, corrected),
        ("default to forest", default, forest, plain, corrected),
        ("16 to 32 trees", first, middle, as_they_are, bayes),
        ("32 to 64 trees", middle, last, as_they_are, bayes),
    ):
        weights = shares if len(before) == len(shares) else 1.0
        found = [
            np.corrcoef(weights * (before - estimate), weights * (before - after))[0, 1]
            for estimate in estimates
        ]
        yield f"| {step} | " + " | ".join(f"{value:.2f}" for value in found) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=list(KNOWN))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for line in table(options.sets):
        print(line, flush=True)


if __name__ == "__main__":
    main()

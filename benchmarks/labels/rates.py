"""Is the number of wrong labels in the range that the report gives? On problems of known overlap.

    python -m benchmarks.labels.rates [--role evaluation] [--draws 1] [--seconds 300]
        [--workers 16] [--page benchmarks/labels/README.md]

Labels of simulated problems (`benchmarks/problems`) are drawn from their probabilities, and then
none or about 2%, 5% or 10% of them are made wrong:

uniform
    by any other label, everywhere;
by class
    by that of the next class, at rates of 0 to twice the mean;
by region
    by any other label, among the fifth of the samples with the lowest values of one column.

The problems come in random order; none begins after `--seconds`.
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import product

import numpy as np
from threadpoolctl import threadpool_limits

from smartsvm.held_out.posterior import Posterior
from smartsvm.label_errors.suspect_labels import find_label_errors

from ..page import markdown_table, write_table
from ..problems import families, problem
from .posteriors import posterior

SIZES, KINDS, RATES = (400, 2000, 8000), ("none", "uniform", "by class", "by region"), (2, 5, 10)
REGION, Z = 0.2, 1.96


def plant(X, y, kind, rate, random):
    """Labels of which about a fraction `rate` is wrong, and which are."""
    n, n_classes = len(y), int(y.max()) + 1
    rates = np.full(n, 0.0 if kind == "none" else rate)
    shift = random.integers(1, n_classes, size=n)
    if kind == "by class":
        rates *= np.linspace(0, 2, n_classes)[random.permutation(n_classes)][y]
        shift = np.ones(n, dtype=int)
    elif kind == "by region":
        column = X[:, random.integers(X.shape[1])]
        inside = np.argsort(column, kind="stable").argsort() < REGION * n
        rates = np.where(inside, rate / REGION, 0.0)
    wrong = random.random(n) < rates
    return np.where(wrong, (y + shift) % n_classes, y), wrong


def measure(task):
    """Wrong labels, and the range that is given; None where labels cannot be counted."""
    family, number, n, kind, percent, end = task
    if time.time() > end:
        return None
    with threadpool_limits(1):
        X, y = problem(family, number, n).sample()
        random = np.random.default_rng([number, n, percent, KINDS.index(kind)])
        labels, wrong = plant(X, y, kind, percent / 100, random)
        kept = posterior(X, labels, wrong)
        if kept is None or len(kept["logs"]) != len(wrong):
            return None
        found = find_label_errors(
            Posterior(kept["logs"], {}),
            kept["codes"],
            Z,
            **{name: kept[name] for name in ("most_wrong", "cases", "signal", "beats_baseline")},
        )
    low, high = found.error_rate.low * len(wrong), found.error_rate.high * len(wrong)
    return {"n": n, "kind": kind, "wrong": int(wrong.sum()), "low": low, "high": high} | {
        "value": found.error_rate.value * len(wrong),
        "family": family,
    }


def page_table(rows):
    """A line for each size and kind of wrong labels."""
    lines = []
    for n, kind in product(SIZES, KINDS):
        own = [row for row in rows if (row["n"], row["kind"]) == (n, kind)]
        counted = [row for row in own if row["high"] == row["high"]]
        if not counted:
            continue
        below, above, wrong = (
            np.array([row[key] for row in counted]) for key in ("low", "high", "wrong")
        )
        lines.append(
            [
                f"{n:,}",
                kind,
                str(len(own)),
                str(len(own) - len(counted)),
                f"{np.mean((below <= wrong) & (wrong <= above)):.3f}",
                f"{np.mean(wrong < below):.3f}",
                f"{np.mean(wrong > above):.3f}",
                f"{np.mean(below > 0):.2f}",
                f"{np.median((above - below) / n):.1%}",
            ]
        )
    head = (
        *("rows", "wrong labels", "problems", "not counted", "range contains the number"),
        *("fewer", "more", "low end above 0", "median width"),
    )
    return markdown_table(head, lines)


def main():
    """Measure; print the table, and write it into a page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--role", default="evaluation", help="families: design or evaluation")
    parser.add_argument("--draws", type=int, default=1, help="problems of each family")
    parser.add_argument("--seconds", type=float, default=np.inf, help="begin none after this")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--page", help="results page to write the table into")
    options = parser.parse_args()
    end = time.time() + options.seconds
    tasks = []
    for place, (family, number, n) in enumerate(
        product(families(options.role), range(options.draws), SIZES)
    ):
        tasks.append((family, number, n, "none", 0, end))
        # Rates alternate over problems and kinds, so that each size has all of them.
        for turn, kind in enumerate(KINDS[1:]):
            tasks.append((family, number, n, kind, RATES[(place // 3 + turn) % 3], end))
    tasks = [tasks[place] for place in np.random.default_rng(0).permutation(len(tasks))]
    with ProcessPoolExecutor(options.workers) as pool:
        rows = [row for row in pool.map(measure, tasks) if row is not None]
    print(f"{len(rows)} of {len(tasks)} measured")
    print("\n".join(page_table(rows)))
    for row in rows:
        if row["high"] < row["wrong"] or row["low"] > row["wrong"]:
            print(*row.values())
    if options.page:
        write_table(options.page, "rates", page_table(rows))


if __name__ == "__main__":
    main()

"""Do the intervals that a report prints cover what each claims?

    python -m benchmarks.report.intervals [--replications 1000] [--sizes 100 300 1000]
        [--workers 2] [--json benchmarks/report/records/intervals.jsonl]
        [--page benchmarks/report/README.md]

Whole reports on normal classes 2 apart in five columns: two balanced ones, two of which one
has a twentieth of the samples, three balanced ones, and two with every row twice. The intervals
of the trees' bounds, of each rule's error and of each class are for the mean over samples drawn
in the same way, estimated by that of all replications; the interval of guessing is for the error
that answering the largest class has on new samples, and that of the Bayes error for the truth.
"Narrowest" is the smallest width of any interval in any report.
"""

from __future__ import annotations

import argparse
from itertools import product
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from smartsvm import difficulty_report

from ..page import write_table
from .problems import class_means, draw, gaussian_bayes_error
from .truth import run, write_records

PRIORS = {
    "balanced": [0.5, 0.5],
    "one in twenty": [20 / 21, 1 / 21],
    "three classes": [1 / 3, 1 / 3, 1 / 3],
    "every row twice": [0.5, 0.5],
}
SEPARATION, FEATURES = 2.0, 5


def sample(kind, n, seed):
    """Points and labels with at least two samples of every class."""
    random = np.random.default_rng([seed, n, list(PRIORS).index(kind)])
    priors = PRIORS[kind]
    means = class_means(len(priors), FEATURES, SEPARATION)
    drawn = n // 2 if kind == "every row twice" else n
    while True:
        X, y = draw("gauss", means, drawn, random, priors)
        if np.bincount(y, minlength=len(priors)).min() >= 2:
            break
    return (np.repeat(X, 2, axis=0), np.repeat(y, 2)) if drawn < n else (X, y)


def look(task):
    """Every interval of one report, by name: value, low, high."""
    kind, n, seed = task
    with threadpool_limits(1):
        report = difficulty_report(*sample(kind, n, seed))
    found = {
        "cross share": report.trees.cross_share,
        "lower bound": report.trees.lower,
        "upper bound": report.trees.upper,
        "guessing": report.errors.baseline,
        "Bayes error": report.bayes_error,
    }
    found |= {each.classifier: each.error for each in report.errors.held_out.classifiers}
    for k, recall in enumerate(zip(*report.classes.recall, strict=True)):
        found[f"class {k}"] = recall
    return {name: list(map(float, interval)) for name, interval in found.items()}


def summary(kind, n, reports):
    """Coverage by name, and the narrowest interval of all."""
    means = class_means(len(PRIORS[kind]), FEATURES, SEPARATION)
    known = {
        "Bayes error": gaussian_bayes_error(means, PRIORS[kind], n_draws=100_000),
        "guessing": 1 - max(PRIORS[kind]),
    }
    coverage = {}
    for name in reports[0]:
        values, low, high = np.array([each[name] for each in reports]).T
        target = known.get(name, values.mean())
        coverage[name] = float(np.mean((low <= target) & (target <= high)))
    widths = [high - low for each in reports for _, low, high in each.values()]
    return {"kind": kind, "n": n, "coverage": coverage, "narrowest": float(min(widths))}


def table(results):
    """Lines of Markdown."""
    names = [
        "cross share",
        "lower bound",
        "upper bound",
        "neighbors",
        "linear",
        "gaussians",
        "kernel",
        "forest",
        "guessing",
        "class 0",
        "class 1",
        "Bayes error",
    ]
    lines = [f"| data | n | {' | '.join(names)} | narrowest |", "|---" * (len(names) + 3) + "|"]
    for each in results:
        cells = [f"{each['coverage'][name]:.3f}" for name in names]
        lines.append(
            f"| {each['kind']} | {each['n']} | {' | '.join(cells)} | {each['narrowest']:.4f} |"
        )
    return lines


def page_table(results):
    """The sentence of the page: the ranges over all rows."""
    bayes = [each["coverage"]["Bayes error"] for each in results]
    every = [value for each in results for value in each["coverage"].values()]
    return [
        f"Coverage of the Bayes error {min(bayes):.3f} to {max(bayes):.3f}, of all intervals "
        f"{min(every):.3f} to {max(every):.3f}."
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replications", type=int, default=1000)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 300, 1000])
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--json", type=Path, help="file for the numbers")
    parser.add_argument("--page", help="results page to write the table into")
    options = parser.parse_args()
    cells = list(product(PRIORS, options.sizes))
    tasks = [(*cell, seed) for cell in cells for seed in range(options.replications)]
    reports = run(look, tasks, options.workers)
    by_cell = np.array(reports, dtype=object).reshape(len(cells), -1)
    results = [summary(*cell, list(each)) for cell, each in zip(cells, by_cell, strict=True)]
    lines = table(results)
    print("\n".join(lines))
    if options.json:
        write_records(options.json, results)
    if options.page:
        write_table(options.page, "intervals", page_table(results))


if __name__ == "__main__":
    main()

"""Time and memory of the whole report over several sizes.

    python -m benchmarks.report.sizes [--shapes 2500x10x10 5000x10x10 10000x10x10] [--jobs 2]

Each shape (rows x columns x classes) runs in a process of its own. Beside the whole
report: the share of the time that is not spanning trees, and one tree alone.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time

import numpy as np

from ..page import write_table
from ..peak_memory import peak_bytes
from .problems import class_means, draw


def measure(shape, jobs):
    """Seconds, seconds without trees, seconds of one tree, MiB: of this process."""
    from smartsvm import bayes_error, difficulty_report
    from smartsvm.presentation.progress import Steps

    n, d, n_classes = shape
    X, y = draw("gauss", class_means(n_classes, d, 3.0), n, np.random.default_rng(0))
    difficulty_report(X[:200], y[:200])  # imports
    steps = []
    original = Steps.begin

    def step(self, what):
        steps.append((time.perf_counter(), what))
        original(self, what)

    Steps.begin = step
    before = peak_bytes()
    start = time.perf_counter()
    report = difficulty_report(X, y, n_jobs=jobs)
    end = time.perf_counter()
    memory = (peak_bytes() - before) / 2**20
    times = [*(when for when, _ in steps), end]
    trees = sum(
        later - when
        for (when, what), later in zip(steps, times[1:], strict=True)
        if "trees" in what
    )
    before = time.perf_counter()
    bayes_error(X, y, n_trees=1, n_jobs=jobs)
    one = time.perf_counter() - before
    return {
        "seconds": end - start,
        "rest": end - start - trees,
        "one_tree": one,
        "mebibytes": memory,
        "bayes_error": list(report.bayes_error),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shapes", nargs="+", default=["2500x10x10", "5000x10x10", "10000x10x10"])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--page", help="results page to write the table into")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(tuple(map(int, options.one.split("x"))), options.jobs)))
        return
    print(f"{options.jobs} thread(s)\n")
    lines = [
        "| rows x columns x classes | report, s | without trees, s | one tree, s | memory, MiB |",
        "|---|---|---|---|---|",
    ]
    print("\n".join(lines))
    for shape in options.shapes:
        done = subprocess.run(
            [
                *(sys.executable, "-m", "benchmarks.report.sizes", "--one", shape),
                *("--jobs", str(options.jobs)),
            ],
            capture_output=True,
            text=True,
            check=True,
        )
        found = json.loads(done.stdout.strip().splitlines()[-1])
        lines.append(
            f"| {shape} | {found['seconds']:.2f} | {found['rest']:.2f} | {found['one_tree']:.2f} "
            f"| {found['mebibytes']:.0f} |"
        )
        print(lines[-1], flush=True)
    if options.page:
        write_table(options.page, "sizes", lines)


if __name__ == "__main__":
    main()

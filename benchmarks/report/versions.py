"""The time of a report, before and after: two versions of this library.

    python -m benchmarks.report.versions BASE NEW [--data iris 1000x10x3 letter ...] [--turns 3]
        [--page benchmarks/report/README.md]

BASE and NEW are folders that hold an installed `smartsvm` (``pip install --target FOLDER .``); the
environment itself must have none that is editable, which would be found first. Data are sets of
scikit-learn, normal classes (rows x columns x classes), `categories` (a table of mostly zeros), or
names of the paper's sets, where those are at hand. Each turn runs a fresh process of either
version; the best CPU time of one thread counts.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from sklearn import datasets as sklearn_sets

from ..page import write_table
from ..paper.datasets import load
from .problems import class_means, draw

_SHAPES = ("100x5", "400x10", "1000x10", "5000x10", "10000x10", "20000x10", "50000x10")
DATA = (
    *("iris", "wine", "digits", "categories"),
    *(f"{shape}x{n_classes}" for shape in _SHAPES for n_classes in (2, 3, 10)),
)
HEAD = ["| data | rows | columns | before, s | after, s | after / before |", "|---" * 6 + "|"]
_SECONDS = 2.0  # of a process, about, but at least one report


def read(name):
    """Points and labels."""
    if name[0].isdigit():
        n, d, n_classes = map(int, name.split("x"))
        return draw("gauss", class_means(n_classes, d, 3.0), n, np.random.default_rng(0))
    if name == "categories":
        return categories()
    loader = getattr(sklearn_sets, f"load_{name}", None)
    if loader is not None:
        return loader(return_X_y=True)
    found = load(name, fetch=False)
    return found.X, found.y


def categories(n=3000):
    """A table of mostly zeros: amounts, a number that repeats, and one column for each value."""
    random = np.random.default_rng(0)
    amounts = np.where(random.random((n, 12)) < 0.2, random.exponential(size=(n, 12)), 0.0)
    values = [random.integers(count, size=n) for count in (4, 9, 20)]
    columns = [np.eye(each.max() + 1)[each] for each in values]
    effects = random.normal(size=20)[values[2]] + amounts[:, 0] - 2 * amounts[:, 1]
    score = effects + (values[0] == values[1] % 4) + random.logistic(size=n)
    prices = 5.0 * random.integers(40, size=n)
    return np.column_stack([amounts, prices, *columns]), np.digitize(score, [-1.0, 1.0])


def measure(name):
    """Rows, columns and best CPU seconds of a report, in this process."""
    import smartsvm
    from smartsvm import difficulty_report

    folder = os.environ["PYTHONPATH"].split(os.pathsep)[0]
    if not Path(smartsvm.__file__).is_relative_to(folder):
        raise RuntimeError(f"smartsvm must come from {folder}, got {smartsvm.__file__}.")
    X, y = read(name)
    difficulty_report(*read("3000x3x2"))  # imports
    best, spent = np.inf, 0.0
    while spent < _SECONDS:
        start = time.process_time()
        difficulty_report(X, y)
        took = time.process_time() - start
        best, spent = min(best, took), spent + took
    return {"rows": len(X), "columns": X.shape[1], "seconds": best}


def in_process(name, folder):
    """`measure` by the version in a folder."""
    limits = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    environment = os.environ | dict.fromkeys(limits, "1")
    root = Path(__file__).resolve().parents[2]
    environment["PYTHONPATH"] = os.pathsep.join([str(Path(folder).resolve()), str(root)])
    done = subprocess.run(
        [sys.executable, "-P", "-m", "benchmarks.report.versions", "", "", "--one", name],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.strip().splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("base")
    parser.add_argument("new")
    parser.add_argument("--data", nargs="+", default=DATA)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--page", help="results page to write the table into")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.one)))
        return
    lines = [*HEAD]
    print(*HEAD, sep="\n")
    for name in options.data:
        best = {}
        for _ in range(options.turns):
            for who, folder in (("before", options.base), ("after", options.new)):
                found = in_process(name, folder)
                best[who] = min(best.get(who, np.inf), found["seconds"])
        ratio = best["after"] / best["before"]
        lines.append(
            f"| {name} | {found['rows']} | {found['columns']} | {best['before']:.3g} "
            f"| {best['after']:.3g} | {ratio:.2f} |"
        )
        print(lines[-1], flush=True)
    if options.page:
        write_table(options.page, "versions", lines)


if __name__ == "__main__":
    main()

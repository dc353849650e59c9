"""Does the interval for more rows contain the error that is measured there?

    SMARTSVM_DATA=FOLDER python -m benchmarks.report.more_rows [--seeds 3] [--workers 2]
        [--page benchmarks/report/README.md]

Every set of the paper is cut to 500, 2,000 and 8,000 rows (or all, if there are fewer). Reports on
a half and on a tenth of them, with at least 50 rows, predict the held-out error of the best
classifier with all of them.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from smartsvm import difficulty_report

from ..page import markdown_table, read_records, update_records, write_table
from ..paper.datasets import NAMES, load
from .truth import run

SIZES = (500, 2000, 8000)
MULTIPLES = (2, 10)  # of a part, as in a learning curve behind the present error
_LEAST = 50  # rows of a part
RECORDS = Path(__file__).parent / "records" / "more_rows.csv"


def look(task):
    """The predictions from parts of some rows, and the error with all of them."""
    name, size, seed = task
    data = load(name, fetch=False)
    rows = np.random.default_rng(seed).permutation(len(data.y))[:size]
    X, y = data.X[rows].astype(float), data.y[rows]
    X = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1)
    measured = _report(X, y).errors.held_out.best.value
    records = []
    for place, times in enumerate(MULTIPLES, 1):
        part = len(rows) // times
        if part < _LEAST:
            continue
        curve = _report(X[:part], y[:part]).errors.learning_curve
        if curve is not None:
            now, later = curve.errors[0], curve.errors[place]
            numbers = {"now": now.value, "later": later.value, "low": later.low, "high": later.high}
            record = {"set": name, "rows": len(rows), "seed": seed, "times": times}
            numbers["measured"] = measured
            records.append(record | {key: f"{each:.4f}" for key, each in numbers.items()})
    return records


def _report(X, y):
    """The report on rows whose class has another one."""
    kept = np.isin(y, np.flatnonzero(np.bincount(y) > 1))
    with threadpool_limits(1):
        return difficulty_report(X[kept], y[kept])


def page_table(records):
    """Lines by multiple and size: how often the interval holds, and how far predictions are off."""
    rows = []
    for times in MULTIPLES:
        for size in (*SIZES, "all"):
            chosen = [r for r in records if int(r["times"]) == times and size in ("all", _size(r))]
            if not chosen:
                continue
            now, later, low, high, measured = np.array(
                [[float(r[k]) for k in ("now", "later", "low", "high", "measured")] for r in chosen]
            ).T
            held = np.mean((low - 1e-4 <= measured) & (measured <= high + 1e-4))
            off = [np.abs(each - measured).mean() for each in (later, now)]
            cells = (held, np.median(high - low), *off)
            rows.append([f"{times} ×", size, len(chosen), *(f"{each:.3f}" for each in cells)])
    head = ("rows", "up to", "cases", "coverage", "width", "error", "error now")
    return markdown_table(head, rows)


def _size(record):
    return next(size for size in SIZES if int(record["rows"]) <= size)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--sets", nargs="+", default=NAMES)
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--page", help="results page to write the table into")
    options = parser.parse_args()
    tasks = [
        (name, size, seed)
        for size in SIZES
        for name in options.sets
        for seed in range(options.seeds)
    ]
    records = [each for found in run(look, tasks, options.workers) for each in found]
    print("\n".join(page_table(records)))
    if options.page:
        update_records(RECORDS, records, n_keys=4)
        write_table(options.page, "more rows", page_table(read_records(RECORDS)))


if __name__ == "__main__":
    main()

"""Does the interval for twice the rows contain the error that is measured there?

    SMARTSVM_DATA=FOLDER python -m benchmarks.report.more_rows [--seeds 3] [--workers 2]
        [--page benchmarks/report/README.md]

Of every set of the paper, cut to 500, 2,000 and 8,000 rows (or all, if there are fewer), half is
held back: the report on the other half predicts the held-out error of the best classifier with all
of them.
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
RECORDS = Path(__file__).parent / "records" / "more_rows.csv"


def look(task):
    """The prediction from half of some rows, and the error with all of them."""
    name, size, seed = task
    data = load(name, fetch=False)
    rows = np.random.default_rng(seed).permutation(len(data.y))[:size]
    X, y = data.X[rows].astype(float), data.y[rows]
    X = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1)
    half = len(rows) // 2
    kept = [np.isin(part, np.flatnonzero(np.bincount(part) > 1)) for part in (y[:half], y)]
    with threadpool_limits(1):
        curve = difficulty_report(X[:half][kept[0]], y[:half][kept[0]]).learning_curve
        whole = difficulty_report(X[kept[1]], y[kept[1]])
    if curve is None:
        return None
    now, twice, _ = curve.errors
    measured = whole.held_out.best.value
    return {
        "set": name, "rows": len(rows), "seed": seed, "now": f"{now.value:.4f}",
        "twice": f"{twice.value:.4f}", "low": f"{twice.low:.4f}", "high": f"{twice.high:.4f}",
        "measured": f"{measured:.4f}",
    }  # fmt: skip


def page_table(records):
    """One line for each size: how often the interval holds, and how far predictions are off."""
    rows = []
    for size in (*SIZES, "all"):
        chosen = [r for r in records if size == "all" or _size(r) == size]
        if not chosen:
            continue
        now, twice, low, high, measured = np.array(
            [[float(r[k]) for k in ("now", "twice", "low", "high", "measured")] for r in chosen]
        ).T
        held = np.mean((low - 1e-4 <= measured) & (measured <= high + 1e-4))
        off = [np.abs(each - measured).mean() for each in (twice, now)]
        cells = (held, np.median(high - low), *off)
        rows.append([size, len(chosen), *(f"{each:.3f}" for each in cells)])
    head = ("rows", "cases", "coverage", "width", "error", "error now")
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
    records = [each for each in run(look, tasks, options.workers) if each is not None]
    print("\n".join(page_table(records)))
    if options.page:
        update_records(RECORDS, records, n_keys=3)
        write_table(options.page, "more rows", page_table(read_records(RECORDS)))


if __name__ == "__main__":
    main()

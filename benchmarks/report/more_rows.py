"""Does the interval for more rows contain the error that is measured there?

    SMARTSVM_DATA=FOLDER python -m benchmarks.report.more_rows [--seeds 3] [--workers 2]
        [--page benchmarks/report/README.md]
    python -m benchmarks.report.more_rows --families evaluation [--draws 2] [--workers 16]
        [--page benchmarks/report/README.md]

Every set of the paper is cut to 500, 2,000 and 8,000 rows (or all, if there are fewer). Reports on
a half and on a tenth of them, with at least 50 rows, predict the held-out error of the best
classifier with all of them.

With `--families` the data are problems of `benchmarks.problems`. Reports on 100, 400, 1,000 and
2,000 rows predict the smallest held-out error of reports on twice and on ten times as many rows (at
most 10,000), which are drawn anew from the same problem.

error, as now, POW4
    Mean absolute error of the prediction, of the present error, and of a power law with an offset
    that is fitted to the smallest held-out errors of reports on five parts of the rows.
floor
    Mean absolute error of a prediction that knows by which factor the expected error falls. Left is
    the sampling noise of the present error and of the one that is measured later, with as many
    independent rows as the report counts for the classifier.
of the way
    How far the prediction is on the way from the better of the two rivals (0) to the floor (1).
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from smartsvm import difficulty_report

from ..page import markdown_table, read_records, update_records, write_table
from ..paper.datasets import NAMES, load
from ..problems import problem
from ..problems.options import add_families_option
from .power_law import extrapolated, measured_curve
from .truth import run

SIZES = (500, 2000, 8000)
MULTIPLES = (2, 10)  # of a part, as in a learning curve behind the present error
_LEAST = 50  # rows of a part
RECORDS = Path(__file__).parent / "records" / "more_rows.csv"
FAMILY_SIZES = (100, 400, 1000, 2000)  # rows of a report
_MOST = 10_000  # rows of a later one
FAMILY_RECORDS = RECORDS.with_name("more_rows_families.csv")
# `n_now` and `n_measured` are independent rows on which both errors would be as certain.
_NUMBERS = ("now", "later", "low", "high", "measured", "pow4", "n_now", "n_measured")


def look(task):
    """The predictions from parts of some rows, and the error with all of them."""
    name, size, seed = task
    data = load(name, fetch=False)
    rows = np.random.default_rng(seed).permutation(len(data.y))[:size]
    X, y = data.X[rows].astype(float), data.y[rows]
    X = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1)
    measured = _report(X, y)
    records = []
    for place, times in enumerate(MULTIPLES, 1):
        part = len(rows) // times
        if part >= _LEAST:
            about = {"set": name, "rows": len(rows), "seed": seed, "times": times}
            report = _report(X[:part], y[:part])
            curve = measured_curve(_best_error, X[:part], y[:part])
            records += _compared(about, report, place, measured, curve)
    return records


def look_at_family(task):
    """The predictions from samples of one problem, and the errors with larger samples."""
    family, number = task
    sizes = {size * times for size in FAMILY_SIZES for times in (1, *MULTIPLES)}
    sizes = sorted(size for size in sizes if size <= _MOST)
    samples = {size: problem(family, number, size).sample() for size in sizes}
    reports = {size: _report(X, y) for size, (X, y) in samples.items() if len(np.unique(y)) > 1}
    records = []
    for size in filter(reports.__contains__, FAMILY_SIZES):
        curve = measured_curve(_best_error, *samples[size])
        for place, times in enumerate(MULTIPLES, 1):
            if times * size in reports:
                about = {"family": family, "number": number, "rows": size, "times": times}
                records += _compared(about, reports[size], place, reports[times * size], curve)
    return records


def _compared(about, report, place, measured, curve):
    """A record of what a report predicts, beside a power law; none without a learning curve."""
    predicted = report.errors.learning_curve
    if predicted is None:
        return []
    present, later = report.errors.held_out, measured.errors.held_out
    by_law = extrapolated(curve, MULTIPLES[place - 1] * report.data.n_samples)
    values = present.best.value, *predicted.errors[place], later.best.value, by_law
    values = *values, present.n_independent, later.n_independent
    return [about | {key: f"{value:.4f}" for key, value in zip(_NUMBERS, values, strict=True)}]


def _best_error(X, y):
    return _report(X, y).errors.held_out.best.value


def _report(X, y):
    """The report on rows whose class has another one."""
    kept = np.isin(y, np.flatnonzero(np.bincount(y) > 1))
    with threadpool_limits(1):
        return difficulty_report(X[kept], y[kept])


def page_table(records):
    """Lines by multiple and size: how often the interval holds, and how far predictions are off."""
    return _table("up to", SIZES, records, _size)


def family_table(records):
    """The same for problems of the families, by the rows of the report."""
    return _table("from", FAMILY_SIZES, records, lambda record: int(record["rows"]))


def page_tables():
    """The tables of the page, from the records."""
    return {
        "more rows": page_table(_recorded(RECORDS)),
        "more rows of families": family_table(_recorded(FAMILY_RECORDS)),
    }


def _recorded(path):
    return read_records(path) if path.exists() else []


def _table(name, sizes, records, size_of):
    if not records:
        return ["There is no record of a run."]
    rows = []
    for times in MULTIPLES:
        for size in (*sizes, "all"):
            chosen = [
                r for r in records if int(r["times"]) == times and size in ("all", size_of(r))
            ]
            if chosen:
                rows.append([f"{times} ×", size, len(chosen), *_cells(chosen)])
    head = ("coverage", "width", "error", "as now", "POW4", "floor", "of the way")
    return markdown_table(("rows", name, "cases", *head), rows)


def _cells(records):
    """Coverage, width, mean errors of the predictions, the floor, and the place between them."""
    now, later, low, high, measured, pow4, *_ = np.array(
        [[float(record[k]) for k in _NUMBERS] for record in records]
    ).T
    held = np.mean((low - 1e-4 <= measured) & (measured <= high + 1e-4))
    off, as_now, by_law = (np.abs(each - measured).mean() for each in (later, now, pow4))
    rival, least = min(as_now, by_law), floor(records)
    way = (rival - off) / (rival - least) if rival > least else np.inf
    cells = [f"{each:.4f}" for each in (off, as_now, by_law, least)]
    width = np.median(high - low)
    return [f"{held:.3f}", f"{width:.3f}", *cells, "–" if np.isinf(way) else f"{way:.2f}"]


def floor(records):
    """The mean absolute error of a prediction that knows by which factor errors fall."""
    keys = ("now", "measured", "n_now", "n_measured")
    now, later, n, m = np.array([[float(record[k]) for k in keys] for record in records]).T
    factor = later / np.maximum(now, 1 / n)
    variance = later * (1 - later) / m + factor**2 * now * (1 - now) / n
    return np.sqrt(2 / np.pi) * np.sqrt(variance).mean()  # as of normal deviations


def _size(record):
    return next(size for size in SIZES if int(record["rows"]) <= size)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--sets", nargs="+", default=NAMES)
    add_families_option(parser, default=None)
    parser.add_argument("--draws", type=int, default=2, help="problems of each family")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--seconds", type=float, help="after which no problem is begun")
    parser.add_argument("--page", help="results page to write the tables into")
    options = parser.parse_args()
    if options.families:
        tasks = [(name, number) for name in options.families for number in range(options.draws)]
        function, path, lines = look_at_family, FAMILY_RECORDS, family_table
    else:
        tasks = [
            (name, size, seed)
            for size in SIZES
            for name in options.sets
            for seed in range(options.seeds)
        ]
        function, path, lines = look, RECORDS, page_table
    records = [
        each for found in run(function, tasks, options.workers, options.seconds) for each in found
    ]
    print("\n".join(lines(records)))
    if options.page:
        update_records(path, records, n_keys=4)
        for name, each in page_tables().items():
            write_table(options.page, name, each)


if __name__ == "__main__":
    main()

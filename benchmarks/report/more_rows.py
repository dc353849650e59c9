"""Does the interval for more rows contain the error that is measured there?

    SMARTSVM_DATA=FOLDER python -m benchmarks.report.more_rows [--seeds 3] [--workers 2]
        [--page benchmarks/report/README.md]
    python -m benchmarks.report.more_rows --families evaluation [--draws 2] [--workers 16]
        [--page benchmarks/report/README.md]

Every set of the paper is cut to 500, 2,000 and 8,000 rows (or all, if there are fewer). Reports on
a half and on a tenth of them, with at least 50 rows, predict the held-out error of the best
classifier with all of them.

With `--families` the data are problems of `benchmarks.problems`. Reports on 100, 400 and 800 rows
predict the smallest held-out error of reports on twice and on ten times as many rows, which are
drawn anew from the same problem. Their table has a column more:

floor
    Mean absolute error of a prediction that knows by which factor the expected error falls. Left is
    the sampling noise of the present error and of the one that is measured later, as of
    independent rows; mistakes of the best classifiers depend on each other, so that theirs is
    larger by up to a fifth.

The page has the predictions of an earlier version beside these, each against its own error. They
come from the same commands with `--before`, run with

    PYTHONPATH=FOLDER python -m benchmarks.report.more_rows --before ...

with that version in FOLDER (``pip install --target FOLDER .``) and none in the environment that is
editable, which would be found first.
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
from .truth import run

SIZES = (500, 2000, 8000)
MULTIPLES = (2, 10)  # of a part, as in a learning curve behind the present error
_LEAST = 50  # rows of a part
RECORDS = Path(__file__).parent / "records" / "more_rows.csv"
FAMILY_SIZES = (100, 400, 800)  # rows of a report
FAMILY_RECORDS = RECORDS.with_name("more_rows_families.csv")
_NUMBERS = ("now", "later", "low", "high", "measured")


def look(task):
    """The predictions from parts of some rows, and the error with all of them."""
    name, size, seed = task
    data = load(name, fetch=False)
    rows = np.random.default_rng(seed).permutation(len(data.y))[:size]
    X, y = data.X[rows].astype(float), data.y[rows]
    X = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1)
    measured = _errors(_report(X, y)).held_out.best.value
    records = []
    for place, times in enumerate(MULTIPLES, 1):
        part = len(rows) // times
        if part < _LEAST:
            continue
        predicted = _prediction(_report(X[:part], y[:part]), place)
        if predicted:
            record = {"set": name, "rows": len(rows), "seed": seed, "times": times}
            records.append(record | _texts(predicted, measured))
    return records


def look_at_family(task):
    """The predictions from samples of one problem, and the errors with larger samples."""
    family, number = task
    sizes = {size * times for size in FAMILY_SIZES for times in (1, *MULTIPLES)}
    samples = {size: problem(family, number, size).sample() for size in sorted(sizes)}
    reports = {size: _report(X, y) for size, (X, y) in samples.items() if len(np.unique(y)) > 1}
    records = []
    for size in FAMILY_SIZES:
        for place, times in enumerate(MULTIPLES, 1):
            predicted = _prediction(reports[size], place) if size in reports else None
            if predicted and times * size in reports:
                measured = _errors(reports[times * size]).held_out.best.value
                record = {"family": family, "number": number, "rows": size, "times": times}
                records.append(record | _texts(predicted, measured))
    return records


def _errors(report):
    """What has the held-out errors and the learning curve: in an earlier version, the report."""
    return getattr(report, "errors", report)


def _prediction(report, place):
    """The present error, the one at a place of the learning curve and its ends; None without."""
    curve = _errors(report).learning_curve
    return curve and [curve.errors[0].value, *curve.errors[place]]


def _texts(predicted, measured):
    """The numbers of a record to four digits."""
    values = zip(_NUMBERS, (*predicted, measured), strict=True)
    return {name: f"{value:.4f}" for name, value in values}


def _report(X, y):
    """The report on rows whose class has another one."""
    kept = np.isin(y, np.flatnonzero(np.bincount(y) > 1))
    with threadpool_limits(1):
        return difficulty_report(X[kept], y[kept])


def page_table(records, before=()):
    """Lines by multiple and size: how often the interval holds, and how far predictions are off."""
    return _table("up to", SIZES, records, before, _size)


def family_table(records, before=()):
    """The same for problems of the families, by the rows of the report."""
    return _table("from", FAMILY_SIZES, records, before, lambda record: int(record["rows"]), True)


def page_tables():
    """The tables of the page, from the records."""
    return {
        "more rows": page_table(*map(_recorded, (RECORDS, _before(RECORDS)))),
        "more rows of families": family_table(
            *map(_recorded, (FAMILY_RECORDS, _before(FAMILY_RECORDS)))
        ),
    }


def _before(path):
    """The records of the earlier version beside others."""
    return path.with_stem(f"{path.stem}_before")


def _recorded(path):
    return read_records(path) if path.exists() else []


def _table(name, sizes, records, before, size_of, with_floor=False):
    if not records:
        return ["There is no record of a run."]
    if before:  # both versions on the same cases
        keys = {_key(record) for record in records} & {_key(record) for record in before}
        records = [record for record in records if _key(record) in keys]
        before = [record for record in before if _key(record) in keys]
    rows = []
    for times in MULTIPLES:
        for size in (*sizes, "all"):
            for version, some in (("", records), (", before", before)):
                chosen = [
                    r for r in some if int(r["times"]) == times and size in ("all", size_of(r))
                ]
                if chosen:
                    cells = [*_cells(chosen), *([f"{floor(chosen):.3f}"] if with_floor else [])]
                    rows.append([f"{times} ×", f"{size}{version}", len(chosen), *cells])
    head = ("rows", name, "cases", "coverage", "width", "error", "error now")
    return markdown_table((*head, "floor") if with_floor else head, rows)


def _key(record):
    """What a record is about: all but its numbers."""
    return tuple(str(value) for name, value in record.items() if name not in _NUMBERS)


def _cells(records):
    """Coverage, width, and the mean errors of the prediction and of the present error."""
    now, later, low, high, measured = np.array(
        [[float(record[k]) for k in _NUMBERS] for record in records]
    ).T
    held = np.mean((low - 1e-4 <= measured) & (measured <= high + 1e-4))
    off = [np.abs(each - measured).mean() for each in (later, now)]
    return [f"{each:.3f}" for each in (held, np.median(high - low), *off)]


def floor(records):
    """The mean absolute error of a prediction that knows by which factor errors fall."""
    keys = ("now", "measured", "rows", "times")
    now, later, n, times = np.array([[float(record[k]) for k in keys] for record in records]).T
    factor = later / np.maximum(now, 1 / n)
    variance = later * (1 - later) / (times * n) + factor**2 * now * (1 - now) / n
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
    parser.add_argument("--before", action="store_true", help="as the earlier version of the page")
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
    records = [each for found in run(function, tasks, options.workers) for each in found]
    print("\n".join(lines(records)))
    if options.page:
        path = _before(path) if options.before else path
        update_records(path, records, n_keys=4)
        for name, each in page_tables().items():
            write_table(options.page, name, each)


if __name__ == "__main__":
    main()

"""How far are estimators of the Bayes error from the truth, on problems where it is known?

    python -m benchmarks.problems.evaluate [--families evaluation] [--draws 3] [--workers 16]
        [--sizes 100 400 2000] [--estimators NAME ...] [--dataeval FOLDER]
        [--page benchmarks/problems/README.md]

With `--dataeval` the two estimators of that package take part, from an environment that is made in
FOLDER; where it cannot be installed, the command says so and goes on without them. `--page` keeps
the records and writes the tables of the page. Records of estimators that did not run stay, so that
dataeval can run on another machine: `--estimators --dataeval FOLDER`. One's own estimator:

    from benchmarks.problems import families
    from benchmarks.problems.evaluate import evaluate, table

    records = evaluate({"mine": lambda X, y: 0.1}, families("design")[:3], draws=2, sizes=(100,))
    print("\\n".join(table(records)))
"""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from ..page import markdown_table, write_table
from ..report.truth import run, write_records
from . import ALL, FAMILIES, SIZES, problem
from .estimators import DATAEVAL, OURS, dataeval
from .options import add_families_option

PAGE = Path(__file__).with_name("README.md")
RECORDS = Path(__file__).parent / "records" / "estimators.jsonl"
_SIZES = (100, 400, 2000)  # of the command: cross-validation is slow with more


def evaluate(estimators, families, draws, sizes=SIZES, workers=1):
    """Estimates of one or more estimators, beside the truth.

    Parameters
    ----------
    estimators : callable or dict of callables by name
        ``estimator(X, y)`` gives a number or a tuple ``(value, low, high)``. With more than one
        worker it must be a function of a module.
    families : iterable of str
        Names of families of problems.
    draws : int
        Problems of each family.
    sizes : iterable of int, default=(100, 400, 2000, 8000)
        Samples of each problem.
    workers : int, default=1
        Processes.

    Returns
    -------
    list of dict
        One for each estimator, problem and size, with the keys "estimator", "family", "number",
        "size", "truth", "value", "low" and "high"; an end that is not given is NaN. Samples of one
        class only are left out.
    """
    if callable(estimators):
        estimators = {getattr(estimators, "__name__", "estimator"): estimators}
    look = partial(_look, estimators=estimators, sizes=tuple(sizes))
    tasks = [(family, number) for family in families for number in range(draws)]
    records = [record for found in run(look, tasks, workers) for record in found]
    # The sort is stable: problems stay in their order.
    return sorted(records, key=lambda each: list(estimators).index(each["estimator"]))


def _look(task, estimators, sizes):
    """The records of one problem at all sizes."""
    family, number = task
    keys, sets, records = [], [], []
    truth = problem(family, number, sizes[0]).bayes_error()
    for size in sizes:
        X, y = problem(family, number, size).sample()
        if len(np.unique(y)) > 1:
            keys.append({"family": family, "number": number, "size": size, "truth": truth})
            sets.append((X, y))
    for name, estimator in estimators.items():
        with threadpool_limits(1):
            if hasattr(estimator, "many"):
                found = estimator.many(sets) if sets else []
            else:
                found = [estimator(X, y) for X, y in sets]
        for key, estimate in zip(keys, found, strict=True):
            value, low, high = [*np.atleast_1d(estimate), np.nan, np.nan][:3]
            estimate = {"value": float(value), "low": float(low), "high": float(high)}
            records.append({"estimator": name, **key, **estimate})
    return records


def table(records):
    """Lines of Markdown: a row for each estimator."""
    sizes = sorted({each["size"] for each in records})
    head = (
        "estimator",
        "problems",
        *(f"RMSE, n = {size:,}" for size in sizes),
        "RMSE",
        "mean absolute error",
        "truth inside",
        "median width",
    )
    names = dict.fromkeys(each["estimator"] for each in records)
    return markdown_table(
        head,
        [
            [name, *_row([each for each in records if each["estimator"] == name], sizes)]
            for name in names
        ],
    )


def _row(records, sizes):
    """The cells of one estimator; where it gave no number, a problem does not count."""
    keys = ("size", "truth", "value", "low", "high")
    values = np.array([[each[key] for key in keys] for each in records], dtype=float)
    values = values[np.isfinite(values[:, 2])]
    size, truth, value, low, high = values.T
    off = value - truth
    parts = [off[size == each] for each in sizes]
    squares = [np.sqrt(np.mean(each**2)) if len(each) else np.nan for each in (*parts, off)]
    has_ends = np.isfinite(low) & np.isfinite(high)
    inside, width = np.nan, np.nan
    if has_ends.any():
        inside = np.mean(((low <= truth) & (truth <= high))[has_ends])
        width = np.median((high - low)[has_ends])
    mean = np.abs(off).mean() if len(off) else np.nan
    return [len(off), *map(_cell, (*squares, mean, inside, width))]


def _cell(value):
    return "–" if np.isnan(value) else f"{value:.3f}"


def read(path):
    """The records of an earlier run; none where there was no run."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines()]


def merged(earlier, records):
    """Records of a run, and earlier ones of other estimators on the same problems."""
    names, problems = {each["estimator"] for each in records}, {_problem(each) for each in records}
    kept = [e for e in earlier if e["estimator"] not in names and _problem(e) in problems]
    order = [*OURS, *DATAEVAL]
    return sorted(kept + records, key=lambda each: order.index(each["estimator"]))


def _problem(record):
    return record["family"], record["number"], record["size"]


def family_table():
    """Lines of Markdown: every family with its kind, its role and what it is."""
    rows = [
        [name, row["kind"], row["role"], ALL[name].__doc__.splitlines()[0]]
        for name, row in sorted(FAMILIES.items(), key=lambda each: each[1]["kind"])
    ]
    return markdown_table(("family", "kind", "role", "what it is"), rows)


def page_tables(records):
    """The tables of the page."""
    lines = table(records) if records else ["There is no record of a run."]
    return {"estimators": lines, "families": family_table()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_families_option(parser)
    parser.add_argument("--sizes", type=int, nargs="+", default=_SIZES)
    parser.add_argument("--draws", type=int, default=3, help="problems of each family")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--estimators", nargs="*", metavar="NAME", help=f"of {', '.join(OURS)}")
    parser.add_argument("--dataeval", type=Path, metavar="FOLDER", help="its environment")
    parser.add_argument("--page", help="results page to write the tables into")
    options = parser.parse_args()
    names = OURS if options.estimators is None else options.estimators
    estimators = {name: OURS[name] for name in names}
    if options.dataeval:
        try:
            estimators |= dataeval(options.dataeval)
        except RuntimeError as error:
            print(f"dataeval does not take part: {error}", flush=True)
    records = evaluate(estimators, options.families, options.draws, options.sizes, options.workers)
    print("\n".join(table(records)))
    if options.page:
        write_records(RECORDS, merged(read(RECORDS), records))
        for name, lines in page_tables(read(RECORDS)).items():
            write_table(options.page, name, lines)


if __name__ == "__main__":
    main()

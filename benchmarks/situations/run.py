"""Estimators of the Bayes error on the scenarios of Wheat et al. (2025, arXiv:2506.03159).

    python -m benchmarks.situations.run [--simulations 100] [--workers 2] [--seconds 600]
        [--page benchmarks/situations/README.md]

A simulation is a scenario with a number of columns, of its list in turn, and a Bayes error, evenly
spaced from 0.01 to 0.49. After ``--seconds`` none is begun; they come in random order.
"""

from __future__ import annotations

import argparse
import csv
import warnings
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from ..page import markdown_table, provenance, read_records, write_table
from ..report.truth import run
from .estimators import ESTIMATORS
from .scenarios import COLUMNS, ERRORS, situation

RECORDS = Path(__file__).parent / "records" / "estimates.csv"
PAGE = "benchmarks/situations/README.md"
SIZES = (500, 1000, 2500)  # rows of each class
_TAIL = 0.025
_SLACK = 0.001  # by which the simulated truth is known
_OUTSIDE = 0.5  # of the simulations with the truth outside of their bounds: the trees fail


def look(task):
    """The estimates of one simulation, a record each."""
    scenario, n_columns, size, number, error = task
    seed = [*scenario.encode(), n_columns, size, number]
    random = np.random.default_rng(seed)
    found = situation(scenario, n_columns, error, random)
    X, y = found.sample(random, size)
    about = {"scenario": scenario, "columns": n_columns, "size": size, "number": number}
    records = []
    for name, estimator in ESTIMATORS.items():
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore")
            numbers = found.bayes_error, *estimator(X, y)
        numbers = zip(("truth", "value", "low", "high"), numbers, strict=True)
        records.append(about | {"estimator": name} | {key: f"{x:.4f}" for key, x in numbers})
    return records


def tasks(simulations):
    """All simulations, in random order."""
    found = []
    for scenario, columns in COLUMNS.items():
        for size in SIZES:
            errors = np.linspace(*ERRORS, simulations)
            errors = np.random.default_rng(size).permutation(errors)
            for number, error in enumerate(errors.tolist()):
                found.append((scenario, columns[number % len(columns)], size, number, error))
    return [found[place] for place in np.random.default_rng(0).permutation(len(found))]


def scenario_table(records):
    """A row for each scenario, size and estimator."""
    rows = []
    for scenario in COLUMNS:
        for size in SIZES:
            chosen = [r for r in records if (r["scenario"], int(r["size"])) == (scenario, size)]
            rows += _rows([scenario, f"{size:,}"], chosen)
    return markdown_table(
        ("scenario", "rows of a class", *_HEAD), rows + _rows(["all", ""], records)
    )


def column_table(records):
    """A row for each number of columns and estimator, over all scenarios and sizes."""
    rows = []
    for d in sorted({int(r["columns"]) for r in records}):
        rows += _rows([str(d)], [r for r in records if int(r["columns"]) == d])
    return markdown_table(("columns", *_HEAD), rows)


_HEAD = ("estimator", "simulations", "RMSE", "mean error", "range", "truth inside", "width")


def _rows(names, records):
    rows = []
    for name in ESTIMATORS:
        chosen = [r for r in records if r["estimator"] == name]
        if not chosen:
            continue
        away, inside, width = _compared(chosen)
        ends = np.quantile(away, [_TAIL, 1 - _TAIL])
        cells = [f"{np.sqrt(np.mean(away**2)):.3f}", f"{away.mean():+.3f}", f"{np.ptp(ends):.3f}"]
        bounds = [f"{inside.mean():.2f}", f"{np.median(width):.3f}"]
        if not width.any():
            bounds = ["–", "–"]
        rows.append([*names, name, len(chosen), *cells, *bounds])
    return rows


def _compared(records):
    """Errors of the values, whether the ends hold the truth, and how far they lie apart."""
    keys = ("truth", "value", "low", "high")
    truth, value, low, high = np.array([[float(r[key]) for key in keys] for r in records]).T
    return value - truth, (low - _SLACK <= truth) & (truth <= high + _SLACK), high - low


def sentence(records):
    """When the trees alone fail, and how the report does there."""
    numbers = sorted({int(r["columns"]) for r in records})
    by_number = {d: [r for r in records if int(r["columns"]) == d] for d in numbers}

    def outside(name, d):
        return 1 - _compared([r for r in by_number[d] if r["estimator"] == name])[1].mean()

    fails = [d for d in numbers if outside("our trees", d) >= _OUTSIDE]
    if not fails:
        return "At every number of columns the bounds of the trees hold most of the truths."
    chosen = [r for r in records if int(r["columns"]) >= fails[0]]
    away, inside, _ = _compared([r for r in chosen if r["estimator"] == "our trees"])
    own, within, _ = _compared([r for r in chosen if r["estimator"] == "the report"])
    return (
        f"**With {fails[0]} columns or more the trees alone fail**: the Bayes error lies outside "
        f"of their bounds in {100 * (1 - inside.mean()):.0f}% of the simulations, and their value "
        f"is off by {100 * np.abs(away).mean():.1f} points on average. The interval of the report "
        f"misses it in {100 * (1 - within.mean()):.0f}%, and its value is off by "
        f"{100 * np.abs(own).mean():.1f} points."
    )


def page_tables(records):
    """The tables of the page."""
    return {
        "when trees fail": [sentence(records)],
        "scenarios": scenario_table(records),
        "columns": column_table(records),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=100, help="of each scenario and size")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--seconds", type=float, help="after which no simulation is begun")
    parser.add_argument("--records", type=Path, default=RECORDS)
    parser.add_argument("--old", action="store_true", help="only the page again, from the records")
    parser.add_argument("--page", help="results page to write the tables into")
    options = parser.parse_args()
    if options.old:
        records = read_records(options.records)
    else:
        records = run(look, tasks(options.simulations), options.workers, options.seconds)
        records = [each for found in records for each in found]
        options.records.parent.mkdir(exist_ok=True)
        with options.records.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(records[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(records)
    for name, lines in page_tables(records).items():
        print("\n".join(lines), end="\n\n")
        if options.page:
            write_table(options.page, name, lines)
    print(provenance(f"python -m benchmarks.situations.run --page {PAGE}"))


if __name__ == "__main__":
    main()

"""Does the interval of a model's headroom hold the truth?

    python -m benchmarks.report.headroom [--families evaluation] [--draws 2] [--workers 2]
        [--json FILE] [--page benchmarks/report/README.md]

Four models, cross-validated by one report for each problem of `benchmarks.problems`. The truth is
the error of the model, fitted to the same rows, on a large fresh sample, less the Bayes error.
Columns:

coverage
    Fraction of the models whose confidence interval contains the truth.
width
    Median width of the interval.
of an optimal model
    Models within half a point of the Bayes error, and the fraction of them whose high end is below
    three points.
nothing left, wrong
    Models five points or more from the Bayes error, and the fraction of them whose high end is
    below one point.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from smartsvm import difficulty_report

from ..page import markdown_table, write_table
from ..problems import SIZES, problem
from ..problems.options import add_families_option
from .truth import run, write_records

MODELS = {
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=300)),
    "gradient boosting": HistGradientBoostingClassifier(
        max_iter=50, early_stopping=False, random_state=0
    ),
    "k nearest neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier(15)),
    "small network": make_pipeline(
        StandardScaler(), MLPClassifier((32,), early_stopping=True, random_state=0)
    ),
}
FRESH = 20_000  # rows: a standard error of a model's error of at most 0.0036, mostly far less
OPTIMAL, SMALL = 0.005, 0.03  # of an error: as good as optimal, and the high end that is hoped for
FAR, NOTHING = 0.05, 0.01  # far from optimal, and a high end that says that nothing is left
HEAD = "models", "coverage", "width", "optimal", "high end < 3", "far", "told nothing is left"


def look(task):
    """The records of one problem at all sizes, one for each model."""
    family, number, sizes, names = task
    of_family, records = problem(family, number, sizes[0]), []
    bayes_error = of_family.bayes_error()
    fresh, chances = of_family.draw(np.random.default_rng(of_family.seed(4)), FRESH)
    least = 1 - chances.max(axis=1)
    for n in sizes:
        X, y = problem(family, number, n).sample()
        # Rare classes without samples have other numbers in the sample: only whole problems count.
        if len(np.unique(y)) != chances.shape[1]:
            continue
        models = {name: MODELS[name] for name in names}
        with threadpool_limits(1):
            report = difficulty_report(X, y, models=models)
            for name, model in models.items():
                answers = clone(model).fit(X, y).predict(fresh)
                # Both errors on the same fresh rows: their noise cancels.
                avoidable = 1 - chances[np.arange(FRESH), answers] - least
                found = report.headroom(name)
                records.append(
                    {
                        "family": family,
                        "number": number,
                        "size": n,
                        "model": name,
                        "bayes_error": bayes_error,
                        "truth": float(avoidable.mean()),
                        "error": found.error.value,
                        "gain": list(found.gain),
                        "chance": found.chance,
                    }
                )
    return records


def summary(records):
    """The columns of the table, for some records."""
    truth = np.array([each["truth"] for each in records])
    _, low, high = np.array([each["gain"] for each in records]).T
    optimal, far = truth <= OPTIMAL, truth >= FAR
    return [
        len(records),
        f"{np.mean((low <= truth) & (truth <= high)):.3f}",
        f"{np.median(high - low):.3f}",
        optimal.sum(),
        _share(high < SMALL, optimal),
        far.sum(),
        _share(high < NOTHING, far),
    ]


def _share(part, whole):
    return f"{part[whole].mean():.3f}" if whole.any() else "–"


def table(records, key, values):
    """A row for each value of a key that occurs, and one for all records."""
    rows = []
    for value in values:
        chosen = [each for each in records if each[key] == value]
        if chosen:
            rows.append([value, *summary(chosen)])
    return markdown_table((key, *HEAD), [*rows, ["all", *summary(records)]])


def page_tables(records):
    """The tables of the page: by size and by model."""
    return {
        "headroom": table(records, "size", SIZES),
        "headroom-models": table(records, "model", MODELS),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_families_option(parser)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--draws", type=int, default=2, help="problems of each family")
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--json", type=Path, help="file for the records")
    parser.add_argument("--page", help="results page to write the tables into")
    options = parser.parse_args()
    tasks = [
        (family, number, options.sizes, options.models)
        for number in range(options.draws)
        for family in options.families
    ]
    records = [each for found in run(look, tasks, options.workers) for each in found]
    tables = page_tables(records)
    for lines in tables.values():
        print("\n".join(lines), end="\n\n")
    if options.json:
        write_records(options.json, records)
    if options.page:
        for name, lines in tables.items():
            write_table(options.page, name, lines)


if __name__ == "__main__":
    main()

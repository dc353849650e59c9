"""Does the interval of a model's headroom hold the truth?

    python -m benchmarks.report.headroom [--families evaluation] [--draws 2] [--workers 2]
        [--seconds 600] [--records FILE] [--page benchmarks/report/README.md]

Four models, cross-validated by one report for each problem of `benchmarks.problems`. The truth is
the expected error of the model, fitted to a sample of as many rows, less the Bayes error: the mean
over several samples, none of which is that of the report, and over the random start of the model.
Each fit is tried on the same fresh rows, whose probabilities of the classes are known.

Records are appended to a file as they come, the largest problems first, and a further run goes on
where the last one stopped. After ``--seconds`` no new problem is begun. Columns:

coverage
    Fraction of the models whose confidence interval contains the truth.
width
    Median width of the interval.
of two
    The same as a fraction of the width of the difference of both intervals, of the model's error
    and of the Bayes error.
optimal, high end < 3
    Models within half a point of the Bayes error, and the fraction of them whose high end is below
    three points.
far, told nothing is left
    Models five points or more from the Bayes error, and the fraction of them whose high end is
    below one point.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from concurrent.futures import ProcessPoolExecutor, as_completed
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
from .fit_records import read
from .truth import KEYS, read_records, write_records

RECORDS = Path(__file__).parent / "records" / "headroom.jsonl.gz"
PART = Path(__file__).parents[2] / "build" / "headroom.jsonl"  # of a run that is under way
MODELS = {
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=300)),
    "gradient boosting": HistGradientBoostingClassifier(
        max_iter=50, early_stopping=False, random_state=0
    ),
    "k nearest neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier(15)),
    # Every fit starts with weights of its own, as it does for most people.
    "small network": make_pipeline(StandardScaler(), MLPClassifier((32,), early_stopping=True)),
}
FRESH = 10_000  # rows: errors on them are known to 0.5 / √10,000 = 0.005, mostly far better
# Samples that the truth is a mean over: 3, and more until its standard error is a twentieth of the
# width of the interval, but at most 24,000 / n, and 24.
LEAST_FITS, MOST_FITS, FIT_ROWS = 3, 24, 24_000
EXACT = 0.05
OPTIMAL, SMALL = 0.005, 0.03  # of an error: as good as optimal, and the high end that is hoped for
FAR, NOTHING = 0.05, 0.01  # far from optimal, and a high end that says that nothing is left
HEAD = (
    "models",
    "coverage",
    "width",
    "of two",
    "optimal",
    "high end < 3",
    "far",
    "told nothing is left",
)


def look(task):
    """The records of one problem, one for each model; None where time is over."""
    *_, end = task
    if time.time() > end:
        return None
    try:
        return measure(*task[:-1])
    except ValueError as error:  # a network needs two rows of each class, also within folds
        print(f"{task[:3]} is left out: {error}", flush=True)
        return []


def measure(family, number, n, names):
    """The records of one problem, one for each model."""
    warnings.simplefilter("ignore")  # networks that have not converged
    this = problem(family, number, n)
    np.random.seed(this.seed(5))  # noqa: NPY002 - models without a random_state take their seed here
    X, y = this.sample()
    fresh, chances = this.draw(np.random.default_rng(this.seed(4)), FRESH)
    # Rare classes without samples have other numbers in the sample: only whole problems count.
    if len(np.unique(y)) != chances.shape[1]:
        return []
    models = {name: MODELS[name] for name in names}
    with threadpool_limits(1):
        report = difficulty_report(X, y, models=models, n_jobs=1)
        found = {name: report.headroom(name) for name in models}
        avoidable = {name: [] for name in models}
        for place in range(min(FIT_ROWS // n, MOST_FITS)):
            wanted = models if place < LEAST_FITS else _not_exact(avoidable, found)
            sample = this.another_sample(place)
            for name in wanted:
                answers = predicted(models[name], *sample, fresh)
                # Both errors on the same fresh rows: their noise cancels.
                regret = chances.max(axis=1) - chances[np.arange(FRESH), answers]
                avoidable[name].append(regret.mean())
    return [
        {
            "family": family,
            "number": number,
            "size": n,
            "model": name,
            "truth": float(np.mean(avoidable[name])),
            "truth_error": _standard_error(avoidable[name]),
            "error": list(each.error),
            "bayes_error": list(report.bayes_error),
            "gain": list(each.gain),
            "chance": each.chance,
        }
        for name, each in found.items()
    ]


def _not_exact(avoidable, found):
    """The models of which the truth is not known well enough to judge their intervals."""
    return [
        name
        for name, values in avoidable.items()
        if _standard_error(values) > EXACT * (found[name].gain.high - found[name].gain.low)
    ]


def _standard_error(values):
    """That of the mean of some values."""
    return float(np.std(values, ddof=1) / len(values) ** 0.5)


def predicted(model, X, y, fresh):
    """What the model, fitted to X and y, predicts for fresh rows."""
    if (y == y[0]).all():  # most classifiers refuse one class
        return np.full(len(fresh), y[0])
    return clone(model).fit(X, y).predict(fresh)


def collect(path, tasks, workers):
    """Append the records of the tasks that the file does not have."""
    done = {tuple(each[key] for key in KEYS) for each in read(path)}
    left = [task for task in tasks if task[:3] not in done]
    if done:
        print(f"{path} has {len(tasks) - len(left)} of {len(tasks)} problems.")
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and not path.read_bytes().endswith(b"\n"):
        path.write_text(path.read_text() + "\n")  # a new record does not continue half a line
    n_tried = 0
    with path.open("a") as file:
        for place, found in enumerate(_results(left, workers), 1):
            n_tried += found is not None
            file.write("".join(f"{json.dumps(each)}\n" for each in found or ()))
            file.flush()
            print(f"\r{place} of {len(left)}", end="", flush=True)
    print(f"\n{n_tried} of {len(left)} problems were tried.")


def _results(tasks, workers):
    """What `look` finds, as it comes."""
    if workers == 1:
        yield from map(look, tasks)
        return
    with ProcessPoolExecutor(workers) as pool:
        for future in as_completed([pool.submit(look, task) for task in tasks]):
            yield future.result()


def summary(records):
    """The columns of the table, for some records."""
    truth = np.array([each["truth"] for each in records])
    low, high = _limits(records, "gain")
    (least, most), (own_least, own_most) = (
        _limits(records, "bayes_error"),
        _limits(records, "error"),
    )
    of_two = own_most - least - np.maximum(own_least - most, 0)
    optimal, far = truth <= OPTIMAL, truth >= FAR
    return [
        len(records),
        f"{np.mean((low <= truth) & (truth <= high)):.3f}",
        f"{np.median(high - low):.3f}",
        f"{np.median((high - low) / of_two):.2f}",
        optimal.sum(),
        _share(high < SMALL, optimal),
        far.sum(),
        _share(high < NOTHING, far),
    ]


def _limits(records, key):
    return np.array([each[key][1:] for each in records]).T


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


def size_of_truth(records):
    """How well the truth is known, in a sentence."""
    low, high = _limits(records, "gain")
    share = np.array([each["truth_error"] for each in records]) / (high - low)
    return (
        f"The standard error of the truth is {np.median(share):.3f} of the width of the interval "
        f"in the median, and at most {np.quantile(share, 0.95):.3f} in 95%."
    )


def page_tables(records):
    """The tables of the page: by size and by model, and how well the truth is known."""
    return {
        "headroom": table(records, "size", SIZES),
        "headroom-models": table(records, "model", MODELS),
        "headroom-truth": [size_of_truth(records)],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_families_option(parser)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--draws", type=int, default=2, help="problems of each family")
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--seconds", type=float, default=np.inf, help="begin no problem after this")
    parser.add_argument("--records", type=Path, default=PART, help="file to go on with")
    parser.add_argument("--page", help="results page to write the tables into")
    options = parser.parse_args()
    end = time.time() + options.seconds
    tasks = [
        (family, number, size, options.models, end)
        for size in sorted(options.sizes, reverse=True)
        for number in range(options.draws)
        for family in options.families
    ]
    collect(options.records, tasks, options.workers)
    wanted = {task[:3] for task in tasks}
    records = [each for each in read(options.records) if tuple(each[k] for k in KEYS) in wanted]
    tables = page_tables(records)
    for lines in tables.values():
        print("\n".join(lines), end="\n\n")
    if options.page:
        write_records(RECORDS, records)
        for name, lines in page_tables(read_records(RECORDS)).items():
            write_table(options.page, name, lines)


if __name__ == "__main__":
    main()

"""Does the interval for the Bayes error hold the truth, and is the verdict right?

    python -m benchmarks.report.truth [--families all] [--workers 2] [--sizes 10000]
        [--json benchmarks/report/records/truth.jsonl] [--page benchmarks/report/README.md]

One report for each problem of `benchmarks.report.families`, whose Bayes error is known, and
twenty targets for each: accuracies within .15 of the best possible one, at least that of
the baseline. Columns:

coverage
    Fraction of the problems whose confidence interval contains the Bayes error.
width
    Median width of the interval.
RMSE, held-out, trees
    Root mean square error of the estimate, of the smallest held-out error of a classifier, and
    of the middle of the trees' bounds.
out of reach, wrong
    Fraction of the targets called out of reach, and how many of those are reachable.
reachable, wrong
    The same for reachable.
cannot tell
    Fraction of the targets without an answer.
suspects
    Suspect labels for each 1,000 samples.

The page has the groups of families only; the records have every problem.
"""

from __future__ import annotations

import argparse
import json
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from smartsvm import difficulty_report
from smartsvm.report.verdict import CANNOT_TELL, OUT_OF_REACH, REACHABLE

from ..page import write_table
from .families import (
    ALL,
    GROUPS,
    WITH_WRONG_LABELS,
    WITHOUT_SIGNAL,
    problems,
)

N_TARGETS, REACH = 20, 0.15
ROUNDING = 1e-3  # standard error of the simulated truth
IN_TABLE = {
    "once": "second",
    "fresh": "third",
    "last": "fourth",
    "zeros": "many zeros",
    "other-design": "other kinds, design",
    "other-once": "other kinds, second",
}
HEAD = (
    "families", "problems", "coverage", "width", "RMSE", "held-out", "trees", "out of reach",
    "wrong", "reachable", "wrong", "cannot tell", "suspects",
)  # fmt: skip


def look(problem):
    """The record of one problem."""
    with threadpool_limits(1):
        return _look(problem)


def _look(problem):
    X, y = problem.sample()
    truth, guess = problem.bayes_error(), problem.guess_error()
    start = time.perf_counter()
    report = difficulty_report(X, y)
    seconds = time.perf_counter() - start
    random = np.random.default_rng(problem.seed(3))
    allowed = random.uniform(max(truth - REACH, 0), min(truth + REACH, guess), N_TARGETS)
    answers = [report.judge(1 - each).answer for each in allowed]
    return {
        "family": problem.family,
        "number": problem.number,
        "describe": problem.describe,
        "n": len(X),
        "d": X.shape[1],
        "K": len(report.classes),
        "truth": truth,
        "guess": guess,
        "bayes_error": list(report.bayes_error),
        "reached": [[each.classifier, *each.error] for each in report.held_out.classifiers],
        "rule": report.held_out.classifier,
        "best": list(report.held_out.best),
        "excess": report.held_out.excess,
        "rule_limit": [report.held_out.limit, report.held_out.limit_error],
        "cross_limit": [report.cross_limit.value, report.cross_limit.error],
        "dimension": report.curve.dimension,
        "suspects": report.suspects.size,
        "bounds": [report.lower.value, report.upper.value],
        "allowed": allowed.tolist(),
        "answers": answers,
        "seconds": seconds,
    }


def summary(records):
    """The columns of the table, for some records."""
    truth = np.array([each["truth"] for each in records])
    value, low, high = np.array([each["bayes_error"] for each in records]).T
    best = np.array([each["best"][0] for each in records])
    middle = np.array([np.mean(each["bounds"]) for each in records])
    answers = np.array([each["answers"] for each in records])
    possible = np.array([each["allowed"] for each in records]) >= truth[:, None]
    forbidden, promised = answers == OUT_OF_REACH, answers == REACHABLE
    return {
        "problems": len(records),
        "cover": np.mean((low <= truth + ROUNDING) & (truth - ROUNDING <= high)),
        "width": np.median(high - low),
        "rmse": np.sqrt(np.mean((value - truth) ** 2)),
        "reached": np.sqrt(np.mean((best - truth) ** 2)),
        "trees": np.sqrt(np.mean((middle - truth) ** 2)),
        "out_of_reach": forbidden.mean(),
        "out_of_reach_wrong": _share(forbidden & possible, forbidden),
        "reachable": promised.mean(),
        "reachable_wrong": _share(promised & ~possible, promised),
        "cannot_tell": np.mean(answers == CANNOT_TELL),
        "suspects": 1000 * _sum(records, "suspects") / _sum(records, "n"),
    }


def _sum(records, key):
    return sum(each[key] for each in records)


def _share(part, whole):
    return part.sum() / whole.sum() if whole.any() else np.nan


def table(records, *, by_family=True):
    """Lines of Markdown: all families, the groups, and each family."""
    lines = [f"| {' | '.join(HEAD)} |", "|---" * len(HEAD) + "|"]
    groups = {
        "all": list(ALL),
        **{IN_TABLE.get(name, name): list(families) for name, families in GROUPS.items()},
        "no label errors": [name for name in ALL if name not in WITH_WRONG_LABELS],
    }
    if by_family:
        groups |= {name: [name] for name in ALL}
    for name, families in groups.items():
        chosen = [each for each in records if each["family"] in families]
        if not chosen:
            continue
        found = summary(chosen)
        cells = [cell(key, value) for key, value in found.items()]
        without = " (no signal)" if name in WITHOUT_SIGNAL and name != "no signal" else ""
        lines.append(f"| {name}{without} | {' | '.join(cells)} |")
    return lines


def cell(key, value):
    """A number as the table shows it."""
    if key == "problems":
        return str(value)
    if key == "suspects":
        return f"{value:.0f}"
    return "–" if np.isnan(value) else f"{value:.3f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--families",
        nargs="+",
        default=["all"],
        metavar="NAME",
        help=f"all, {', '.join(GROUPS)}, or names",
    )  # fmt: skip
    parser.add_argument("--sizes", type=int, default=10_000, help="leave larger problems out")
    parser.add_argument("--first", type=int, help="only this many problems of each family")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--json", type=Path, help="file for the records")
    parser.add_argument("--page", help="results page to write the table into")
    options = parser.parse_args()
    groups = GROUPS | {"all": ALL}
    families = [each for name in options.families for each in groups.get(name, [name])]
    chosen = [
        problem
        for problem in problems(families)
        if problem.n_samples <= options.sizes
        and (options.first is None or problem.number < options.first)
    ]
    records = run(look_by_name, [(each.family, each.number) for each in chosen], options.workers)
    lines = table(records)
    print("\n".join(lines))
    if options.json:
        write_records(options.json, map(brief, records))
    if options.page:
        write_table(options.page, "truth", table(records, by_family=False))


def write_records(path, records):
    """One line of JSON per record, numbers to four digits, NaN as null."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(_rounded(each), separators=(",", ":")) for each in records)
    path.write_text("".join(f"{line}\n" for line in lines))


def brief(record):
    """A record whose answers are their initials, small where the answer is wrong.

    It needs no targets: they can be drawn again.
    """
    marks = ""
    for allowed, answer in zip(record["allowed"], record["answers"], strict=True):
        wrong = OUT_OF_REACH if allowed >= record["truth"] else REACHABLE
        marks += answer[0].lower() if answer == wrong else answer[0].upper()
    return {key: value for key, value in record.items() if key != "allowed"} | {"answers": marks}


def _rounded(thing):
    if isinstance(thing, dict):
        return {key: _rounded(value) for key, value in thing.items()}
    if isinstance(thing, list):
        return [_rounded(value) for value in thing]
    if isinstance(thing, float):
        return None if np.isnan(thing) else round(thing, 4)
    return thing


def look_by_name(name):
    """`look`, for another process: a problem's functions do not travel, its name does."""
    family, number = name
    return look(problems([family])[number])


def run(function, tasks, workers):
    """Results in the order of the tasks, with a line on progress."""
    if workers == 1:
        return [function(task) for task in tasks]
    results = {}
    with ProcessPoolExecutor(workers) as pool:
        waiting = {pool.submit(function, task): place for place, task in enumerate(tasks)}
        for done in as_completed(waiting):
            results[waiting[done]] = done.result()
            if len(results) % 50 == 0:
                print(f"{len(results)} of {len(tasks)}", flush=True)
    return [results[place] for place in range(len(tasks))]


if __name__ == "__main__":
    main()

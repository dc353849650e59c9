"""Does the interval for the Bayes error hold the truth, and are chance and verdict right?

    python -m benchmarks.report.truth [--families evaluation] [--draws 40] [--workers 2]
        [--json FILE] [--page benchmarks/report/README.md]

One report for each problem of `benchmarks.problems`, whose Bayes error is known, with 100,
400, 2,000 and 8,000 samples, and six targets for each: errors 0.01, 0.03 and 0.1 above and below
the Bayes error; where the largest class has more than twice the samples of the smallest, also
balanced errors around the least balanced one. Chances are also asked for `FIXED` accuracies, which
know nothing of the truth. `--page` writes the records, too. Columns:

coverage
    Fraction of the problems whose confidence interval contains the Bayes error.
width
    Median width of the interval.
RMSE
    Root mean square error of the estimate.
out of reach, wrong
    Fraction of the targets called out of reach, and how many of those are possible.
reachable, wrong
    The same for reachable.
right
    Fraction of the targets that are rightly called reachable or out of reach.
interval score
    Mean of the width and 40 times the distance by which the interval misses; smaller is better.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import pairwise
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from smartsvm import difficulty_report
from smartsvm.report.fitted_model import ACCURACY, BALANCED
from smartsvm.report.flags import Flag
from smartsvm.report.verdict import Grounds, judge

from ..page import markdown_table, write_table
from ..problems import SIZES, problem
from ..problems.options import add_families_option
from .fit_records import distribution_of, read

OFFSETS = (-0.1, -0.03, -0.01, 0.01, 0.03, 0.1)
METRICS = ("accuracy", "balanced_accuracy")
CONFIDENCE = 0.95
FIXED = (0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99)  # accuracies that people ask for
MARKS = {"reachable": "R", "likely": "+", "unclear": "?", "unlikely": "-", "out of reach": "O"}
HEAD = (
    "problems",
    "coverage",
    "width",
    "RMSE",
    "out of reach",
    "wrong",
    "reachable",
    "wrong",
    "right",
    "interval score",
)
_EVERY = tuple(range(len(HEAD)))
_ON_PAGE = (0, 1, 2, 3, 9, 5, 7, 8)  # of these columns
RECORDS = Path(__file__).parent / "records" / "truth.jsonl.gz"
BINS = (0, 0.2, 0.4, 0.6, 0.8, 1)
OUT_OF_REACH, REACHABLE = 0.025, 0.975  # chances, up to which and from which on
# The rival: the best held-out error times (value, low end, high end), the numbers of each size with
# the smallest squared error and interval score on the families of the fit.
CONSTANTS = {
    100: (0.66, 0.020, 1.11),
    400: (0.76, 0.105, 1.08),
    2000: (0.86, 0.225, 1.04),
    8000: (0.91, 0.380, 1.02),
}
KEYS = ("family", "number", "size")  # of a record
LOW = 0.85  # of a coverage of a family
_MISS = 40  # widths that a miss by one weighs: 2 / (1 - 0.95)
UNEVEN = 2  # times as many samples in the largest class as in the smallest


def look(task):
    """The records of one problem at all sizes."""
    family, number, sizes = task
    of_family, records = problem(family, number, sizes[0]), []
    truth, balanced = of_family.bayes_error(), of_family.balanced_error()
    for n in sizes:
        X, y = problem(family, number, n).sample()
        if len(np.unique(y)) < 2:
            continue
        with threadpool_limits(1):
            report = difficulty_report(X, y)
        verdicts = [report.judge(target) for target in _targets(truth)]
        records.append(
            {
                "family": family,
                "number": number,
                "size": n,
                "truth": truth,
                "bayes_error": list(report.bayes_error),
                "best": report.errors.held_out.best.value,
                "answers": "".join(MARKS[each.answer] for each in verdicts),
                "chances": [each.chance for each in verdicts],
                "fixed": [report.chance(target) for target in FIXED],
            }
        )
        counts = np.bincount(y)
        if counts.max() > UNEVEN * counts.min():
            records[-1]["balanced"] = [
                report.chance(target, METRICS[1]) for target in _targets(balanced)
            ]
    return records


def look_again(record):
    """The record of this page, from what `fit_model` keeps of a report on the same problem."""
    error, truth = distribution_of(record, ACCURACY), record[ACCURACY]["truth"]
    against_bounds, against_reached = map(bool, record["against"])
    against = Flag("any", "", "", against_bounds=against_bounds, against_reached=against_reached)
    grounds = Grounds(METRICS[0], record["classifier"], error, CONFIDENCE, (against,))
    verdicts = [judge(target, grounds) for target in _targets(truth)]
    found = {
        **{key: record[key] for key in KEYS},
        "truth": truth,
        "bayes_error": list(error.interval(CONFIDENCE)),
        "best": record[ACCURACY]["best"],
        "answers": "".join(MARKS[each.answer] for each in verdicts),
        "chances": [each.chance for each in verdicts],
        "fixed": [judge(target, grounds).chance for target in FIXED],
    }
    counts = np.bincount(problem(*(record[key] for key in KEYS)).sample()[1])
    if counts.max() > UNEVEN * counts.min():
        error = distribution_of(record, BALANCED)
        grounds = grounds._replace(metric=METRICS[1], error=error)
        targets = _targets(record[BALANCED]["truth"])
        found["balanced"] = [judge(target, grounds).chance for target in targets]
    return found


def _targets(truth):
    """Accuracies around the best possible one."""
    return [1 - truth - each for each in OFFSETS if 0 <= truth + each <= 1]


def summary(records):
    """The columns of the table, for some records."""
    truth = np.array([each["truth"] for each in records])
    value, low, high = np.array([each["bayes_error"] for each in records]).T
    answers = np.array(list("".join(each["answers"] for each in records)))
    possible = np.concatenate([_possible(each["answers"]) for each in records])
    asked, forbidden, promised = answers != "", answers == "O", answers == "R"
    return [
        len(records),
        np.mean((low <= truth) & (truth <= high)),
        np.median(high - low),
        np.sqrt(np.mean((value - truth) ** 2)),
        _share(forbidden, asked),
        _share(forbidden & possible, forbidden),
        _share(promised, asked),
        _share(promised & ~possible, promised),
        _share((forbidden & ~possible) | (promised & possible), asked),
        np.mean(high - low + _MISS * (np.maximum(low - truth, 0) + np.maximum(truth - high, 0))),
    ]


def _possible(answers):
    """Which of the targets with these answers are possible; none allows less than no error."""
    return np.array(OFFSETS[len(OFFSETS) - len(answers) :]) > 0


def _share(part, whole):
    return part.sum() / whole.sum() if whole.any() else np.nan


def by_size(records):
    """A row for each size and one for all."""
    for size in (*SIZES, "all"):
        chosen = [each for each in records if size in (each["size"], "all")]
        if chosen:
            yield size, summary(chosen)


def by_family(records):
    """A row for each family, the one with the least coverage first."""
    names = dict.fromkeys(each["family"] for each in records)
    rows = [(name, summary([e for e in records if e["family"] == name])) for name in names]
    return sorted(rows, key=lambda row: row[1][1])


def reliability(stated, possible):
    """The number of targets, and for each bin of chances their mean and the fraction possible."""
    places, cells = bins_of(stated), []
    for inside in (places == place for place in range(len(BINS) - 1)):
        both = (stated[inside].mean(), possible[inside].mean()) if inside.any() else ()
        cells.append("{:.3f}/{:.3f}".format(*both) if both else "–")
    return [len(stated), *cells]


def bins_of(chances):
    """The bin of each chance."""
    return np.clip(np.digitize(chances, BINS) - 1, 0, len(BINS) - 2)


def table(rows, first, columns=_EVERY):
    """Lines of Markdown, with some of the columns."""
    cells = [
        [name, *(values[place] if place == 0 else _cell(values[place]) for place in columns)]
        for name, values in rows
    ]
    return markdown_table((first, *(HEAD[place] for place in columns)), cells)


def reliability_table(records):
    """Lines of Markdown: targets near the truth for each metric, and fixed ones."""
    rows = []
    for name, key in zip(METRICS, ("chances", "balanced"), strict=True):
        chances = [each[key] for each in records if key in each]
        if chances:
            possible = np.concatenate([_possible(each) for each in chances])
            rows.append(
                [f"{name}, near the truth", *reliability(np.concatenate(chances), possible)]
            )
    truth, fixed = zip(*((each["truth"], each["fixed"]) for each in records), strict=True)
    possible = 1 - np.array(truth)[:, None] >= np.array(FIXED)
    rows.append(["accuracy, fixed", *reliability(np.ravel(fixed), possible.ravel())])
    shown = (f"{100 * low:g}–{100 * high:g}%" for low, high in pairwise(BINS))
    return markdown_table(("chance/possible", "targets", *shown), rows)


def page_table(records):
    """Rows of the report and of the rival with constants, one for each size."""
    rivals = by_size([_by_constants(each) for each in records])
    rows = [(f"{size}, constants", values) for size, values in rivals]
    rows += [(str(size), values) for size, values in by_size(records)]
    order = [*map(str, SIZES), "all"]
    rows.sort(key=lambda row: order.index(row[0].split(",")[0]))
    return table(rows, "n", _ON_PAGE)


def _by_constants(record):
    interval = [factor * record["best"] for factor in CONSTANTS[record["size"]]]
    return record | {"bayes_error": interval, "answers": ""}


def _fixed_words(records):
    """How often the outer two words are wrong for accuracies that know nothing of the truth."""
    chances = np.array([each["fixed"] for each in records])
    possible = 1 - np.array([[each["truth"]] for each in records]) >= np.array(FIXED)
    forbidden, promised = chances <= OUT_OF_REACH, chances >= REACHABLE
    return (
        f"Of {chances.size:,} fixed targets, {100 * forbidden.mean():.0f}% are called out of "
        f"reach, of which {100 * possible[forbidden].mean():.2f}% are possible, and "
        f"{100 * promised.mean():.0f}% are called reachable, of which "
        f"{100 * (~possible[promised]).mean():.2f}% are not."
    )


def _families_below(records):
    """How many families have a low coverage, and which; and wrong promises."""
    rows = by_family(records)
    low = [(name, values[1]) for name, values in rows if values[1] < LOW]
    named = ", ".join(f"{name} {coverage:.2f}" for name, coverage in low)
    wrong = sum(
        np.count_nonzero((np.array(list(each["answers"])) == "R") & ~_possible(each["answers"]))
        for each in records
    )
    return (
        f"Of {len(rows)} families, {len(low)} have a coverage below {LOW}"
        f"{f' ({named})' * bool(low)}; {wrong} of the targets called reachable are impossible."
    )


def page_tables():
    """The tables of the page, from the records."""
    records = read_records(RECORDS)
    return {
        "truth": page_table(records),
        "families": [_families_below(records)],
        "reliability": reliability_table(records),
        "fixed": [_fixed_words(records)],
    }


def read_records(path):
    """What `write_records` has written, compressed."""
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def _cell(value):
    return "–" if np.isnan(value) else f"{value:.3f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_families_option(parser)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--draws", type=int, default=40, help="problems of each family and size")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--seconds", type=float, help="after which no problem is begun")
    parser.add_argument("--json", type=Path, help="file for the records")
    parser.add_argument("--page", help="results page to write the tables into")
    parser.add_argument(
        "--collected", type=Path, help="records of fit_model: no new reports, only the model again"
    )
    options = parser.parse_args()
    if options.collected:
        wanted = set(options.families)
        kept = [
            each
            for each in read(options.collected)
            if each["family"] in wanted and each["size"] in options.sizes
        ]
        records = run(look_again, kept, options.workers)
    else:
        tasks = [
            (family, number, options.sizes)
            for number in range(options.draws)
            for family in options.families
        ]
        found = run(look, tasks, options.workers, options.seconds)
        records = [each for some in found for each in some]
    for lines in (
        table(by_size(records), "n"),
        table(by_family(records), "family"),
        reliability_table(records),
    ):
        print("\n".join(lines), end="\n\n")
    if options.json:
        write_records(options.json, records)
    if options.page:
        write_records(RECORDS, records)
        for name, lines in page_tables().items():
            write_table(options.page, name, lines)


def write_records(path, records):
    """One line of JSON per record, numbers to four digits, NaN as null; `.gz` is compressed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(_rounded(each), separators=(",", ":")) for each in records)
    written = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(written, mtime=0) if path.suffix == ".gz" else written)


def _rounded(thing):
    if isinstance(thing, dict):
        return {key: _rounded(value) for key, value in thing.items()}
    if isinstance(thing, list):
        return [_rounded(value) for value in thing]
    if isinstance(thing, float):
        return None if np.isnan(thing) else round(thing, 4)
    return thing


def run(function, tasks, workers, seconds=None):
    """Results in the order of the tasks; none starts after `seconds`, and these are left out."""
    start, results = time.monotonic(), {}
    if workers == 1:
        for place, task in enumerate(tasks):
            if seconds is None or time.monotonic() - start < seconds:
                results[place] = function(task)
        return list(results.values())
    with ProcessPoolExecutor(workers) as pool:
        waiting = {pool.submit(function, task): place for place, task in enumerate(tasks)}
        try:
            for done in as_completed(waiting, seconds):
                results[waiting[done]] = done.result()
                if len(results) % 50 == 0:
                    print(f"{len(results)} of {len(tasks)}", flush=True)
        except TimeoutError:
            pool.shutdown(cancel_futures=True)
    finished = {place: each for each, place in waiting.items() if not each.cancelled()}
    return [finished[place].result() for place in sorted(finished)]


if __name__ == "__main__":
    main()

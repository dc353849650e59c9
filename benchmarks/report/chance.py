"""Are chances right on families that had no part in choosing their constants?

    python -m benchmarks.report.chance [--draws 3] [--workers 16] [--records FILE]
        [--page benchmarks/report/README.md]

Reports on all families but those for evaluation, with targets as in `truth`: of accuracy, and where
the largest class has more than twice the samples of the smallest, of balanced accuracy. A fifth of
the families is left out in turn: the constants in `ChanceShape` with which the chances of a metric
in five bins differ least from what is possible on the others, each with equal weight, give those of
its targets.
"""

from __future__ import annotations

import argparse
import json
from itertools import product
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from smartsvm import difficulty_report
from smartsvm.report.intervals import ChanceShape, chance_below
from smartsvm.report.verdict import METRICS, grounds_of

from ..page import write_table
from ..problems import SIZES, families, problem
from .truth import BINS, OFFSETS, UNEVEN, bins_of, reliability_table, run, write_records

RECORDS = Path(__file__).parent / "records" / "chance.jsonl"
FOLDS = 5
SHAPES = [
    ChanceShape(*each)
    for each in product((2.2, 2.6, 3), (1.6, 1.8), (100,), (0.08, 0.12, 0.16, 0.2))
]


def look(task):
    """What the chances of one problem at all sizes rest on."""
    family, number, sizes = task
    of_family, records = problem(family, number, sizes[0]), []
    truths = of_family.bayes_error(), of_family.balanced_error()
    for n in sizes:
        X, y = problem(family, number, n).sample()
        counts = np.bincount(y)
        if len(counts) < 2:
            continue
        with threadpool_limits(1):
            report = difficulty_report(X, y)
        for metric, truth in zip(METRICS, truths, strict=True):
            if metric == METRICS[0] or counts.max() > UNEVEN * counts.min():
                grounds = grounds_of(report, metric)
                records.append(
                    {
                        "family": family,
                        "metric": metric,
                        "n": len(y),
                        "truth": truth,
                        "interval": list(grounds.bayes_error),
                        "doubt": grounds.doubt,
                    }
                )
    return records


def chances(record, shape):
    """The chances of all targets of a record, and which of them are possible."""
    allowed = [each for each in OFFSETS if 0 <= record["truth"] + each <= 1]
    rest = record["interval"], record["doubt"], record["n"], shape
    found = [chance_below(record["truth"] + each, *rest) for each in allowed]
    return found, [each > 0 for each in allowed]


def held_out_chances(records):
    """Chances of the targets of all records by constants chosen without their families."""
    names = sorted({each["family"] for each in records})
    places = np.array([names.index(each["family"]) for each in records])
    fold, weights = places % FOLDS, 1 / np.bincount(places)[places]
    by_shape = [[chances(each, shape) for each in records] for shape in SHAPES]
    best = []
    for own in range(FOLDS):
        others = np.flatnonzero(fold != own)
        off = [_miscalibration([each[i] for i in others], weights[others]) for each in by_shape]
        best.append(int(np.argmin(off)))
    return [by_shape[best[own]][i] for i, own in enumerate(fold)], [SHAPES[i] for i in best]


def _miscalibration(found, weights):
    """Mean square, over the bins, of the chance less the fraction that is possible."""
    stated, possible = (np.concatenate(each) for each in zip(*found, strict=True))
    weights, places = np.repeat(weights, [len(each) for each, _ in found]), bins_of(stated)
    away = np.bincount(places, weights * (stated - possible), len(BINS) - 1)
    return np.sum(away**2 / np.maximum(np.bincount(places, weights, len(BINS) - 1), 1e-9))


def page_table(records):
    """Lines of Markdown: for both metrics, mean chance and fraction possible in each bin."""
    by_metric = {}
    for metric in METRICS:
        found, _ = held_out_chances([each for each in records if each["metric"] == metric])
        by_metric[metric] = [stated for stated, _ in found]
    return reliability_table(by_metric)


def read(path=RECORDS):
    """The records of an earlier run."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--families", nargs="+", default=families("design"))
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--draws", type=int, default=3, help="problems of each family and size")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--records", type=Path, default=RECORDS)
    parser.add_argument("--page", help="results page to write the table into")
    options = parser.parse_args()
    tasks = [
        (family, number, options.sizes)
        for number in range(options.draws)
        for family in options.families
    ]
    records = [each for found in run(look, tasks, options.workers) for each in found]
    write_records(options.records, records)
    records = read(options.records)
    for metric in METRICS:
        own = [each for each in records if each["metric"] == metric]
        print(metric, *held_out_chances(own)[1], sep="\n")
    print("\n".join(page_table(records)))
    if options.page:
        write_table(options.page, "chance", page_table(records))


if __name__ == "__main__":
    main()

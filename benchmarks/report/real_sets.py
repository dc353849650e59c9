"""The interval for the Bayes error on KEEL's sets, beside the least error of thirteen classifiers.

    python -m benchmarks.report.real_sets [--workers 2] [--page FILE]

The errors are those of `python -m benchmarks.classifier.evidence --sets keel`: the method whose
mean test error over five splits is the least. No classifier errs less than the Bayes error on
new samples, so a low end above that error by more than its standard error counts as wrong (the
least of thirteen is a little too low itself). The accuracy that was reached must not be called out
of reach.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

from .. import keel
from ..classifier.contestants import CONTESTANTS
from ..classifier.evidence import RECORD, read
from ..classifier.evidence_table import Results
from ..page import markdown_table, read_records, update_records, write_table

_BEYOND = 0.05
ON_PAGE = 1000  # rows
RECORDS = Path(__file__).parent / "records" / "real_sets.csv"
FIELDS = (
    "set",
    "n",
    "d",
    "K",
    "estimate",
    "low",
    "high",
    "least_error",
    "standard_error",
    "classifier",
    "verdict",
    "verdict_beyond",
)


def least_error(results, name):
    """Least mean test error over the splits, its standard error, and whose it is."""
    means = {method: results.mean(name, method, "accuracy") for method in CONTESTANTS}
    best = max(means, key=lambda method: np.nan_to_num(means[method]))  # some were not run
    values = 1 - results.values(name, best, "accuracy")
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values))), best


def measure(name, error):
    """Size of the set, the interval, and the verdicts on what was reached and on more."""
    from smartsvm import difficulty_report

    X, y = keel.load(name)
    report = difficulty_report(X, y)
    verdicts = [report.judge(min(1 - error + more, 1.0)).answer for more in (0, _BEYOND)]
    return (len(y), X.shape[1], int(y.max()) + 1), report.bayes_error, verdicts


def measured(workers):
    """A row of the records for each set."""
    results = Results(read(RECORD))
    least = [least_error(results, name) for name in keel.NAMES]
    with ProcessPoolExecutor(workers) as pool:
        found = list(pool.map(measure, keel.NAMES, [error for error, _, _ in least]))
    rows = []
    for name, (error, spread, method), (size, interval, verdicts) in zip(
        keel.NAMES, least, found, strict=True
    ):
        numbers = (interval.value, interval.low, interval.high, error, spread)
        fields = [name, *size, *(f"{each:.4f}" for each in numbers), method, *verdicts]
        rows.append(dict(zip(FIELDS, fields, strict=True)))
    return rows


def page_table(rows):
    """The part that the page has: interval and least error of the larger sets."""
    lines = [
        [
            row["set"],
            f"{row['estimate']} ({row['low']}–{row['high']})",
            f"{row['least_error']} ± {row['standard_error']}",
        ]
        for row in rows
        if int(row["n"]) >= ON_PAGE
    ]
    return markdown_table(["set", "Bayes error", "least test error"], lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--page")
    options = parser.parse_args()
    rows = measured(options.workers)
    print("\n".join(markdown_table(FIELDS, [row.values() for row in rows])))
    if options.page:
        update_records(RECORDS, rows, n_keys=1)
        write_table(options.page, "keel", page_table(read_records(RECORDS)))


if __name__ == "__main__":
    main()

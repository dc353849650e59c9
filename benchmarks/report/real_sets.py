"""The interval for the Bayes error on KEEL's sets, beside the least error of eleven classifiers.

    python -m benchmarks.report.real_sets [--workers 2] [--page FILE]

The errors are those of `python -m benchmarks.classifier.evidence --sets keel`: the method whose
mean test error over five splits is the least. No classifier errs less than the Bayes error on
new samples, so a low end above that error by more than its standard error counts as wrong (the
least of eleven is a little too low itself). The accuracy that was reached must not be called out
of reach.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from .. import keel
from ..classifier.contestants import CONTESTANTS
from ..classifier.evidence import RECORD, read
from ..classifier.evidence_table import Results
from ..page import write_table

_BEYOND = 0.05


def least_error(results, name):
    """Least mean test error over the splits, its standard error, and whose it is."""
    best = max(CONTESTANTS, key=lambda method: results.mean(name, method, "accuracy"))
    values = 1 - results.values(name, best, "accuracy")
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values))), best


def measure(name, error):
    """Size of the set, the interval, and the verdicts on what was reached and on more."""
    from smartsvm import difficulty_report

    X, y = keel.load(name)
    report = difficulty_report(X, y)
    verdicts = [report.judge(min(1 - error + more, 1.0)).answer for more in (0, _BEYOND)]
    return (len(y), X.shape[1], int(y.max()) + 1), report.bayes_error, verdicts


def table(workers):
    """Head, a line for each set, and what goes wrong in how many of them."""
    results = Results(read(RECORD))
    least = [least_error(results, name) for name in keel.NAMES]
    with ProcessPoolExecutor(workers) as pool:
        found = list(pool.map(measure, keel.NAMES, [error for error, _, _ in least]))
    lines = [
        "| set | n × d × K | Bayes error | least error of a classifier | whose | "
        f"that accuracy is | {_BEYOND:.0%} more is |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, (error, spread, method), (size, interval, verdicts) in zip(
        keel.NAMES, least, found, strict=True
    ):
        lines.append(
            f"| {name} | {' × '.join(map(str, size))} | {interval.value:.4f} ({interval.low:.4f} – "
            f"{interval.high:.4f}) | {error:.4f} ± {spread:.4f} | {method} | "
            f"{verdicts[0]} | {verdicts[1]} |"
        )
    pairs = [(e + s, i) for (e, s, _), (_, i, _) in zip(least, found, strict=True)]
    too_high = [sum(getattr(i, end) > e for e, i in pairs) for end in ("value", "low")]
    denied = sum(verdicts[0] == "out of reach" for _, _, verdicts in found)
    lines.append(
        f"| too high | | value on {too_high[0]}, low end on {too_high[1]} of {len(pairs)} | | | "
        f"denied on {denied} | |"
    )
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--page")
    options = parser.parse_args()
    lines = table(options.workers)
    print("\n".join(lines))
    if options.page:
        write_table(options.page, "keel", lines)


if __name__ == "__main__":
    main()

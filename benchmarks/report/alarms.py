"""Does the linear rule raise false alarms, and is the better of two rules too good?

    python -m benchmarks.report.alarms [--samples 1000] [--seeds 4]
        [--page benchmarks/report/README.md]

Whole reports on the problems of `benchmarks.report.points`. Columns:

flagged
    Share of the reports with the flag "dimension": the upper limit of the better
    rule's error lies below the lower limit of the lower bound.
by neighbours alone
    The same if only nearest neighbours were asked.
falsely
    Flagged although the Bayes error is not below the lower bound.
Bayes error in bounds, below upper, below smaller error
    Share of the reports whose bounds hold the Bayes error, whose upper bound is not below
    it, and the same of the smaller leave-one-out error if it were taken as an upper bound.
neighbours, linear, smaller
    Mean distance of each leave-one-out error, and of the smaller one, from the Bayes error.
"""

from __future__ import annotations

import argparse
from itertools import product

import numpy as np

from smartsvm import difficulty_report

from ..page import write_table
from .points import DIMENSIONS, KINDS, problems, sample

HEAD = (
    "data", "d", "reports", "flagged", "by neighbours alone", "falsely", "Bayes error in bounds",
    "below upper", "below smaller error", "neighbours", "linear", "smaller",
)  # fmt: skip
_ROUNDING = 1e-3  # standard error of the simulated Bayes error


def look(X, y, truth):
    """What one report says, as numbers in the order of the table."""
    report = difficulty_report(X, y, n_trees=1)
    near, straight = report.neighbor_error, report.linear_error
    flagged = any(flag.code == "dimension" for flag in report.flags)
    smaller = min(near.value, straight.value)
    most = truth - _ROUNDING
    return (
        flagged,
        near.high < report.lower.low,
        flagged and truth >= report.lower.value,
        report.lower.value <= truth + _ROUNDING and most <= report.upper.value,
        most <= report.upper.value,
        most <= smaller,
        near.value - truth,
        straight.value - truth,
        smaller - truth,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--page", help="results page to write the table into")
    options = parser.parse_args()
    found = {}
    for kind, n_classes, d, separation, centres, chance in problems():
        for seed in range(options.seeds):
            random = np.random.default_rng([seed, n_classes, d, separation, 1])
            X, y, _ = sample(kind, centres, options.samples, random)
            key = kind if separation else "no signal", d
            # Without signal no estimate knows more than the shares of the classes drawn.
            truth = chance if separation else 1 - np.bincount(y).max() / len(y)
            found.setdefault(key, []).append(look(X, y, truth))
    lines = [f"| {' | '.join(HEAD)} |", "|---" * len(HEAD) + "|"]
    for key in product((*KINDS, "no signal"), DIMENSIONS):
        means = np.mean(found[key], axis=0)
        cells = [*map(str, key), str(len(found[key])), *(f"{each:.3f}" for each in means[:6])]
        lines.append(f"| {' | '.join(cells + [f'{each:+.4f}' for each in means[6:]])} |")
    print("\n".join(lines))
    if options.page:
        write_table(options.page, "alarms", lines)


if __name__ == "__main__":
    main()

"""Does the interval for the rows that a target takes agree with reports on more rows?

    python -m benchmarks.report.rows_needed --collected FILE [--families evaluation]
        [--page benchmarks/report/README.md]

The records of `fit_model` have reports on samples of several sizes of one problem. Reports on n
rows are asked how many rows they need for accuracies of 60% to 99% that they do not reach yet. The
larger reports say between which two sizes the number lies, or that it is above the largest one.
Questions whose target is out of reach, at a chance of 2.5% or less, do not count.

chance
    Mean stated chance that any number suffices.
reached
    Fraction of the questions whose target the largest report reaches.
below, above
    Of these, the fraction whose interval lies below both sizes, or above them.
between
    Of these, the fraction whose value lies between the two sizes.
high / low
    Median ratio of the ends of the interval.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np

from smartsvm.report.equal_rows import EqualRows
from smartsvm.report.fitted_model import ACCURACY
from smartsvm.report.rows_needed import error_curves, limits, multiples
from smartsvm.report.statistics import MEANINGS

from ..page import markdown_table, write_table
from ..problems import SIZES
from ..problems.options import add_families_option
from .fit_records import distribution_of, read
from .truth import FIXED, OUT_OF_REACH

_CONFIDENCE = 0.95
_LEARNT = 0.8  # of the baseline's error, below which a classifier has learnt something
HEAD = ("rows", "questions", "chance", "reached", "below", "above", "between", "high / low")


def answers(records):
    """Rows, two sizes around the number, its chance, and its value, low and high end."""
    problems, found = defaultdict(dict), []
    for each in records:
        if each["size"] in SIZES:
            problems[each["family"], each["number"]][each["size"]] = each
    for sizes in problems.values():
        errors = {size: sizes[size][ACCURACY]["best"] for size in sorted(sizes)}
        for n, error in errors.items():
            if error >= _LEARNT * sizes[n][ACCURACY]["baseline"] or n == max(errors):
                continue
            curves = _curves_of(sizes[n])
            for allowed in (1 - each for each in FIXED if 1 - each < error):
                ends, chance = limits(n * multiples(curves, allowed), _CONFIDENCE)
                if chance > OUT_OF_REACH:
                    found.append((n, *_around(errors, n, allowed), chance, *ends))
    return np.array(found)


def _curves_of(record):
    own = record[ACCURACY]
    parts = own["known"], own["known_deviation"], own["known_baseline"]
    apart = EqualRows(0.0, *parts, 0.0, 0.0) if own["known_baseline"] else None
    statistics = dict(zip(MEANINGS, own["statistics"], strict=True))
    return error_curves(distribution_of(record, ACCURACY), statistics, apart)


def _around(errors, n, allowed):
    """The last size that does not reach an error, and the first one that does."""
    after = min((m for m, error in errors.items() if m > n and error <= allowed), default=np.inf)
    return max(m for m in errors if n <= m < after), after


def table(found):
    """A row for each number of rows, and one for all."""
    rows = [[f"{n:,}", *_cells(found[found[:, 0] == n])] for n in SIZES if (found[:, 0] == n).any()]
    return markdown_table(HEAD, [*rows, ["all", *_cells(found)]])


def _cells(found):
    _, before, after, chance, value, low, high = found.T
    reached = np.isfinite(after)
    wrong = high < before, low > after, (before <= value) & (value <= after)
    shares = chance.mean(), reached.mean(), *(each[reached].mean() for each in wrong)
    return [len(found), *(f"{each:.3f}" for each in shares), f"{np.median(high / low):,.0f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_families_option(parser)
    parser.add_argument("--collected", type=Path, required=True, help="records of fit_model")
    parser.add_argument("--page", help="results page to write the table into")
    options = parser.parse_args()
    wanted = set(options.families)
    lines = table(answers([r for r in read(options.collected) if r["family"] in wanted]))
    print("\n".join(lines))
    if options.page:
        write_table(options.page, "rows needed", lines)


if __name__ == "__main__":
    main()

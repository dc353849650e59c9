"""Does a chance move for reasons that cannot matter?

    python -m benchmarks.report.stability [--families design] [--every 12] [--sizes 100 400 2000]
        [--workers 2] [--page benchmarks/report/README.md]

Reports on the same sample with ten seeds, each with another order of the rows and other names of
the classes. The standard deviation of a chance over these is taken at two accuracies: at `FIXED`,
and at the one that the first report calls best possible, where a chance moves most.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from smartsvm import difficulty_report

from ..page import markdown_table, read_records, update_records, write_table
from ..problems import problem
from ..problems.options import add_families_option

SIZES = (100, 400, 2000)
FIXED = 0.9  # accuracy that people ask for
REPEATS = 10
STEADY = 0.05  # a standard deviation up to this is called steady
RECORDS = Path(__file__).parent / "records" / "stability.csv"
HEAD = (
    "rows",
    "problems",
    f"steady at {FIXED:.0%}",
    "mean deviation",
    "steady at the estimate",
    "mean deviation",
)


def look(task):
    """The record of one sample: standard deviations of its chances; None with a single class."""
    family, size = task
    X, y = problem(family, 0, size).sample()
    if len(np.unique(y)) < 2:
        return None
    estimate, chances = None, []
    for seed in range(REPEATS):
        random = np.random.default_rng(seed)
        order, names = random.permutation(len(y)), random.permutation(int(y.max()) + 1)
        with threadpool_limits(1):
            report = difficulty_report(X[order], names[y[order]], random_state=seed, n_jobs=1)
        estimate = 1 - report.bayes_error.value if estimate is None else estimate
        chances.append([report.chance(target) for target in (FIXED, estimate)])
    fixed, at_estimate = np.std(chances, axis=0)
    found = {"family": family, "size": size}
    return found | {"fixed": f"{fixed:.4f}", "estimate": f"{at_estimate:.4f}"}


def table(records):
    """Lines by size: the fraction of problems whose chance is steady, and the mean deviation."""
    if not records:
        return ["There is no record of a run."]
    rows = []
    for size in (*sorted({int(each["size"]) for each in records}), "all"):
        some = [each for each in records if size == "all" or int(each["size"]) == size]
        row = [str(size), str(len(some))]
        for name in ("fixed", "estimate"):
            deviations = np.array([float(each[name]) for each in some])
            row += [f"{np.mean(deviations <= STEADY):.2f}", f"{deviations.mean():.3f}"]
        rows.append(row)
    return markdown_table(HEAD, rows)


def page_tables():
    """The table of the page, from the records."""
    return {"stability": table(read_records(RECORDS) if RECORDS.exists() else [])}


def main(arguments=None):
    """Measure, print and perhaps write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_families_option(parser)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--every", type=int, default=1, help="one of so many families")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--page", type=Path)
    options = parser.parse_args(arguments)
    chosen = options.families[:: options.every]
    tasks = [(name, size) for size in sorted(options.sizes)[::-1] for name in chosen]
    with ProcessPoolExecutor(options.workers) as pool:
        records = [each for each in pool.map(look, tasks) if each is not None]
    print("\n".join(table(records)))
    if options.page:
        update_records(RECORDS, records, 2)
        for name, lines in page_tables().items():
            write_table(options.page, name, lines)


if __name__ == "__main__":
    main()

"""Does the panel keep up with scikit-learn's gradient boosting on large tables?

    python -m benchmarks.report.boosting --tables FOLDER [--only NAME ...] [--rows 6000]
        [--page benchmarks/report/README.md]

Tables are those of `boosting_tables.csv` (files NAME.csv in the folder), or those of another file
with the columns name and target (`--list FILE`). Tables with fewer than 3,000 rows, those that are
not found and those that a report refuses are named and left out. Of larger tables, a random part is
used. Both errors are held out on the same rows:

panel
    The smallest held-out error of the report, corrected for the choice of the classifier.
boosting
    `HistGradientBoostingClassifier` with its default settings, cross-validated in five folds. Texts
    with ten values or more are categories (`categorical_features=`), numbered beyond the 255 that
    it takes; other texts are columns of 0 and 1.
"""

import argparse
import csv
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from threadpoolctl import threadpool_limits

from smartsvm import difficulty_report
from smartsvm.tables.reading import read_table
from smartsvm.tables.records import CATEGORY

from ..page import markdown_table, read_records, update_records, write_table

HERE = Path(__file__).parent
RECORDS, TABLES = HERE / "records" / "boosting.csv", HERE / "boosting_tables.csv"
LEAST_ROWS, FOLDS, MOST_VALUES = 3000, 5, 255
HEAD = ("table", "rows", "classes", "panel", "boosting")
BEHIND = 0.01  # a panel whose error is larger by more than this has fallen behind
_SHOWN = 10  # tables on the page


def boosting_error(table, codes):
    """The held-out error of scikit-learn's gradient boosting on columns and numbered texts."""
    texts = {
        name: np.unique(values, return_inverse=True)[1] for name, values in table.categories.items()
    }
    others = [column.kind != CATEGORY or column.told not in texts for column in table.columns]
    parts = [table.unscaled[:, others], *texts.values()]
    few = [int(each.max()) < MOST_VALUES for each in texts.values()]
    is_category = [False] * parts[0].shape[1] + few
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes with fewer samples than folds
        model = HistGradientBoostingClassifier(random_state=0, categorical_features=is_category)
        answers = cross_val_predict(model, np.column_stack(parts), codes, cv=folds)
    return float(np.mean(answers != codes))


def measure(path, target, most_rows):
    """The numbers of `HEAD` for one table."""
    table = read_table(path, target)
    y = np.asarray(table.y)
    if len(y) < LEAST_ROWS:
        raise ValueError(f"it has {len(y):,} rows, fewer than {LEAST_ROWS:,}")
    rows = np.sort(np.random.default_rng(0).permutation(len(y))[:most_rows])
    codes = np.unique(y[rows], return_inverse=True)[1]
    part = replace(table.take(rows), y=codes)
    panel = difficulty_report(part).errors.held_out.best.value
    return len(rows), int(codes.max()) + 1, panel, boosting_error(part, codes)


def page_table(records):
    """How often each is better, and the tables on which the panel is furthest behind."""
    behind = {each["table"]: float(each["panel"]) - float(each["boosting"]) for each in records}
    lost, won = (sum(sign * each > BEHIND for each in behind.values()) for sign in (1, -1))
    lines = []
    for record in sorted(records, key=lambda each: -behind[each["table"]])[:_SHOWN]:
        size = f"{int(record['rows']):,}", record["classes"]
        errors = (f"{float(record[name]):.1%}" for name in ("panel", "boosting"))
        lines.append((record["table"], *size, *errors, f"{100 * behind[record['table']]:+.1f}"))
    return [
        f"On {lost} of {len(records)} tables the panel is behind, on {won} boosting. The panel is "
        f"furthest behind on these {_SHOWN}:",
        "",
        *markdown_table((*HEAD, "difference in points"), lines),
    ]


def main():
    """Measure all tables and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=Path, required=True, help="folder of files NAME.csv")
    parser.add_argument("--list", type=Path, default=TABLES, help="CSV with name and target")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="measure these tables only")
    parser.add_argument("--rows", type=int, default=6000, help="rows of each table at most")
    parser.add_argument("--page", help="results page to write the table into")
    options = parser.parse_args()
    with open(options.list, encoding="utf-8", newline="") as file:
        named = [(row["name"], row["target"]) for row in csv.DictReader(file)]
    for name, target in named:
        if options.only and name not in options.only:
            continue
        try:
            with threadpool_limits(1):
                found = measure(options.tables / f"{name}.csv", target, options.rows)
        except (ValueError, OSError) as error:
            print(f"{name} is left out: {error}", flush=True)
            continue
        row = dict(zip(HEAD, map(str, (name, *found)), strict=True))
        print(*row.values(), flush=True)
        update_records(RECORDS, [row], 1)  # a run that is broken off keeps what it has
    if options.page:
        write_table(options.page, "boosting", page_table(read_records(RECORDS)))


if __name__ == "__main__":
    main()

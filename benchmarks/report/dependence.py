"""False alarms and hits of the search for rows that are not independent.

Independent rows of many kinds must raise no alarm. Panels are rows of units (persons, states) that
are alike; counted are those in which the best of three stock classifiers errs at least five points
more on new units than on new rows.

    python -m benchmarks.report.dependence [--seed 1000] [--page benchmarks/report/README.md]
"""

import argparse
import csv
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from smartsvm.report.dependence import Units, find_dependence

from ..page import markdown_table, write_table

RECORDS = Path(__file__).parent / "records" / "dependence.csv"
LEAST_LOSS = 0.05  # error on new units less error on new rows: a panel that must be found


class Table(NamedTuple):
    """A table with a label for each row."""

    X: np.ndarray
    y: np.ndarray
    units: np.ndarray | None = None  # the true ones
    named: tuple = ()  # candidates that are no column of X


# Independent rows


def _labels(random, scores, n_classes=2):
    noisy = scores + random.logistic(size=len(scores)) * random.uniform(0.2, 1.5)
    cuts = np.quantile(noisy, np.arange(1, n_classes) / n_classes)
    return np.searchsorted(cuts, noisy)


def _gaussian(random, n=None, d=None):
    n = n or int(random.integers(150, 1500))
    d = d or int(random.integers(2, 15))
    X = random.normal(size=(n, d))
    scores = 1.5 * X[:, 0] + (X[:, 1] * X[:, min(2, d - 1)] if random.random() < 0.5 else X[:, 1])
    return X, _labels(random, scores, int(random.integers(2, 5)))


def plain(random):
    """Gaussian columns in random order."""
    return Table(*_gaussian(random))


def few_rows(random):
    """Forty to 120 rows."""
    return Table(*_gaussian(random, int(random.integers(40, 120))))


def many_columns(random):
    """Fifty to 120 columns."""
    return Table(*_gaussian(random, int(random.integers(100, 500)), int(random.integers(50, 120))))


def rounded(random):
    """Columns rounded to 20 to 60 values each, correlated with each other."""
    X, _ = _gaussian(random)
    X[:, 1:] += random.uniform(0, 1) * X[:, :1]
    X = np.round(X * random.uniform(4, 10))
    return Table(X, _labels(random, X[:, 0] / X[:, 0].std() * 2 + X[:, 1] / X[:, 1].std()))


def counts(random):
    """Counts and ages: whole numbers, on one of which the label depends in a bend."""
    n = int(random.integers(200, 1500))
    age = random.integers(18, 80, n)
    X = np.column_stack([age, random.poisson(age / 4), random.poisson(3, n), random.normal(size=n)])
    return Table(X.astype(float), _labels(random, 3 * np.cos(age / 12) + X[:, 3]))


def categories(random):
    """Categories with 3 to 12 values as columns of 0 and 1, and the values as candidates."""
    n = int(random.integers(200, 1500))
    X, named, scores = [random.normal(size=(n, 2))], [], 0
    for size in random.integers(3, 13, 4):
        values = random.integers(0, size, n)
        scores = scores + random.normal(size=size)[values]
        X.append(np.eye(size)[values])
        named.append(values)
    X = np.hstack(X)
    return Table(X, _labels(random, scores + X[:, 0]), None, tuple(named))


def names_without_effect(random):
    """A random name for each row, of 25 to 100, which says nothing."""
    X, y = _gaussian(random)
    return Table(X, y, None, (random.integers(0, random.integers(25, len(X) // 4 + 1), len(X)),))


def by_label(random):
    """Sorted by label."""
    X, y = _gaussian(random)
    order = np.argsort(y, kind="stable")
    return Table(X[order], y[order])


def by_column(random):
    """Sorted by a column, within the classes or not."""
    X, y = _gaussian(random) if random.random() < 0.5 else rounded(random)[:2]
    order = np.lexsort((X[:, 0], y)) if random.random() < 0.5 else np.argsort(X[:, 0])
    return Table(X[order], y[order])


def by_hidden_order(random):
    """Nearly sorted by a column, as rows collected while it grew."""
    X, y = _gaussian(random)
    order = np.argsort(X[:, 0] + 0.3 * random.normal(size=len(X)))
    return Table(X[order], y[order])


def by_category(random):
    """Sorted by categories with 3 to 12 values."""
    table = categories(random)
    order = np.lexsort(table.named[:2])
    return Table(table.X[order], table.y[order], None, tuple(v[order] for v in table.named))


def by_label_and_category(random):
    """Sorted by label, then by a category and a column."""
    table = categories(random)
    order = np.lexsort((table.X[:, 0], table.named[0], table.y))
    return Table(table.X[order], table.y[order], None, tuple(v[order] for v in table.named))


# Panels


def _sizes(random):
    n_units = int(random.integers(30, 100))
    size = int(random.integers(5, 25))
    sizes = random.integers(max(5, size // 2), size * 3 // 2 + 2, n_units)
    return n_units, np.repeat(np.arange(n_units), sizes)


def _recognisable(random, signal=None):
    """Rows around the centre of their unit, whose label mostly depends on the unit."""
    n_units, units = _sizes(random)
    d = int(random.integers(2, 12))
    centres = random.normal(size=(n_units, d))
    X = centres[units] + random.uniform(0.2, 0.8) * random.normal(size=(len(units), d))
    signal = random.uniform(0.5, 2) if signal is None else signal
    of_units = _labels(random, signal * centres[:, 0], int(random.integers(2, 4)))
    flipped = random.random(len(units)) < random.uniform(0, 0.15)
    y = np.where(flipped, random.permutation(of_units[units]), of_units[units])
    return X, y, units


def _shuffled(random, X, y, units):
    order = random.permutation(len(y))
    return X[order], y[order], units[order]


def persons_left_out(random):
    """Persons whose names are no column of X, in random order."""
    X, y, units = _shuffled(random, *_recognisable(random))
    return Table(X, y, units, (units,))


def numbered_persons(random):
    """Persons whose number is a column of X."""
    X, y, units = _recognisable(random)
    numbers = random.permutation(int(units.max()) + 1)[units]
    X, y, units = _shuffled(random, np.column_stack([numbers, X]), y, units)
    return Table(X, y, units)


def encoded_states(random):
    """States as columns of 0 and 1, with an effect of their own on the label."""
    n_units, units = _sizes(random)
    effects = random.normal(size=n_units) * random.uniform(1, 4)
    X = random.normal(size=(len(units), 4))
    y = _labels(random, effects[units] + X[:, 0])
    X, y, units = _shuffled(random, np.hstack([X, np.eye(n_units)[units]]), y, units)
    return Table(X, y, units, (units,))


def state_years(random):
    """Columns that drift slowly within a state, and a law that each state passes once."""
    n_units, n_years = int(random.integers(30, 60)), int(random.integers(8, 25))
    units = np.repeat(np.arange(n_units), n_years)
    year = np.tile(np.arange(n_years), n_units)
    d = int(random.integers(2, 8))
    drift = random.normal(size=(n_units, n_years, d)) * random.uniform(0.02, 0.2)
    X = (random.normal(size=(n_units, 1, d)) + drift.cumsum(axis=1)).reshape(-1, d)
    passed = random.integers(-n_years, 2 * n_years, n_units) - 3 * X[::n_years, 0]
    X = np.column_stack([year, X])
    return Table(X, (year >= passed[units]).astype(int), units, (units,))


def growth(random):
    """A growth curve of each person over time, who has one of three treatments."""
    n_units, units = _sizes(random)
    times = np.concatenate([np.arange(size) for size in np.bincount(units)])
    treatment = random.integers(0, 3, n_units)
    slope = random.normal(size=n_units) + 0.8 * treatment
    start = 5 * random.normal(size=n_units)
    weight = start[units] + slope[units] * times + 0.2 * random.normal(size=len(units))
    X = np.column_stack([times, weight, start[units]])
    return Table(X, treatment[units], units, (units,))


def consecutive_persons(random):
    """Rows of a person follow each other; nothing names the person."""
    X, y, units = _recognisable(random)
    return Table(X, y, units)


def consecutive_by_label(random):
    """The same with all persons of a class together."""
    X, y, units = _recognisable(random)
    of_units = np.array([np.bincount(y[units == u]).argmax() for u in range(units.max() + 1)])
    order = np.lexsort((units, of_units[units]))
    return Table(X[order], y[order], units[order])


INDEPENDENT = (
    plain,
    few_rows,
    many_columns,
    rounded,
    counts,
    categories,
    names_without_effect,
    by_label,
    by_column,
    by_hidden_order,
    by_category,
    by_label_and_category,
)
PANELS = (
    persons_left_out,
    numbered_persons,
    encoded_states,
    state_years,
    growth,
    consecutive_persons,
    consecutive_by_label,
)


def loss_on_new_units(table, seed):
    """How much more the best of three stock classifiers errs on new units than on new rows."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.model_selection import GroupKFold, StratifiedKFold, cross_val_predict
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    models = [
        RandomForestClassifier(40, random_state=seed),
        make_pipeline(StandardScaler(), LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.05)),
        make_pipeline(StandardScaler(), KNeighborsClassifier(5)),
    ]
    errors = []
    of_rows = StratifiedKFold(5, shuffle=True, random_state=seed).split(table.X, table.y)
    of_units = GroupKFold(5).split(table.X, groups=table.units)
    for folds in (list(of_rows), list(of_units)):
        found = [
            np.mean(cross_val_predict(each, table.X, table.y, cv=folds) != table.y)
            for each in models
        ]
        errors.append(min(found))
    return errors[1] - errors[0]


def search(table, seed=0):
    """What the report finds."""
    scaled = (table.X - table.X.mean(axis=0)) / np.maximum(table.X.std(axis=0), 1e-12)
    codes = np.unique(table.y, return_inverse=True)[1]
    named = [
        Units(f"name {i}", np.unique(each, return_inverse=True)[1])
        for i, each in enumerate(table.named)
    ]
    return find_dependence(scaled, codes, named, seed=seed, n_jobs=1)


def measure(make, seeds):
    """(tables, found) over tables of one kind, and the seconds that a search takes."""
    n_tables, n_found, spent = 0, 0, 0.0
    for seed in seeds:
        table = make(np.random.default_rng([seed, len(make.__name__)]))
        if make in PANELS and loss_on_new_units(table, seed) < LEAST_LOSS:
            continue
        begin = time.perf_counter()
        n_found += search(table, seed) is not None
        spent += time.perf_counter() - begin
        n_tables += 1
    return n_tables, n_found, spent / max(n_tables, 1)


def main():
    """Measure all kinds of tables, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--independent", type=int, default=60, help="tables of each such kind")
    parser.add_argument("--panels", type=int, default=12, help="panels of each kind")
    parser.add_argument("--seed", type=int, default=1000, help="those below 1000 are for design")
    parser.add_argument("--only", help="a kind of table")
    parser.add_argument("--page", help="page with the table to write")
    options = parser.parse_args()
    rows = []
    for make in (*INDEPENDENT, *PANELS):
        if options.only in (None, make.__name__):
            number = options.panels if make in PANELS else options.independent
            found = measure(make, range(options.seed, options.seed + number))
            kind = "panel" if make in PANELS else "independent"
            rows.append((kind, make.__doc__.split(".")[0], *found[:2]))
            print(*rows[-1], f"{found[2]:.2f} s", flush=True)
    for kind in ("independent", "panel"):
        both = [sum(row[place] for row in rows if row[0] == kind) for place in (2, 3)]
        rows.append((kind, "all", *both))
        print(*rows[-1])
    if options.page:
        with RECORDS.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([("kind", "tables", "number", "found"), *rows])
        write_table(
            options.page, "dependence", markdown_table(("rows", "tables", "number", "found"), rows)
        )


if __name__ == "__main__":
    main()

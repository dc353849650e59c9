"""Are wrong labels found, are right ones left alone, and does a probability mean what it says?

    SMARTSVM_DATA=FOLDER python -m benchmarks.report.suspects [--tables FOLDER] [--clones FOLDER]
        [--seeds 1] [--before 828f3ab] [--workers 16] [--page benchmarks/report/README.md]

Labels of at most 500 rows of each set of the paper, of sets of scikit-learn and of the tables in
`suspect_tables.csv` (files NAME.csv in the folder of `--tables`; without it, none of them) are
made wrong, 5% of them, and those of at most 4,000 rows of the tables in `records/pages_read.csv`
(files OWNER/REPOSITORY/PATH in the folder of `--clones`). A set that is not found is named and left
out:

uniform
    by any other label;
by class
    by that of the next class, at half the rate in every second class and one and a half times the
    rate in the others;
rare
    by that of the rarest class, as many as 30% of its samples, at least two.

`none` leaves the labels alone. Both versions of `find_label_errors` read the same posterior in the
same run; the earlier one is read from the repository's history (`--before COMMIT`). Per setting:

AP
    Average precision of the ranking.
listed, hits
    Labels that are called wrong, and those of them that are.
50%, 80%, 95%, 99%
    Labels with a probability from here to the next bin: their number, the sum of their
    probabilities, and how many are wrong. Labels count only where some are listed.

The model rests on all groups but "pages", which no constant was chosen on.
"""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
import types
import warnings
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn import datasets as toy
from sklearn.metrics import average_precision_score
from threadpoolctl import threadpool_limits

from smartsvm import PreparedTable, difficulty_report, prepare_table
from smartsvm.report import stages
from smartsvm.tables.reading import read_table

from ..page import markdown_table, read_records, update_records, write_table
from ..paper import datasets

HERE = Path(__file__).parent
RECORDS, TABLES = HERE / "records" / "suspects.csv", HERE / "suspect_tables.csv"
PAGES = HERE / "records" / "pages_read.csv"
KINDS, RATE, ROWS, ROWS_OF_PAGES = ("none", "uniform", "by class", "rare"), 0.05, 500, 4000
GROUPS = "design", "second", "third", "fourth", "test", "fresh", "pages"
BINS = (0.5, 0.8, 0.95, 0.99)
HEAD = (
    "set",
    "group",
    "flips",
    "seed",
    "code",
    "n",
    "wrong",
    "AP",
    "listed",
    "hits",
    *(f"{low:.0%}" for low in BINS),
)
N_KEYS = 5
TOY = {"wine": "design", "digits": "design", "breast_cancer": "design", "iris": "second"}
DESIGN = {"kr-vs-k", "letter", "satimage", "wine_red", "yeast", "flare", "fars", "shuttle"}
MODULE = "src/smartsvm/label_errors/suspect_labels.py"


class Table(NamedTuple):
    """Where a table is."""

    path: Path
    target: str


def problems(tables, clones):
    """Name, group and place of all sets."""
    for name in datasets.NAMES:
        yield name, "design" if name in DESIGN else "second", None
    for name, group in TOY.items():
        yield name, group, "toy"
    if tables is not None:
        for row in _rows(TABLES):
            path = Path(tables) / f"{row['name']}.csv"
            yield row["name"], row["group"], Table(path, row["target"])
    if clones is not None:
        for row in _rows(PAGES):
            path = Path(clones, *row["table"].split(maxsplit=1))
            yield row["table"], "pages", Table(path, row["target"])


def _rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read(name, group, place, seed, most=ROWS):
    """A prepared table or points of at most so many random rows of a set, and class codes."""
    if group == "pages":
        table = read_table(place.path, place.target)
        rows = np.random.default_rng(seed).permutation(len(table.y))[:ROWS_OF_PAGES]
        return table.take(rows), _numbered(table.y[rows])
    if isinstance(place, Table):
        import pandas

        # Texts may hold a carriage return, which pandas else takes for the end of a line.
        frame = pandas.read_csv(place.path, lineterminator="\n")
        frame = frame.sample(min(len(frame), most), random_state=seed)
        table = prepare_table(frame, place.target)
        return table, _numbered(table.y)
    if place == "toy":
        X, y = getattr(toy, f"load_{name}")(return_X_y=True)
    else:
        found = datasets.load(name)
        X, y = np.asarray(found.X, dtype=float), found.y
    rows = np.random.default_rng(seed).permutation(len(y))[:most]
    X, spread = X[rows], X[rows].std(axis=0)
    X = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1)
    return X, _numbered(y[rows])


def _numbered(y):
    return np.unique(np.asarray(y, str), return_inverse=True)[1]


def flip(y, kind, seed):
    """Labels of which a share is wrong, and which of them are."""
    random, n = np.random.default_rng([seed, KINDS.index(kind)]), len(y)
    n_classes, wrong = int(y.max()) + 1, np.zeros(n, dtype=bool)
    if kind == "uniform":
        wrong[random.permutation(n)[: round(RATE * n)]] = True
        return np.where(wrong, (y + random.integers(1, n_classes, n)) % n_classes, y), wrong
    if kind == "by class":
        wrong = random.random(n) < RATE * np.where(y % 2, 1.5, 0.5)
        return np.where(wrong, (y + 1) % n_classes, y), wrong
    if kind == "rare":
        counts = np.bincount(y)
        rarest = int(counts.argmin())
        others = random.permutation(np.flatnonzero(y != rarest))
        wrong[others[: max(2, int(0.3 * counts[rarest]))]] = True
        return np.where(wrong, rarest, y), wrong
    return y, wrong


def earlier(commit):
    """The function `find_label_errors` of a commit."""
    command = ["git", "show", f"{commit}:{MODULE}"]
    source = subprocess.run(command, capture_output=True, check=True, text=True, cwd=HERE).stdout
    module = types.ModuleType("suspect_labels_before")
    exec(compile(source, MODULE, "exec"), module.__dict__)
    return module.find_label_errors


def measure(name, group, place, kind, seed, before):
    """Rows of `HEAD`, as text, for this version and the earlier one; none if there is no table."""
    seen, now = {}, stages.find_label_errors

    def keep(posterior, codes, z, **limits):
        seen.update(posterior=posterior, codes=codes, z=z)
        return now(posterior, codes, z, **limits)

    stages.find_label_errors = keep
    try:
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            points, y = read(name, group, place, seed)
            labels, wrong = flip(y, kind, seed)
            if isinstance(points, PreparedTable):
                report = difficulty_report(replace(points, y=labels))
            else:
                report = difficulty_report(points, labels)
    except (ValueError, OSError) as error:  # a refused table, or a set that is not here
        print(f"{name} is left out: {error}", flush=True)
        return []
    finally:
        stages.find_label_errors = now
    labels = report.labels
    found = report.suspects, labels.error_chance, labels.ranking
    rows = [_row(*found, wrong, (name, group, kind, seed, "now"))]
    if before is not None:
        found = earlier(before)(seen["posterior"], seen["codes"], seen["z"])
        suspects = found.suspects[: len(found.suspects) * report.data.signal.significant]
        # Some commits name these fields label_error_chance and label_ranking.
        fields = {field.removeprefix("label_"): each for field, each in found._asdict().items()}
        then = suspects, fields["error_chance"], fields["ranking"]
        rows.append(_row(*then, wrong, (name, group, kind, seed, before)))
    return rows


def _row(suspects, chance, ranking, wrong, key):
    precision = np.nan
    if wrong.any():
        precision = average_precision_score(wrong, -np.argsort(ranking))
    bins = []
    for low, high in zip(BINS, (*BINS[1:], 2.0), strict=True):
        inside = (chance >= low) & (chance < high) & (len(suspects) > 0)
        bins.append(f"{inside.sum()} {chance[inside].sum():.2f} {wrong[inside].sum()}")
    numbers = len(wrong), wrong.sum(), f"{precision:.4f}", len(suspects), wrong[suspects].sum()
    return [*map(str, key), *map(str, numbers), *bins]


def page_table(rows):
    """A line for each group, kind of label errors and version."""
    lines = []
    codes = sorted({row["code"] for row in rows}, key=lambda code: code != "now")
    for group, kind, code in product(GROUPS, KINDS, codes):
        own = [r for r in rows if (r["group"], r["flips"], r["code"]) == (group, kind, code)]
        if not own:
            continue
        listed, hits, n = (sum(int(r[k]) for r in own) for k in ("listed", "hits", "n"))
        cells = ["", "", f"{listed} of {n:,}", ""]
        planted = [r for r in own if int(r["wrong"])]
        if planted:
            shares = np.mean([int(r["hits"]) / int(r["wrong"]) for r in planted])
            precision = np.mean([float(r["AP"]) for r in planted])
            cells = [f"{precision:.3f}", f"{shares:.3f}", cells[2], f"{hits / max(listed, 1):.3f}"]
        lines.append([group, kind, code, str(len(own)), *cells])
    head = ("group", "label errors", "code", "sets", "AP", "found", "listed", "of these wrong")
    return markdown_table(head, lines)


def reliability_table(rows):
    """A line for each group and version: expected and actual share of wrong labels by bin."""
    lines = []
    codes = sorted({row["code"] for row in rows}, key=lambda code: code != "now")
    for group, code in product(GROUPS, codes):
        own = [row for row in rows if (row["group"], row["code"]) == (group, code)]
        if not own:
            continue
        cells = []
        for low in BINS:
            n, said, wrong = np.sum([[float(x) for x in r[f"{low:.0%}"].split()] for r in own], 0)
            cells.append(f"{said / n:.3f} → {wrong / n:.3f} ({n:.0f})" if n else "none")
        lines.append([group, code, *cells])
    names = [f"{a:.0%} to {b:.0%}" for a, b in zip(BINS, (*BINS[1:], 1.0), strict=True)]
    return markdown_table(("group", "code", *names), lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", help="folder of the files NAME.csv of suspect_tables.csv")
    parser.add_argument("--clones", help="folder of the repositories of pages_read.csv")
    parser.add_argument("--group", choices=GROUPS)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--before", help="commit to compare with")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--records", type=Path, default=RECORDS)
    parser.add_argument("--page", help="results page to write the tables into")
    options = parser.parse_args()
    found = problems(options.tables, options.clones)
    chosen = [p for p in found if options.group in (None, p[1])]
    keys = [(*p, kind, s) for s, p, kind in product(range(options.seeds), chosen, KINDS)]
    with ProcessPoolExecutor(options.workers) as pool:
        for job in [pool.submit(measure, *key, options.before) for key in keys]:
            rows = [dict(zip(HEAD, row, strict=True)) for row in job.result()]
            for row in rows:
                print(*row.values(), flush=True)
            if rows:  # a run that is broken off keeps what it has
                update_records(options.records, rows, N_KEYS)
    rows = read_records(options.records)
    print("\n".join([*page_table(rows), *reliability_table(rows)]))
    if options.page:
        write_table(options.page, "suspects", page_table(rows))
        write_table(options.page, "reliability of suspects", reliability_table(rows))


if __name__ == "__main__":
    main()

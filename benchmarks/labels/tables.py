"""Wrong labels of real tables: of 500 rows with planted ones, and of tables as they are.

    python -m benchmarks.report.real_tables TABLES
    SMARTSVM_DATA=FOLDER python -m benchmarks.labels.tables TABLES CACHE
        [--kept] [--page benchmarks/labels/README.md]

The posteriors of the report's classifiers are kept in CACHE; `--kept` measures only tables whose
posterior is there.
"""

from __future__ import annotations

import argparse
from itertools import pairwise, product
from pathlib import Path

import numpy as np
from sklearn.metrics import average_precision_score

from smartsvm.held_out.posterior import Posterior
from smartsvm.label_errors.suspect_labels import LIKELY, find_label_errors

from ..page import markdown_table, write_table
from ..report.suspects import KINDS, flip, problems, read
from .posteriors import kept_posterior

LEAST, MOST = 2000, 20_000  # rows of a table of natural size; larger ones are sampled
BINS, Z = (0.5, 0.8, 0.95, 1.01), 1.96


def measure(kept):
    """Numbers of rows, listed and likely labels, and which of these are wrong."""
    flags = {name: bool(kept[name]) for name in ("signal", "beats_baseline")}
    found = find_label_errors(
        Posterior(kept["logs"], {}),
        kept["codes"],
        Z,
        most_wrong=float(kept["most_wrong"]),
        cases=kept["cases"],
        **flags,
    )
    wrong, listed = kept["wrong"], found.suspects
    chance = found.error_chance
    row = {
        "n": len(wrong),
        "listed": len(listed),
        "likely": int((chance[listed] >= LIKELY).sum()),
        "hits": int(wrong[listed].sum()),
        "wrong": int(wrong.sum()),
        "AP": np.nan,
        "bins": np.array(
            [
                [inside.sum(), chance[inside].sum(), wrong[inside].sum()]
                for low, high in pairwise(BINS)
                for inside in [(chance >= low) & (chance < high)]
            ]
        ),
    }
    if wrong.any():
        row["AP"] = average_precision_score(wrong, -np.argsort(found.ranking))
    return row


def page_table(rows):
    """A line for each kind of label errors and size."""
    lines = []
    for size, kind in dict.fromkeys(rows):
        own = rows[size, kind]
        n, listed, likely, hits = (
            sum(r[k] for r in own) for k in ("n", "listed", "likely", "hits")
        )
        share = max(r["listed"] / r["n"] for r in own)
        cells = [f"{listed:,}", f"{likely:,}", f"{share:.1%}", "", "", ""]
        if any(r["wrong"] for r in own):
            planted = [r for r in own if r["wrong"]]
            cells[3:] = (
                f"{np.mean([r['AP'] for r in planted]):.3f}",
                f"{np.mean([r['hits'] / r['wrong'] for r in planted]):.3f}",
                f"{hits / max(listed, 1):.3f}",
            )
        lines.append([size, kind, str(len(own)), f"{n:,}", *cells])
    head = ("rows", "planted", "tables", "labels", "listed", "advised", "most of one table")
    return markdown_table((*head, "AP", "found", "of the listed wrong"), lines)


def reliability_table(rows):
    """Mean chance and actual share of wrong labels, over tables with planted ones and without."""
    every = [r["bins"] for (size, _), own in rows.items() if size == "500" for r in own]
    total = np.sum(every, axis=0)
    cells = [
        f"{said / max(n, 1):.3f} → {wrong / max(n, 1):.3f} ({n:.0f})" for n, said, wrong in total
    ]
    return markdown_table(("chance 50% to 80%", "80% to 95%", "95% and more"), [cells])


def main():
    """Measure all tables; print both results, and write them into a page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", help="folder of the files that real_tables writes")
    parser.add_argument("cache", type=Path, help="folder of the posteriors")
    parser.add_argument("--kept", action="store_true", help="measure only posteriors that are kept")
    parser.add_argument("--page", help="results page to write the tables into")
    options = parser.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    found = list(problems(options.tables, None))
    rows = {}
    for size, kind in (*product(["500"], KINDS), ("all", "none")):
        for problem in found:

            def draw(problem=problem, kind=kind, size=size):
                X, y = read(*problem, 0, 500 if size == "500" else MOST)
                if size == "all" and not len(y) >= LEAST:
                    raise ValueError("too few rows")
                return X, *flip(y, kind, 0)

            try:
                key = (problem[0], kind, 0, size)
                kept = kept_posterior(options.cache, key, None if options.kept else draw)
            except (ValueError, OSError) as error:
                print(f"{problem[0]} is left out: {error}", flush=True)
                continue
            if kept is not None:
                rows.setdefault((size, kind), []).append(measure(kept))
    print("\n".join([*page_table(rows), *reliability_table(rows)]))
    if options.page:
        write_table(options.page, "tables", page_table(rows))
        write_table(options.page, "reliability", reliability_table(rows))


if __name__ == "__main__":
    main()

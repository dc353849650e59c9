"""Wrong labels of real tables: of 500 rows with planted ones, and of tables as they are.

    python -m benchmarks.report.real_tables TABLES
    SMARTSVM_DATA=FOLDER python -m benchmarks.labels.tables TABLES CACHE
        [--kept] [--page benchmarks/labels/README.md]

The posteriors of the report's classifiers are kept in CACHE; `--kept` measures only tables whose
posterior is there.
"""

from __future__ import annotations

import argparse
from itertools import product
from pathlib import Path

import numpy as np
from sklearn.metrics import average_precision_score

from smartsvm.held_out.posterior import Posterior
from smartsvm.label_errors.suspect_labels import LIKELY, find_label_errors

from ..page import markdown_table, write_table
from .networks import cleanlab_numbers, of_bins, reliability_line
from .planted import KINDS, flip, problems, read
from .posteriors import kept_posterior

LEAST, MOST = 2000, 20_000  # rows of a table of natural size; larger ones are sampled
Z = 1.96


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
        "bins": of_bins(chance, wrong),
    }
    probabilities = np.exp(kept["logs"].astype(float))
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    row |= cleanlab_numbers(kept["codes"], probabilities, wrong)
    if wrong.any():
        own = probabilities[np.arange(len(wrong)), kept["codes"]]
        row["AP"] = average_precision_score(wrong, -np.argsort(found.ranking))
        row["AP 1-p"] = average_precision_score(wrong, 1 - own)
    return row


def page_table(rows):
    """A line for each kind of label errors and size."""
    lines = []
    for (size, kind), own in rows.items():
        n, listed, likely, hits = (
            sum(r[k] for r in own) for k in ("n", "listed", "likely", "hits")
        )
        share = max(r["listed"] / r["n"] for r in own)
        cells = [f"{listed:,}", f"{likely:,}", f"{share:.1%}"]
        peer = sum(r.get("cleanlab listed", 0) for r in own)
        planted = [r for r in own if r["wrong"]]
        if planted:
            found = np.mean([r["hits"] / r["wrong"] for r in planted])
            cells += [f"{_mean(planted, key):.3f}" for key in ("AP", "AP 1-p")]
            cells += [f"{found:.3f}", f"{hits / max(listed, 1):.3f}", f"{peer:,}"]
            right = sum(r.get("cleanlab listed", 0) * r.get("cleanlab precision", 0) for r in own)
            cells += [f"{_mean(planted, 'cleanlab recall'):.3f}", f"{right / max(peer, 1):.3f}"]
        else:
            cells += [*([""] * 4), f"{peer:,}", "", ""]
        lines.append([size, kind, str(len(own)), f"{n:,}", *cells])
    head = (
        *("rows", "planted", "tables", "labels", "listed", "advised", "most of one table", "AP"),
        *("AP 1 − p", "found", "of the listed wrong"),
        *("cleanlab: listed", "found", "of the listed wrong"),
    )
    return markdown_table(head, lines)


def _mean(rows, key):
    return float(np.mean([row.get(key, np.nan) for row in rows]))


def reliability_table(rows):
    """Mean chance and actual share of wrong labels, over tables with planted ones and without."""
    lines = []
    kinds = [kind for size, kind in rows if size == "500"]
    for name, some in (*((kind, [kind]) for kind in kinds), ("all", kinds)):
        bins = np.sum([r["bins"] for kind in some for r in rows["500", kind]], axis=0)
        lines.append(reliability_line(name, bins))
    return markdown_table(("planted", "chance 50% to 80%", "80% to 95%", "95% and more"), lines)


def main():
    """Measure all tables; print both results, and write them into a page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", help="folder of the files that real_tables writes")
    parser.add_argument("cache", type=Path, help="folder of the posteriors")
    parser.add_argument("--kept", action="store_true", help="measure only posteriors that are kept")
    parser.add_argument("--page", help="results page to write the tables into")
    options = parser.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    found = list(problems(options.tables))
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

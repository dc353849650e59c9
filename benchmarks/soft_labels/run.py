"""Soft labels: what shares of annotators say, and what `soft_label_bayes_error` makes of them.

python -m benchmarks.soft_labels.run --page benchmarks/soft_labels/README.md
"""

from __future__ import annotations

import argparse

import numpy as np

from smartsvm import soft_label_bayes_error

from ..page import markdown_table, provenance, write_table
from .data import questions

ANNOTATORS = (2, 3, 5, 10, 20)
SIMULATED_ROWS = 500
DRAWS = 400
_TRUTH_ROWS = 400_000
# Distribution of the probabilities of a row, by name.
FAMILIES = {
    "two classes, uniform": lambda rng, n: rng.dirichlet([1, 1], n),
    "two classes, mostly easy": lambda rng, n: rng.dirichlet([0.05, 1], n),
    "two classes, one in ten everywhere": lambda rng, n: np.tile([0.1, 0.9], (n, 1)),
    "three classes": lambda rng, n: rng.dirichlet([0.5] * 3, n),
    "ten classes": lambda rng, n: rng.dirichlet([0.1] * 10, n),
    "ten classes, hard": lambda rng, n: rng.dirichlet([1] * 10, n),
}


def people(sets):
    """Rows of the table on public data."""
    rows = []
    for name, counts in sets.items():
        found = soft_label_bayes_error(counts)
        rows.append(
            [name, len(counts), f"{found.annotators:.0f}", _percent(found.shares),
             _percent(found.value), f"{_percent(found.low)} to {_percent(found.high)}"]
        )  # fmt: skip
    return rows


def fewer_people(sets, seed=0):
    """Rows of the table on a few of the annotators of each image."""
    rng = np.random.default_rng(seed)
    rows = []
    for name, counts in sets.items():
        everyone = soft_label_bayes_error(counts)
        for m in ANNOTATORS:
            some = _choices(counts, rng, m)
            found = soft_label_bayes_error(some)
            rows.append(
                [name, m, _percent(everyone.value), _percent(found.shares), _percent(found.value),
                 f"{_percent(found.low)} to {_percent(found.high)}"]
            )  # fmt: skip
    return rows


def simulated(seed=0):
    """Rows of the table on simulated annotators."""
    rng = np.random.default_rng(seed)
    rows = []
    for name, draw in FAMILIES.items():
        truth = float((1 - draw(rng, _TRUTH_ROWS).max(axis=1)).mean())
        for m in ANNOTATORS:
            found = [
                soft_label_bayes_error(rng.multinomial(m, draw(rng, SIMULATED_ROWS)))
                for _ in range(DRAWS)
            ]
            shares, values = (
                np.array([getattr(f, what) for f in found]) for what in ("shares", "value")
            )
            covered = np.mean([f.low <= truth <= f.high for f in found])
            width = np.mean([f.high - f.low for f in found])
            rows.append(
                [name, m, f"{truth:.3f}", _rmse(shares, truth), _rmse(values, truth),
                 f"{covered:.3f}", f"{width:.3f}"]
            )  # fmt: skip
    return rows


def _choices(counts, rng, m):
    """Counts of m of the annotators of each row, drawn without replacement."""
    return np.array([rng.multivariate_hypergeometric(row, m) for row in counts.astype(np.int64)])


def _rmse(values, truth):
    return f"{np.sqrt(np.mean((values - truth) ** 2)):.3f}"


def _percent(share):
    return f"{100 * share:.2f}%"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--page", help="page whose tables are replaced")
    given = parser.parse_args()
    sets = questions()
    estimates = ["shares alone", "estimate", "95% interval"]
    tables = {
        "people": (["labels", "images", "people per image", *estimates], people(sets)),
        "fewer people": (
            ["labels", "people", "estimate of all people", *estimates],
            fewer_people(sets),
        ),
        "simulated people": (
            [
                "rows",
                "people",
                "truth",
                "RMSE, shares alone",
                "RMSE, estimate",
                "coverage",
                "width",
            ],
            simulated(),
        ),
    }
    for name, (head, rows) in tables.items():
        lines = markdown_table(head, rows)
        print(*lines, sep="\n", end="\n\n")
        if given.page:
            write_table(given.page, name, lines)
    print(
        provenance("python -m benchmarks.soft_labels.run --page benchmarks/soft_labels/README.md")
    )


if __name__ == "__main__":
    main()

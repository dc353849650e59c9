"""The record of `evidence` as Markdown: a table for each group of sets."""

from __future__ import annotations

import numpy as np

from ..page import markdown_table
from .contestants import CONTESTANTS
from .problems import KEEL, KNOWN

ACCURATE = "accurate"
_CLOSE, _FAR = 0.01, 0.03


class Results:
    """Numbers by (set, method), one for each split that all methods compared have."""

    def __init__(self, records):
        self._found = {}
        for each in records:
            if "error" not in each:
                splits = self._found.setdefault((each["set"], each["method"]), {})
                splits[each["split"]] = each

    def splits(self, name, method):
        """Splits of a set that a method was run on."""
        return set(self._found.get((name, method), ()))

    def values(self, name, method, key, splits=None):
        """One number for each split."""
        splits = sorted(self.splits(name, method) if splits is None else splits)
        return np.array([self._found[name, method][s].get(key, np.nan) for s in splits])

    def mean(self, name, method, key):
        """Mean over the splits; NaN if there are none."""
        values = self.values(name, method, key)
        return values.mean() if len(values) else np.nan

    def difference(self, names, one, other, key):
        """Mean paired difference over sets, its standard error over sets, and the sets."""
        rows = []
        for name in names:
            both = self.splits(name, one) & self.splits(name, other)
            if both:
                pair = [self.values(name, m, key, both).mean() for m in (one, other)]
                rows.append(pair[0] - pair[1])
        if not rows:
            return np.nan, np.nan, 0
        return np.mean(rows), np.std(rows, ddof=1) / np.sqrt(len(rows)), len(rows)


GROUPS = {"paper sets": KNOWN, "KEEL sets": KEEL}


def tables(records):
    """The lines of the page by table: one table for each group of sets."""
    results = Results(records)
    found = {}
    for title, names in GROUPS.items():
        names = [n for n in names if any(results.splits(n, m) for m in CONTESTANTS)]
        if names:
            found[title] = [*_means(results, names), "", _near_the_best(results, names)]
    return found


def _means(results, names):
    head = ["classifier", "accuracy", "log loss", "fit, s", "predict, s", "accurate − classifier"]
    rows = []
    for method in sorted(CONTESTANTS, key=lambda m: -_mean(results, names, m, "accuracy")):
        gap, error, _ = results.difference(names, ACCURATE, method, "accuracy")
        scores = [_mean(results, names, method, key) for key in ("accuracy", "log_loss")]
        times = [_mean(results, names, method, key) for key in ("fit", "predict")]
        rows.append(
            [
                method,
                *("" if np.isnan(score) else f"{score:.4f}" for score in scores),
                *(f"{seconds:.3f}" for seconds in times),
                "" if method == ACCURATE else f"{gap:+.4f} ± {error:.4f}",
            ]
        )
    return markdown_table(head, rows)


def _mean(results, names, method, key):
    values = [results.mean(name, method, key) for name in names if results.splits(name, method)]
    return float(np.mean(values)) if values else np.nan


def _near_the_best(results, names):
    """How often the accurate mode is near the best classifier, and how often far behind it."""
    others = [method for method in CONTESTANTS if method != "paper"]
    behind = [
        max(results.mean(name, m, "accuracy") for m in others if results.splits(name, m))
        - results.mean(name, ACCURATE, "accuracy")
        for name in names
    ]
    return (
        f"`accurate` is within {_CLOSE} of the best classifier on "
        f"{sum(each <= _CLOSE for each in behind)} of {len(names)} sets, and more than {_FAR} "
        f"behind on {sum(each > _FAR for each in behind)}."
    )

"""The record of `evidence` as Markdown: a table for each group of sets."""

from __future__ import annotations

import numpy as np

from ..page import markdown_table
from .contestants import CONTESTANTS
from .problems import FRESH, KEEL, KNOWN

ACCURATE = "accurate"
_CLOSE, _FAR = 0.01, 0.03
_ENOUGH_SETS = 10
_NOT_SHOWN = ("boosting", "one-vs-one, calibrated", "one-vs-one, quadratic")  # only in the record


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


def tables(records, peers):
    """The lines of the page by table: one for each group of sets, and all sets with all peers."""
    results = Results(records)
    found = {}
    for title, names in GROUPS.items():
        names = [n for n in names if any(results.splits(n, m) for m in CONTESTANTS)]
        if names:
            found[title] = [*_means(results, names), "", _near_the_best(results, names)]
    if peers:
        found["all sets"] = _all_sets(Results(peers))
    return found


def _means(results, names):
    head = ["classifier", "accuracy", "log loss", "accurate − classifier"]
    return markdown_table(
        head,
        [
            [
                method,
                *_scores(results, names, method),
                "" if method == ACCURATE else _difference(results, names, method),
            ]
            for method in _by_accuracy(results, names)
            if method not in _NOT_SHOWN
        ],
    )


def _all_sets(results):
    """Means over the sets that all have run on, a line for those with few sets, and all losses."""
    everything = [name for name in (*KNOWN, *FRESH, *KEEL) if results.splits(name, ACCURATE)]
    run = {m: [n for n in everything if results.splits(n, m)] for m in CONTESTANTS}
    complete = [m for m in CONTESTANTS if len(run[m]) > len(everything) / 2]
    sets = [name for name in everything if all(name in run[m] for m in complete)]
    complete.sort(key=lambda method: -_mean(results, sets, method, "accuracy"))
    rows = []
    for method in complete:
        gaps = [
            results.mean(name, ACCURATE, "accuracy") - results.mean(name, method, "accuracy")
            for name in sets
        ]
        won, lost = (sum(sign * gap > _CLOSE for gap in gaps) for sign in (1, -1))
        rows.append(
            [
                method,
                *_scores(results, sets, method),
                *(f"{_mean(results, sets, method, key):.3f}" for key in ("fit", "predict")),
                "" if method == ACCURATE else f"{won}, {lost}",
            ]
        )
    head = ["classifier", "accuracy", "log loss", "fit, s", "predict, s", "accurate won, lost"]
    slower = (
        _slower(results, sets, method, f"{method}, centroids") for method in ("default", ACCURATE)
    )
    lines = [
        f"{len(sets)} sets:",
        "",
        *markdown_table(head, rows),
        "",
        "A hierarchy from estimates instead of centroids multiplies the time of a fit by "
        "{:.2f} (`accurate`: {:.2f}), geometric means over the sets.".format(*slower),
    ]
    for method, names in run.items():
        if len(names) >= _ENOUGH_SETS and method not in complete:
            ours, theirs = (_mean(results, names, m, "accuracy") for m in (ACCURATE, method))
            seconds = [_mean(results, names, m, "fit") for m in (ACCURATE, method)]
            lines += [
                "",
                f"{method} ran on {len(names)} sets: accuracy {theirs:.4f} in {seconds[1]:.2f} s, "
                f"`accurate` {ours:.4f} in {seconds[0]:.2f} s.",
            ]
    peers = [m for m in CONTESTANTS if m.split(",")[0] not in (ACCURATE, "default", "paper")]
    return [*lines, "", _losses(results, everything, peers)]


def _slower(results, sets, method, other):
    """Geometric mean of the ratio of fit times."""
    logs = [np.log(results.mean(name, m, "fit")) for name in sets for m in (method, other)]
    return float(np.exp(np.mean(logs[::2]) - np.mean(logs[1::2])))


def _losses(results, sets, peers):
    """Every set on which a peer is better than the accurate mode by more than 0.01."""
    found = []
    for name in sets:
        others = {m: results.mean(name, m, "accuracy") for m in peers if results.splits(name, m)}
        best = max(others, key=others.get, default=None)
        if best is not None:
            found.append((others[best] - results.mean(name, ACCURATE, "accuracy"), name, best))
    lost = sorted((each for each in found if each[0] > _CLOSE), reverse=True)
    listed = "; ".join(f"{name} {gap:.3f} ({best})" for gap, name, best in lost)
    return (
        f"The best of the others is ahead of `accurate` by more than {_CLOSE} on {len(lost)} of "
        f"{len(found)} sets: {listed}."
    )


def _by_accuracy(results, names):
    run = [m for m in CONTESTANTS if any(results.splits(name, m) for name in names)]
    return sorted(run, key=lambda method: -_mean(results, names, method, "accuracy"))


def _scores(results, names, method):
    scores = (_mean(results, names, method, key) for key in ("accuracy", "log_loss"))
    return ["" if np.isnan(score) else f"{score:.4f}" for score in scores]


def _difference(results, names, method):
    gap, error, _ = results.difference(names, ACCURATE, method, "accuracy")
    return f"{gap:+.4f} ± {error:.4f}"


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

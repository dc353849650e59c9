"""Do more rows ever make the best held-out error worse? From the records of `fit_model`."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from smartsvm.report.fitted_model import ACCURACY

from ..page import markdown_table

FACTOR = 4  # times the rows
_CLEAR = 2.0  # standard errors of the difference
HEAD = ("rows", "of", "problems", "clearly worse", "by more than a point")


def steps(records):
    """For problems with n and 4 n rows: n, both best errors and the error of their difference."""
    problems, found = defaultdict(dict), []
    for each in records:
        problems[each["family"], each["number"]][each["size"]] = each[ACCURACY]
    for sizes in problems.values():
        for n, few in sizes.items():
            many = sizes.get(FACTOR * n)
            if many:
                parts = [
                    max(e["best"] * (1 - e["best"]), 1 / e["n_best"]) / e["n_best"]
                    for e in (few, many)
                ]
                found.append((n, few["best"], many["best"], sum(parts) ** 0.5))
    return np.array(found)


def table(records):
    """A row for each number of rows: the fraction of problems whose best error rises clearly."""
    found = steps(records)
    rows = [_row(n, found[found[:, 0] == n]) for n in np.unique(found[:, 0])]
    return markdown_table(HEAD, [*rows, ["all", "", *_row(0, found)[2:]]])


def _row(n, found):
    _, few, many, deviation = found.T
    worse = many > few + _CLEAR * deviation
    shares = worse.mean(), (worse & (many > few + 0.01)).mean()
    return [f"{n:,.0f}", f"{FACTOR * n:,.0f}", len(found), *(f"{each:.4f}" for each in shares)]

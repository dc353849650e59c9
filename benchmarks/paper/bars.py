"""How a run compares with the published numbers: counts of sets."""

from __future__ import annotations

from . import published
from .methods import IN_PAPER, PAPER_NAME

COMPARABLE_LIMIT = 0.03


def within_paper(summary, methods, limit=COMPARABLE_LIMIT):
    """Comparable sets on which each of the methods is as near to the paper as that."""
    table = summary.means("ari", methods)
    good, sets = [], []
    for name, row in table.items():
        paper = published.table("ari").get(name)
        if paper is None or name in published.LEAKED or not all(m in row for m in methods):
            continue
        sets.append(name)
        if all(abs(row[m] - paper[PAPER_NAME[m]]) <= limit for m in methods):
            good.append(name)
    return good, sets


def mean_ari(summary, methods):
    """Mean ARI over the sets that all the methods have."""
    table = [row for row in summary.means("ari", methods).values() if len(row) == len(methods)]
    return {m: sum(row[m] for row in table) / len(table) if table else None for m in methods}


def fastest(summary, method):
    """Sets on which a method is the fastest of the paper's methods to tune."""
    table = summary.means("tune_s", IN_PAPER)
    sets = [name for name, row in table.items() if len(row) > 2 and method in row]
    return [name for name in sets if table[name][method] == min(table[name].values())], sets

"""What the paper says in words, checked against its own tables and against our run.

A table is {set: {method: number}} with the paper's names of methods.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from . import published, ranks
from .methods import PAPER_NAME

HEURISTICS = ("dag", "one-vs-one", "one-vs-rest", "smartsvm")


@dataclass(frozen=True)
class Tables:
    """The three tables of one side."""

    total_seconds: dict
    ari: dict
    configuration_seconds: dict


@dataclass(frozen=True)
class Claim:
    """A statement, the number in it, and the count of it from tables as (count, out of)."""

    text: str
    stated: str
    count: Callable


def papers_tables():
    """The tables as published."""
    return Tables(*(published.table(name) for name in Tables.__dataclass_fields__))


def our_tables(summary):
    """The same tables from a run, methods under the paper's names."""
    found = []
    for measure in ("tune_s", "ari", "configuration_s"):
        means = summary.means(measure, PAPER_NAME)
        found.append(
            {
                name: {PAPER_NAME[method]: value for method, value in row.items()}
                for name, row in means.items()
            }
        )
    return Tables(*found)


def _rows(table, *methods):
    """Rows that have all of the methods."""
    return {name: row for name, row in table.items() if all(m in row for m in methods)}


def _count(table, methods, holds):
    rows = _rows(table, *methods)
    return sum(bool(holds(row)) for row in rows.values()), len(rows)


def _fastest(method):
    def count(tables):
        return _count(tables.total_seconds, (method,), lambda r: r[method] == min(r.values()))

    return count


def _better(first, second):
    def count(tables):
        return _count(tables.ari, (first, second), lambda r: r[first] > r[second])

    return count


def _best_ari(method):
    return lambda tables: _count(tables.ari, (method,), lambda r: r[method] == max(r.values()))


def _close_to_best(tables):
    return _count(tables.ari, ("smartsvm",), lambda r: max(r.values()) - r["smartsvm"] < 0.01)


def _slower_than_heuristics(method):
    def count(tables):
        needed = (method, "one-vs-one", "smartsvm")
        return _count(
            tables.total_seconds,
            needed,
            lambda r: r[method] > max(r[other] for other in HEURISTICS if other in r),
        )

    return count


def _slower_than_dag_too(tables):
    needed = ("smartsvm", "one-vs-one", "dag")
    rows = _rows(tables.total_seconds, *needed).values()
    slower = [r for r in rows if r["smartsvm"] > r["one-vs-one"]]
    return sum(r["smartsvm"] > r["dag"] for r in slower), len(slower)


def _second_is_one_vs_one(tables):
    rows = _rows(tables.total_seconds, "smartsvm", "one-vs-one").values()
    won = [r for r in rows if r["smartsvm"] == min(r.values())]
    return sum(sorted(r, key=r.get)[1] == "one-vs-one" for r in won), len(won)


CLAIMS = (
    Claim("SmartSVM is the fastest method on 10 out of 16 datasets", "10", _fastest("smartsvm")),
    Claim("OvO is the fastest on the remaining 6 datasets", "6", _fastest("one-vs-one")),
    Claim(
        "SmartSVM obtains the maximum performance on two of the sixteen", "2", _best_ari("smartsvm")
    ),
    Claim("SmartSVM outperforms One vs. One on 3 datasets", "3", _better("smartsvm", "one-vs-one")),
    Claim(
        "SmartSVM outperforms One vs. Rest on 10 out of 16",
        "10",
        _better("smartsvm", "one-vs-rest"),
    ),
    Claim(
        "differs from the maximum in only the second or third decimal on several",
        "several",
        _close_to_best,
    ),
    Claim(
        "Crammer–Singer takes longer than the heuristic methods",
        "all",
        _slower_than_heuristics("crammer-singer"),
    ),
    Claim(
        "where SmartSVM is slower than OvO it is usually slower than DAG, too",
        "usually",
        _slower_than_dag_too,
    ),
    Claim("where SmartSVM is fastest, OvO is usually second", "usually", _second_is_one_vs_one),
)


def claims_table(summary):
    """Markdown: what is said, what the paper's table shows, what our run shows."""
    paper, ours = papers_tables(), our_tables(summary)
    lines = ["| the paper says | stated | its own table | our run |", "|---|---|---|---|"]
    for claim in CLAIMS:
        count, total = claim.count(paper)
        agrees = not claim.stated.isdigit() or int(claim.stated) == count
        shown = f"{count} of {total}" if agrees else f"**{count} of {total}**"
        mine, mine_of = claim.count(ours)
        run = f"{mine} of {mine_of}" if mine_of else "not run"
        lines.append(f"| {claim.text} | {claim.stated} | {shown} | {run} |")
    lines.append(_rank_line(paper, ours))
    return "\n".join(lines)


def _rank_line(paper, ours):
    cells = []
    for tables in (paper, ours):
        try:
            found = ranks.rank(tables.total_seconds, largest_is_best=False)
        except ValueError:
            cells.append("not run")
            continue
        by_name = dict(zip(found.methods, found.ranks, strict=True))
        if {"smartsvm", "one-vs-one"} <= set(by_name):
            cells.append(f"SmartSVM {by_name['smartsvm']:.2f}, OvO {by_name['one-vs-one']:.2f}")
        else:
            cells.append("not run")
    text = "by average rank of the total time SmartSVM comes slightly after OvO"
    return f"| {text} | yes | {cells[0]} | {cells[1]} |"

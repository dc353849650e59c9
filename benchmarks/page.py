"""Results pages whose tables are written by the commands that measure them.

A page marks the place of a table with the lines ``<!-- table NAME -->`` and
``<!-- end of table -->``; the text between them is replaced. Where a page shows only part of the
numbers, a CSV file in the folder `records` keeps all of them. Tables of commands that only print
are those of `records/table-NAME.csv`; ``python -m benchmarks.page`` copies them to their pages.
"""

from __future__ import annotations

import csv
import subprocess
from datetime import date
from pathlib import Path

_END = "<!-- end of table -->"
PAGES = ("README.md", "RESULTS.md")


def write_table(page, name, lines):
    """Replace the table `name` of a page; raise if the page has no place for it."""
    before, _, after = _parts(page, name)
    Path(page).write_text(before + "\n\n" + "\n".join(lines) + "\n\n" + after, encoding="utf-8")


def read_table(page, name):
    """The lines of a table of a page."""
    _, table, _ = _parts(page, name)
    return table.strip("\n").splitlines()


def provenance(command):
    """The line that says when, where and how a page was measured."""
    from .paper.cell import machine

    today, commit = date.today().isoformat(), commit_of(Path(__file__).parents[1])
    return f"Provenance: {today}, {machine()}, commit {commit}, `{command}`."


def commit_of(path):
    """The last commit that touched a path."""
    command = ["git", "log", "-1", "--format=%h", "--", str(path)]
    try:
        found = subprocess.check_output(
            command, cwd=Path(__file__).parent, text=True, stderr=subprocess.DEVNULL
        )
    except (OSError, subprocess.CalledProcessError):  # no git, or not in a clone
        return "unknown"
    return found.strip() or "unknown"


def markdown_table(head, rows):
    """The lines of a table."""
    lines = [f"| {' | '.join(map(str, row))} |" for row in (head, *rows)]
    return [lines[0], "|---" * len(head) + "|", *lines[1:]]


def read_records(path):
    """The rows of a CSV file as dictionaries of text."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def update_records(path, rows, n_keys):
    """Replace the rows of a CSV file that share their first `n_keys` fields with a new row."""
    names = list(rows[0])
    old = read_records(path) if Path(path).exists() else []
    kept = {tuple(row[name] for name in names[:n_keys]): row for row in old}
    kept |= {tuple(str(row[name]) for name in names[:n_keys]): row for row in rows}
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept.values())


def write_record_table(folder, name, head, rows):
    """Keep a table in `records` of a folder, and copy it to the folder's page."""
    path = Path(folder) / "records" / f"table-{name}.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])
    write_table(_page_in(folder), name.replace("-", " "), markdown_table(head, rows))


def _page_in(folder):
    (page,) = (Path(folder) / name for name in PAGES if (Path(folder) / name).exists())
    return page


def record_tables():
    """Page, name and lines of every table that has a file of its own."""
    for path in sorted(Path(__file__).parent.glob("*/records/table-*.csv")):
        rows = read_records(path)
        name = path.stem.removeprefix("table-").replace("-", " ")
        table = markdown_table(list(rows[0]), [row.values() for row in rows])
        yield _page_in(path.parents[1]), name, table


def _parts(page, name):
    """The text before a table, the table, and the text after it; the marks stay outside."""
    start = f"<!-- table {name} -->"
    text = Path(page).read_text(encoding="utf-8")
    if start not in text:
        raise ValueError(f"{page} must have the line {start!r} to get this table.")
    before, rest = text.split(start, 1)
    table, after = rest.split(_END, 1)
    return before + start, table, _END + after


if __name__ == "__main__":
    for table in record_tables():
        write_table(*table)

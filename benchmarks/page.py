"""Results pages whose tables are written by the commands that make them.

A page marks the place of a table with the lines ``<!-- table NAME -->`` and
``<!-- end of table -->``; what stands between them is replaced.
"""

from __future__ import annotations

from pathlib import Path

_END = "<!-- end of table -->"


def write_table(page, name, lines):
    """Replace the table `name` of a page; raise if the page has no place for it."""
    page = Path(page)
    start = f"<!-- table {name} -->"
    text = page.read_text(encoding="utf-8")
    if start not in text:
        raise ValueError(f"{page} must have the line {start!r} to get this table.")
    before, rest = text.split(start, 1)
    _, after = rest.split(_END, 1)
    page.write_text(
        before + start + "\n\n" + "\n".join(lines) + "\n\n" + _END + after, encoding="utf-8"
    )

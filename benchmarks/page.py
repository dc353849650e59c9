"""Results pages whose tables are written by the commands that make them.

A page marks the place of a table with the lines ``<!-- table NAME -->`` and
``<!-- end of table -->``; what stands between them is replaced.
"""

from __future__ import annotations

from pathlib import Path

_END = "<!-- end of table -->"


def write_table(page, name, lines):
    """Replace the table `name` of a page; raise if the page has no place for it."""
    before, _, after = _parts(page, name)
    Path(page).write_text(before + "\n\n" + "\n".join(lines) + "\n\n" + after, encoding="utf-8")


def update_table(page, name, head, rows, n_keys):
    """Replace those rows of a table whose first cells are found among new ones, keep the others.

    Parameters
    ----------
    page : path
        The page.
    name : str
        The table.
    head : list of str
        Its two first lines; a table under another head is replaced as a whole.
    rows : list of str
        New rows.
    n_keys : int
        Cells at the beginning of a row that say which one it is.
    """
    _, table, _ = _parts(page, name)
    old = table.strip().splitlines()
    kept = {_key(row, n_keys): row for row in old[2:]} if old[:2] == list(head) else {}
    kept |= {_key(row, n_keys): row for row in rows}
    write_table(page, name, [*head, *kept.values()])


def _parts(page, name):
    """What stands before a table, the table, and what follows, its marks included."""
    start = f"<!-- table {name} -->"
    text = Path(page).read_text(encoding="utf-8")
    if start not in text:
        raise ValueError(f"{page} must have the line {start!r} to get this table.")
    before, rest = text.split(start, 1)
    table, after = rest.split(_END, 1)
    return before + start, table, _END + after


def _key(row, n_keys):
    return tuple(cell.strip() for cell in row.split("|")[1 : 1 + n_keys])

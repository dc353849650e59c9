"""Tables of the report's web page, and their export as CSV."""

from __future__ import annotations

import csv
import io
from html import escape
from typing import NamedTuple
from urllib.parse import quote

from smartsvm._core.display_names import display_width, shown

_PHONE = 37  # columns of text that a phone has for a row
_BAR = 11  # columns that the longest bar takes
FIRST_ROWS = 10  # that a table shows before it is asked for all


class Cell(NamedTuple):
    """What stands in a cell.

    Attributes
    ----------
    text : str
        What is read; escaped by `table`.
    value : float or None
        What it is sorted by; None sorts by the text.
    kind : {"name", "number", "fixed", "bar"}
        A name may break anywhere if its row is too long for a phone; numbers and fixed texts
        never do; a bar is drawn as long as its value.
    """

    text: str
    value: float | None = None
    kind: str = "name"


def number(text, value):
    """A number as it is written, and by what it is sorted."""
    return Cell(str(text), float(value), "number")


def fixed(text):
    """A short text that stays on one line, such as an interval."""
    return Cell(str(text), None, "fixed")


def name(label):
    """A label of any length."""
    return Cell(str(label))


def bar(share):
    """A share to be drawn."""
    return Cell("", float(share), "bar")


def table(head, rows, *, interactive=False):
    """A table; with `interactive` one that the page's script makes sortable.

    Parameters
    ----------
    head : sequence of str
        Titles of the columns; empty where a column needs none.
    rows : list of sequence of Cell
        The rows.
    interactive : bool, default=False
        Whether the table is long and worth sorting.

    Returns
    -------
    str
        HTML.
    """
    kinds = [cell.kind for cell in rows[0]] if rows else [""] * len(head)
    titles = "".join(
        f'<th scope="col" class="{"fixed" if kind == "bar" else kind}">{escape(title)}</th>'
        for title, kind in zip(head, kinds, strict=True)
    )
    fits = sum(map(_width, head, zip(*rows, strict=True))) <= _PHONE
    # If a row does not fit a phone, its names have lines of their own there, which say what they
    # are if there are several.
    said = [
        title if kind == "name" and kinds.count("name") > 1 else ""
        for title, kind in zip(head, kinds, strict=True)
    ]
    body = "".join(
        "<tr>"
        + "".join(_cell(cell, title, fits) for cell, title in zip(row, said, strict=True))
        + "</tr>"
        for row in rows
    )
    first = f' data-first="{FIRST_ROWS}"' if interactive else ""
    kind = "" if fits else ' class="stacked"'
    return (
        f'<div class="wide"><table{kind}{first}><thead><tr>{titles}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _width(title, cells):
    """Columns of text that a column of the table takes; titles break between words."""
    words = [display_width(word) + 1 for word in title.split()]  # with the sign for sorting
    return max(
        *words, *(_BAR if cell.kind == "bar" else display_width(cell.text) for cell in cells), 0
    )


def _cell(cell, title, fits):
    if cell.kind == "bar":
        width = 6 * min(max(cell.value, 0), 1)
        return (
            f'<td class="fixed"><span class="bar" style="width:{width:.2f}em" '
            'aria-hidden="true"></span></td>'
        )
    sort = "" if cell.value is None else f' data-value="{cell.value!r}"'
    kind = "fixed" if cell.kind == "name" and fits else cell.kind
    said = f' data-title="{escape(title)}"' if title else ""
    return f'<td class="{kind}"{sort}{said}>{escape(shown(cell.text))}</td>'


def prose(text):
    """Text as HTML: escaped, and no line ends between a number and its percent sign."""
    return escape(text).replace(" %", "\u00a0%")


def csv_link(rows, file, text):
    """A link that saves dictionaries with the same keys as a CSV file; it needs no script."""
    lines = io.StringIO()
    writer = csv.DictWriter(lines, rows[0].keys())
    writer.writeheader()
    writer.writerows({key: _inert(value) for key, value in row.items()} for row in rows)
    address = "data:text/csv;charset=utf-8," + quote("\ufeff" + lines.getvalue())
    return f'<a download="{escape(file)}" href="{address}">{escape(text)}</a>'


def _inert(value):
    """A cell that spreadsheets do not run: text that looks like a formula gets an apostrophe."""
    if not isinstance(value, str) or not value.lstrip().startswith(tuple("=+-@＝＋－＠")):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value

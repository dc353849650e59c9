"""Tables of the report's web page, and their export as CSV."""

from __future__ import annotations

import csv
import io
from html import escape
from typing import NamedTuple
from urllib.parse import quote

from smartsvm._display_names import display_width, shown

_LONG_NAME = 14  # columns that a phone has beside three numbers
_SHORT_NAME = 10  # columns of a name that stays on one line, such as "line 12345"
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
        A name may break anywhere unless it is short; numbers and fixed texts never do; a bar is
        drawn as long as its value.
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
        Titles of the columns; an empty one belongs to a column that says nothing by itself.
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
    body = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows)
    first = f' data-first="{FIRST_ROWS}"' if interactive else ""
    names = [cell.text for row in rows for cell in row if cell.kind == "name"]
    long = max(map(display_width, names), default=0) > _LONG_NAME
    # A long name has a line of its own on a phone, unless there are several in a row.
    kind = f' class="{"stacked" if kinds.count("name") == 1 else "long"}"' if long else ""
    return (
        f'<div class="wide"><table{kind}{first}><thead><tr>{titles}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _cell(cell):
    if cell.kind == "bar":
        width = 6 * min(max(cell.value, 0), 1)
        return (
            f'<td class="fixed"><span class="bar" style="width:{width:.2f}em" '
            'aria-hidden="true"></span></td>'
        )
    sort = "" if cell.value is None else f' data-value="{cell.value!r}"'
    is_short = cell.kind == "name" and display_width(cell.text) <= _SHORT_NAME
    kind = "fixed" if is_short else cell.kind
    return f'<td class="{kind}"{sort}>{escape(shown(cell.text))}</td>'


def prose(text):
    """Text as HTML: escaped, and no line ends between a number and its percent sign."""
    return escape(text).replace(" %", "\u00a0%")


def csv_link(rows, file, text):
    """A link that saves dictionaries of equal keys as a CSV file; it needs no script.

    Parameters
    ----------
    rows : list of dict
        One for each line.
    file : str
        Suggested name of the file.
    text : str
        What the link says.

    Returns
    -------
    str
        HTML.
    """
    lines = io.StringIO()
    writer = csv.DictWriter(lines, rows[0].keys())
    writer.writeheader()
    writer.writerows(rows)
    address = "data:text/csv;charset=utf-8," + quote("\ufeff" + lines.getvalue())
    return f'<a download="{escape(file)}" href="{address}">{escape(text)}</a>'

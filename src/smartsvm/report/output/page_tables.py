"""Tables of the report's web page, and their export as CSV."""

import csv
import io
from html import escape
from urllib.parse import quote

from smartsvm.presentation.display_names import display_width, shown
from smartsvm.report.output.blocks import FIXED, NAME
from smartsvm.tables.hints import is_number

_PHONE = 37  # characters in a row of a phone
FIRST_ROWS = 10  # that a table shows until the reader opens it


def table(head, rows, *, interactive=False, total=None):
    """A table; the page's script makes an `interactive` one sortable. `total` counts all rows."""
    kinds = [cell.kind for cell in rows[0]] if rows else [""] * len(head)
    titles = "".join(
        f'<th scope="col" class="{kind}">{escape(title)}</th>'
        for title, kind in zip(head, kinds, strict=True)
    )
    fits = sum(map(_width, head, zip(*rows, strict=True))) <= _PHONE
    # If a row does not fit a phone, its name gets a line of its own there. With several names, all
    # cells get their titles instead.
    said = head if kinds.count(NAME) > 1 else [""] * len(head)
    body = "".join(
        "<tr>"
        + "".join(_cell(cell, title, fits) for cell, title in zip(row, said, strict=True))
        + "</tr>"
        for row in rows
    )
    total = total or len(rows)
    first = f' data-first="{FIRST_ROWS}" data-total="{total}"' if interactive else ""
    kind = "" if fits else f' class="stacked{" titled" * any(said)}"'
    return (
        f'<div class="wide"><table{kind}{first}><thead><tr>{titles}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _width(title, cells):
    """Characters that a column of the table takes; titles break between words."""
    words = [display_width(word) + 1 for word in title.split()]  # with the sort arrow
    return max(*words, *(display_width(cell.text) for cell in cells), 0)


def _cell(cell, title, fits):
    sort = "" if cell.value is None else f' data-value="{float(cell.value)!r}"'
    kind = FIXED if cell.kind == NAME and fits else cell.kind
    said = f' data-title="{escape(title)}"' if title else ""
    return f'<td class="{kind}"{sort}{said}>{escape(shown(cell.text))}</td>'


def csv_link(file):
    """A link that saves a `TableFile` as CSV; it needs no script."""
    address = "data:text/csv;charset=utf-8," + quote("\ufeff" + rows_as_csv(file.rows))
    return f'<a download="{escape(file.name)}" href="{address}">{escape(file.words)}</a>'


def rows_as_csv(rows):
    """Dictionaries with the same keys as the text of a CSV file."""
    lines = io.StringIO()
    writer = csv.DictWriter(lines, rows[0].keys() if rows else ())
    writer.writeheader()
    writer.writerows({key: _inert(value) for key, value in row.items()} for row in rows)
    return lines.getvalue()


def _inert(value):
    """A cell that spreadsheets do not run and terminals do not obey.

    Text that looks like a formula gets an apostrophe.
    """
    if not isinstance(value, str) or is_number(value):
        return value
    visible = (letter for letter in value if letter.isprintable() and letter != " ")
    return "'" * (next(visible, " ") in "=+-@＝＋－＠") + shown(value)

"""The formats of files: what each suffix writes. A new one needs a module and an entry here."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from smartsvm.presentation.output_files import (
    check_no_data,
    check_place,
    figure_content,
    write_file,
)
from smartsvm.report.output import html, markdown
from smartsvm.report.output.page_tables import rows_as_csv


class Views(NamedTuple):
    """What a result looks like in each kind of file; each is made when a format needs it."""

    document: Callable  # the `Document` of web page and Markdown
    text: Callable
    json: Callable
    rows: Callable  # dictionaries, for CSV
    figure: Callable


def _figure(views, path):
    return figure_content(views.figure(), path, dpi=150)


DRAWN = (".png", ".svg", ".pdf")  # by matplotlib
# What a suffix writes of (views, path).
FORMATS = {
    ".html": lambda views, path: html.page(views.document()),
    ".json": lambda views, path: views.json(),
    ".csv": lambda views, path: rows_as_csv(views.rows()),
    ".txt": lambda views, path: f"{views.text()}\n",
    ".md": lambda views, path: markdown.page(views.document()),
    **dict.fromkeys(DRAWN, _figure),
}


def check_format(path, name="path"):
    """Raise if no format has the suffix of a file."""
    if Path(path).suffix.lower() not in FORMATS:
        raise ValueError(f"{name} must end in one of {', '.join(FORMATS)}, got {str(path)!r}.")


def save(views, path):
    """Write `Views` to a file whose name says how."""
    check_format(path)
    check_no_data(path)
    check_place(path)
    write_file(path, FORMATS[Path(path).suffix.lower()](views, path))

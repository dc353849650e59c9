"""Files of a result: `save`, and what each suffix writes.

A new format is a module of its own, an entry of `FORMATS`, and a word in the docstring of `save`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path as FilePath
from typing import NamedTuple

from smartsvm._core.types import Path
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
    if FilePath(path).suffix.lower() not in FORMATS:
        raise ValueError(f"{name} must end in one of {', '.join(FORMATS)}, got {str(path)!r}.")


class Saved(ABC):
    """A result that can be saved: a report, a comparison."""

    @abstractmethod
    def _views(self, title):
        """The `Views` of the result, with a title where they have one."""

    def save(self, path: Path, *, title: str | None = None) -> None:
        """Write the result to a file whose name says how, whole or not at all.

        Parameters
        ----------
        path : str or Path
            ``.html`` for the web page, ``.json`` for `to_json` with all samples, ``.csv`` for the
            samples of a report or the representations of a comparison, ``.txt`` for the text,
            ``.md`` for Markdown, and ``.png``, ``.svg`` or ``.pdf`` for the figure.
        title : str or None, default=None
            Name of the data, on top of the web page, of Markdown and of a report's text.
        """
        check_format(path)
        check_no_data(path)
        check_place(path)
        write_file(path, FORMATS[FilePath(path).suffix.lower()](self._views(title), path))

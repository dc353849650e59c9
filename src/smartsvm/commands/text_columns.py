"""The columns of a text file: which separator it has, which columns are numbers, line by line."""

from __future__ import annotations

import csv
import itertools
import re

import numpy as np

from smartsvm._core.validation import warn
from smartsvm.commands.table_error import TableError
from smartsvm.commands.table_hints import (
    about_encoding,
    about_header,
    about_nameless,
    check_target,
    is_plain,
)

# What stands for a missing value among numbers, in categories and in labels alike; a mere dash
# may well be a label.
MISSING_WORDS = {"", "na", "n/a", "#n/a", "<na>", "nan", "null", "none", "?"}
_TRUTH_WORDS = {"true": 1.0, "false": 0.0}
_QUOTED = re.compile('"[^"]*"')
_CHUNK = 50_000


def read_text(path, target, decimal):
    """The columns of a text file, numbers where all their values are.

    Parameters
    ----------
    path : Path
        The file, in UTF-8.
    target : str
        Name of the column of the labels.
    decimal : {".", ","}
        What stands before the decimals of a number.

    Returns
    -------
    names : list of str
        Of the columns besides the target.
    columns : list of ndarray
        Floats, NaN where a value is missing, or text.
    labels : ndarray of str
        The target.
    lines : list of int
        The line where each sample begins.
    """
    # Twice through the file: which columns are numbers, then the values themselves.
    delimiter = _delimiter(path)
    header, numeric = [], None
    for header, chunk, _ in _chunks(path, delimiter):
        if numeric is None:
            check_target(path, target, header)
            numeric = [name != target for name in header]
        for place, values in enumerate(zip(*chunk, strict=True)):
            if numeric[place]:
                numeric[place] = _floats(values, decimal) is not None
    parts, lines = [[] for _ in header], []
    for _, chunk, lines_of_chunk in _chunks(path, delimiter):
        lines += lines_of_chunk
        for place, values in enumerate(zip(*chunk, strict=True)):
            parts[place].append(_floats(values, decimal) if numeric[place] else np.array(values))
            if numeric[place]:
                _warn_of_rounding(header[place], parts[place][-1], values)
    columns = [np.concatenate(each) for each in parts]
    labels = columns.pop(header.index(target))
    return [name for name in header if name != target], columns, labels, lines


def _delimiter(path):
    if path.suffix.lower() == ".tsv":
        return "\t"
    with open(path, newline="", encoding="utf-8-sig", errors="replace") as file:
        first = next((line for line in file if line.strip()), "")
    # Within quotes it belongs to a name.
    return max(",;\t|", key=_QUOTED.sub("", first).count)


def _chunks(path, delimiter):
    """The header, lists of rows, a limited number of them in memory at a time, and their lines."""
    with open(path, newline="", encoding="utf-8-sig") as file:
        rows = csv.reader(file, delimiter=delimiter)
        try:
            yield from _chunks_of_rows(path, rows)
        except UnicodeDecodeError as error:
            raise TableError(f"{path}: not written in UTF-8." + about_encoding(path)) from error
        except csv.Error as error:
            raise TableError(f"{path}: not readable as a table of text: {error}.") from error


def _chunks_of_rows(path, rows):
    rows = _numbered(rows)
    header, *_ = next(rows, ([], 0, 0))
    if not header:
        raise TableError(f"{path}: the file is empty.")
    if "\0" in "".join(header):
        raise TableError(f"{path}: not written in UTF-8." + about_encoding(path))
    first = next(rows, None)
    if first is None:
        raise TableError(f"{path}: there are no rows below the header.")
    # A separator at the end of every line makes no column.
    while len(header) > 1 and not header[-1] and not any(first[0][len(header) - 1 :]):
        header = header[:-1]
    _check_names(path, header)
    chunk, lines = [], []
    for row, begin, end in itertools.chain([first], rows):
        if len(row) < len(header) or any(row[len(header) :]):
            where = f"line {begin}" if begin == end else f"lines {begin} to {end}, read as one row"
            raise TableError(
                f"{path}, {where}: {len(row)} value{'s' if len(row) > 1 else ''}, but the first "
                f"line names {len(header)} columns." + about_header(header)
            )
        chunk.append(row[: len(header)])
        lines.append(begin)
        if len(chunk) == _CHUNK:
            yield header, chunk, lines
            chunk, lines = [], []
    if chunk:
        yield header, chunk, lines


def _numbered(rows):
    """Rows that are not blank, with the lines where they begin and end."""
    end = 0
    for row in rows:
        begin, end = end + 1, rows.line_num  # a quoted value may hold line breaks
        row = [value.strip() for value in row]
        if len(row) > 1 or any(row):
            yield row, begin, end


def _check_names(path, header):
    twice = next((name for name in header if header.count(name) > 1), None)
    if twice is None:
        return
    said = f"names a column twice: {twice!r}" if twice else "leaves several columns without a name"
    hint = (
        "The first line must name the columns."
        if about_nameless(header)
        else "Give each its own name."
    )
    raise TableError(f"{path}: the header {said}. {hint}")


def _floats(values, decimal):
    """The values as numbers, NaN where one is missing; None if some are text."""
    if not is_plain("".join(values)):
        return None
    if decimal == ",":
        values = [value.replace(".", "x").replace(",", ".") for value in values]  # 1.5 is text
    try:
        return np.array(values, dtype=float)
    except ValueError:
        pass
    try:
        return np.array([_float(value.lower()) for value in values])
    except ValueError:
        return None


def _warn_of_rounding(name, column, values):
    """Warn if a column of a file holds integers that floats do not tell apart."""
    large = np.flatnonzero(np.abs(column) > 2**53)
    if any(values[i].lstrip("+-").isdecimal() for i in large):
        warn(
            f"column {name!r} holds integers beyond 2^53, which are rounded: leave it out, or "
            "subtract a common value first.",
            RuntimeWarning,
        )


def _float(word):
    if word in MISSING_WORDS:
        return np.nan
    return _TRUTH_WORDS[word] if word in _TRUTH_WORDS else float(word)

"""What would help with a table that cannot be used: said at the end of a refusal."""

from __future__ import annotations

import difflib
import re
import shlex

from smartsvm.commands.table_error import TableError

_DATE = re.compile(r"\d{4}-\d\d?-\d\d?|\d\d?[./]\d\d?[./]\d{2,4}")
_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+")
_THOUSANDS = re.compile(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?")
_WITH_SIGN = re.compile(r"[-+]?\d+([.,]\d+)?\s*(%|€|\$|£)|(€|\$|£)\s*\d+([.,]\d+)?")
_MARKS = {  # UTF-32 first: one of its marks begins like one of UTF-16
    b"\xff\xfe\0\0": "utf-32", b"\0\0\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16",
}  # fmt: skip
_NO_NAMES = ("#", "sep=")  # how a remark begins, and what tells Excel the separator
_FEW_WORDS = 3  # in a column of numbers: marks of missing values rather than categories
_FEW_ROWS = 20  # categories may all differ by chance in fewer
_BEGIN = 4096  # bytes of a file that are looked at


def about_text(name, column):
    """What would help with a column that does not hold numbers.

    Parameters
    ----------
    name : str
        Of the column.
    column : ndarray of str
        Its values.

    Returns
    -------
    str
        A sentence after a blank, or nothing.
    """
    values = [value for value in column.tolist() if value]
    first = values[0] if values else ""
    if _DATE.match(first):
        return f" {name!r} looks like a date: turn it into a number, such as days since the first."
    if values and all(_THOUSANDS.fullmatch(value) for value in values):
        return f" {name!r} looks like numbers with commas between thousands: leave the commas out."
    if _DECIMAL_COMMA.fullmatch(first):
        return f" {name!r} looks like numbers with a decimal comma: use --decimal ','."
    if _WITH_SIGN.fullmatch(first):
        return f" {name!r} holds {first!r}: write numbers without a sign of their unit."
    words = {value for value in values if not is_number(value)}
    if 0 < len(words) <= _FEW_WORDS and 2 * sum(is_number(value) for value in values) > len(values):
        shown = ", ".join(repr(word) for word in sorted(words))
        return f" {name!r} holds {shown} among numbers: leave missing values empty, or write NA."
    # Python reads it as a number, which may not be what was meant.
    odd = next((value for value in values if not is_plain(value) and is_number(value)), None)
    if odd is not None:
        return f" {name!r} holds {odd!r}: write numbers in the digits 0 to 9 alone."
    if len(set(values)) == len(values) > _FEW_ROWS:
        return f" {name!r} names every sample: leave it out with --drop {shlex.quote(name)}."
    return ""


def about_header(header):
    """What would help if rows have other numbers of values than the first line.

    Parameters
    ----------
    header : list of str
        The first line.

    Returns
    -------
    str
        A sentence after a blank, or nothing.
    """
    if len(header) > 1 and not header[0].startswith(_NO_NAMES):
        return ""
    return f" The first line must name the columns; it is {', '.join(header)!r}."


def check_target(path, target, header):
    """Raise if a file has no column of the target's name.

    Parameters
    ----------
    path : Path
        The file.
    target : str
        Name of the column of the labels.
    header : list of str
        What there is.
    """
    if target not in header:
        shown = ", ".join(header[:12]) + (", ..." if len(header) > 12 else "")
        raise TableError(
            f"{path}: no column {target!r}, only {shown}." + about_missing_column(target, header)
        )


def about_missing_column(name, header):
    """What would help if a file has no column of that name.

    Parameters
    ----------
    name : str
        That was asked for.
    header : list of str
        What there is.

    Returns
    -------
    str
        A sentence after a blank, or nothing.
    """
    if any(is_number(column) for column in header) or header[0].startswith(_NO_NAMES):
        return " The first line must name the columns."
    if len(header) == 1:
        return " Columns must be separated by commas, semicolons, tabs or bars."
    near = difflib.get_close_matches(name.lower(), [column.lower() for column in header], n=1)
    meant = next((column for column in header if near and column.lower() == near[0]), None)
    return "" if meant is None else f" Did you mean {meant!r}?"


def about_nameless(header):
    """What to say of a first line that looks like a sample.

    Parameters
    ----------
    header : list of str
        The first line of a file, in any order.

    Returns
    -------
    str
        A note, or nothing: also where the names just count the columns.
    """
    counts = [{str(first + i) for i in range(len(header))} for first in (0, 1)]
    if set(header) in counts or not all(is_number(column) for column in header):
        return ""
    return "the first line, all numbers, was read as the names of the columns: is it a sample?"


def about_encoding(path):
    """What would help with a file that is not UTF-8.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    str
        A sentence after a blank.
    """
    with path.open("rb") as file:
        begin = file.read(_BEGIN)
    name = next((name for mark, name in _MARKS.items() if begin.startswith(mark)), None)
    # Without a mark, each Latin letter has a zero after it, or before it.
    for first, second, written in ((0, 1, "utf-16-le"), (1, 0, "utf-16-be")):
        letters, zeros = begin[first:40:2], begin[second:40:2]
        if name is None and b"\0" not in letters and zeros and not zeros.strip(b"\0"):
            name = written
    if name is not None:
        return f" It looks like {name[:6].upper()}: use --encoding {name}."
    if b"\0" in begin:
        return " It looks like no text at all."
    return " Say how it is written, such as --encoding latin-1."


def is_plain(text):
    """Whether it has nothing that only Python reads: 1_0 as 10, or digits of other scripts."""
    return text.isascii() and "_" not in text


def is_number(value):
    """Whether Python reads a text as a number."""
    try:
        float(value)
    except ValueError:
        return False
    return True

"""Hints for tables that cannot be used: each is a sentence after a space, or empty."""

import difflib

from smartsvm.presentation.display_names import shown

_BYTE_ORDER_MARKS = {  # UTF-32 first: one of its marks begins like one of UTF-16
    b"\xff\xfe\0\0": "utf-32",
    b"\0\0\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
_NOT_A_HEADER = ("#", "sep=")  # a comment; a line that tells Excel the separator
_FEW_ROWS = 20  # in fewer rows, categories may all differ by chance


class TableError(ValueError):
    """A table that cannot be read as points and labels; the message says why.

    Names in it, which may come from anywhere, are safe to show.
    """

    def __init__(self, message=""):
        super().__init__(shown(str(message).strip()))


def about_text(name, values, option):
    """The problem of a text column and how to solve it, from its name and its values."""
    # Python reads these as numbers, but the file may mean something else: 1_0, other scripts.
    odd = (v for v in values if ("_" in v or not v.isascii()) and is_number(v))
    if (value := next(odd, None)) is not None:
        return "digits", f" {name!r} holds {value!r}: write numbers with the digits 0 to 9 only."
    if len(set(values)) == len(values) > _FEW_ROWS:
        how = option("drop", name)
        return "distinct", f" {name!r} differs in every sample: leave it out with {how}."
    return "none", ""


def check_target(target, header, *, is_text=False):
    """Raise if no column has the target's name; `is_text` if the header is a line of a file."""
    if target not in header:
        ends = [*header[:9], "...", *header[-3:]] if len(header) > 13 else header
        raise TableError(
            f"no column {target!r}; the columns are {', '.join(ends)}."
            + about_missing_column(target, header, is_text=is_text)
        )


def about_missing_column(name, header, *, is_text=False):
    """Which column was probably meant, or why the header has no names."""
    if is_text and (any(map(is_number, header)) or header[0].startswith(_NOT_A_HEADER)):
        return " The first line must name the columns."
    if is_text and len(header) == 1:
        return " Columns must be separated by commas, semicolons, tabs or |."
    by_lower = {column.lower(): column for column in header}
    near = difflib.get_close_matches(name.lower(), by_lower, n=1)
    return f" Did you mean {by_lower[near[0]]!r}?" if near else ""


def about_header(header):
    """A note on a first line of numbers only, unless they just count the columns."""
    counts = [{str(first + i) for i in range(len(header))} for first in (0, 1)]
    if set(header) in counts or not all(map(is_number, header)):
        return ""
    return "the first line holds only numbers and is read as column names: is it a sample?"


def about_encoding(begin):
    """Which encoding a file that is not UTF-8 probably has, from its first bytes."""
    name = wide_encoding(begin)
    if name is not None:
        return f" It looks like {name[:6].upper()}: use --encoding {name}."
    if b"\0" in begin:
        return " It does not look like text."
    return " Name its encoding, such as --encoding latin-1."


def wide_encoding(begin):
    """The encoding with several bytes for each letter that first bytes tell, or None."""
    name = next((name for mark, name in _BYTE_ORDER_MARKS.items() if begin.startswith(mark)), None)
    # Without a mark, every Latin letter has a zero after it or before it.
    for first, second, guess in ((0, 1, "utf-16-le"), (1, 0, "utf-16-be")):
        letters, zeros = begin[first:40:2], begin[second:40:2]
        if name is None and b"\0" not in letters and zeros and not zeros.strip(b"\0"):
            name = guess
    return name


def is_number(value):
    """Whether Python reads a text as a number."""
    try:
        float(value)
    except ValueError:
        return False
    return True

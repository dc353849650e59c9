"""Names given by the user as they are shown: on a terminal, on a page, in a figure.

Labels and column names may come from anywhere. Shown raw, an escape sequence would drive the
terminal and a line break would forge a line of the page. `plotting/fonts.py` has what figures need
beyond that.
"""

from __future__ import annotations

import textwrap
import unicodedata

# Control, format (such as the ones that turn the direction of writing), lone surrogates,
# and breaks of lines and paragraphs.
_INVISIBLE = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_JOINERS = "\u200c\u200d"  # part of the spelling in Persian and Hindi, and of emoji
_FILLER = "\0"  # stands for the second column of a wide character; never in a shown name


def shown(name):
    """A label or column name as text of one line, in which nothing is invisible."""
    return "".join(map(_visible, str(name)))


def one_line(message):
    """A message, perhaps of several lines and with names in it, as one line to be printed."""
    return shown(" ".join(str(message).split()))


def json_escaped(text):
    """JSON in which characters that could drive a terminal are escaped; it means the same."""
    return "".join(
        char if char == "\n" or _visible(char) == char else _json_escape(char) for char in text
    )


def display_width(text):
    """Columns of a terminal that a shown text takes; East Asian characters take two."""
    return sum(map(_columns, text))


def padded(text, width):
    """A shown text with spaces after it, up to a width on the terminal."""
    return text + " " * (width - display_width(text))


def shorten(name, width):
    """A name as it is shown, cut to a width in its middle, since names often differ at the end."""
    text = shown(name)
    if display_width(text) <= width:
        return text
    # An escape is kept or left out as a whole.
    pieces = list(map(_visible, str(name)))
    end = (width - 3) // 2
    head, tail = fitting(pieces, width - 3 - end), fitting(pieces[::-1], end)
    return "".join(head) + "..." + "".join(tail[::-1])


def wrap(text, width, *, indent=0, hanging=None):
    """Lines of a shown text, none of them wider than a terminal."""
    filled = "".join(char + _FILLER * (_columns(char) - 1) for char in text)
    lines = textwrap.wrap(
        filled,
        width,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent if hanging is None else hanging),
    )
    return [line.replace(_FILLER, "") for line in lines]


def _visible(char):
    if char in _JOINERS or unicodedata.category(char) not in _INVISIBLE:
        return char
    return escaped(char)


def escaped(char):
    """A character as Python's strings write it in ASCII."""
    return char.encode("unicode_escape").decode()


def _json_escape(char):
    halves = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{halves[i : i + 2].hex()}" for i in range(0, len(halves), 2))


def _columns(char):
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def fitting(pieces, width, text_width=display_width):
    """The first pieces, or characters, that together are at most this wide."""
    used = 0
    for count, piece in enumerate(pieces):
        used += text_width(piece)
        if used > width:
            return pieces[:count]
    return pieces

"""Make names given by the user safe to show on a terminal, on a page and in a figure.

Labels and column names may come from anywhere: a raw escape sequence would control the terminal,
and a line break would add a line to the page. `plotting/fonts.py` does the rest for figures.
"""

from __future__ import annotations

import textwrap
import unicodedata

# Control and format characters (such as those that change the writing direction), lone
# surrogates, line and paragraph separators.
_INVISIBLE = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_JOINERS = "\u200c\u200d"  # needed to spell Persian and Hindi, and for emoji
_FILLER = "\0"  # second column of a wide character; never part of a shown name


def shown(name):
    """A label or column name on one line, with invisible characters escaped."""
    return "".join(map(_visible, str(name)))


def one_line(message):
    """A message joined into one line that is safe to print."""
    return shown(" ".join(str(message).split()))


def json_escaped(text):
    """The same JSON with characters that could control a terminal escaped."""
    return "".join(
        char if char == "\n" or _visible(char) == char else _json_escape(char) for char in text
    )


def display_width(text):
    """Width of a text in terminal columns; East Asian characters take two."""
    return sum(map(_columns, text))


def padded(text, width):
    """A text padded with spaces to a width on the terminal."""
    return text + " " * (width - display_width(text))


def shorten(name, width, dots="...", text_width=display_width):
    """A name cut in its middle to a width, since names often differ at the end."""
    text = shown(name)
    if text_width(text) <= width:
        return text
    # An escape sequence is kept or dropped as a whole.
    pieces = list(map(_visible, str(name)))
    end = (width - len(dots)) // 2
    head = fitting(pieces, width - len(dots) - end, text_width)
    tail = fitting(pieces[::-1], end, text_width)
    return "".join(head) + dots + "".join(tail[::-1])


def wrap(text, width, *, indent=0, hanging=None):
    """A text wrapped into lines of at most `width` terminal columns."""
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
    """A character as an ASCII escape of Python."""
    return char.encode("unicode_escape").decode()


def _json_escape(char):
    halves = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{halves[i : i + 2].hex()}" for i in range(0, len(halves), 2))


def _columns(char):
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def fitting(pieces, width, text_width=display_width):
    """The first pieces whose total width is at most `width`."""
    used = 0
    for count, piece in enumerate(pieces):
        used += text_width(piece)
        if used > width:
            return pieces[:count]
    return pieces

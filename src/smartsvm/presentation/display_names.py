"""Make names given by the user safe to show on a terminal, on a page and in a figure.

Labels and column names may come from anywhere: a raw escape sequence would control the terminal,
and a line break would add a line to the page. `plotting/fonts.py` does the rest for figures.
"""

import re
import textwrap
import unicodedata
from functools import lru_cache
from os.path import commonprefix
from string import digits

# Control and format characters (such as those that change the writing direction), lone
# surrogates, line and paragraph separators.
_INVISIBLE = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_JOINERS = "\u200c\u200d"  # needed to spell Persian and Hindi, and for emoji
ELLIPSIS = "…"
_DIGITS = re.compile(r"(\d+)")
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


def as_item(name):
    """A name in a list, in quotes if it holds a comma or an "and" itself."""
    return f'"{name}"' if "," in name or " and " in name else name


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


@lru_cache
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


@lru_cache
def _columns(char):
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def fitting(pieces, width, text_width=display_width):
    """The first pieces whose total width is at most `width`."""
    total = 0
    for count, piece in enumerate(pieces):
        total += text_width(piece)
        if total > width:
            return pieces[:count]
    return pieces


def natural_key(name):
    """Sort key that puts c2 before c10: runs of digits compare as numbers."""
    parts = _DIGITS.split(str(name))
    # Odd parts are digits. The name itself comes last, so that 7 and 007 differ.
    return tuple(_value(p) if place % 2 else p for place, p in enumerate(parts)), str(name)


def _value(number):
    """A key that orders runs of digits by value; `int` refuses more than 4,300 of them."""
    plain = "".join(str(unicodedata.decimal(digit)) for digit in number).lstrip("0")
    return len(plain), plain


def natural_order(labels):
    """Positions of labels in natural order."""
    labels = list(labels)
    if all(isinstance(label, str) for label in labels):
        return sorted(range(len(labels)), key=lambda place: natural_key(labels[place]))
    return list(range(len(labels)))  # numbers and dates are already sorted


def shorten_distinct(names, width, text_width=display_width, dots=ELLIPSIS):
    """Names of at most `width`; distinct names stay distinct."""
    names = [shown(name) for name in names]
    short = [shorten(name, width, dots, text_width) for name in names]
    for group in _alike(names, short):
        # The first letters, then the name from where the group begins to differ, numbers whole.
        shared = commonprefix([names[place] for place in group])  # noqa: RUF071 no paths
        start = len(shared.rstrip(digits))
        for place in group if start >= 4 else ():
            lead = fitting(names[place], width // 3, text_width) + dots
            ending = names[place][start:]
            if text_width(lead + ending) > width:
                # There is no room for both: the letters that differ say more than the first ones.
                lead = dots
            if text_width(lead + ending) > width:
                ending = fitting(ending, width - text_width(lead + dots), text_width) + dots
            short[place] = lead + ending
    for group in _alike(names, short):
        for number, place in enumerate(group, start=1):
            mark = f"{dots}{number}"
            short[place] = fitting(names[place], width - len(mark), text_width) + mark
    return short


def _alike(names, short):
    """Groups of positions whose names differ but were shortened to the same text."""
    groups = {}
    for place, text in enumerate(short):
        groups.setdefault(text, []).append(place)
    return [group for group in groups.values() if len({names[place] for place in group}) > 1]

"""What is known of each prepared column, and what is said about a table: records, never names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from smartsvm.presentation.display_names import shorten, shown

# How a column of prepared points is made.
NUMBER = "number"  # as it was, or from text, ticks, durations, the places of a list
DATE = "date"  # elapsed days
CYCLE = "cycle"  # the sine or cosine of a part of a date
GAPS = "gaps"  # 1 where its sources lack a value, else 0
CATEGORY = "category"  # 1 where its source has one value, else 0
WORDS = "words"  # a direction of the words of its source
TEXT = "text"  # before it is encoded
ENCODED_TEXTS = 50  # values of a text column that get a column of their own

# What a note says. The first four tell of data that are not used as they were.
LEFT_OUT, BY_VALUE, DROPPED, COUNTED = "left out", "by value", "dropped", "counted"
READ = "read"  # how words became numbers or dates
# A word such as 1.037, which may be 1037: read with a decimal dot, and with a decimal comma.
OPEN_AS_DOT, OPEN_AS_COMMA = "open, as dot", "open, as comma"
FILLED, ENCODED, BY_WORDS = "filled", "encoded", "by words"
FAR = "far values"  # a few values far outside all others
HINT = "hint"  # what the name of a column was taken for
AXIS = "time axis"  # the date that is the time of a row, then the other dates
FILE, LABELS = "file", "labels"
CHANGE = "change"  # the parameters that change all that
# Why a column is set aside that may tell more than it should.
ID, EMPTY, SHAPE = "id", "mostly empty", "shape of a text"
_LONGEST_NAME = 40  # characters of a column in a note: a question may have hundreds


@dataclass(frozen=True)
class Column:
    """A column of points: of which columns of the table it is made, and how."""

    name: object  # its own, text in a table
    sources: tuple = ()  # several for a mark of gaps that these share
    kind: str = NUMBER
    hints: frozenset = frozenset()  # of `name_hints`, for a column of whole numbers

    @property
    def told(self):
        """The name that users know it by: that of its source for a category or its words."""
        return self.sources[0] if self.kind in (CATEGORY, WORDS) else self.name


class RowsLeftOut(NamedTuple):
    """Rows of a table that lack a label, or another value."""

    n_left_out: int
    n_rows: int
    lack: str  # "a label" or "a value"

    @property
    def share(self):
        """The fraction of the rows that is left out."""
        return self.n_left_out / self.n_rows


class SetAside(NamedTuple):
    """What is no feature, but may tell the label: an id, gaps of a mostly empty column, a unit."""

    name: str
    kind: str  # ID, EMPTY or SHAPE
    values: np.ndarray  # the numbers, 1 for a gap, or numbered texts without their digits


class Note(str):
    """A text on what was done to a table or found in it, with its kind and the columns it is about.

    Whoever needs to know what happened reads the kind and the columns; the text is for people, and
    names in it are safe to show.
    """

    kind: str
    columns: tuple[str, ...]

    def __new__(cls, kind: str, text: str, columns: tuple[str, ...] = ()) -> Note:
        note = super().__new__(cls, shown(text))
        note.kind = kind
        note.columns = columns
        return note

    def __getnewargs__(self):
        return self.kind, str(self), self.columns


def in_note(name):
    """How a note calls a column."""
    return shorten(name, _LONGEST_NAME) or repr("")

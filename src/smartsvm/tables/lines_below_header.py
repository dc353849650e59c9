"""Lines below the header that are no samples: units, answers of a survey, roles of the columns."""

import numpy as np

from smartsvm.tables.column_readers import MISSING_WORDS
from smartsvm.tables.hints import is_number

_LEAST_ROWS = 20  # fewer rows may differ from each other in every column
# A column of categories has at least so many rows for each of its values. A value that only the
# first row has is no category then.
_LEAST_REPEATS = 5
# Columns that the line must stand out in: with texts above numbers, or with texts of their own.
_LEAST_ABOVE_NUMBERS, _LEAST_OF_ITS_OWN = 2, 3
_NUMBERS = 0.95  # fraction of the values below that are numbers
_ROLES = {"class", "meta", "ignore", "weight"}
_LOOKED_AT = 1000  # rows at first: they rule out nearly every table


def continues_header(frame, target):
    """Whether the first row of a frame is no sample: it differs from all others in each column."""
    if len(frame) < _LEAST_ROWS:
        return False
    return _all_stand_out(frame[:_LOOKED_AT], target) and (
        len(frame) <= _LOOKED_AT or _all_stand_out(frame, target)
    )


def holds_roles(frame):
    """Whether the second row of a frame says which column is the class, as Orange writes it."""
    words = {text_of(value) for value in frame.iloc[1].tolist()} - {None}
    return bool(words) and words <= _ROLES


def _all_stand_out(frame, target):
    ways = []
    for name, values in frame.items():
        way = _stands_out(values.to_numpy(dtype=object))
        if way == "" or (name == target and way is None):
            return False
        ways.append(way)
    above_numbers, of_its_own = ways.count("above numbers"), ways.count("of its own")
    return above_numbers >= _LEAST_ABOVE_NUMBERS or above_numbers + of_its_own >= _LEAST_OF_ITS_OWN


def _stands_out(values):
    """How the first value differs from the others: "", and None where nothing can be told."""
    first = text_of(values[0])
    if first is None:
        return None
    if is_number(first):
        return ""
    words = [word for word in map(text_of, values[1:].tolist()) if word is not None]
    if not words:
        return None
    if set(words) == {first}:
        return None  # a box to tick: its answers repeat the line that names it
    if first in words:
        return ""
    if np.mean([is_number(word) for word in words]) >= _NUMBERS:
        return "above numbers"
    return "of its own" if len(words) >= _LEAST_REPEATS * len(set(words)) else None


def text_of(value):
    """A value as it is written, None where it is missing."""
    word = "" if value is None or value != value else str(value).strip()
    return None if word.lower() in MISSING_WORDS else word

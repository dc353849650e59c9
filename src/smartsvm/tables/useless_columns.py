"""Columns that say nothing about the samples: ids, names, and columns that are mostly empty."""

from collections import Counter
from typing import NamedTuple

import numpy as np

from smartsvm.presentation.wording import percent
from smartsvm.tables.column_readers import ENCODED_TEXTS, import_pandas
from smartsvm.tables.name_hints import INDEX, TIME, UNIT, has_hint
from smartsvm.tables.records import CYCLE, DATE, TEXT

_FEW_ROWS = 20  # in fewer rows, categories and whole numbers may all differ by chance
# Names of many things: the values that get a column of their own must cover this share of the rows.
_LEAST_SHARE = 0.2
# n independent numbers from r different ones have at least n² / 2r equal pairs on average, and
# with this many expected, none at all has a chance below 0.001.
_EXPECTED_TIES = 7
_LARGEST_ID = 1e20  # of 64 bits
_BY_NAME = " by its name"  # how a reason ends that rests on a hint


class Useless(NamedTuple):
    """A column that says nothing."""

    place: int  # among the columns that were read
    why: str
    is_many_texts: bool = False  # it says nothing to distances; some classifiers read it by value


def useless_columns(read, missing, categorical):
    """The `Useless` ones of some columns that were read."""
    notna = import_pandas().notna
    for place, column in enumerate(read):
        if column.kind == CYCLE:
            continue
        is_text, values = column.kind == TEXT, column.values
        present = values[notna(values)]
        if is_text and categorical == "drop":
            yield Useless(place, "text")
        elif missing == "auto" and 2 * len(present) < len(values):
            yield Useless(place, f"{percent(1 - len(present) / len(values))} empty")
        elif is_text and categorical == "refuse":
            continue
        elif len(present) == len(values) > _FEW_ROWS and (values == values[0]).all():
            yield Useless(place, "constant")
        elif not is_text and column.kind != DATE and (why := _is_id(column.name, present)):
            yield Useless(place, why)
        elif is_text and categorical == "onehot" and len(present) > _FEW_ROWS:
            counts = sorted(Counter(present).values(), reverse=True)
            covered = sum(counts[:ENCODED_TEXTS]) / len(present)
            if 2 * len(counts) > len(present) or covered < _LEAST_SHARE:
                yield Useless(place, f"{len(counts):,} different texts", is_many_texts=True)


def _is_id(name, values):
    """Why numbers are an id, or "": whole, all different, and in a row, too many or named like one.

    If the name says so, an id may repeat, as long as most of its values differ.
    """
    n = len(values)
    if n < 3 or not (np.abs(values) < _LARGEST_ID).all():
        return ""
    if np.ptp(values) < n - 1 or has_hint(name, TIME):
        return ""
    if (values != np.floor(values)).any():
        return ""
    in_a_row = abs(values[1] - values[0]) == 1 and np.ptp(np.diff(values)) == 0
    without_ties = n > _FEW_ROWS and n**2 >= 2 * _EXPECTED_TIES * np.ptp(values)
    n_distinct = len(np.unique(values))
    if n_distinct < n:
        repeats = n > _FEW_ROWS and 2 * n_distinct > n and has_hint(name, UNIT)
        return f"{n_distinct:,} ids{_BY_NAME}" if repeats else ""
    if in_a_row or without_ties:
        return "numbers the samples"
    steps = np.diff(values)
    in_order = n > _FEW_ROWS and ((steps > 0).all() or (steps < 0).all())
    # Ends of words such as custid are like those of paid or acid, which are in no order.
    named = has_hint(name, INDEX) or (in_order and name.lower().endswith("id"))
    return f"an id{_BY_NAME}" if named else ""

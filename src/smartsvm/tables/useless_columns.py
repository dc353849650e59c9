"""Columns that say nothing about the samples: ids, names, and columns that are mostly empty."""

from collections import Counter
from typing import NamedTuple

import numpy as np

from smartsvm.presentation.wording import percent
from smartsvm.tables.column_readers import import_pandas
from smartsvm.tables.name_hints import INDEX, TIME, UNIT, has_hint
from smartsvm.tables.records import CYCLE, DATE, EMPTY, ENCODED_TEXTS, ID, TEXT
from smartsvm.tables.sentences import are_sentences

_FEW_ROWS = 20  # in fewer rows, categories and whole numbers may all differ by chance
# Names of many things: the values that get a column of their own must cover this share of the rows.
_LEAST_SHARE = 0.2
# n independent numbers from r different ones have at least n² / 2r equal pairs on average. With 7
# expected, none at all has a chance below 0.001, and so has a twentieth of 20 or more.
_EXPECTED_TIES = 7
_FEW_TIES = 0.05
_LARGEST_ID = 1e20  # of 64 bits
_EXACT = 2**53  # larger integers are rounded
_BY_NAME = " by its name"  # how a reason ends that rests on a hint


class Useless(NamedTuple):
    """A column that says nothing."""

    place: int  # among the columns that were read
    why: str
    is_many_texts: bool = False  # it says nothing to distances; some classifiers read it by value
    kind: str | None = None  # ID or EMPTY: it may say something that it should not
    is_sentences: bool = False  # its words may say something


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
            yield Useless(place, f"{percent(1 - len(present) / len(values))} empty", kind=EMPTY)
        elif is_text and categorical == "refuse":
            continue
        elif len(present) == len(values) > _FEW_ROWS and (values == values[0]).all():
            # Integers beyond 2^53 may differ by less than the distance of two numbers of float64.
            rounded = values.dtype.kind == "f" and abs(values[0]) >= _EXACT
            yield Useless(place, "constant to 16 digits" if rounded else "constant")
        elif not is_text and column.kind != DATE and (why := _is_id(column.name, present)):
            yield Useless(place, why, kind=ID)
        elif is_text and categorical == "onehot" and len(present) > _FEW_ROWS:
            counts = sorted(Counter(present).values(), reverse=True)
            covered = sum(counts[:ENCODED_TEXTS]) / len(present)
            if 2 * len(counts) > len(present) or covered < _LEAST_SHARE:
                why = f"{len(counts):,} different texts"
                sentences = are_sentences(present)
                yield Useless(place, why, is_many_texts=True, is_sentences=sentences)


def _is_id(name, values):
    """Why whole numbers are an id, or "": in a row, with too few ties, or named like one.

    If the name says so, an id may repeat, as long as most of its values differ.
    """
    n, n_distinct = len(values), len(np.unique(values))
    if n < 3 or has_hint(name, TIME) or not (np.abs(values) < _LARGEST_ID).all():
        return ""
    if 2 * n_distinct <= n or (values != np.floor(values)).any():
        return ""
    in_a_row = abs(values[1] - values[0]) == 1 and np.ptp(np.diff(values)) == 0
    expected_ties = n**2 / (2 * (np.ptp(values) + 1))
    few_ties = n - n_distinct <= _FEW_TIES * expected_ties and expected_ties >= _EXPECTED_TIES
    if in_a_row or (few_ties and n > _FEW_ROWS):
        return "numbers the samples"
    if n_distinct < n:
        repeats = n > _FEW_ROWS and has_hint(name, UNIT)
        return f"{n_distinct:,} ids{_BY_NAME}" if repeats else ""
    steps = np.diff(values)
    in_order = n > _FEW_ROWS and ((steps > 0).all() or (steps < 0).all())
    # Ends of words such as custid are like those of paid or acid, which are in no order.
    named = any(has_hint(name, hint) for hint in (INDEX, UNIT))
    return f"an id{_BY_NAME}" if named or (in_order and name.lower().endswith("id")) else ""

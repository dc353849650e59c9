"""Columns that say nothing about the samples: ids, names, and columns that are mostly empty."""

import re
from collections import Counter

import numpy as np

from smartsvm.presentation.wording import percent
from smartsvm.tables.column_readers import ENCODED_TEXTS, import_pandas
from smartsvm.tables.dates import is_time_name
from smartsvm.tables.unit_columns import is_unit_name

DIFFERENT_TEXTS = "different texts"  # how the reason of a text with too many values ends
_FEW_ROWS = 20  # in fewer rows, categories and whole numbers may all differ by chance
# Names of many things: the values that get a column of their own must cover this share of the rows.
_LEAST_SHARE = 0.2
# n independent numbers from r different ones have at least n² / 2r equal pairs on average, and
# with this many expected, none at all has a chance below 0.001.
_EXPECTED_TIES = 7
_LARGEST_ID = 1e20  # of 64 bits
_ID = re.compile(r"(.*[\W_])?([iI][dD]|uuid|UUID|index|key)|.*[a-z]I[dD]|Unnamed: \d+|")


def columns_to_leave_out(frame, sources, dates, missing, categorical):
    """(column, reason) for useless columns; `sources` names the column each was made of."""
    notna = import_pandas().notna
    seen = set()
    for name, values in frame.items():
        source = sources[name]
        if source in seen and source in dates:
            continue
        is_text = values.dtype.kind != "f"
        values = values.to_numpy()
        present = values[notna(values)]
        seen.add(source)
        if is_text and categorical == "drop":
            yield name, "text"
        elif missing == "auto" and 2 * len(present) < len(values):
            yield name, f"{percent(1 - len(present) / len(values))} empty"
        elif is_text and categorical == "refuse":
            continue
        elif len(present) == len(values) > _FEW_ROWS and (values == values[0]).all():
            yield name, "constant"
        elif not is_text and source not in dates and _numbers_samples(name, present):
            n_ids = len(np.unique(present))
            yield name, "numbers the samples" if n_ids == len(present) else f"{n_ids:,} ids"
        elif is_text and categorical == "onehot" and len(present) > _FEW_ROWS:
            counts = sorted(Counter(present).values(), reverse=True)
            covered = sum(counts[:ENCODED_TEXTS]) / len(present)
            if 2 * len(counts) > len(present) or covered < _LEAST_SHARE:
                yield name, f"{len(counts):,} {DIFFERENT_TEXTS}"


def _numbers_samples(name, values):
    """Whether numbers are an id: whole, all different, and in a row, too many or named like one.

    If the name says so, an id may repeat, as long as most of its values differ.
    """
    n = len(values)
    if n < 3 or not (np.abs(values) < _LARGEST_ID).all():
        return False
    if np.ptp(values) < n - 1 or is_time_name(name):
        return False
    in_a_row = abs(values[1] - values[0]) == 1 and np.ptp(np.diff(values)) == 0
    without_ties = n > _FEW_ROWS and n**2 >= 2 * _EXPECTED_TIES * np.ptp(values)
    if (values != np.floor(values)).any():
        return False
    n_distinct = len(np.unique(values))
    if n_distinct < n:
        return n > _FEW_ROWS and 2 * n_distinct > n and is_unit_name(name)
    steps = np.diff(values)
    in_order = n > _FEW_ROWS and ((steps > 0).all() or (steps < 0).all())
    # Ends of words such as custid are like those of paid or acid, which are in no order.
    named = _ID.fullmatch(name) or (in_order and name.lower().endswith("id"))
    return bool(in_a_row or without_ties or named)

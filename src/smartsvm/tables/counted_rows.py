"""Tables of counts: each row is a combination of values, and a column says how often it occurs."""

import numpy as np

from smartsvm.tables.hints import TableError
from smartsvm.tables.name_hints import COUNTS, has_hint
from smartsvm.tables.records import NUMBER, TEXT

_MOST_SAMPLES = 1_000_000  # more would fill the memory with equal rows
# A count belongs to each combination of the other columns; tables may leave out those of zero.
_LEAST_PRESENT = 0.5
# Each value of another column is in so many rows on average: of a measured one, all values differ.
_LEAST_REPEATS = 2


def find_counts(read, labels, rows):
    """The column that counts the samples of each of some rows and proves it, or None."""
    for column in read:
        is_named = column.kind == NUMBER and has_hint(column.name, COUNTS)
        if is_named and _are_counts(column.values[rows]) is None:
            others = [each.values[rows] for each in read if each is not column]
            if others and _cross([*others, labels.iloc[rows]]):
                return column
    return None


def check_counts(column, rows):
    """Raise unless a column that a user calls counts may hold them."""
    why = "text" if column.kind == TEXT else _are_counts(column.values[rows])
    if why is not None:
        raise TableError(
            f"column {column.source!r} must hold the number of samples of each row, whole numbers "
            f"with a sum above the number of rows and of at most {_MOST_SAMPLES:,}, got {why}."
        )


def repeated(rows, counts):
    """Rows as often as their counts say, in random order: the order of a table says nothing."""
    rows = np.repeat(rows, counts[rows].astype(np.intp))
    return np.random.default_rng(0).permutation(rows)


def _are_counts(counts):
    """None for whole numbers with a fitting sum, else what is not so."""
    if np.isnan(counts).any():
        return "gaps"
    odd = counts[~(np.isfinite(counts) & (counts >= 0) & (counts == counts.round()))]
    if odd.size:
        return f"{odd[0]:g}"
    total = counts.sum()
    return None if len(counts) < total <= _MOST_SAMPLES else f"a sum of {total:,.0f}"


def _cross(columns):
    """Whether each combination of values is in one row, and most combinations are in one."""
    import pandas

    codes = [pandas.factorize(values, use_na_sentinel=False)[0] for values in columns]
    sizes = [int(code.max()) + 1 for code in codes]
    n_rows = len(codes[0])
    if any(_LEAST_REPEATS * size > n_rows for size in sizes):
        return False
    n_possible = np.prod(np.array(sizes, dtype=float))
    n_distinct = len(np.unique(np.stack(codes, axis=1), axis=0))
    return n_distinct == n_rows >= _LEAST_PRESENT * n_possible

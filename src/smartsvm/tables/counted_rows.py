"""Tables of counts: each row is a combination of values, and a column says how often it occurs."""

import re

import numpy as np

_NAME = re.compile(r"(?i)n|freq(uency|uencies)?|counts?|n[\W_]*obs")
_MOST_SAMPLES = 1_000_000  # more would fill the memory with equal rows
# A count belongs to each combination of the other columns; tables may leave out those of zero.
_LEAST_PRESENT = 0.5


def column_of_counts(columns, labels):
    """The name of the column that counts the samples of each row, or None."""
    for name, counts in columns.items():
        if _NAME.fullmatch(str(name)) and _are_counts(counts):
            others = columns.drop(columns=name)
            others = [values for _, values in others.items()]
            if others and _cross([*others, labels]):
                return name
    return None


def repeated(rows, counts):
    """Rows as often as their counts say, in random order: the order of a table says nothing."""
    rows = np.repeat(rows, counts[rows].astype(np.intp))
    return np.random.default_rng(0).permutation(rows)


def _are_counts(values):
    if values.dtype.kind != "f":
        return False
    counts = values.to_numpy()
    whole = np.isfinite(counts).all() and (counts >= 0).all() and (counts == counts.round()).all()
    return bool(whole) and len(counts) < counts.sum() <= _MOST_SAMPLES


def _cross(columns):
    """Whether each combination of values is in one row, and most combinations are in one."""
    codes = [values.factorize(use_na_sentinel=False)[0] for values in columns]
    n_possible = np.prod([code.max() + 1.0 for code in codes])
    n_rows = len(codes[0])
    n_distinct = len(np.unique(np.stack(codes, axis=1), axis=0))
    return n_distinct == n_rows >= _LEAST_PRESENT * n_possible

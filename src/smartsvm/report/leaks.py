"""Columns that give the label away: numbers of the samples, and the label in disguise."""

from __future__ import annotations

import numpy as np

_LEAST_SAMPLES = 20
_LOOKED_AT = 4000  # samples by which most columns are acquitted of being numbers,
_LOOKED_AT_FIRST = 500  # and of being the label: at least _MOST_VALUES * _LEAST_REPEATS remain
_SPARSE = 2.0  # numbers may be missing: they may span this many times the samples
_ROUNDING = 1e-6  # of a step between numbers, after scaling
_MOST_VALUES = 50  # of a column that is a code of the label ...
_LEAST_REPEATS = 5  # ... each of which occurs this often on average


def numbering_columns(X):
    """Columns whose values only number the samples, in any order.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Finite values, perhaps scaled.

    Returns
    -------
    ndarray of int
        Columns of distinct values that are whole multiples of one step apart and leave out
        fewer numbers than there are samples. Fewer than 20 samples are too few to see it.
    """
    if len(X) < _LEAST_SAMPLES:
        return np.empty(0, dtype=np.intp)
    some = X[:: 1 + len(X) // _LOOKED_AT]
    return np.array(
        [j for j in range(X.shape[1]) if _are_distinct(some[:, j]) and _is_numbering(X[:, j])],
        dtype=np.intp,
    )


def label_columns(X, codes):
    """Columns that alone tell all classes apart without a mistake.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Finite values.
    codes : ndarray of shape (n_samples,)
        Class of each sample.

    Returns
    -------
    ndarray of int
        Columns in which equal values have equal labels, and which either take few values
        or hold every class in one interval of its own. Fewer than 20 samples are too few
        to see it.
    """
    if len(X) < _LEAST_SAMPLES:
        return np.empty(0, dtype=np.intp)
    step = 1 + len(X) // _LOOKED_AT_FIRST
    some, some_codes = X[::step], codes[::step]
    return np.array(
        [
            j
            for j in range(X.shape[1])
            if _tells_classes(some[:, j], some_codes) and _tells_classes(X[:, j], codes)
        ],
        dtype=np.intp,
    )


def _are_distinct(values):
    ordered = np.sort(values)
    return bool((ordered[1:] > ordered[:-1]).all())


def _is_numbering(values):
    ordered = np.sort(values)
    gaps = np.diff(ordered)
    step = gaps.min()
    if step <= 0 or ordered[-1] - ordered[0] >= _SPARSE * len(values) * step:
        return False
    multiples = gaps / step
    return bool((np.abs(multiples - np.round(multiples)) < _ROUNDING * multiples).all())


def _tells_classes(values, codes):
    order = np.lexsort((codes, values))
    values, codes = values[order], codes[order]
    new_value, new_class = values[1:] != values[:-1], codes[1:] != codes[:-1]
    if (new_class & ~new_value).any():
        return False
    n_values, n_runs = 1 + np.count_nonzero(new_value), 1 + np.count_nonzero(new_class)
    is_code = n_values <= min(_MOST_VALUES, len(values) // _LEAST_REPEATS)
    return bool(is_code or n_runs == len(np.unique(codes)))

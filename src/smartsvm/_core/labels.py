"""Labels of any kind as an array in which no two different labels become one.

numpy turns 1 and "1" in a list into one text, cuts "a\\0" to "a", rounds large integers beside
others to floats, and makes a text of NaN. Here such labels stay apart or are refused. Numbers that
are equal are one label: True, 1 and 1.0.
"""

import numbers
from collections.abc import Iterator
from contextlib import suppress

import numpy as np

from smartsvm._core.validation import check_mask, describe

_TOO_LONG = 10**4300  # Python writes and reads integers of at most 4,300 digits
_INT64 = (-(2**63), 2**63)
_UINT64 = (0, 2**64)  # ranges, without the end


def as_labels(values, name="y"):
    """An array of labels: numbers, text or, where numpy has no type for them, objects."""
    values = [*values] if isinstance(values, Iterator) else values
    check_mask(values, name)
    array = values if isinstance(values, np.ndarray) else _as_array(values)
    if array.dtype.kind != "O" or array.ndim != 1:
        return array
    labels = array.tolist()
    check_complete(labels, name)
    several = next(filter(_holds_values, labels), None)
    if several is not None:
        raise TypeError(
            f"{name} must hold labels of one sortable type, got {describe(several)}: numbers or "
            "text."
        )
    kinds = {}
    for label in labels:
        kinds.setdefault(_kind(label), label)
    if len(kinds) > 1:
        first, second = (f"{label!r} ({type(label).__name__})" for label in [*kinds.values()][:2])
        raise TypeError(
            f"{name} must hold labels of one sortable type, got {first} and {second}: convert "
            "them, to text for instance."
        )
    return _numbers(labels, name) if kinds.keys() == {"number"} else array


def check_complete(labels, name):
    """Raise if objects of Python, pandas or numpy that mean a missing value are among labels."""
    n_missing = sum(map(is_missing, labels))
    if n_missing:
        raise ValueError(f"{name} must have no missing labels, got {n_missing} of them.")


def is_missing(label):
    """Whether a label is None, NaN, NaT, pandas.NA or masked."""
    if label is None or label is np.ma.masked:
        return True
    try:
        # A value that is not equal to itself would give every sample its own class.
        return (label != label) is True or bool(label != label)
    except (TypeError, ValueError):  # pandas.NA is neither true nor false; arrays are no labels
        return type(label).__name__ == "NAType"


def _as_array(values):
    """An array of its own type for typed columns, of objects where numpy would convert."""
    if hasattr(values, "dtype") or hasattr(values, "__array__"):
        return np.asarray(values)
    try:
        types = set(map(type, values))
    except TypeError:
        return np.asarray(values)
    if types <= {str, np.str_}:
        ends = any(label.endswith("\0") for label in values)
        return _objects(values) if ends else np.array(values)
    if len(types) == 1 and types <= {bool, float, np.bool_, np.float64, np.int64, np.int32}:
        return np.array(values)
    if any(map(_holds_values, values)):
        with suppress(ValueError):
            return np.asarray(values)  # the shape is reported
    return _objects(values)


def _holds_values(label):
    """Whether a label is a list or another thing that holds values."""
    return hasattr(label, "__len__") and not isinstance(label, str | bytes)


def _objects(values):
    array = np.empty(len(values), dtype=object)
    array[:] = list(values)
    return array


def _kind(label):
    if isinstance(label, str):
        return "text"
    if isinstance(label, bool | np.bool_ | numbers.Real):
        return "number"
    return type(label)


def _numbers(labels, name):
    """Numbers of the narrowest type that keeps all of them apart; larger integers as objects."""
    types = {bool if isinstance(each, bool | np.bool_) else type(each) for each in labels}
    if types == {bool}:
        return np.array(labels, dtype=bool)
    if all(isinstance(each, bool | np.bool_ | numbers.Integral) for each in labels):
        whole = [int(each) for each in labels]
        if max(map(abs, whole)) >= _TOO_LONG:
            raise ValueError(f"{name} must hold integers of at most 4,300 digits, got longer ones.")
        for dtype, (low, end) in ((np.int64, _INT64), (np.uint64, _UINT64)):
            if low <= min(whole) and max(whole) < end:
                return np.array(whole, dtype=dtype)
        return _objects(whole)
    try:
        array = np.array([float(each) for each in labels])
    except OverflowError:
        return _objects(labels)
    label_of = {}
    for label, number in zip(labels, array.tolist(), strict=True):
        if label_of.setdefault(number, label) != label:
            raise ValueError(
                f"{name} must hold labels that float64 keeps apart, got {label_of[number]!r} and "
                f"{label!r} beside numbers that are not whole: convert them, to text for instance."
            )
    return array

"""When the samples of a table were taken: a named column, the first of dates, or the years."""

import re

import numpy as np

from smartsvm._core.validation import describe, without_mask
from smartsvm.tables.column_readers import (
    TextColumn,
    check_cells,
    import_pandas,
    readers_of,
)
from smartsvm.tables.dates import DateColumn, in_order, is_birth_name
from smartsvm.tables.hints import TableError

_LEAST_TIMES = 10  # a column of fewer different dates is not taken without being named
# Parts of a date in columns of their own: names, least and largest value, the value that counts as
# 0, and days for each step.
_PARTS = (
    (re.compile(r"(?i)year|yr"), -np.inf, np.inf, 1970, 365.25),
    (re.compile(r"(?i)month|mon|mm"), 1, 12, 1, 30.4),
    (re.compile(r"(?i)day|dd|mday|(?:day|date)[_ ]?of[_ ]?month"), 1, 31, 1, 1),
    (re.compile(r"(?i)hour|hr"), 0, 23, 0, 1 / 24),
)


def time_of(frame, columns, preparation, name, given):
    """The times of the samples and the name of their column; None where there is none.

    `columns` are those of the frame as the preparation has read them, also useless ones.
    """
    if given is not None:
        return as_times(given, "time"), "time"
    if name is not None:
        return as_times(frame[name], name), name
    found = {}
    for each in frame.columns:
        reader = preparation._reader_of(each)
        if isinstance(reader, DateColumn) and not is_birth_name(each):
            times = columns[each].to_numpy() + reader.zero
            if reader.reading.yearless and not in_order(times):
                continue  # of several years, perhaps
            if len(np.unique(times[~np.isnan(times)])) >= _LEAST_TIMES:
                found[each] = times
    if not found:
        return _time_of_years(columns)
    # Dates in the order of the rows are those of the samples.
    first = next((n for n, times in found.items() if in_order(times)), next(iter(found)))
    return found[first], first


def _time_of_years(columns):
    """Times from a column of years, and of months, days and hours where there are such columns."""
    times, names = 0.0, []
    for pattern, low, high, first, days in _PARTS:
        name, values = _whole_numbers(columns, pattern, low, high)
        if name is None:
            break
        times = times + days * (values - first)
        if np.nanmin(values) < np.nanmax(values):
            names.append(name)
    if not names or len(np.unique(times[~np.isnan(times)])) < _LEAST_TIMES:
        return None, None
    return times, names[0]


def _whole_numbers(columns, pattern, low, high):
    """The first column of such a name, if it holds whole numbers in a range, or None."""
    for name, values in columns.items():
        if pattern.fullmatch(name) and values.dtype.kind == "f":
            numbers = values.to_numpy()
            present = numbers[~np.isnan(numbers)]
            inside = (present >= low) & (present <= high) & (present == np.floor(present))
            if len(present) and inside.all():
                return name, numbers
    return None, None


def times_of(given):
    """Times that are given as an array: numbers as they are, dates as days."""
    values = np.asarray(without_mask(given))
    if values.ndim != 1:
        raise ValueError(
            "time must be one-dimensional, a date or a number for each row of X, got "
            f"{describe(given)}."
            if values.ndim == 0
            else "time must be one-dimensional, a date or a number for each row of X, got shape "
            f"{values.shape}."
        )
    if values.dtype.kind in "biuf":
        return values.astype(float)
    return as_times(import_pandas().Series(values), "time")


def as_times(values, name):
    """A column of dates or numbers as floats."""
    check_cells(name, values)
    reader = readers_of(values.to_frame(name), ".", [])[name]
    if isinstance(reader, DateColumn):
        return reader.times(values)
    if isinstance(reader, TextColumn):
        word = values.dropna().iloc[0]
        raise TableError(f"column {name!r} must hold dates or numbers to order by, got {word!r}.")
    (times,) = reader.columns(name, values).values()
    return times

"""When the samples of a table were taken: a named column, the first of dates, or the years."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from smartsvm._core.validation import describe, without_mask
from smartsvm.presentation.wording import listed
from smartsvm.tables.column_readers import TextColumn, check_cells, import_pandas, readers_of
from smartsvm.tables.dates import DateColumn, in_order
from smartsvm.tables.hints import TableError
from smartsvm.tables.name_hints import BIRTH, DAY, HOUR, MONTH, YEAR, has_hint, is_later
from smartsvm.tables.records import AXIS, DATE, HINT, NUMBER, Note, in_note

_LEAST_TIMES = 10  # a column of fewer different dates is not taken without being named
_ROUNDING = 1e-6  # of days
# A date that some rows lack is that of what happened to the others, such as a refusal: the time of
# a row is a date that at most 5% fewer rows have than any other, and half of all rows.
_MOST_FEWER, _LEAST_FILLED = 0.05, 0.5
# Parts of a date in columns of their own: names, least and largest value, the value that counts as
# 0, and days for each step.
_PARTS = (
    (YEAR, -np.inf, np.inf, 1970, 365.25),
    (MONTH, 1, 12, 1, 30.4),
    (DAY, 1, 31, 1, 1),
    (HOUR, 0, 23, 0, 1 / 24),
)


class Times(NamedTuple):
    """When the samples were taken."""

    values: Any = None  # NaN where that is unknown; None for no times at all
    name: str | None = None
    source: str | None = None  # the column of the table, if it is one
    notes: tuple = ()

    def of(self, rows):
        """The same of some rows."""
        return self if self.values is None else self._replace(values=self.values[rows])


def named_times(values, name):
    """The times in a column that a user names."""
    return Times(as_times(values, name), name, name)


def find_times(read, readers):
    """The times in some columns that were read, `Times()` if there are none.

    `readers` has how each source is read, but for those that are left out.
    """
    found, births = {}, []
    for column in read:
        reader = readers.get(column.source)
        if column.kind != DATE or not isinstance(reader, DateColumn):
            continue
        if has_hint(column.source, BIRTH):
            births.append(column.source)
            continue
        times = column.values + reader.zero
        if reader.reading.yearless and not in_order(times):
            continue  # of several years, perhaps
        if len(np.unique(times[~np.isnan(times)])) >= _LEAST_TIMES:
            found[column.source] = times
    times = _event_of(found)
    if times is None:
        times = _times_of_years(read)
    return times._replace(notes=(*_on_births(births), *times.notes))


def _event_of(found):
    """The one of several dates that says when a row happened, None if none does."""
    filled = {name: 1 - np.isnan(times).mean() for name, times in found.items()}
    least = max(_LEAST_FILLED, max(filled.values(), default=0) - _MOST_FEWER)
    full = [name for name in found if filled[name] >= least]
    if not full:
        return None
    events = [name for name in full if not is_later(name)] or full
    # Dates in the order of the rows are those of the samples.
    first = next((name for name in events if in_order(found[name])), events[0])
    others = [name for name in found if name != first]
    notes = ()
    if others:
        shown = listed([*map(in_note, others)])
        text = f"the time of a row is {in_note(first)}, of the dates beside {shown}"
        notes = (Note(AXIS, text, (first, *others)),)
    return Times(found[first], first, first, notes)


def _on_births(names):
    if not names:
        return ()
    whose, do = ("its name", "does") if len(names) == 1 else ("their names", "do")
    text = f"by {whose}, {listed(names)} {do} not say when samples were taken"
    return (Note(HINT, text, tuple(names)),)


def _times_of_years(read):
    """Times from a column of years, and of months, days and hours where there are such columns."""
    times, used, varying = 0.0, [], []
    for pattern, low, high, first, days in _PARTS:
        column = _whole_numbers(read, pattern, low, high)
        if column is None:
            break
        times = times + days * (column.values - first)
        used.append(column.source)
        if np.nanmin(column.values) < np.nanmax(column.values):
            varying.append(column.source)
    if not varying or len(np.unique(times[~np.isnan(times)])) < _LEAST_TIMES:
        return Times()
    whose = "its name" if len(used) == 1 else "their names"
    text = f"by {whose}, {listed(used)} {'say' if used[1:] else 'says'} when samples were taken"
    return Times(times, varying[0], varying[0], (Note(HINT, text, tuple(used)),))


def _whole_numbers(read, pattern, low, high):
    """The first column of such a name, if it holds whole numbers in a range, or None."""
    for column in read:
        if column.kind == NUMBER and pattern.fullmatch(column.name):
            present = column.values[~np.isnan(column.values)]
            inside = (present >= low) & (present <= high) & (present == np.floor(present))
            if len(present) and inside.all():
                return column
    return None


def times_of(given):
    """Times that are given as an array: numbers as they are, dates as days."""
    values = np.asarray(without_mask(given))
    if values.ndim != 1:
        got = describe(given) if values.ndim == 0 else f"shape {values.shape}"
        raise ValueError(
            f"time must be one-dimensional, a date or a number for each row of X, got {got}."
        )
    if values.dtype.kind in "biuf":
        return values.astype(float)
    return as_times(import_pandas().Series(values), "time")


def as_times(values, name):
    """A column of dates or numbers as floats."""
    check_cells(name, values)
    reader = readers_of(values.to_frame(name), "auto")[0][name]
    if isinstance(reader, DateColumn):
        return reader.times(values)
    if isinstance(reader, TextColumn):
        word = values.dropna().iloc[0]
        raise TableError(f"column {name!r} must hold dates or numbers to order by, got {word!r}.")
    (times,) = reader.columns(name, values).values()
    return times


def equal_steps(values, time):
    """Whether a column is the time, counted from another day."""
    shift = (values - time)[~np.isnan(time)]
    return bool(np.ptp(shift) < _ROUNDING) if shift.size else False

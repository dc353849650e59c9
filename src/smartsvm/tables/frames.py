"""Tables of any kind as data frames, with different names of columns."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from smartsvm._core.validation import describe
from smartsvm.tables.column_readers import import_pandas, unique_names
from smartsvm.tables.hints import TableError, about_missing_column


def is_table(thing: Any) -> bool:
    """Whether `prepare_table` can read it."""
    if isinstance(thing, dict):
        return True
    return any(hasattr(thing, name) for name in ("columns", "to_pandas"))


class Frame(NamedTuple):
    """A pandas data frame with different texts as names of its columns, and what they were."""

    frame: Any
    given: list[Any]  # the names as given: numbers, texts, tuples, some of them equal

    def place(self, name):
        """The place of the column that a user calls `name`, None if there is none."""
        # 1 and "1" may both be names: what is equal and of one type comes first.
        ways = (
            lambda each: type(each) is type(name) and _is_equal(each, name),
            lambda each: _is_equal(each, name),
            lambda each: str(each) == str(name),
        )
        for way in ways:
            places = [k for k, each in enumerate(self.given) if way(each)]
            if len(places) > 1:
                raise TableError(
                    f"{len(places)} columns are named {name!r}: rename all but the one that is "
                    "meant."
                )
            if places:
                return places[0]
        names = self.frame.columns.tolist()  # as they are shown
        return names.index(str(name)) if str(name) in names else None

    def called(self, name, purpose):
        """The name in `frame` of that column, or an error that says what it was for."""
        place, names = self.place(name), self.frame.columns.tolist()
        if place is None:
            near = about_missing_column(str(name), names)
            raise TableError(f"no column {name!r} to {purpose}." + near)
        return names[place]


def as_frame(table):
    """A data frame of its own, whose columns have names of their own."""
    return open_frame(table).frame


def open_frame(table):
    """Any table as a `Frame`."""
    if isinstance(table, Frame):
        return table
    pandas = import_pandas()
    if not isinstance(table, pandas.DataFrame):
        ways = (getattr(table, name, None) for name in ("to_pandas", "df", "compute"))
        convert = next(filter(None, ways), lambda: pandas.DataFrame(table))
        try:
            table = convert()
        except (TypeError, ValueError) as error:
            got = f"got {describe(table)}: {error}"
            raise TypeError(f"table must be a data frame, {got.rstrip('.')}.") from error
    given = table.columns.tolist()
    frame = table.copy(deep=False)
    frame = frame.set_axis(unique_names(map(str, given)), axis=1)
    return Frame(_in_native_order(frame), given)


def _in_native_order(frame):
    """A frame whose numbers have the byte order of the machine; pandas counts no others."""
    for name, kind in frame.dtypes.items():
        if isinstance(kind, np.dtype) and not kind.isnative:
            frame[name] = frame[name].astype(kind.newbyteorder("="))
    return frame


def _is_equal(first, second):
    try:
        return bool(first == second)
    except (TypeError, ValueError):
        return False

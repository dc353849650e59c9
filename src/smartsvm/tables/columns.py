"""Columns of any type as numbers or categories, NaN where a value is missing."""

import re
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

import numpy as np

from smartsvm._core.validation import warn_of_large_integers
from smartsvm.tables.dates import (
    DateColumn,
    clock_hours,
    number_dates,
    stored_dates,
    text_dates,
)
from smartsvm.tables.hints import TableError, is_number

# Lower case. They mean the same among numbers, categories and labels; a dash may be a label.
MISSING_WORDS = ["", "na", "n/a", "#n/a", "<na>", "nan", "null", "none", "?"]
_EXACT = 2**53  # larger integers are rounded
_FEW_WORDS = 3  # this few among numbers are marks of missing values, not categories
_UNIT = r"^\s*[€$£]\s*|\s*[%€$£]\s*$"
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?")


def import_pandas():
    """The module pandas, or an error that says how to install it."""
    try:
        import pandas
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise ImportError(
            f"Reading tables needs {error.name}: pip install 'smartsvm2[table]'."
        ) from error
    return pandas


def missing_as_nan(values):
    """A column with NaN for words that mean a missing value."""
    return values.mask(values.astype("string").str.strip().str.lower().isin(MISSING_WORDS))


def stripped(values):
    """A column as text, NaN for words that mean a missing value."""
    return missing_as_nan(values.astype("string").str.strip())


@dataclass(frozen=True)
class NumberColumn:
    """A column of numbers, perhaps written with units or a decimal comma."""

    way: int = 0  # the place among the attempts of `_attempts`
    decimal: str = "."

    def columns(self, name, values):
        """The column as floats; words that are no numbers are missing."""
        if values.dtype.kind in "biuf":
            return {name: values.to_numpy(dtype=float, na_value=np.nan)}
        if values.dtype.kind == "m":
            return {name: values.to_numpy(dtype="m8[us]") / np.timedelta64(1, "D")}
        words = stripped(values)
        attempt = _attempts(words, self.decimal)[self.way]
        numbers = import_pandas().to_numeric(attempt, errors="coerce")
        return {name: numbers.to_numpy(dtype=float, na_value=np.nan)}


@dataclass(frozen=True)
class ClockColumn:
    """A column of times of the day, such as 18:57."""

    def columns(self, name, values):
        """The column as hours."""
        words = stripped(values)
        words = words.where(words.str.contains(":").fillna(False).astype(bool))
        hours = clock_hours(words)
        return {name: np.full(len(words), np.nan) if hours is None else hours}


@dataclass(frozen=True)
class TextColumn:
    """A column of categories."""

    def columns(self, name, values):
        """The column as text."""
        words = stripped(values).astype(object)
        return {name: words.where(words.notna(), np.nan).to_numpy(dtype=object)}


@dataclass(frozen=True)
class ListColumn:
    """A column of lists of numbers, such as embeddings."""

    length: int

    def columns(self, name, values):
        """A column for each place of the lists."""
        present = values.dropna()
        lengths = sorted(set(map(len, present)))
        try:
            rows = np.full((len(values), self.length), np.nan)
            if len(present):
                rows[values.notna()] = np.stack(present.tolist())
        except (TypeError, ValueError) as error:
            raise TableError(
                f"column {name!r} must hold lists of numbers, all of one length, got lengths "
                f"{lengths[:5]}."
            ) from error
        return {f"{name}[{i}]": column for i, column in enumerate(rows.T)}


def readers_of(frame, decimal, notes):
    """How to read each column of a frame; notes say which words were read as numbers or dates."""
    readers, ways, remarks = {}, {}, []
    for name, values in frame.items():
        readers[name], how, more = _reader_of(name, values, decimal)
        if isinstance(readers[name], DateColumn):
            how = "dates as columns"
            name = f"{name} ({readers[name].span}: {_listed_parts(readers[name])})"
        remarks += more
        if how:
            ways.setdefault(how, []).append(name)
    for how, names in ways.items():
        notes.append(f"read {how}: {', '.join(names)}")
    notes += remarks
    return readers


def _listed_parts(column):
    """What is made of a date, in words."""
    names = {"month": "time of the year", "weekday": "weekday", "hour": "hour"}
    return ", ".join(["elapsed days", *(names[part] for part in column.parts)])


def _reader_of(name, values, decimal):
    """How to read a column, a remark on how, and further remarks."""
    pandas = import_pandas()
    if values.dtype.kind in "biuf":
        return _number_reader(name, values)
    if values.dtype.kind == "m":
        return NumberColumn(), "durations as days", []
    if isinstance(values.dtype, pandas.CategoricalDtype):
        return TextColumn(), None, []
    present = values.dropna()
    first = present.iloc[0] if len(present) else None
    if isinstance(first, dict):
        raise TableError(f"column {name!r} holds records: make a column of each field.")
    if isinstance(first, np.ndarray | list | tuple):
        return ListColumn(len(first)), None, []
    if isinstance(first, Decimal):
        return NumberColumn(), None, []
    if values.dtype.kind == "M" or isinstance(first, date):  # a timestamp is one, too
        return stored_dates(values), None, []
    words = stripped(values)
    dates, remarks = text_dates(name, words)
    if dates is not None:
        return dates, None, remarks
    if clock_hours(words) is not None:
        return ClockColumn(), "times of the day as hours", []
    way, how = _way_of(words, decimal)
    if way is None:
        return TextColumn(), how, remarks
    column = NumberColumn(way, decimal)
    dates = None if how else number_dates(name, column.columns(name, values)[name])
    return dates or column, how, remarks


def _number_reader(name, values):
    numbers = values.to_numpy(dtype=float, na_value=np.nan)
    dates = number_dates(name, numbers) if values.dtype.kind != "b" else None
    if dates is not None:
        return dates, None, []
    if values.dtype.kind in "iu" and len(numbers) and np.nanmax(np.abs(numbers)) >= _EXACT:
        warn_of_large_integers(values.dropna().to_numpy(), f"column {name!r}")
    return NumberColumn(), None, []


def _attempts(words, decimal):
    """Three ways to write the words of a column as numbers."""
    plain = words.str.lower().replace({"true": "1", "false": "0"})
    both = plain, plain.str.replace(_UNIT, "", regex=True)
    if decimal == ".":
        both = (w.where(~w.str.fullmatch(_THOUSANDS), w.str.replace(",", "")) for w in both)
    else:
        both = (w.str.replace(".", "x").str.replace(",", ".") for w in both)
    return plain, *both


def _way_of(words, decimal):
    """Which of the attempts reads all words of a column, or None; and a remark on how."""
    present = words.dropna()
    if not len(present):
        return 0, None
    commas = "decimal commas" if decimal == "auto" else None
    how = "commas between thousands" if decimal == "." else commas
    ways = None, how, "numbers without their units"
    distinct = present.drop_duplicates()
    for way, attempt in [*enumerate(_attempts(distinct, decimal))][decimal == "," :]:
        numbers = import_pandas().to_numeric(attempt, errors="coerce").astype(float)
        odd = distinct[numbers.isna()]
        if not len(odd):
            return way, ways[way]
    n_odd = present.isin(odd).sum() if len(odd) <= _FEW_WORDS else len(present)
    if 2 * n_odd >= len(present) or any(map(is_number, odd)):
        return None, None
    return way, f"{', '.join(map(repr, sorted(odd)))} among numbers as missing"

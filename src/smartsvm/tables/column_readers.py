"""Columns of any type as numbers or categories, NaN where a value is missing."""

import itertools
import re
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import numpy as np

from smartsvm._core.labels import is_missing
from smartsvm._core.validation import describe, warn_of_large_integers
from smartsvm.presentation.wording import listed
from smartsvm.tables.clock_times import clock_numbers, odd_clock_words
from smartsvm.tables.date_words import parts_of
from smartsvm.tables.dates import (
    DateColumn,
    days_of_excel,
    is_stored,
    number_dates,
    stored_dates,
    text_dates,
)
from smartsvm.tables.hints import TableError, is_number
from smartsvm.tables.name_hints import DATED, TIME, has_hint
from smartsvm.tables.number_words import (
    AS_PYTHON,
    MARKS,
    Notation,
    as_python,
    begins_with_unit,
    decimal_of_table,
    looks_like_number,
    notation_of,
    numbers_of,
    quoted,
)
from smartsvm.tables.records import (
    CYCLE,
    DATE,
    NUMBER,
    OPEN_AS_COMMA,
    OPEN_AS_DOT,
    READ,
    TEXT,
    Note,
)

# Lower case. They mean the same among numbers, categories and labels; a dash may be a label.
MISSING_WORDS = ["", "na", "n/a", "#n/a", "<na>", "nan", "null", "?"]
_NONE = "none"  # missing among numbers, dates and truth values, an answer among words
_EXACT = 2**53  # larger integers are rounded
_SHORT = 5000  # rows: below, a loop takes less time than five calls of pandas
_MOST_NAMED = 12  # columns in a note
# Python refuses to parse more digits than 4,300; float64 holds less than 310.
_WHOLE = re.compile(r"[-+]?\d{1,310}")
_DIGIT = re.compile(r"\d")
_TEXT_TYPES = ("str", "NoneType", "float", "NAType")  # of text and its gaps
# How words of a date may begin.
_DATE_WORD = re.compile(
    r"jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun"
    r"|q[1-4](?:, ?|[ /-])?'?\d"
)
# A box is ticked in this many rows and in this fraction of them: fewer say nothing of the classes.
_LEAST_TICKS, _LEAST_TICKED = 5, 0.01
_FIRST = 1000  # rows whose values show that a column is no box to tick
_LISTS = (list, tuple, np.ndarray)
_NO_CELLS = {  # types that are neither numbers, text nor dates
    bytes | bytearray | memoryview: "bytes, such as {found}: decode them to text, or leave the "
    "column out.",
    dict | np.void: "records, such as {found}: make a column of each field.",
    set | frozenset: "sets, such as {found}: make a column of 0 and 1 for each value.",
    Fraction: "fractions, such as {found}: convert them to floats.",
    complex | np.complexfloating: "complex numbers, such as {found}: make a column of each part.",
}
_NAMED_NUMBERS = ("true", "false", "inf", "infinity", "nan")


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


def free_name(name, taken):
    """The name, with a number behind it where it is taken."""
    tries = (f"{name} ({place})".lstrip() for place in itertools.count(len(taken) + 1))
    return next(each for each in itertools.chain([name], tries) if each not in taken)


def unique_names(names):
    """Names of columns with a number behind those that are taken, and for those without a name."""
    taken = {}  # in order
    for place, name in enumerate(names, start=1):
        taken[free_name(name or f"column {place}", taken)] = None
    return list(taken)


def check_cells(name, values, reader=None):
    """Raise if a column holds what is no number, text or date, or is none for its reader."""
    if values.dtype.kind == "M" and isinstance(reader, NumberColumn):
        raise TableError(f"column {name!r} holds dates, where it was fitted to numbers.")
    if values.dtype.kind == "c":
        raise TableError(f"column {name!r} holds complex numbers: make a column of each part.")
    if values.dtype.kind != "O":
        return
    kinds = set(map(type, values.tolist()))
    for kind, what in _NO_CELLS.items():
        if any(issubclass(each, kind) for each in kinds):
            found = next(each for each in values if isinstance(each, kind))
            raise TableError(f"column {name!r} holds {what.format(found=describe(found))}")
    odd = [each for each in kinds if each.__hash__ is None and not issubclass(each, _LISTS)]
    if odd:
        found = next(each for each in values if type(each) in odd)
        raise TableError(f"column {name!r} holds {describe(found)}, which is no single value.")
    some_list = next((each for each in kinds if issubclass(each, _LISTS)), None)
    if some_list is not None and not isinstance(reader, ListColumn):
        found = next(each for each in values if isinstance(each, some_list))
        raise TableError(
            f"column {name!r} holds lists, such as {describe(found)}, where it should hold single "
            "values: make a column of each place."
        )


def missing_as_nan(values):
    """A column with NaN for words that mean a missing value."""
    return values.mask(values.astype("string").str.strip().str.lower().isin(MISSING_WORDS))


def stripped(values):
    """A column as text, NaN for words that mean a missing value."""
    if len(values) > _SHORT:
        return missing_as_nan(values.astype("string").str.strip())
    pandas = import_pandas()
    words = pandas.array(list(map(_stripped_word, values.tolist())), dtype="string")
    return pandas.Series(words, index=values.index, name=values.name)


def without_none(values):
    """Labels with NaN for the word None, if all others are numbers or truth values."""
    words = set(values.dropna().astype("string").str.strip().str.lower().unique())
    if not all(is_number(word) or word in _NAMED_NUMBERS for word in words - {_NONE}):
        return values
    return values.mask(_is_none(values.astype("string")))


def _is_none(words):
    return words.str.strip().str.lower().eq(_NONE).fillna(False).astype(bool)


def _stripped_word(value):
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # beside a gap, pandas stores a category 1 as 1.0
    word = None if is_missing(value) else str(value).strip()
    return None if word is None or word.lower() in MISSING_WORDS else word


@dataclass(frozen=True)
class NumberColumn:
    """A column of numbers, perhaps written with units or a decimal comma."""

    notation: Notation = AS_PYTHON
    odd: frozenset = frozenset()  # words that mean a missing value here
    # Dots stand between thousands, and no number has decimals.
    is_dotted: bool = False

    def columns(self, name, values):
        """The column as floats; words that are no numbers are missing."""
        if values.dtype.kind in "biuf":
            numbers = values.to_numpy(dtype=float, na_value=np.nan)
            if self.is_dotted:
                _refuse_decimals(name, numbers)
            return {"": numbers}
        if values.dtype.kind == "m":
            return {"": values.to_numpy(dtype="m8[us]") / np.timedelta64(1, "D")}
        words = stripped(values)
        numbers = numbers_of(words, self.notation)
        _refuse_other_spellings(name, words[np.isnan(numbers)].dropna(), self.odd)
        return {"": numbers}


def _refuse_decimals(name, numbers):
    """Raise if numbers have decimals, where dots between thousands were probably taken for them."""
    odd = numbers[np.isfinite(numbers) & (numbers != np.floor(numbers))]
    if len(odd):
        raise TableError(
            f"column {name!r} holds {odd[0]:g}, where it was fitted to whole numbers with dots "
            "between thousands: read it as text."
        )


def _refuse_other_spellings(name, words, odd):
    """Raise if a word is a number or a date, but not as those that the column was fitted to."""
    for word in sorted({*words} - odd):
        if looks_like_number(word) or parts_of(word) is not None:
            raise TableError(
                f"column {name!r} holds {word!r}, which is written otherwise than the numbers that "
                "it was fitted to: write it as they are."
            )


@dataclass(frozen=True)
class ClockColumn:
    """Times or durations, such as 18:57 or 2h 50m: hours and minutes, or minutes and seconds."""

    def columns(self, name, values):
        """The column in units of the first part: 18:30 is 18.5."""
        return {"": clock_numbers(stripped(values))}


@dataclass(frozen=True)
class TextColumn:
    """A column of categories."""

    def columns(self, name, values):
        """The column as text."""
        if len(values) > _SHORT and values.dtype.kind != "f":
            words = stripped(values).astype(object)
            return {"": words.where(words.notna(), np.nan).to_numpy(dtype=object)}
        words = map(_stripped_word, values.tolist())
        found = np.empty(len(values), dtype=object)
        found[:] = [np.nan if word is None else word for word in words]
        return {"": found}


@dataclass(frozen=True)
class TickColumn:
    """A box to tick: a column of one value and gaps, which mean that the value does not apply."""

    reader: NumberColumn | TextColumn

    def columns(self, name, values):
        """1 where the column has a value, else 0."""
        (column,) = self.reader.columns(name, values).values()
        return {"": import_pandas().notna(column).astype(float)}


@dataclass(frozen=True)
class ListColumn:
    """A column of lists of numbers, such as embeddings."""

    length: int

    def columns(self, name, values):
        """A column for each place of the lists."""
        present = values.dropna()
        lengths = sorted({len(each) if isinstance(each, _LISTS) else 1 for each in present})
        try:
            rows = np.full((len(values), self.length), np.nan)
            if len(present):
                rows[values.notna()] = np.stack(present.tolist())
        except (TypeError, ValueError) as error:
            raise TableError(
                f"column {name!r} must hold lists of numbers, all of one length, got lengths "
                f"{lengths[:5]}."
            ) from error
        return {f"[{i}]": column for i, column in enumerate(rows.T)}


class ReadColumn(NamedTuple):
    """A column that was read: numbers, or text as objects; NaN where a value is missing."""

    source: str  # the column of the table
    suffix: str  # what its own name has behind that: "" or that of a place, or a part of a date
    kind: str  # NUMBER, DATE, CYCLE or TEXT
    values: np.ndarray

    @property
    def name(self):
        """Its name, which another column may have, too."""
        return self.source + self.suffix

    @property
    def is_date(self):
        """Whether it is made of a date."""
        return self.kind in (DATE, CYCLE)

    def gaps(self):
        """Where a value is missing."""
        return np.asarray(import_pandas().isna(self.values), dtype=bool)

    def of(self, rows):
        """The same of some rows."""
        return self._replace(values=self.values[rows])


def read_columns(frame, readers):
    """The columns that are made of a frame, those of each source together."""
    read = []
    for source, reader in readers.items():
        is_date = isinstance(reader, DateColumn)
        check_cells(source, frame[source], reader)
        for suffix, values in reader.columns(source, frame[source]).items():
            kind = TEXT if values.dtype.kind == "O" else NUMBER
            if is_date:
                kind = CYCLE if suffix else DATE
            read.append(ReadColumn(source, suffix, kind, values))
    return read


def readers_of(frame, decimal):
    """How to read each column of a frame, and notes: which words are read as numbers or dates."""
    readers = {}
    ways = {}
    remarks = []

    @cache
    def of_table():
        return decimal_of_table(map(_distinct_words, (column for _, column in frame.items())))

    for name, values in frame.items():
        readers[name], how, more = _reader_of(name, values, decimal, of_table)
        if _is_ticked(readers[name], name, values):
            readers[name], how = TickColumn(readers[name]), "one value and gaps as ticked or empty"
        shown = name
        if isinstance(readers[name], DateColumn):
            how = how or "dates as columns"
            shown = f"{name} ({readers[name].span}: {_listed_parts(readers[name])})"
        remarks += [r if isinstance(r, Note) else Note(READ, r, (name,)) for r in more]
        if how:
            ways.setdefault(how, {})[name] = shown
    notes = [
        Note(READ, f"read {how}: {listed([*names.values()], _MOST_NAMED)}", tuple(names))
        for how, names in ways.items()
    ]
    return readers, notes + remarks


def _is_ticked(reader, name, values):
    """Whether a column has one value and gaps, and the value in enough rows."""
    if not isinstance(reader, NumberColumn | TextColumn) or values[:_FIRST].nunique() > 2:
        return False
    (column,) = reader.columns(name, values).values()
    present = column[import_pandas().notna(column)]
    enough = max(_LEAST_TICKS, _LEAST_TICKED * len(column)) <= len(present) < len(column)
    return bool(enough and (present == present[0]).all())


def _listed_parts(column):
    """What is made of a date, in words."""
    names = {"month": "time of the year", "weekday": "weekday", "hour": "hour"}
    return ", ".join(["elapsed days", *(names[part] for part in column.parts)])


def _distinct_words(values):
    """The different words of a column of text, or a few numbers with decimals as words."""
    if values.dtype.kind == "f":
        fractions = values[values != np.floor(values)].dropna()
        return [repr(number) for number in fractions[:_FIRST].tolist()]
    words = values.dropna().drop_duplicates() if values.dtype.kind in "OTU" else []
    return [word.strip() for word in words if isinstance(word, str)]


def _reader_of(name, values, decimal, of_table):
    """How to read a column, a remark on how, and further remarks."""
    pandas = import_pandas()
    if values.dtype.kind in "biuf":
        return _number_reader(name, values)
    if values.dtype.kind == "m":
        return NumberColumn(), "durations as days", []
    if isinstance(values.dtype, pandas.CategoricalDtype):
        return TextColumn(), None, []
    if _is_short_text(values):
        return TextColumn(), None, []  # quickly: a table may have thousands of such columns
    present = values.dropna()
    first = present.iloc[0] if len(present) else None
    if isinstance(first, _LISTS):
        return _list_reader(name, values, len(first))
    check_cells(name, values)
    if isinstance(first, Decimal):
        whole = [int(each) for each in present if each.is_finite() and each == int(each)]
        warn_of_large_integers(np.array(whole, dtype=object), f"column {name!r}")
        return NumberColumn(), None, []
    if values.dtype.kind == "M" or (len(present) and present.map(is_stored).all()):
        dates, remarks = stored_dates(name, values)
        return dates, None, remarks
    all_words = stripped(values)
    words = all_words.mask(_is_none(all_words))
    dates, remarks = text_dates(name, words)
    if dates is not None:
        return dates, None, remarks
    odd = odd_clock_words(words)
    if odd is not None:
        remarks = [f"read {quoted(odd)} of {name} as missing: no time"] if odd else []
        return ClockColumn(), "times or durations as numbers", remarks
    notation, how, open_word = notation_of(words, decimal, of_table)
    if notation is None:
        return TextColumn(), how, remarks
    numbers = numbers_of(words, notation)
    dotted = notation.decimal == "," and words.str.contains(".", regex=False).any()
    is_dotted = bool(dotted and not (np.nan_to_num(numbers) % 1).any())
    column = NumberColumn(notation, frozenset(words[np.isnan(numbers)].dropna()), is_dotted)
    if open_word is not None:
        remarks.append(_on_open_mark(name, open_word, notation))
    if how is None:
        dates, how = _dates_of_numbers(name, numbers)
    if dates is None:
        _warn_of_large_words(name, words, notation, numbers)
    return dates or column, how, remarks


def _on_open_mark(name, word, notation):
    """A note on a word such as 1.037, which may be 1037."""
    way = max(notation.way, MARKS)
    values = {mark: as_python(word, Notation(way, mark)) for mark in ".,"}
    one, two = values.pop(notation.decimal), *values.values()
    kind = OPEN_AS_DOT if notation.decimal == "." else OPEN_AS_COMMA
    return Note(kind, f"{word!r} in {name} is read as {one}, but may be {two}", (name,))


def _list_reader(name, values, length):
    reader = ListColumn(length)
    reader.columns(name, values)  # or an error
    warn_of_large_integers(np.stack(values.dropna().tolist()), f"column {name!r}")
    return reader, None, []


def _is_short_text(values):
    """Whether at least half of the values of a short column are words and surely no numbers."""
    if len(values) > _SHORT or values.dtype.kind not in "OTU":
        return False
    items = values.tolist()
    types = set(map(type, items))
    if str not in types or any(each.__name__ not in _TEXT_TYPES for each in types):
        return False
    counts = {}
    for item, count in Counter(items).items():
        if not isinstance(item, str) and not is_missing(item):
            return False
        word = _stripped_word(item)
        if word is not None and word.lower() != _NONE:
            counts[word] = counts.get(word, 0) + count
    n_plain = sum(count for word, count in counts.items() if _is_plain_text(word))
    return n_plain > 0 and 2 * n_plain >= sum(counts.values())


def _is_plain_text(word):
    """Whether a word is surely no number and no date, in any notation."""
    lower = word.lower()
    if lower.lstrip("+-") in _NAMED_NUMBERS:
        return False
    if not _DIGIT.search(word):
        return True
    return word[0].isalpha() and not _DATE_WORD.match(lower) and not begins_with_unit(word)


def _warn_of_large_words(name, words, notation, numbers):
    """Warn of integers that float64 rounds, however they are written."""
    large = [as_python(word, notation) for word in words[np.abs(numbers) >= _EXACT]]
    whole = [int(word) for word in large if _WHOLE.fullmatch(word)]
    warn_of_large_integers(np.array(whole, dtype=object), f"column {name!r}")


def _number_reader(name, values):
    numbers = values.to_numpy(dtype=float, na_value=np.nan)
    if values.dtype.kind != "b":
        dates, how = _dates_of_numbers(name, numbers)
        if dates is not None:
            return dates, how, []
    if values.dtype.kind in "iu" and len(numbers) and np.nanmax(np.abs(numbers)) >= _EXACT:
        warn_of_large_integers(values.dropna().to_numpy(), f"column {name!r}")
    return NumberColumn(), None, []


def _dates_of_numbers(name, numbers):
    """How to read numbers as dates, None if they are none, and a remark on a name that says so."""
    dates = number_dates(numbers)
    if dates is None and has_hint(name, TIME):
        dates = number_dates(numbers, is_named=True)
    elif dates is not None:
        return dates, None
    if dates is not None:
        return dates, "numbers as dates, by their names"
    dates = days_of_excel(numbers) if has_hint(name, DATED) else None
    return dates, None if dates is None else "numbers as the dates of Excel, by their names"

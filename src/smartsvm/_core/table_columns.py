"""Columns of any type as numbers or categories, NaN where a value is missing."""

import itertools
import re
from decimal import Decimal

import numpy as np

from smartsvm._core.labels import is_missing
from smartsvm._core.table_hints import TableError, is_number
from smartsvm._core.validation import warn_of_large_integers

# Lower case. They mean the same among numbers, categories and labels; a dash may be a label.
MISSING_WORDS = ["", "na", "n/a", "#n/a", "<na>", "nan", "null", "none", "?"]
_EXACT = 2**53  # larger integers are rounded
_SHORT = 5000  # rows: below, a loop takes less time than five calls of pandas
_FEW_WORDS = 3  # this few among numbers are marks of missing values, not categories
_UNIT = r"^\s*[€$£]\s*|\s*[%€$£]\s*$"
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?")
# Python refuses to parse more digits than 4,300; float64 holds less than 310.
_WHOLE = re.compile(r"[-+]?\d{1,310}")
_DIGIT = re.compile(r"\d")
_NAMED_NUMBERS = ("true", "false", "inf", "infinity", "nan")
_DATE = re.compile(r"\d{4}-\d\d?-\d\d?|\d\d?([./])\d\d?\1\d{4}")
_DATE_FORMATS = ["ISO8601"] + [
    day + time
    for day in ("%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y")
    for time in ("", " %H:%M", " %H:%M:%S")
]


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
    """Names of columns with a number behind those that are taken."""
    taken = {}  # in order
    for name in names:
        taken[free_name(name, taken)] = None
    return list(taken)


def check_no_bytes(name, values):
    """Raise if a column holds bytes, which may be text in any encoding."""
    if values.dtype.kind != "O":
        return
    found = next((each for each in values if isinstance(each, bytes | bytearray)), None)
    if found is not None:
        raise TableError(
            f"column {name!r} holds bytes, such as {found[:20]!r}: decode them to text, or leave "
            "the column out."
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


def _stripped_word(value):
    word = None if is_missing(value) else str(value).strip()
    return None if word is None or word.lower() in MISSING_WORDS else word


def read_columns(frame, decimal, notes):
    """A frame whose columns are floats or text; notes say which words were read as numbers."""
    columns, read, taken = {}, {}, set(frame.columns)
    for name, values in frame.items():
        for own, column in _read_column(name, values, decimal, read).items():
            # Places of a list must not replace other columns.
            free = name if own == name else free_name(own, taken)
            taken.add(free)
            columns[free] = column
    for how, names in read.items():
        notes.append(f"read {how}: {', '.join(names)}")
    return import_pandas().DataFrame(columns, index=frame.index)


def _read_column(name, values, decimal, read):
    """A column as one column, or as several for lists of numbers such as embeddings."""
    pandas = import_pandas()
    if values.dtype.kind in "biuf":
        numbers = values.to_numpy(dtype=float, na_value=np.nan)
        if values.dtype.kind in "iu" and np.nanmax(np.abs(numbers)) >= _EXACT:
            warn_of_large_integers(values.dropna().to_numpy(), f"column {name!r}")
        return {name: numbers}
    if isinstance(values.dtype, pandas.CategoricalDtype):
        return {name: stripped(values)}
    check_no_bytes(name, values)
    present = values.dropna()
    first = present.iloc[0] if len(present) else None
    if isinstance(first, dict):
        raise TableError(f"column {name!r} holds records: make a column of each field.")
    if isinstance(first, np.ndarray | list | tuple):
        return _list_columns(name, values, present)
    if isinstance(first, Decimal):
        whole = [int(each) for each in present if each.is_finite() and each == int(each)]
        warn_of_large_integers(np.array(whole, dtype=object), f"column {name!r}")
        return {name: values.astype(float)}
    if values.dtype.kind in "mM" or isinstance(first, pandas.Timestamp):
        read.setdefault("dates as days", []).append(name)
        times = pandas.to_datetime(values, utc=True) if values.dtype.kind != "m" else values
        return {name: _days(times)}
    words = stripped(values)
    numbers, how = _numbers(words, decimal)
    if how:
        read.setdefault(how, []).append(name)
    if numbers is not None:
        _warn_of_large_words(name, words, numbers)
    return {name: words if numbers is None else numbers}


def _numbers(words, decimal):
    """The numbers that the words of a column stand for, or None; and a remark on how."""
    to_numeric, present = import_pandas().to_numeric, words.dropna()
    if not len(present):
        return words.astype(float), None
    if 2 * sum(map(_is_plain_text, present.tolist())) >= len(present):
        return None, None  # quickly: a table may have thousands of such columns
    if _DATE.match(present.iloc[0]):
        return _dates(words, present)
    plain = words.str.lower().replace({"true": "1", "false": "0"})
    both = plain, plain.str.replace(_UNIT, "", regex=True)
    if decimal == ".":
        how = "commas between thousands"
        both = (w.where(~w.str.fullmatch(_THOUSANDS), w.str.replace(",", "")) for w in both)
    else:
        how = "decimal commas" if decimal == "auto" else None
        both = (w.str.replace(".", "x").str.replace(",", ".") for w in both)
    ways = None, how, "numbers without their units"
    for way, attempt in [*zip(ways, (plain, *both), strict=True)][decimal == "," :]:
        numbers = to_numeric(attempt, errors="coerce").astype(float)
        odd = words[numbers.isna() & words.notna()]
        if not len(odd):
            return numbers, way
    if odd.nunique() > _FEW_WORDS or 2 * len(odd) >= len(present) or any(map(is_number, odd)):
        return None, None
    return numbers, f"{', '.join(map(repr, sorted(odd.unique())))} among numbers as missing"


def _is_plain_text(word):
    """Whether a word is no number in any notation: it has no digit and is no name of a number."""
    return not _DIGIT.search(word) and word.lower().lstrip("+-") not in _NAMED_NUMBERS


def _warn_of_large_words(name, words, numbers):
    """Warn of integers that float64 rounds, however they are written."""
    large = words[np.abs(numbers) >= _EXACT]
    digits = large.str.replace(_UNIT, "", regex=True).str.replace(",", "")
    whole = [int(word) for word in digits if _WHOLE.fullmatch(word)]
    warn_of_large_integers(np.array(whole, dtype=object), f"column {name!r}")


def _dates(words, present):
    pandas = import_pandas()
    for form in _DATE_FORMATS:
        times = pandas.to_datetime(words, format=form, errors="coerce", utc=True)
        if times.notna().sum() == len(present):
            return _days(times), "dates as days"
    return None, None


def _days(times):
    pandas = import_pandas()
    zero = times.min() if times.dtype.kind == "M" else pandas.Timedelta(0)
    return ((times - zero) / pandas.Timedelta(days=1)).astype(float)


def _list_columns(name, values, present):
    lengths = sorted(set(map(len, present)))
    try:
        rows = np.full((len(values), lengths[0]), np.nan)
        stacked = np.stack(present.tolist())
        rows[values.notna()] = stacked
    except (TypeError, ValueError) as error:
        raise TableError(
            f"column {name!r} must hold lists of numbers, all of one length, got lengths "
            f"{lengths[:5]}."
        ) from error
    warn_of_large_integers(stacked, f"column {name!r}")
    return {f"{name}[{i}]": column for i, column in enumerate(rows.T)}

"""Columns of any type as numbers or categories, NaN where a value is missing."""

import re
from decimal import Decimal

import numpy as np

from smartsvm._core.validation import warn_of_large_integers
from smartsvm.tables.hints import TableError, is_number

# Lower case. They mean the same among numbers, categories and labels; a dash may be a label.
MISSING_WORDS = ["", "na", "n/a", "#n/a", "<na>", "nan", "null", "none", "?"]
_EXACT = 2**53  # larger integers are rounded
_FEW_WORDS = 3  # this few among numbers are marks of missing values, not categories
_UNIT = r"^\s*[€$£]\s*|\s*[%€$£]\s*$"
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?")
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


def missing_as_nan(values):
    """A column with NaN for words that mean a missing value."""
    return values.mask(values.astype("string").str.strip().str.lower().isin(MISSING_WORDS))


def stripped(values):
    """A column as text, NaN for words that mean a missing value."""
    return missing_as_nan(values.astype("string").str.strip())


def read_columns(frame, decimal, notes):
    """A frame whose columns are floats or text; notes say which words were read as numbers."""
    columns, read = {}, {}
    for name, values in frame.items():
        columns |= _read_column(name, values, decimal, read)
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
    present = values.dropna()
    first = present.iloc[0] if len(present) else None
    if isinstance(first, dict):
        raise TableError(f"column {name!r} holds records: make a column of each field.")
    if isinstance(first, np.ndarray | list | tuple):
        return _list_columns(name, values, present)
    if isinstance(first, Decimal):
        return {name: values.astype(float)}
    if values.dtype.kind in "mM" or isinstance(first, pandas.Timestamp):
        read.setdefault("dates as days", []).append(name)
        times = pandas.to_datetime(values, utc=True) if values.dtype.kind != "m" else values
        return {name: _days(times)}
    words = stripped(values)
    numbers, how = _numbers(words, decimal)
    if how:
        read.setdefault(how, []).append(name)
    return {name: words if numbers is None else numbers}


def _numbers(words, decimal):
    """The numbers that the words of a column stand for, or None; and a remark on how."""
    to_numeric, present = import_pandas().to_numeric, words.dropna()
    if not len(present):
        return words.astype(float), None
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
        rows[values.notna()] = np.stack(present.tolist())
    except (TypeError, ValueError) as error:
        raise TableError(
            f"column {name!r} must hold lists of numbers, all of one length, got lengths "
            f"{lengths[:5]}."
        ) from error
    return {f"{name}[{i}]": column for i, column in enumerate(rows.T)}

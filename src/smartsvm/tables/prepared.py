"""Tables of mixed columns as points and labels: `prepare_table`, also behind the command line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from smartsvm._core.column_scales import SCALES
from smartsvm._core.labels import as_labels
from smartsvm._core.types import Floats, Integers, Labels
from smartsvm._core.validation import check_choice, without_mask
from smartsvm.presentation.wording import listed
from smartsvm.tables.column_readers import check_cells, free_name, missing_as_nan, without_none
from smartsvm.tables.counted_rows import column_of_counts, repeated
from smartsvm.tables.hints import TableError, about_missing_column, check_target
from smartsvm.tables.named_columns import as_names
from smartsvm.tables.preparation import CATEGORICAL, TablePreparation, as_frame, as_keyword
from smartsvm.tables.time_column import time_of
from smartsvm.tables.unit_columns import has_many_values, unit_columns

if TYPE_CHECKING:
    from pandas import DataFrame

MISSING = ("auto", "drop", "refuse")
_MOST_DISTINCT = 20  # more labels than this, and than half the samples, are not classes


class PreparedTable(NamedTuple):
    """The result of `prepare_table`.

    Attributes
    ----------
    X : pandas.DataFrame
        Columns of finite numbers.
    y : ndarray of shape (n_samples,)
        The labels.
    groups : ndarray of shape (n_samples,) or None
        The column of groups.
    notes : list of str
        What was left out, filled in and encoded, and which parameters change it.
    time : ndarray of shape (n_samples,) or None
        When each sample was taken, in days for a date, NaN where that is unknown.
    time_name : str or None
        The column of times: the one that was named, the first date that is no date of birth, or
        the year, or the month within one year.
    preparation : TablePreparation
        The fitted transformer that made `X` and prepares new rows in the same way.
    units : dict of str to ndarray of shape (n_samples,)
        Numbered values of the columns of text, also of those that were left out, for
        `difficulty_report`: rows of one person or state may be alike.
    categories : dict of str to ndarray of shape (n_samples,)
        Those of them with ten values or more and three samples of each or more on average, for
        `difficulty_report`: some classifiers read a text by value, also one that is left out.
    rows : ndarray of shape (n_samples,)
        The row of the table behind each sample; those without a label are left out, and those of
        a table of counts occur as often as they are counted.
    """

    X: DataFrame
    y: Labels
    groups: Labels | None
    notes: list[str]
    time: Floats | None
    time_name: str | None
    preparation: TablePreparation
    units: dict[str, Integers]
    categories: dict[str, Integers]
    rows: Integers

    def __repr__(self):
        size = f"{len(self.X):,} samples, {self.X.shape[1]:,} columns"
        return f"PreparedTable({'; '.join([size, *self.notes])})"


def prepare_table(
    table: Any,
    y: Any,
    *,
    groups: Any = None,
    time: Any = None,
    drop: str | Iterable[str] = (),
    keep: str | Iterable[str] = (),
    missing: Literal["auto", "drop", "refuse"] = "auto",
    categorical: Literal["onehot", "drop", "refuse"] = "onehot",
    scale: Literal["none", "standard", "robust", "ranks", "minmax"] = "standard",
) -> PreparedTable:
    """Turn a data frame of numbers, text and gaps into points and labels.

    The command ``smartsvm report`` prepares files in the same way.

    Parameters
    ----------
    table : pandas.DataFrame
        Also a table with a method ``to_pandas`` (polars, PyArrow, Hugging Face datasets), ``df``
        (DuckDB) or ``compute`` (Dask). Lists of numbers become a column for each place.
    y : str or array-like of shape (n_samples,)
        The column of labels, or the labels. Samples without a label (None, NaN, or a word such
        as "NA" or "?") are left out; "None" is a label among words, not among numbers. Numbers
        that are equal, such as True, 1 and 1.0, are one label; numbers beside text are refused.
    groups : str, array-like of shape (n_samples,) or None, default=None
        The column of patients, devices or the like, whose samples are not independent. Every
        sample needs a group.
    time : str, array-like of shape (n_samples,) or None, default=None
        The column of dates, or of numbers that order the samples in time; by default, the first
        column of dates, or ``year`` with ``month``, ``day`` and ``hour`` where the table has them.
    drop : str or iterable of str, default=()
        Columns to leave out.
    keep : str or iterable of str, default=()
        Columns to keep that would be left out, as in `TablePreparation`.
    missing : {"auto", "drop", "refuse"}, default="auto"
        As in `TablePreparation`; "drop" leaves out samples with gaps.
    categorical : {"onehot", "drop", "refuse"}, default="onehot"
        What becomes of text, as in `TablePreparation`.
    scale : {"none", "standard", "robust", "ranks", "minmax"}, default="standard"
        How to scale the columns, as in `difficulty_report`.

    Returns
    -------
    PreparedTable
        ``X``, ``y``, ``groups``, ``notes``, ``time``, ``preparation``, ``units``, ``categories``
        and ``rows``.

    See Also
    --------
    TablePreparation : The transformer alone, for pipelines.

    Notes
    -----
    Whole numbers are an id, and left out, if no two are equal although some of so many independent
    ones would be, or if the column is named like one (``id``, ``customer_id``). Dates in all usual
    spellings become elapsed days and, where they vary, the time of the year, the weekday and the
    hour. Numbers written with a unit or with commas between thousands lose these, limits such as
    <1 and 3+ their sign, unless two of at most 50 values become equal: then they are text. Up to
    three words among numbers, such as "unknown", are gaps; words with a digit, such as "5 or 6",
    only where they are few (up to 5%), or else the column is text.

    A table of counts has a row for each combination of values and a column such as ``Freq`` or
    ``n`` with the number of its samples: each row is then repeated so often, in random order.

    Examples
    --------
    >>> import pandas
    >>> from smartsvm import prepare_table
    >>> colors = pandas.DataFrame(
    ...     {"size": [1, 2, None, 4], "color": list("rgrg"), "kind": list("aabb")}
    ... )
    >>> prepared = prepare_table(colors, "kind", scale="none")
    >>> prepared.X.columns.tolist()
    ['size', 'size missing', 'color=g', 'color=r']
    >>> new = pandas.DataFrame({"size": [3], "color": ["r"]})
    >>> prepared.preparation.transform(new).tolist()
    [[3.0, 0.0, 0.0, 1.0]]
    >>> print(prepared.notes[0])
    filled in the median or the most frequent value, marked in a further column: size (1)
    """
    check_choice(missing, "missing", MISSING)
    check_choice(categorical, "categorical", CATEGORICAL)
    check_choice(scale, "scale", SCALES)
    frame = as_frame(table)
    y, groups = _as_column(frame, y, "y"), _as_column(frame, groups, "groups")
    time, given_time = _as_column(frame, time, "time"), time
    # Times that are given as an array are no column of the table.
    given_time = frame.pop(time) if np.ndim(given_time) else None
    time = time if given_time is None else None
    return prepare(
        frame,
        y,
        groups=groups,
        time=time,
        drop=as_names(drop, "drop"),
        keep=as_names(keep, "keep"),
        missing=missing,
        categorical=categorical,
        scale=scale,
        given_time=given_time,
    )


def needs_preparation(table: Any, groups: Any, time: Any) -> bool:
    """Whether a table has text, dates, gaps or columns that are named."""
    if isinstance(table, dict) or isinstance(groups, str) or isinstance(time, str):
        return True
    if not type(table).__module__.startswith("pandas"):
        return _is_mixed_polars(table)
    if any(getattr(kind, "kind", "O") not in "biuf" for kind in table.dtypes):
        return True
    return bool(table.isna().to_numpy().any())


def _is_mixed_polars(table):
    if not type(table).__module__.startswith("polars"):
        return False
    numeric = all(kind.is_numeric() or str(kind) == "Boolean" for kind in table.dtypes)
    return not numeric or any(count for count in table.null_count().row(0))


def prepare(
    frame,
    target,
    *,
    groups,
    time,
    drop,
    keep,
    missing,
    categorical,
    scale,
    option=as_keyword,
    decimal=".",
    typed=None,
    notes=(),
    given_time=None,
):
    """`prepare_table` for a frame of its own; `option` writes a parameter in messages."""
    if not len(frame):
        raise TableError("there are no samples in it.")
    labels, grouping = _take_out(frame, target, groups, time, drop, keep)
    preparation = TablePreparation(
        drop=tuple(drop),
        keep=tuple(keep),
        missing="auto" if missing == "auto" else "refuse",
        categorical=categorical,
        scale=scale,
        decimal=decimal,
    )
    read = preparation._learn_columns(preparation._opened(frame))
    columns = preparation._used(read)
    changed = preparation.notes_
    n_before = len(changed)
    times, time_name = time_of(frame, read, preparation, time, given_time)
    kept = _complete_rows(columns, labels, missing, option)
    if not kept.all():
        lack = "a label" if missing == "auto" else "a value"
        changed.append(f"dropped {(~kept).sum():,} of {len(kept):,} samples that lack {lack}")
    rows = np.flatnonzero(kept)
    counts = column_of_counts(columns.iloc[rows], labels.iloc[rows])
    if counts is not None and counts not in keep:
        rows = repeated(rows, columns[counts].to_numpy())
        columns = preparation._without_counts(columns, counts)
        changed.append(
            f"counted each row as often as {counts} says: {kept.sum():,} rows are {len(rows):,} "
            "samples"
        )
    columns = columns.iloc[rows]
    units = unit_columns(read.iloc[rows])
    by_value = filter(lambda name: has_many_values(units[name]), preparation._by_value(units))
    categories = {name: units[name] for name in by_value}
    changed[n_before:n_before] = preparation._notes_on_left_out(categories)
    X = preparation._learn_values(columns, option)
    values = _as_classes(target, labels.iloc[rows].tolist(), has_gaps=len(kept) > kept.sum())
    values, note = typed(values) if typed else (values, None)
    _check_classes(target, values)
    gaps = ("filled", "refuse") if missing == "auto" else ("dropped", "auto")
    ways = {
        "keep": ("left out|used by|counted", "NAME"),
        "missing": gaps,
        "drop": ("(?!left|used by|dropped|counted)", "NAME"),
        "categorical": ("encoded", "drop"),
    }
    used = [
        option(name, value)
        for name, (begin, value) in ways.items()
        if any(re.match(begin, note) for note in changed)
    ]
    changed = [*changed, *([f"to change this: {', '.join(used)}"] if used else [])]
    return PreparedTable(
        X=type(frame)(X, index=columns.index, columns=preparation.get_feature_names_out()),
        y=values,
        groups=None if grouping is None else grouping.iloc[rows].to_numpy(),
        notes=[*notes, *filter(None, [note]), *changed],
        time=None if times is None else times[rows],
        time_name=time_name,
        preparation=preparation,
        units=units,
        categories=categories,
        rows=rows,
    )


def _as_classes(target, labels, has_gaps):
    """Labels as numbers or text, no two of which become one."""
    try:
        values = as_labels(labels, f"column {target!r}")
    except (TypeError, ValueError) as error:
        raise TableError(str(error)) from error
    if has_gaps and values.dtype.kind == "f" and (np.abs(values) < 2**53).all():
        whole = values.astype(np.int64)  # a gap has made floats of whole numbers
        values = whole if (whole == values).all() else values
    if values.dtype.kind in "biufU" or isinstance(labels[0], str):
        return values
    return as_labels(list(map(str, labels)))  # dates, integers of more than 64 bits


def _as_column(frame, given, parameter):
    """The name of a column; an array becomes one."""
    if given is None or np.ndim(given) == 0:
        return None if given is None else str(given)
    given = without_mask(given)
    if len(given) != len(frame):
        raise TableError(
            f"{parameter} must have a value for each of {len(frame)} rows, got {len(given)}."
        )
    if np.ndim(given) != 1 and hasattr(given, "shape"):
        raise TableError(
            f"{parameter} must be one-dimensional, a value for each row, got shape {given.shape}."
        )
    name = free_name(f"the {parameter}", set(frame.columns))
    # A column of objects keeps 1 and "1" apart.
    typed = getattr(given, "dtype", None) is not None
    frame[name] = np.asarray(given) if typed else np.array([*given, None], dtype=object)[:-1]
    return name


def _take_out(frame, target, groups, time, drop, keep):
    """Take the labels and the groups out of a frame and give them."""
    check_target(target, frame.columns.tolist())
    labels = frame.pop(target)
    taken = {target: "the target"}
    grouping = None
    check_cells(target, labels)
    labels = labels if labels.dtype.kind in "biuf" else without_none(missing_as_nan(labels))
    if groups is not None:
        grouping = _popped(frame, groups, "group samples by", taken)
        check_cells(groups, grouping)
        grouping = grouping if grouping.dtype.kind in "biuf" else missing_as_nan(grouping)
        if grouping.isna().any():
            raise TableError(f"column {groups!r} must name the group of every sample.")
        taken[groups] = "what samples are grouped by"
    if time is not None:
        _popped(frame.copy(deep=False), time, "order samples by", taken)
    left = frame.copy(deep=False)
    for name in drop:
        _popped(left, name, "leave out", taken)
        taken[name] = "left out already"
    for name in keep:
        _popped(left.copy(deep=False), name, "keep", taken)
    if left.shape[1] == 0:
        raise TableError(f"there is no column besides {' and '.join(map(repr, taken))}.")
    return labels, grouping


def _popped(frame, name, purpose, taken):
    if name in taken:
        raise TableError(f"column {name!r} is {taken[name]}: there is no other to {purpose}.")
    if name not in frame:
        names = [*frame.columns, *taken]
        raise TableError(f"no column {name!r} to {purpose}." + about_missing_column(name, names))
    return frame.pop(name)


def _complete_rows(frame, labels, missing, option):
    """Which samples to use, or a refusal that names columns and samples."""
    unlabelled = labels.isna().to_numpy()
    absent = frame.isna()
    if missing == "auto":
        if unlabelled.all():
            raise TableError("no sample has a label.")
        return ~unlabelled
    incomplete = absent.any(axis=1).to_numpy() | unlabelled
    if incomplete.any():
        empty = absent.columns[absent.all()].tolist()
        if empty:
            options = " ".join(option("drop", name) for name in empty[:8])
            raise TableError(
                f"these columns are empty: {listed(empty)}. Leave them out with {options}."
            )
        columns = absent.columns[absent.any()].tolist()
        columns += ["the target"] if unlabelled.any() else []
        if incomplete.all():
            raise TableError(f"every sample lacks a value (columns: {listed(columns)}).")
        if missing == "refuse":
            n = incomplete.sum()
            rows = frame.index[incomplete]
            names = [name if isinstance(name, str) else f"row {name}" for name in rows]
            raise TableError(
                f"{n} of {len(frame)} samples {'lacks' if n == 1 else 'lack'} a value (columns: "
                f"{listed(columns)}; {listed(names, 5)}). Fill them in, have them filled in with "
                f"{option('missing', 'auto')}, or leave these samples out with "
                f"{option('missing', 'drop')}."
            )
    return ~incomplete


def _check_classes(target, labels):
    distinct = np.unique(labels)
    if labels.dtype.kind == "f" and (bad := distinct[distinct != np.floor(distinct)]).size:
        raise TableError(
            f"column {target!r} must hold classes, got {bad[0]}: a continuous target is a "
            f"regression problem. If the values are classes, name them, such as 'class {bad[0]}'."
        )
    if len(distinct) == 1:
        raise TableError(f"column {target!r} holds only one class: {distinct.tolist()[0]!r}.")
    if len(distinct) > max(_MOST_DISTINCT, len(labels) / 2) and labels.dtype.kind != "f":
        raise TableError(
            f"column {target!r} holds {len(distinct)} different labels for {len(labels)} samples: "
            "is it the column with the classes? A number to predict is a regression problem."
        )

"""The columns of a table that are no features: labels, groups and times; rows without a label."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from smartsvm._core.labels import as_labels
from smartsvm._core.sources import is_dask, read_labels
from smartsvm._core.validation import describe, without_mask
from smartsvm.presentation.wording import listed
from smartsvm.tables.column_readers import check_cells, missing_as_nan, without_none
from smartsvm.tables.hints import TableError, check_target

_MOST_DISTINCT = 20  # more labels than this, and than half the samples, are not classes


class Beside(NamedTuple):
    """A column beside the features: of the table, or given as an array."""

    values: Any  # a pandas Series; None if there is none
    shown: str = ""  # what messages call it
    name: str | None = None  # its name in the table


class Purpose(NamedTuple):
    """What a column beside the features is for, in messages."""

    do: str
    of_each: str
    use: str


GROUPS = Purpose("group samples by", "the group", "what samples are grouped by")
IDS = Purpose("match rows by", "the id", "what rows are matched by")


class Taken(NamedTuple):
    """A table without what is beside its features."""

    named: Any  # a `Frame`
    labels: Beside
    groups: Beside
    time: Beside


def take_out(named, y, groups, time, drop, keep, purpose_of_groups=GROUPS):
    """Take labels and groups out of a `Frame`; times may stay a feature."""
    frame = named.frame
    labels = _beside(named, y, "y", "read labels from", is_target=True)
    taken = {} if labels.name is None else {labels.name: "the target"}
    check_cells(labels.name or "y", labels.values)
    values = labels.values
    values = values if values.dtype.kind in "biuf" else without_none(missing_as_nan(values))
    labels = labels._replace(values=values)
    grouping = _beside(named, groups, "groups", purpose_of_groups.do, taken)
    if grouping.values is not None:
        check_cells(grouping.name or "groups", grouping.values)
        values = grouping.values
        values = values if values.dtype.kind in "biuf" else missing_as_nan(values)
        if values.isna().any():
            raise TableError(
                f"{grouping.shown} must name {purpose_of_groups.of_each} of every sample."
            )
        grouping = grouping._replace(values=values)
        if grouping.name is not None:
            taken[grouping.name] = purpose_of_groups.use
    times = _beside(named, time, "time", "order samples by", taken)
    for which, purpose in ((drop, "leave out"), (keep, "keep")):
        for name in which:
            name = named.called(name, purpose)
            if name in taken:
                raise TableError(_about_taken(name, taken, purpose))
            if purpose == "leave out":
                taken[name] = "left out already"
    names = frame.columns.tolist()
    if not set(names) - set(taken):
        besides = f" besides {' and '.join(map(repr, taken))}" if taken else " in it"
        raise TableError(f"there is no column{besides}.")
    own = {labels.name, grouping.name}
    kept = [place for place, name in enumerate(names) if name not in own]
    left = type(named)(frame.iloc[:, kept], [named.given[place] for place in kept])
    return Taken(left, labels, grouping, times)


def without_columns(table, named, *columns):
    """A table as it is, as a pandas data frame, without columns that are named."""
    named_ones = [each for each in columns if each is not None and is_name(each, named)]
    places = {named.place(each) for each in named_ones}
    kept = [place for place in range(len(named.given)) if place not in places]
    if hasattr(table, "iloc"):
        return table.iloc[:, kept]
    return named.frame.iloc[:, kept]


def _beside(named, given, parameter, purpose, taken=(), *, is_target=False):
    """A column that is named, or given as an array."""
    if given is None and not is_target:
        return Beside(None)
    if given is None:
        raise TypeError("y must be the name of a column or a label for each row, got None.")
    frame = named.frame
    if isinstance(given, Path) or is_dask(given):
        given = read_labels(given)
    if is_name(given, named):
        if is_target and named.place(given) is None:
            check_target(str(given), frame.columns.tolist())
        name = named.called(given, purpose)
        if name in taken:
            raise TableError(_about_taken(name, taken, purpose))
        return Beside(frame[name], f"column {name!r}", name)
    if isinstance(given, Iterator):
        given = list(given)
    if isinstance(given, Mapping | Set):
        raise TableError(
            f"{parameter} must be the name of a column or a value for each row, in order, got "
            f"{describe(given)}."
        )
    given = without_mask(given)
    if len(given) != len(frame):
        raise TableError(
            f"{parameter} must have a value for each of {len(frame)} rows, got {len(given)}."
        )
    if np.ndim(given) != 1 and hasattr(given, "shape"):
        raise TableError(
            f"{parameter} must be one-dimensional, a value for each row, got shape {given.shape}."
        )
    return Beside(_as_series(given, frame.index), parameter)


def is_name(given, named):
    """Whether labels, groups or times are the name of a column."""
    if isinstance(given, tuple):  # a name of several levels
        return given in named.given
    return np.ndim(given) == 0 and not isinstance(given, Iterator | Mapping | Set)


def _as_series(given, index):
    import pandas

    # A column of objects keeps 1 and "1" apart.
    typed = getattr(given, "dtype", None) is not None
    values = np.asarray(given) if typed else np.array([*given, None], dtype=object)[:-1]
    return pandas.Series(values, index=index)


def _about_taken(name, taken, purpose):
    return f"column {name!r} is {taken[name]}: there is no other to {purpose}."


def complete_rows(used, labels, missing, option):
    """Which samples to use, or a refusal that names columns and samples."""
    unlabelled = labels.isna().to_numpy()
    if missing == "auto":
        if unlabelled.all():
            raise TableError("no sample has a label.")
        return ~unlabelled
    gaps = {column.name: column.gaps() for column in used}
    incomplete = np.any([unlabelled, *gaps.values()], axis=0)
    if incomplete.any():
        empty = [name for name, absent in gaps.items() if absent.all()]
        if empty:
            options = " ".join(option("drop", name) for name in empty[:8])
            raise TableError(
                f"these columns are empty: {listed(empty)}. Leave them out with {options}."
            )
        columns = [name for name, absent in gaps.items() if absent.any()]
        columns += ["the target"] if unlabelled.any() else []
        if incomplete.all():
            raise TableError(f"every sample lacks a value (columns: {listed(columns)}).")
        if missing == "refuse":
            n = incomplete.sum()
            rows = labels.index[incomplete]
            names = [name if isinstance(name, str) else f"row {name}" for name in rows]
            raise TableError(
                f"{n} of {len(labels)} samples {'lacks' if n == 1 else 'lack'} a value (columns: "
                f"{listed(columns)}; {listed(names, 5)}). Fill them in, have them filled in with "
                f"{option('missing', 'auto')}, or leave these samples out with "
                f"{option('missing', 'drop')}."
            )
    return ~incomplete


def as_classes(labels, shown, has_gaps):
    """Labels as numbers or text, no two of which become one."""
    try:
        values = as_labels(labels, shown)
    except (TypeError, ValueError) as error:
        raise TableError(str(error)) from error
    if has_gaps and values.dtype.kind == "f" and (np.abs(values) < 2**53).all():
        whole = values.astype(np.int64)  # a gap has made floats of whole numbers
        values = whole if (whole == values).all() else values
    if values.dtype.kind in "biufU" or isinstance(labels[0], str):
        return values
    return as_labels(list(map(str, labels)))  # dates, integers of more than 64 bits


def check_classes(labels, shown):
    """Raise if labels are no classes."""
    distinct = np.unique(labels)
    if labels.dtype.kind == "f" and (bad := distinct[distinct != np.floor(distinct)]).size:
        raise TableError(
            f"{shown} must hold classes, got {bad[0]}: a continuous target is a "
            f"regression problem. If the values are classes, name them, such as 'class {bad[0]}'."
        )
    if len(distinct) == 1:
        raise TableError(f"{shown} holds only one class: {distinct.tolist()[0]!r}.")
    if len(distinct) > max(_MOST_DISTINCT, len(labels) / 2) and labels.dtype.kind != "f":
        raise TableError(
            f"{shown} holds {len(distinct)} different labels for {len(labels)} samples: "
            "is it the column with the classes? A number to predict is a regression problem."
        )

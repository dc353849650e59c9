"""The samples that the user passes, opened once and checked, and the rows to use."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse

from smartsvm._core.checked_labels import check_groups, check_labels
from smartsvm._core.points import Points
from smartsvm._core.sampling import stratified_rows
from smartsvm._core.sources import SparseRows, read_labels
from smartsvm._core.validation import check_int, check_mask, describe
from smartsvm.held_out.categories import Categories
from smartsvm.held_out.folds import LEAST_SAMPLES
from smartsvm.report.dependence import Units
from smartsvm.report.models import open_models
from smartsvm.tables.frames import is_table, open_frame
from smartsvm.tables.label_columns import without_columns
from smartsvm.tables.prepared import PreparedTable, prepare_table
from smartsvm.tables.records import CATEGORY, Column, RowsLeftOut
from smartsvm.tables.time_column import Times, times_of
from smartsvm.trees.open_points import open_points

# Samples of subsample="auto": more hardly make the intervals narrower, and take minutes.
MOST_SAMPLES = 100_000


class Samples(NamedTuple):
    """All that the user passes about the samples, opened and checked; no row is read yet."""

    points: Points
    classes: np.ndarray
    codes: np.ndarray
    groups: np.ndarray | None
    times: Times
    columns: tuple | None  # `Column` of each column; None where they have no names
    row_names: Any  # None for numbers from 0
    is_table: bool = False
    units: tuple = ()  # `Units` that are no columns
    notes: tuple = ()  # `Note` on what was done to the columns of a table
    frame: Any = None  # what models of the user see, instead of the points
    frame_rows: np.ndarray | None = None  # the row of it for each sample
    set_aside: tuple = ()  # `SetAside` columns that are no features
    rows_left_out: RowsLeftOut | None = None

    def rows_to_use(self, subsample, seed):
        """All rows, or as many as `subsample` allows, stratified by class."""
        if subsample is None:
            return np.arange(len(self.codes))
        size = _check_subsample(subsample, len(self.classes))
        return stratified_rows(self.codes, size, seed)

    def categories(self, units):
        """The texts of some rows that are read by value, None if there are none."""
        texts = {each.name: each.codes for each in units if each.is_category}
        if not texts:
            return None
        encoded = [each.kind == CATEGORY and each.sources[0] in texts for each in self.columns]
        return Categories(np.column_stack([*texts.values()]).astype(float), np.array(encoded))

    def names_of_rows(self, rows):
        """The names of some rows, or their numbers."""
        return rows if self.row_names is None else _names_of(self.row_names, rows)

    def open_models(self, models, rows, values):
        """The models of the user, and some rows as these see them."""
        if models is None:
            return (), values
        if self.frame is None:
            return open_models(models, self.classes, len(self.codes), rows, None), values
        rows = self.frame_rows[rows]
        opened = open_models(models, self.classes, len(self.frame), rows, self.frame.index)
        return opened, self.frame.iloc[rows]


def open_input(X, y, *, groups, time, cv, models, feature_names, row_names):
    """X, y and what is beside them as `Samples`.

    Every table is prepared, an array never is.
    """
    if is_table(X) or isinstance(X, PreparedTable):
        if feature_names is not None:
            raise ValueError(
                "feature_names must be None for a table, whose columns have names: rename these."
            )
        return _of_table(X, y, groups, time, cv, models, row_names)
    if y is None:
        raise TypeError("y must be given: the labels of X.")
    points = Points(source=SparseRows(X)) if issparse(X) else open_points(X)
    n = points.n_rows
    classes, codes = check_labels(read_labels(y), n_samples=n)
    _check_size(n)
    if row_names is not None:
        _check_names(row_names, "row_names", n, "rows")
    elif feature_names is not None:
        row_names = np.arange(n)
    times = Times()
    if time is not None:
        times = Times(times_of(time), str(getattr(time, "name", None) or "time"))
        _check_names(times.values, "time", n, "rows")
    columns = None
    if feature_names is not None:
        _check_names(feature_names, "feature_names", points.n_features, "columns")
        columns = tuple(Column(name, (name,)) for name in feature_names)
    return Samples(
        points=points,
        classes=classes,
        codes=codes,
        groups=None if groups is None else check_groups(groups, n),
        times=times,
        columns=columns,
        row_names=row_names,
    )


def _of_table(X, y, groups, time, cv, models, row_names):
    table = X
    if isinstance(X, PreparedTable):
        beside = {"y": y, "groups": groups, "time": time}
        for name, given in beside.items():
            if given is not None:
                raise ValueError(f"{name} must be None for a PreparedTable, which has its own.")
    elif y is None:
        raise TypeError("y must name the column of labels in the table, or be the labels.")
    else:
        named = open_frame(X)
        table = prepare_table(named, y, groups=groups, time=time, scale="none")
    n = len(table.y)
    n_rows = n if table is X else len(named.frame)
    if n != n_rows and cv is not None and not hasattr(cv, "split"):
        raise ValueError(
            f"cv must be a splitter if samples are left out or counted: {n_rows} rows are "
            f"{n} samples with a label, and numbers may be those of either."
        )
    if row_names is None:
        row_names = table.X.index
    else:
        _check_names(row_names, "row_names", n_rows, "rows")
        row_names = row_names if table is X else _names_of(row_names, table.rows)
    frame, frame_rows = None, None
    if models is not None:  # they see the table as it is, without its labels and groups
        frame = table.X if table is X else without_columns(X, named, y, groups)
        frame_rows = np.arange(n) if table is X else table.rows
    classes, codes = check_labels(table.y, n_samples=n)
    _check_size(n)
    units = tuple(
        Units(name, codes, is_unit=name in table.unit_names, is_category=name in table.categories)
        for name, codes in table.units.items()
    )
    return Samples(
        points=open_points(table.unscaled),
        classes=classes,
        codes=codes,
        groups=None if table.groups is None else check_groups(table.groups, n),
        times=Times(table.time, table.time_name, table.time_source),
        columns=table.columns,
        row_names=row_names,
        is_table=True,
        units=units,
        notes=tuple(table.notes),
        frame=frame,
        frame_rows=frame_rows,
        set_aside=table.set_aside,
        rows_left_out=table.rows_left_out,
    )


def _check_size(n):
    if n < LEAST_SAMPLES:
        raise ValueError(f"X must have at least {LEAST_SAMPLES} rows, got {n}.")


def _names_of(labels, rows):
    """Names of some rows as an array of one dimension; times as text."""
    names = np.asarray(labels)
    if names.ndim != 1:  # an index of several levels
        names = np.empty(len(labels), dtype=object)
        names[:] = list(map(tuple, labels))
    names = names[rows]
    if names.dtype.kind == "M":
        return np.datetime_as_string(names, unit="auto")
    return names.astype(str) if names.dtype.kind == "m" else names


def _check_names(names, parameter, count, what):
    """Raise unless there is one name for each row or column."""
    check_mask(names, parameter)
    if not hasattr(names, "__len__") or isinstance(names, Set | Mapping):
        raise TypeError(
            f"{parameter} must be a sequence of {count} names, one for each of the {what} of X, "
            f"got {describe(names)}."
        )
    if len(names) != count:
        raise ValueError(
            f"{parameter} must have one name for each of the {count} {what} of X, got {len(names)}."
        )


def _check_subsample(subsample, n_classes):
    """The largest number of samples to use."""
    least = max(LEAST_SAMPLES, n_classes)
    if not isinstance(subsample, str):
        return check_int(subsample, "subsample", least=least)
    if subsample != "auto":
        raise ValueError(
            f'subsample must be "auto", None for all samples, or an integer of at least {least}, '
            f"got {subsample!r}."
        )
    return max(least, MOST_SAMPLES)

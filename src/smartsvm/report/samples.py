"""The samples of a report: what the user passes about the rows, checked, and the rows to use."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from smartsvm._core.checked_labels import check_groups, check_labels
from smartsvm._core.points import Points
from smartsvm._core.sampling import stratified_rows
from smartsvm._core.sources import read_labels
from smartsvm._core.validation import check_int, describe
from smartsvm.held_out.categories import Categories
from smartsvm.held_out.folds import LEAST_SAMPLES, renumbered
from smartsvm.report.dependence import Units
from smartsvm.report.models import open_models
from smartsvm.report.splits import Splits
from smartsvm.tables.preparation import as_frame, is_table
from smartsvm.tables.prepared import needs_preparation, prepare_table
from smartsvm.tables.time_column import times_of
from smartsvm.trees.open_points import open_points

# Samples of subsample="auto": more hardly make the intervals narrower, and take minutes.
MOST_SAMPLES = 100_000


class Samples(NamedTuple):
    """The samples of a report."""

    X: np.ndarray  # as passed
    classes: np.ndarray
    codes: np.ndarray
    groups: np.ndarray | None  # numbered from 0
    rows: np.ndarray  # among all rows that were passed
    n_given: int
    feature_names: object
    row_names: np.ndarray
    preparation: tuple = ()  # what was done to the columns of a table
    units: tuple = ()  # `Units` that are no columns
    categories: Categories | None = None
    time: np.ndarray | None = None  # when each sample was taken, NaN where unknown
    time_name: str | None = None
    splits: Splits | None = None  # of `cv`
    models: tuple = ()  # `Model` of the user
    table: object = None  # the rows as these models see them


class ReportInput(NamedTuple):
    """X, y and columns beside them, of one length; a table is prepared."""

    X: Any
    y: Any
    groups: Any = None
    time: np.ndarray | None = None
    time_name: str | None = None
    units: Any = None
    categories: Any = None
    preparation: tuple = ()
    # The table with the columns that models of the user see, and its row for each of X; None if
    # X is that table itself.
    frame: Any = None
    frame_rows: np.ndarray | None = None


def read_input(X, y, *, groups, time, units, categories, cv, models):
    """What was passed as a `ReportInput`: a table of text, dates or gaps is prepared."""
    names_labels = isinstance(y, str | int)
    if is_table(X) and (names_labels or needs_preparation(X, groups, time)):
        return _prepared(X, y, groups, time, units, categories, cv, models)
    beside = {"units": units, "categories": categories}
    if time is None:
        return ReportInput(X, y, groups, **beside)
    name = getattr(time, "name", None) or "time"
    return ReportInput(X, y, groups, times_of(time), name, **beside)


def _prepared(X, y, groups, time, units, categories, cv, models):
    table = prepare_table(X, y, groups=groups, time=time, scale="none")
    n_labels = len(X[y] if isinstance(y, str | int) else y)
    if len(table.y) != n_labels and cv is not None and not hasattr(cv, "split"):
        raise ValueError(
            f"cv must be a splitter if samples are left out or counted: {n_labels} rows are "
            f"{len(table.y)} samples with a label, and numbers may be those of either."
        )
    frame = None
    if models is not None:  # they see the table as it is, without its labels and groups
        named = [str(each) for each in (y, groups) if isinstance(each, str | int)]
        frame = as_frame(X).drop(columns=named)
    return ReportInput(
        X=table.X,
        y=table.y,
        groups=table.groups,
        time=table.time,
        time_name=table.time_name,
        units=table.units | {name: v[table.rows] for name, v in _columns(units, n_labels)},
        categories=table.categories
        | {n: v[table.rows] for n, v in _columns(categories, n_labels, "categories")},
        preparation=tuple(table.notes),
        frame=frame,
        frame_rows=table.rows,
    )


class CheckedInput(NamedTuple):
    """The input after all checks; X is open, but no row is read yet."""

    given: ReportInput
    points: Points
    classes: np.ndarray
    codes: np.ndarray
    groups: np.ndarray | None
    feature_names: Any
    row_names: Any

    def rows_to_use(self, subsample, seed):
        """All rows, or as many as `subsample` allows, stratified by class."""
        if subsample is None:
            return np.arange(len(self.codes))
        size = _check_subsample(subsample, len(self.classes))
        return stratified_rows(self.codes, size, seed)

    def samples(self, rows, cv, models):
        """The `Samples` in some rows, read into memory."""
        given, n_given = self.given, len(self.codes)
        values = self.points.read(rows)
        codes, groups = self.codes[rows], None if self.groups is None else self.groups[rows]
        splits = None
        if cv is not None:
            labels = self.classes[codes]
            splits = Splits.of(cv, values, labels, codes, groups, rows=rows, n_given=n_given)
        opened, table = self._models(models, rows, values)
        units = self._units(rows)
        return Samples(
            X=values,
            classes=self.classes,
            codes=codes,
            groups=None if groups is None else renumbered(groups),
            rows=rows,
            n_given=n_given,
            feature_names=self.feature_names,
            row_names=rows if self.row_names is None else _names_of(self.row_names, rows),
            preparation=given.preparation,
            units=units,
            categories=self._categories(units),
            time=None if given.time is None else given.time[rows],
            time_name=given.time_name,
            splits=splits,
            models=opened,
            table=table,
        )

    def _units(self, rows):
        """Columns that may name units: those given as such, and texts that are read by value."""
        given, n_given = self.given, len(self.codes)
        texts = dict(_columns(given.categories, n_given, "categories"))
        columns = dict(_columns(given.units, n_given)) | texts
        return tuple(
            Units(name, renumbered(values[rows]), is_category=name in texts)
            for name, values in columns.items()
        )

    def _categories(self, units):
        """The texts that are read by value, None if there are none."""
        texts = [each for each in units if each.is_category]
        if not texts:
            return None
        values = np.column_stack([each.codes for each in texts])
        begins = tuple(f"{each.name}=" for each in texts)
        names = () if self.feature_names is None else map(str, self.feature_names)
        encoded = np.zeros(self.points.n_features, dtype=bool)
        encoded[[j for j, name in enumerate(names) if name.startswith(begins)]] = True
        return Categories(values.astype(float), encoded)

    def _models(self, models, rows, values):
        """The models of the user, and the rows as these see them."""
        if models is None:
            return (), values
        given, n_given = self.given, len(self.codes)
        frame, frame_rows = given.frame, given.frame_rows
        if frame is None:
            frame, frame_rows = given.X if hasattr(given.X, "iloc") else None, np.arange(n_given)
        n_rows = n_given if frame is None else len(frame)
        index = getattr(frame, "index", None)
        opened = open_models(models, self.classes, n_rows, frame_rows[rows], index)
        return opened, values if frame is None else frame.iloc[frame_rows[rows]]


def check_input(given, feature_names, row_names):
    """Open X, number the classes and groups, and check that all have one length."""
    if feature_names is None:
        feature_names = getattr(given.X, "columns", None)
    if row_names is None and feature_names is not None:
        row_names = getattr(given.X, "index", None)
    points = open_points(given.X)
    n_given = points.n_rows
    if feature_names is not None:
        _check_names(feature_names, "feature_names", points.n_features, "columns")
    classes, codes = check_labels(read_labels(given.y), n_samples=n_given)
    if n_given < LEAST_SAMPLES:
        raise ValueError(f"X must have at least {LEAST_SAMPLES} rows, got {n_given}.")
    if row_names is not None:
        _check_names(row_names, "row_names", n_given, "rows")
    groups = None if given.groups is None else check_groups(given.groups, n_given)
    if given.time is not None:
        _check_names(given.time, "time", n_given, "rows")
    return CheckedInput(given, points, classes, codes, groups, feature_names, row_names)


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
    if not hasattr(names, "__len__"):
        raise TypeError(
            f"{parameter} must be a sequence of {count} names, one for each of the {what} of X, "
            f"got {describe(names)}."
        )
    if len(names) != count:
        raise ValueError(
            f"{parameter} must have one name for each of the {count} {what} of X, got {len(names)}."
        )


def _columns(given, n_given, parameter="units"):
    """(name, values) of each given column, of one dimension; anything but numbers as text."""
    for name, values in (given or {}).items():
        values = np.asarray(values)
        if values.shape != (n_given,):
            raise ValueError(
                f"{parameter}[{name!r}] must have one value for each of the {n_given} rows of X, "
                f"got shape {values.shape}."
            )
        yield name, values if values.dtype.kind in "biuf" else values.astype(str)


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

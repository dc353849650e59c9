"""The entries of `compare_representations`: points and labels of the same rows, by name."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from smartsvm._core.checked_labels import check_labels
from smartsvm._core.labels import as_labels
from smartsvm._core.sources import read_labels
from smartsvm._core.validation import describe
from smartsvm.presentation.wording import listed
from smartsvm.tables.frames import as_frame, is_table
from smartsvm.tables.preparation import TablePreparation
from smartsvm.tables.prepared import PreparedTable
from smartsvm.trees.open_points import open_points

ALL = "all columns"


class Entry(NamedTuple):
    """One representation of the rows."""

    X: object  # checked numbers, or a tensor
    classes: np.ndarray
    codes: np.ndarray


def open_entries(X, y, ids, groups_of_columns):
    """The entries by name, rows in one order, and that order in the first entry."""
    if groups_of_columns is not None:
        X, y = _parts_of_table(X, y, groups_of_columns)
    names = _names_of(X, y)
    orders = {name: slice(None) for name in names} if ids is None else _orders(ids, names)
    entries, n_rows = {}, None
    for name in names:
        points, labels = _opened(_of_name(X, name), _of_name(y, name), name)
        n = len(points)
        if ids is not None and len(ids[name]) != n:
            raise ValueError(
                f"ids[{name!r}] must have one id for each of the {n} rows of X[{name!r}], got "
                f"{len(ids[name])}."
            )
        if n_rows not in (None, n):
            raise ValueError(
                f"X[{name!r}] must have the {n_rows:,} rows of X[{names[0]!r}], got {n:,}: rows "
                "are matched by position. Pass ids= to match them by id."
            )
        n_rows = n
        shown = f"y[{name!r}]" if isinstance(y, Mapping) else "y"
        classes, codes = check_labels(read_labels(labels), shown, n_samples=n)
        # One array of labels belongs to the rows of the first representation.
        order = orders[name if isinstance(y, Mapping) else names[0]]
        entries[name] = Entry(points[orders[name]], classes, codes[order])
    if isinstance(y, str) and ids is None:
        _check_same_labels(entries, y)
    return {str(name): entry for name, entry in entries.items()}, orders[names[0]]


def _of_name(values, name):
    """The value of a representation: its own, or the one that all share."""
    return values[name] if isinstance(values, Mapping) else values


def _names_of(X, y):
    """The names of the representations, checked."""
    if not isinstance(X, Mapping) and not isinstance(y, Mapping):
        raise TypeError(
            "X must be a mapping of names to representations, such as {'clip': A, 'dino': B}, or y "
            f"one of names to labels, got {describe(X)}."
        )
    if isinstance(X, Mapping) and isinstance(y, Mapping) and set(X) != set(y):
        raise ValueError(
            f"y must have the names of X, {describe(list(X))}, got {describe(list(y))}."
        )
    which, names = ("X", list(X)) if isinstance(X, Mapping) else ("y", list(y))
    if len(names) < 2:
        what = "representations" if which == "X" else "sets of labels"
        raise ValueError(f"{which} must hold two {what} or more, got {describe(names)}.")
    texts = [str(name).strip() for name in names]
    if not all(texts) or len(set(texts)) < len(texts):
        raise ValueError(
            f"{which} must have names that are different as text and not empty, got "
            f"{describe(names)}."
        )
    return names


def _check_same_labels(entries, column):
    """Raise unless the column of labels is the same in the tables of all entries."""
    (first, expected), *others = entries.items()
    for name, entry in others:
        if not np.array_equal(entry.classes[entry.codes], expected.classes[expected.codes]):
            raise ValueError(
                f"y must have the same labels in the same order in all data frames, but {column!r} "
                f"of X[{name!r}] differs from that of X[{first!r}]: pass ids= if the rows have "
                "another order, or a mapping of names to labels if these are to be compared."
            )


def _opened(table, labels, name):
    """The points of an entry, prepared if it is a table, and its labels."""
    if isinstance(table, PreparedTable):
        return table.unscaled, table.y if labels is None else labels
    if not is_table(table):
        return open_points(table, f"X[{name!r}]").read(), labels
    frame, labels = _without_labels(as_frame(table), labels, f"X[{name!r}]")
    points = TablePreparation(scale="none").fit_transform(frame)
    return np.asarray(points, dtype=np.float64), labels


def _without_labels(frame, labels, shown):
    """A frame without the column of its labels, and these labels, if `labels` names a column."""
    if not isinstance(labels, str):
        return frame, labels
    if labels not in frame:
        raise ValueError(
            f"y must name a column of {shown}, got {labels!r}; its columns are "
            f"{describe(list(frame.columns))}."
        )
    return frame.drop(columns=labels), as_labels(frame[labels].to_numpy(), "y")


def _orders(ids, names):
    """For every entry, the rows in the order of the sorted ids; all must have the same ids."""
    if not isinstance(ids, Mapping) or set(ids) != set(names):
        raise ValueError(
            f"ids must have an array of ids for each of {describe(names)}, got {describe(ids)}."
        )
    orders, different = {}, {}
    for name in names:
        values = as_labels(ids[name], f"ids[{name!r}]")
        if values.ndim != 1:
            raise ValueError(
                f"ids[{name!r}] must be one-dimensional, one id for each row, got shape "
                f"{values.shape}: join several columns to one."
            )
        unique, rows, counts = np.unique(values, return_index=True, return_counts=True)
        if len(unique) < len(values):
            raise ValueError(
                f"ids[{name!r}] must be different, got {describe(unique[counts > 1].tolist())} "
                "more than once."
            )
        orders[name], different[name] = rows, unique.tolist()
    check_same_ids(different, "ids")
    return orders


def check_same_ids(ids, called):
    """Raise if the rows of some representation have other ids than those of the first."""
    (first, expected), *others = ((name, set(given)) for name, given in ids.items())
    for name, ids_of_entry in others:
        only = {first: expected - ids_of_entry, name: ids_of_entry - expected}
        parts = [
            f"{len(only_here):,} only in {where!r} ({listed([*map(repr, sorted(only_here))], 3)})"
            for where, only_here in only.items()
            if only_here
        ]
        if parts:
            raise ValueError(
                f"{called} must be the same in all representations, got {' and '.join(parts)}."
            )


def _parts_of_table(X, y, groups_of_columns):
    """All columns, those without each group, and each group alone; and the labels."""
    if isinstance(X, Mapping) and not hasattr(X, "columns"):
        raise TypeError("X must be one table with groups_of_columns, got a mapping.")
    if not isinstance(groups_of_columns, Mapping) or not groups_of_columns:
        raise TypeError(
            "groups_of_columns must be a mapping of names to columns, got "
            f"{describe(groups_of_columns)}."
        )
    named = is_table(X)
    if named:
        X, y = _without_labels(as_frame(X), y, "X")
        all_columns = list(X.columns)

        def part(columns):
            return X[columns]
    else:
        X = open_points(X).read()
        all_columns = list(range(X.shape[1]))

        def part(columns):
            return X[:, columns]

    out = {ALL: part(all_columns)}
    for name, columns in groups_of_columns.items():
        columns = _columns_of_group(name, columns, all_columns, named)
        unknown = [column for column in columns if column not in all_columns]
        if unknown or not columns:
            raise ValueError(
                f"groups_of_columns[{name!r}] must name columns of X, at least one, got "
                f"{describe(unknown or columns)}."
            )
        rest = [column for column in all_columns if column not in columns]
        if not rest:
            raise ValueError(
                f"groups_of_columns[{name!r}] must leave a column of X, got all {len(all_columns)}."
            )
        for what, chosen in ((f"without {name}", rest), (f"{name} alone", columns)):
            if what in out:
                raise ValueError(
                    "groups_of_columns must have names that are different as text and begin with "
                    f"no 'without' where another ends with 'alone', got {what!r} twice of "
                    f"{describe(list(groups_of_columns))}."
                )
            out[what] = part(chosen)
    return out, y


def _columns_of_group(name, columns, all_columns, named):
    """The columns of a group, once each: by name, as text, by number, or where a mask is true."""
    is_single = isinstance(columns, str) or not np.iterable(columns)
    columns = [columns] if is_single else list(columns)
    if named and not any(isinstance(each, bool | np.bool_) for each in columns):
        return list(dict.fromkeys(map(str, columns)))
    kinds = {np.asarray(each).dtype.kind for each in columns}
    if kinds == {"b"} and len(columns) == len(all_columns):
        return [each for each, is_chosen in zip(all_columns, columns, strict=True) if is_chosen]
    if named or not kinds <= {"i", "u"}:
        legal = "names or numbers of columns" if named else "numbers of columns"
        raise TypeError(
            f"groups_of_columns[{name!r}] must hold {legal}, or a mask of {len(all_columns)} "
            f"values, got {describe(columns)}."
        )
    return list(dict.fromkeys(map(int, columns)))

"""Files to points and labels: CSV, Parquet and npz, with clear refusals."""

from __future__ import annotations

import itertools
import shlex
import zipfile
from typing import NamedTuple

import numpy as np

from smartsvm._core.validation import warn_of_large_integers
from smartsvm.commands.labels import read_labels_as
from smartsvm.commands.local_files import local_file
from smartsvm.commands.parquet_columns import read_parquet
from smartsvm.commands.table_error import TableError
from smartsvm.commands.table_hints import about_missing_column, about_nameless, about_text
from smartsvm.commands.text_columns import MISSING_WORDS, read_text

SCALES = ("standard", "minmax", "none")
CATEGORICAL = ("refuse", "onehot", "drop")
MISSING = ("refuse", "drop")
_MOST_CATEGORIES = 50  # a text column with more of them is a name or a number of a case
_MOST_HINTS = 3  # about columns of text
_MOST_DISTINCT = 20  # labels; more, and more than one for every two samples, are not classes
DECIMALS = (".", ",")


class Table(NamedTuple):
    """Points and labels of a file.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        Numbers, scaled if that was asked for.
    y : ndarray of shape (n_samples,)
        Labels.
    columns : list of str
        Names of the columns of X.
    notes : list of str
        What was left out or turned into numbers.
    row_names : ndarray of shape (n_samples,)
        Where each sample stands: the line of a text file, or the row of an array, from 0.
    groups : ndarray of shape (n_samples,) or None
        Which samples belong together, if a column says so.
    """

    X: np.ndarray
    y: np.ndarray
    columns: list
    notes: list
    row_names: np.ndarray
    groups: np.ndarray | None


def read_table(
    path, target, *, groups=None, drop=(), categorical="refuse", missing="refuse", scale="none",
    encoding="utf-8", decimal=".",
):  # fmt: skip
    """Read a file of samples.

    Parameters
    ----------
    path : path-like
        A ``.csv``, ``.tsv`` or ``.txt`` file with a header line, ``.parquet`` (needs
        pandas), or ``.npz`` with a two-dimensional array besides the labels; any of them
        with ``.gz`` behind. ``-`` reads CSV from standard input.
    target : str
        Name of the column, or of the array, that holds the labels.
    groups : str or None, default=None
        Name of a column that says which samples belong together; it is not a column of X.
    drop : sequence of str, default=()
        Names of columns to leave out.
    categorical : {"refuse", "onehot", "drop"}, default="refuse"
        What to do with columns of text.
    missing : {"refuse", "drop"}, default="refuse"
        What to do with samples that lack a value.
    scale : {"standard", "minmax", "none"}, default="none"
        How to scale the columns.
    encoding : str, default="utf-8"
        How text files are written.
    decimal : {".", ","}, default="."
        What stands before the decimals of a number.

    Returns
    -------
    Table
        Points and labels.
    """
    with local_file(path, encoding) as file:
        try:
            return _read_local(
                file, target, groups=groups, drop=drop, categorical=categorical, missing=missing,
                scale=scale, decimal=decimal,
            )  # fmt: skip
        except TableError as error:  # it names the copy, if one was made
            raise TableError(str(error).replace(str(file), str(path))) from error


def _read_local(path, target, *, groups, drop, categorical, missing, scale, decimal):
    kind, notes = path.suffix.lower(), []
    if kind == ".npz":
        names, columns, labels = _read_npz(path, target)
        rows = np.arange(len(labels))
    elif kind in (".parquet", ".pq"):
        names, columns, labels, notes = read_parquet(path, target, groups)
        rows = np.arange(len(labels))
    elif kind in (".csv", ".tsv", ".txt"):
        names, columns, labels, lines = read_text(path, target, decimal)
        rows = np.array([f"line {line}" for line in lines])
        nameless = about_nameless([*names, target])
    else:
        raise TableError(f"{path}: the name must end in .csv, .tsv, .txt, .parquet or .npz.")
    if not len(labels):
        raise TableError(f"{path}: there are no samples in it.")
    taken, grouping = {target: "the target"}, None
    if groups is not None:
        grouping = _taken_out(path, names, columns, groups, "group samples by", taken)
        if _absent(grouping).any():
            raise TableError(f"{path}: column {groups!r} must name the group of every sample.")
        taken[groups] = "what samples are grouped by"
    for name in drop:
        _taken_out(path, names, columns, name, "leave out", taken)
        taken[name] = "left out already"
    if not names:
        raise TableError(f"{path}: there is no column besides {' and '.join(map(repr, taken))}.")
    names, columns, labels, kept, further = _complete(
        path, names, columns, labels, missing, categorical
    )
    notes += further
    notes += [
        f"column {name!r} only numbers the samples: leave it out with --drop {shlex.quote(name)}"
        for name, column in zip(names, columns, strict=True)
        if _counts_samples(column)
    ]
    X, names = _numbers(path, names, columns, categorical, notes)
    if kind in (".csv", ".tsv", ".txt"):
        labels, how_read = read_labels_as(labels)
        notes += [note for note in (nameless, how_read) if note]
    _check_classes(path, target, labels)
    grouping = None if grouping is None else grouping[kept]
    return Table(_scaled(X, scale), labels, names, notes, rows[kept], grouping)


def _taken_out(path, names, columns, name, purpose, taken):
    """A column that is taken out of a table for some purpose."""
    if name in taken:
        raise TableError(
            f"{path}: column {name!r} is {taken[name]}: there is no other one to {purpose}."
        )
    if name not in names:
        hint = about_missing_column(name, [*names, *taken])
        raise TableError(f"{path}: no column {name!r} to {purpose}.{hint}")
    place = names.index(name)
    del names[place]
    return columns.pop(place)


def _read_npz(path, target):
    arrays = _arrays_of(path)
    if target not in arrays:
        raise TableError(f"{path}: no array {target!r}, only {', '.join(arrays)}.")
    labels = arrays.pop(target)
    if labels.ndim != 1:
        raise TableError(
            f"{path}: {target} must be one-dimensional, a label for each row, got shape "
            f"{labels.shape}."
        )
    tables = {name: array for name, array in arrays.items() if array.ndim == 2}
    if len(tables) > 1 and "X" in tables:
        tables = {"X": tables["X"]}
    if len(tables) != 1:
        raise TableError(
            f"{path}: one two-dimensional array besides {target!r} is needed (or one named X), "
            f"got {sorted(tables) or 'none'}."
        )
    ((name, X),) = tables.items()
    if len(X) != len(labels):
        raise TableError(f"{path}: {name} has {len(X)} rows, {target} has {len(labels)}.")
    if X.dtype.kind not in "biuf":
        raise TableError(f"{path}: {name} must hold numbers, got dtype {X.dtype}.")
    warn_of_large_integers(X, name)
    return [f"{name}{i}" for i in range(X.shape[1])], list(X.T.astype(float)), labels


def _arrays_of(path):
    """All arrays of an npz file; none of them is unpickled."""
    with open(path, "rb") as file:  # np.load would leave a damaged one open
        try:
            arrays = np.load(file, allow_pickle=False)
        except (zipfile.BadZipFile, EOFError, ValueError) as error:
            raise TableError(f"{path}: not a file of arrays as np.savez writes them.") from error
        if isinstance(arrays, np.ndarray):
            raise TableError(
                f"{path}: one array alone; save it together with its labels by np.savez."
            )
        found = {}
        for name in arrays.files:
            try:
                found[name] = arrays[name]
            except (zipfile.BadZipFile, EOFError) as error:
                raise TableError(f"{path}: {name} is damaged: {error}.") from error
            except ValueError as error:
                raise TableError(
                    f"{path}: {name} holds Python objects; save it as an array of text or numbers, "
                    f"for instance by {name}.astype(str)."
                ) from error
        return found


def _check_classes(path, target, labels):
    distinct = np.unique(labels)
    if labels.dtype.kind == "f" and (bad := distinct[distinct != np.floor(distinct)]).size:
        raise TableError(
            f"{path}: column {target!r} must hold classes, got {bad[0]}: a continuous target is a "
            "regression problem. If its values are classes, give them names, such as "
            f"'class {bad[0]}'."
        )
    if len(distinct) == 1:
        raise TableError(
            f"{path}: column {target!r} holds one class only: {distinct.tolist()[0]!r}."
        )
    if len(distinct) > max(_MOST_DISTINCT, len(labels) / 2) and labels.dtype.kind != "f":
        raise TableError(
            f"{path}: column {target!r} holds {len(distinct)} different labels for {len(labels)} "
            "samples: is it the one with the classes?"
        )


def _complete(path, names, columns, labels, missing, categorical):
    """Samples without missing values and which they are, or a refusal that names the columns."""
    notes = []
    if categorical == "drop":
        kept = [column.dtype.kind == "f" for column in columns]
        if not all(kept):
            dropped = [name for name, keep in zip(names, kept, strict=True) if not keep]
            notes.append(f"columns of text left out: {_listed(dropped)}")
            names = [name for name, keep in zip(names, kept, strict=True) if keep]
            columns = [column for column, keep in zip(columns, kept, strict=True) if keep]
    absent = [_absent(column) for column in columns]
    where = np.any([*absent, _absent(labels)], axis=0)
    if where.any():
        empty = [name for name, each in zip(names, absent, strict=True) if each.all()]
        if empty:
            options = " ".join(f"--drop {shlex.quote(name)}" for name in empty[:8])
            raise TableError(
                f"{path}: no sample has a value in these columns: {_listed(empty)}. Leave them out "
                f"with {options}."
            )
        lacking = [name for name, each in zip(names, absent, strict=True) if each.any()]
        if missing == "refuse":
            raise TableError(
                f"{path}: {where.sum()} of {len(where)} samples "
                f"{'lacks' if where.sum() == 1 else 'lack'} a value (columns: "
                f"{_listed(lacking) if lacking else 'the target'}). Fill them in, or leave those "
                "samples out with --missing drop."
            )
        if where.all():
            raise TableError(
                f"{path}: every sample lacks a value (columns: {_listed(lacking)}): none is left."
            )
        notes.append(f"{where.sum()} of {len(where)} samples with missing values left out")
        columns = [column[~where] for column in columns]
        labels = np.array(labels[~where].tolist())
    return names, columns, labels, ~where, notes


def _counts_samples(column):
    """Whether a column holds rising or falling whole numbers one apart: a number of a row."""
    if column.dtype.kind != "f" or len(column) < 3:
        return False
    step = column[1] - column[0] if np.isfinite(column).all() else 0
    return bool(abs(step) == 1 and (np.diff(column) == step).all())


def _absent(values):
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind == "O":
        return np.equal(values, None).astype(bool)
    if values.dtype.kind in "US":
        return np.isin(np.char.lower(values.astype(str)), list(MISSING_WORDS))
    return np.zeros(len(values), dtype=bool)


def _numbers(path, names, columns, categorical, notes):
    """All columns as one array; text becomes indicators or is refused."""
    text = [name for name, column in zip(names, columns, strict=True) if column.dtype.kind != "f"]
    if text and categorical == "refuse":
        hints = (about_text(name, columns[names.index(name)]) for name in text)
        raise TableError(
            f"{path}: columns of text have no distances: {_listed(text)}. Use --categorical onehot "
            "to make a 0/1 column for each value, or --categorical drop to leave them out."
            + "".join(itertools.islice(filter(None, hints), _MOST_HINTS))
        )
    parts, header, coded = [], [], []
    for name, column in zip(names, columns, strict=True):
        if column.dtype.kind == "f":
            parts.append(column)
            header.append(name)
            continue
        values, codes = np.unique(column, return_inverse=True)
        if len(values) > _MOST_CATEGORIES:
            raise TableError(
                f"{path}: column {name!r} has {len(values)} different values, more than "
                f"{_MOST_CATEGORIES}: a name rather than a category? Leave it out with "
                f"--drop {shlex.quote(name)}."
            )
        parts += list((codes.ravel() == np.arange(len(values))[:, None]).astype(float))
        header += [f"{name}={value}" for value in values]
        coded.append(f"{name} ({len(values)})")
    if coded:
        notes.append(f"columns of text turned into columns of 0 and 1: {_listed(coded)}")
    if not parts:
        raise TableError(f"{path}: no column of numbers is left.")
    endless = [name for name, part in zip(header, parts, strict=True) if np.isinf(part).any()]
    if endless:
        raise TableError(
            f"{path}: infinite values have no distances: {_listed(endless)}. Put numbers in their "
            f"place, or leave the column out with --drop {shlex.quote(endless[0])}."
        )
    return np.column_stack(parts), header


def _scaled(X, scale):
    if scale == "none":
        return X
    # Powers of two first: the squares of large values, or a range, would be infinite. A column
    # of mean 0 and variance 1 is the same before and after.
    X = np.ldexp(X, -np.frexp(np.abs(X).max(axis=0))[1] - 1)
    if scale == "standard":
        shift, size = X.mean(axis=0), X.std(axis=0)
    else:
        shift, size = X.min(axis=0), np.ptp(X, axis=0)
    return (X - shift) / np.where(size > 0, size, 1)


def _listed(names, most=8):
    names = [name or "''" for name in names]  # one without a name
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")

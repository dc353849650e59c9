"""Points and labels from a file, with refusals that say what to do."""

from __future__ import annotations

import shlex
from typing import NamedTuple

import numpy as np

from smartsvm.commands.table_file import UNPACK_LIMIT, TableError, in_units, open_table
from smartsvm.commands.table_formats import TEXT, import_pandas, missing_as_nan, read_frame
from smartsvm.commands.table_hints import about_missing_column, about_text

SCALES = ("standard", "minmax", "none")
CATEGORICAL = ("refuse", "onehot", "drop")
MISSING = ("refuse", "drop")
DECIMALS = (".", ",")
_MOST_CATEGORIES = 50  # a text column with more values holds names or identifiers
_MOST_HINTS = 3  # on text columns
_MOST_DISTINCT = 20  # more labels than this, and than half the samples, are not classes


class Table(NamedTuple):
    """Points and labels of a file; notes say what was left out or converted."""

    X: np.ndarray
    y: np.ndarray
    columns: list
    notes: list
    row_names: np.ndarray  # the line of a text file, or the row of an array, from 0
    groups: np.ndarray | None


def read_table(
    path, target, *, groups=None, drop=(), categorical="refuse", missing="refuse", scale="none",
    encoding="utf-8", decimal=".", unpack_limit=UNPACK_LIMIT,
):  # fmt: skip
    """Read points and labels from a file; the parameters are the options of ``report``."""
    size = 0
    try:
        with open_table(path, unpack_limit) as (file, kind):
            size = file.seek(0, 2)
            file.seek(0)
            frame, rows, notes = read_frame(
                file, kind, target, groups, encoding=encoding, decimal=decimal,
                unpack_limit=unpack_limit,
            )  # fmt: skip
        if not len(frame):
            raise TableError("there are no samples in it.")
        labels, grouping = _take_out(frame, target, groups, drop)
        if categorical == "drop" and (text := _text_columns(frame)):
            frame = frame.drop(columns=text)
            notes.append(f"left out the text columns {_listed(text)}")
        notes += _counting_columns(frame)
        kept = _complete_rows(frame, labels, rows, missing)
        if not kept.all():
            notes.append(f"left out {(~kept).sum()} of {len(kept)} samples with missing values")
            frame = frame[kept]
        frame = _encode_text(frame, notes, categorical)
        _check_finite(frame)
        labels, note = _typed(labels[kept], as_written=kind in TEXT)
        _check_classes(target, labels)
    except TableError as error:
        raise TableError(f"{path}: {error}") from error
    except MemoryError as error:
        what = f"{path}: not enough memory to read {in_units(size)}"
        raise MemoryError(f"{what}: {error}" if str(error) else f"{what}.") from error
    return Table(
        _scaled(frame.to_numpy(dtype=float), scale), labels, frame.columns.tolist(),
        notes + ([note] if note else []), rows[kept],
        None if grouping is None else grouping[kept].to_numpy(),
    )  # fmt: skip


def _take_out(frame, target, groups, drop):
    """Take the labels, the groups and unwanted columns out of a frame; give the first two."""
    labels, taken, grouping = frame.pop(target), {target: "the target"}, None
    labels = labels if labels.dtype.kind in "biuf" else missing_as_nan(labels)
    if groups is not None:
        grouping = _popped(frame, groups, "group samples by", taken)
        if grouping.isna().any():
            raise TableError(f"column {groups!r} must name the group of every sample.")
        taken[groups] = "what samples are grouped by"
    for name in drop:
        _popped(frame, name, "leave out", taken)
        taken[name] = "left out already"
    if frame.shape[1] == 0:
        raise TableError(f"there is no column besides {' and '.join(map(repr, taken))}.")
    return labels, grouping


def _popped(frame, name, purpose, taken):
    if name in taken:
        raise TableError(f"column {name!r} is {taken[name]}: there is no other to {purpose}.")
    if name not in frame:
        names = [*frame.columns, *taken]
        raise TableError(f"no column {name!r} to {purpose}." + about_missing_column(name, names))
    return frame.pop(name)


def _text_columns(frame):
    return [name for name, kind in frame.dtypes.items() if kind.kind not in "biuf"]


def _complete_rows(frame, labels, rows, missing):
    """Which samples have all their values, or a refusal that names columns and samples."""
    absent = frame.isna()
    incomplete = (absent.any(axis=1) | labels.isna()).to_numpy()
    if incomplete.any():
        empty = absent.columns[absent.all()].tolist()
        if empty:
            options = " ".join(f"--drop {shlex.quote(name)}" for name in empty[:8])
            raise TableError(
                f"these columns are empty: {_listed(empty)}. Leave them out with {options}."
            )
        columns = absent.columns[absent.any()].tolist()
        columns += ["the target"] if labels.isna().any() else []
        if incomplete.all():
            raise TableError(f"every sample lacks a value (columns: {_listed(columns)}).")
        if missing == "refuse":
            n = incomplete.sum()
            names = [name if isinstance(name, str) else f"row {name}" for name in rows[incomplete]]
            raise TableError(
                f"{n} of {len(rows)} samples {'lacks' if n == 1 else 'lack'} a value (columns: "
                f"{_listed(columns)}; {_listed(names, 5)}). Fill them in, or leave these samples "
                "out with --missing drop."
            )
    return ~incomplete


def _counting_columns(frame):
    """Notes on columns of whole numbers that rise or fall by one: they only number the rows."""
    numeric = frame.drop(columns=_text_columns(frame))
    steps = np.diff(numeric.to_numpy(dtype=float), axis=0)
    if len(steps) < 2:
        return []
    return [
        f"column {name!r} only numbers the samples: leave it out with --drop {shlex.quote(name)}"
        for name in numeric.columns[(abs(steps[0]) == 1) & (steps == steps[0]).all(axis=0)]
    ]


def _encode_text(frame, notes, categorical):
    """The frame with a column of 0 and 1 for each value of its text columns, or a refusal."""
    text = _text_columns(frame)
    if text and categorical == "refuse":
        hints = {}  # one for all columns with the same problem
        for name in text:
            hint = about_text(name, frame[name].tolist())
            hints.setdefault(hint.replace(repr(name), ""), hint)
        raise TableError(
            f"these columns hold text, not numbers: {_listed(text)}."
            + "".join([*filter(None, hints.values())][:_MOST_HINTS])
            + " Use --categorical onehot for a 0/1 column per value, or --categorical drop to "
            "leave text columns out."
        )
    counts = {name: frame[name].nunique() for name in text}
    for name, count in counts.items():
        if count > _MOST_CATEGORIES:
            raise TableError(
                f"column {name!r} has {count} different values, more than {_MOST_CATEGORIES}, so "
                f"it is hardly a category. Leave it out with --drop {shlex.quote(name)}."
            )
    if text:
        shown = _listed([f"{name} ({count})" for name, count in counts.items()])
        notes.append(f"encoded text columns as columns of 0 and 1: {shown}")
        frame = import_pandas().get_dummies(frame, columns=text, prefix_sep="=", dtype=float)
    if frame.shape[1] == 0:
        raise TableError("no column of numbers is left.")
    return frame


def _check_finite(frame):
    infinite = frame.columns[np.isinf(frame.to_numpy(dtype=float)).any(axis=0)].tolist()
    if infinite:
        raise TableError(
            f"these columns hold infinite values: {_listed(infinite)}. Replace them, or leave the "
            f"column out with --drop {shlex.quote(infinite[0])}."
        )


def _typed(labels, as_written):
    """Labels as an array; those of a text file as numbers only if no two labels become one."""
    values = np.array(labels.tolist())
    values = values.astype(str) if values.dtype.kind not in "biufU" else values
    return read_labels_as(values) if as_written else (values, None)


def read_labels_as(labels):
    """Labels as numbers where each is written as Python writes that number; and a note."""
    words, codes = np.unique(labels, return_inverse=True)
    numbers = [_number(word) for word in words.tolist()]
    if None in numbers:
        return labels, None
    odd = next((w for w, v in zip(words.tolist(), numbers, strict=True) if str(v) != w), None)
    whole = all(number == int(number) for number in numbers)
    # A continuous target has an error of its own.
    continuous = not whole and len(words) == len(set(numbers)) > len(labels) / 2
    if continuous or (odd is None and len(set(map(type, numbers))) == 1):
        kind = "whole numbers" if isinstance(numbers[0], int) else "numbers"
        return np.array(numbers)[codes], f"labels are read as {kind}" if whole else None
    why = f"a number would not be written as {odd!r}" if odd else "some are whole numbers"
    return labels, f"labels are read as text: {why}"


def _number(word):
    """The integer of 64 bits or finite float that a word stands for in plain digits, or None."""
    if not word.isascii() or "_" in word:
        return None
    for kind in (int, float):
        try:
            value = kind(word)
        except ValueError:
            continue
        if abs(value) < (2**63 if kind is int else np.inf):
            return value
    return None


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
            "is it the column with the classes?"
        )


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
    names = [name or "''" for name in names]  # '' for a column without a name
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")

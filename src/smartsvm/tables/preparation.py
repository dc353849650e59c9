"""Tables of mixed columns as points and labels: `prepare_table`, also behind the command line."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from smartsvm._core.column_scales import SCALES, scale_columns
from smartsvm._core.types import Labels
from smartsvm._core.validation import check_choice, describe
from smartsvm._core.wording import listed, percent
from smartsvm.tables.columns import import_pandas, missing_as_nan, read_columns
from smartsvm.tables.hints import TableError, about_missing_column, about_text, check_target

if TYPE_CHECKING:
    from pandas import DataFrame

CATEGORICAL = ("onehot", "drop", "refuse")
MISSING = ("auto", "drop", "refuse")
_MOST_CATEGORIES = 50  # the others of a column share one
_FEW_ROWS = 20  # in fewer rows, categories and whole numbers may all differ by chance
_MOST_DISTINCT = 20  # more labels than this, and than half the samples, are not classes
_MOST_HINTS = 3  # on text columns
_ID = re.compile(r"(.*[\W_])?([iI][dD]|uuid|UUID|index|key)|.*[a-z]I[dD]|Unnamed: \d+|")


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
    """

    X: DataFrame
    y: Labels
    groups: Labels | None
    notes: list[str]

    def __repr__(self):
        size = f"{len(self.X):,} samples, {self.X.shape[1]:,} columns"
        return f"PreparedTable({'; '.join([size, *self.notes])})"


def prepare_table(
    table: Any, y: Any, *, groups: Any = None, drop: Iterable[str] = (),
    keep: Iterable[str] = (), missing: Literal["auto", "drop", "refuse"] = "auto",
    categorical: Literal["onehot", "drop", "refuse"] = "onehot",
    scale: Literal["none", "standard", "robust", "ranks", "minmax"] = "standard",
) -> PreparedTable:  # fmt: skip
    """Turn a data frame of numbers, text and gaps into points and labels.

    The command ``smartsvm report`` prepares files in the same way.

    Parameters
    ----------
    table : pandas.DataFrame
        Also a table with a method ``to_pandas`` (polars, PyArrow, Hugging Face datasets), ``df``
        (DuckDB) or ``compute`` (Dask). Lists of numbers become a column for each place.
    y : str or array-like of shape (n_samples,)
        The column of labels, or the labels. Samples without a label are left out.
    groups : str, array-like of shape (n_samples,) or None, default=None
        The column of patients, devices or the like, whose samples are not independent.
    drop : iterable of str, default=()
        Columns to leave out.
    keep : iterable of str, default=()
        Columns to keep, although they look like ids or names or are mostly empty.
    missing : {"auto", "drop", "refuse"}, default="auto"
        "auto" leaves out columns that are more than half empty and fills the gaps of the others
        with the median or the most frequent value; a column of 0 and 1 marks them. "drop" leaves
        out samples with gaps, "refuse" raises an error.
    categorical : {"onehot", "drop", "refuse"}, default="onehot"
        "onehot" makes a column of 0 and 1 for each value of a text column (the 50 most frequent)
        and leaves out columns with more than half distinct values, such as names. "drop" leaves
        out all text columns, "refuse" raises an error.
    scale : {"none", "standard", "robust", "ranks", "minmax"}, default="standard"
        How to scale the columns, as in `difficulty_report`.

    Returns
    -------
    PreparedTable
        ``X``, ``y``, ``groups`` and ``notes``.

    Notes
    -----
    Whole numbers are an id, and left out, if no two are equal and they fill half of their range or
    the column is named like one (``id``, ``customer_id``). Dates become days, and numbers written
    with a unit or with commas between thousands lose these.

    Examples
    --------
    >>> import pandas
    >>> from smartsvm import prepare_table
    >>> colors = pandas.DataFrame(
    ...     {"size": [1, 2, None, 4], "color": list("rgrg"), "kind": list("aabb")}
    ... )
    >>> X, y, groups, notes = prepare_table(colors, "kind", scale="none")
    >>> X.columns.tolist()
    ['size', 'size missing', 'color=g', 'color=r']
    >>> print(notes[0])
    filled in the median or the most frequent value, marked in a further column: size (1)
    """
    check_choice(missing, "missing", MISSING)
    check_choice(categorical, "categorical", CATEGORICAL)
    check_choice(scale, "scale", SCALES)
    frame = _as_frame(table)
    y, groups = _as_column(frame, y, "y"), _as_column(frame, groups, "groups")
    return prepare(
        frame, y, groups=groups, drop=drop, keep=keep, missing=missing, categorical=categorical,
        scale=scale,
    )  # fmt: skip


def prepare(
    frame, target, *, groups, drop, keep, missing, categorical, scale, option=None, decimal=".",
    typed=None, notes=(),
):  # fmt: skip
    """`prepare_table` for a frame of its own; `option` writes a parameter in messages."""
    option, changed = option or _keyword, []
    if not len(frame):
        raise TableError("there are no samples in it.")
    labels, grouping = _take_out(frame, target, groups, drop, keep)
    frame = read_columns(frame, decimal, changed)
    useless = {n: why for n, why in _useless(frame, missing, categorical) if n not in keep}
    if useless:
        shown = listed([f"{name or repr('')} ({why})" for name, why in useless.items()])
        changed.append(f"left out {shown}")
        frame = frame.drop(columns=list(useless))
    kept = _complete_rows(frame, labels, missing, option)
    if not kept.all():
        lack = "a label" if missing == "auto" else "a value"
        changed.append(f"dropped {(~kept).sum():,} of {len(kept):,} samples that lack {lack}")
    frame = _encoded(_filled(frame[kept], changed), changed, categorical, option)
    if not frame.shape[1]:
        raise TableError("; ".join(["no column of numbers is left", *changed]) + ".")
    X = frame.to_numpy(dtype=float)
    infinite = frame.columns[np.isinf(X).any(axis=0)].tolist()
    if infinite:
        raise TableError(
            f"these columns hold infinite values: {listed(infinite)}. Replace them, or leave the "
            f"column out with {option('drop', infinite[0])}."
        )
    values = np.array(labels[kept].tolist())
    values = values.astype(str) if values.dtype.kind not in "biufU" else values
    values, note = typed(values) if typed else (values, None)
    _check_classes(target, values)
    gaps = ("filled", "refuse") if missing == "auto" else ("dropped", "auto")
    ways = {"keep": ("left out", "NAME"), "missing": gaps, "drop": ("(?!left|dropped)", "NAME"),
            "categorical": ("encoded", "drop")}  # fmt: skip
    used = [
        option(name, value)
        for name, (begin, value) in ways.items()
        if any(re.match(begin, note) for note in changed)
    ]
    changed += [f"to change this: {', '.join(used)}"] if used else []
    return PreparedTable(
        type(frame)(scale_columns(X, scale), index=frame.index, columns=frame.columns), values,
        None if grouping is None else grouping[kept].to_numpy(),
        [*notes, *filter(None, [note]), *changed],
    )  # fmt: skip


def is_table(thing: Any) -> bool:
    """Whether `prepare_table` can read it."""
    return any(hasattr(thing, name) for name in ("columns", "to_pandas"))


def _as_frame(table):
    pandas = import_pandas()
    if not isinstance(table, pandas.DataFrame):
        ways = (getattr(table, name, None) for name in ("to_pandas", "df", "compute"))
        convert = next(filter(None, ways), lambda: pandas.DataFrame(table))
        try:
            table = convert()
        except (TypeError, ValueError) as error:
            raise TypeError(f"table must be a data frame, got {describe(table)}.") from error
    frame = table.copy(deep=False)
    return frame.set_axis(unique_names(map(str, frame.columns)), axis=1)


def _as_column(frame, given, parameter):
    """The name of a column; an array becomes one."""
    if given is None or np.ndim(given) == 0:
        return None if given is None else str(given)
    if len(given) != len(frame):
        raise TableError(
            f"{parameter} must have a value for each of {len(frame)} rows, got {len(given)}."
        )
    frame[f"the {parameter}"] = np.asarray(given)
    return f"the {parameter}"


def unique_names(names):
    """Names of columns with a number behind those that are taken."""
    taken = {}  # in order
    for name in names:
        tries = (f"{name} ({place})".lstrip() for place in itertools.count(len(taken) + 1))
        taken[next(each for each in itertools.chain([name], tries) if each not in taken)] = None
    return list(taken)


def _keyword(name, value):
    """A parameter as Python writes it."""
    shown = value if value == "NAME" else repr(value)
    return f"{name}=[{shown}]" if name in ("drop", "keep") else f"{name}={shown}"


def _take_out(frame, target, groups, drop, keep):
    """Take the labels, the groups and unwanted columns out of a frame; give the first two."""
    check_target(target, frame.columns.tolist())
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
    for name in keep:
        _popped(frame.copy(deep=False), name, "keep", taken)
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


def _useless(frame, missing, categorical):
    """(column, reason) for columns that say nothing about the samples."""
    notna = import_pandas().notna
    for name, values in frame.items():
        is_text, values = values.dtype.kind != "f", values.to_numpy()
        present = values[notna(values)]
        if is_text and categorical == "drop":
            yield name, "text"
        elif missing == "auto" and 2 * len(present) < len(values):
            yield name, f"{percent(1 - len(present) / len(values))} empty"
        elif not is_text and _numbers_samples(name, present):
            yield name, "numbers the samples"
        elif is_text and categorical == "onehot" and len(present) > _FEW_ROWS:
            distinct = len(set(present))
            if 2 * distinct > len(present):
                yield name, f"{distinct:,} different texts"


def _numbers_samples(name, values):
    """Whether numbers are an id: whole, all different, and in a row, dense or named like one."""
    n = len(values)
    if n < 3 or not np.isfinite(values).all() or np.ptp(values) < n - 1:
        return False
    in_a_row = abs(values[1] - values[0]) == 1 and np.ptp(np.diff(values)) == 0
    dense = n > _FEW_ROWS and np.ptp(values) < 2 * n
    if not (in_a_row or dense or _ID.fullmatch(name)) or (values != np.floor(values)).any():
        return False
    return len(np.unique(values)) == n


def _complete_rows(frame, labels, missing, option):
    """Which samples to use, or a refusal that names columns and samples."""
    unlabelled, absent = labels.isna().to_numpy(), frame.isna()
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
            n, rows = incomplete.sum(), frame.index[incomplete]
            names = [name if isinstance(name, str) else f"row {name}" for name in rows]
            raise TableError(
                f"{n} of {len(frame)} samples {'lacks' if n == 1 else 'lack'} a value (columns: "
                f"{listed(columns)}; {listed(names, 5)}). Fill them in, have them filled in with "
                f"{option('missing', 'auto')}, or leave these samples out with "
                f"{option('missing', 'drop')}."
            )
    return ~incomplete


def _filled(frame, notes):
    """The frame with its gaps filled, and a column of 0 and 1 for each set of gaps."""
    absent = frame.isna()
    gaps = {}  # columns that lack values in the same samples share a mark
    for name in absent.columns[absent.any()]:
        gaps.setdefault(absent[name].to_numpy().tobytes(), []).append(name)
    columns = dict(frame.items())
    for names in gaps.values():
        for name in names:
            values = columns[name]
            usual = values.median() if values.dtype.kind == "f" else values.mode().iloc[0]
            columns[name] = values.fillna(usual)
        columns[f"{listed(names, 3)} missing"] = absent[names[0]].astype(float)
    if gaps:
        shown = listed([f"{n} ({absent[n].sum():,})" for names in gaps.values() for n in names])
        notes.append(
            "filled in the median or the most frequent value, marked in a further column: " + shown
        )
    return type(frame)(columns, index=frame.index)


def _encoded(frame, notes, categorical, option):
    """The frame with a column of 0 and 1 for each value of its text columns, or a refusal."""
    text = [name for name, values in frame.items() if values.dtype.kind != "f"]
    if text and categorical == "refuse":
        hints = {}  # one for all columns with the same problem
        for name in text:
            hint = about_text(name, frame[name].tolist(), option)
            hints.setdefault(hint.replace(repr(name), ""), hint)
        raise TableError(
            f"these columns hold text, not numbers: {listed(text)}."
            + "".join([*filter(None, hints.values())][:_MOST_HINTS])
            + f" Use {option('categorical', 'onehot')} for a 0/1 column per value, or "
            f"{option('categorical', 'drop')} to leave text columns out."
        )
    counts = {}
    for name in text:
        values = frame[name].value_counts().index
        counts[name] = f"{name} ({len(values):,})"
        if len(values) > _MOST_CATEGORIES:
            common = frame[name].isin(values[:_MOST_CATEGORIES])
            frame[name] = frame[name].where(common, "(other)")
            counts[name] = f"{name} ({_MOST_CATEGORIES} most frequent of {len(values):,} values)"
    if text:
        notes.append(f"encoded text as columns of 0 and 1: {listed(counts.values())}")
        frame = import_pandas().get_dummies(frame, columns=text, prefix_sep="=", dtype=float)
    return frame


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

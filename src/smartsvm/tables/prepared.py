"""Tables of mixed columns as points and labels: `prepare_table`, also behind the command line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.utils.validation import validate_data

from smartsvm._core.column_scales import SCALES
from smartsvm._core.types import Floats, Integers, Labels
from smartsvm._core.validation import check_choice
from smartsvm.tables.counted_rows import check_counts, find_counts, repeated
from smartsvm.tables.frames import open_frame
from smartsvm.tables.hints import TableError
from smartsvm.tables.label_columns import GROUPS, as_classes, check_classes, complete_rows, take_out
from smartsvm.tables.name_hints import hints_of_text
from smartsvm.tables.named_columns import as_names
from smartsvm.tables.preparation import TablePreparation
from smartsvm.tables.records import (
    BY_VALUE,
    CHANGE,
    COUNTED,
    DROPPED,
    EMPTY,
    ENCODED,
    FAR,
    FILE,
    FILLED,
    HINT,
    ID,
    LABELS,
    LEFT_OUT,
    OPEN_AS_COMMA,
    OPEN_AS_DOT,
    SHAPE,
    TEXT,
    Column,
    Note,
    RowsLeftOut,
    SetAside,
)
from smartsvm.tables.sentences import words_tell
from smartsvm.tables.time_column import Times, as_times, find_times, named_times
from smartsvm.tables.unit_columns import has_many_values, numbered, shape_of
from smartsvm.tables.walk import CATEGORICAL, Rows, as_keyword, learn

if TYPE_CHECKING:
    from pandas import DataFrame

MISSING = ("auto", "drop", "refuse")


@dataclass(frozen=True, eq=False)
class PreparedTable:
    """The result of `prepare_table`, which `difficulty_report` takes.

    Attributes
    ----------
    X : pandas.DataFrame
        Columns of finite numbers.
    y : ndarray of shape (n_samples,)
        The labels.
    groups : ndarray of shape (n_samples,) or None
        The column of groups.
    notes : list of Note
        What was left out, filled in and encoded, and which parameters change it. Each is a text
        with a ``kind`` and the ``columns`` of the table that it is about.
    time : ndarray of shape (n_samples,) or None
        When each sample was taken, in days for a date, NaN where that is unknown.
    time_name : str or None
        The column of times: the one that was named, the date that says when a row happened, or
        the year, or the month within one year.
    preparation : TablePreparation
        The fitted transformer that made `X` and prepares new rows in the same way.
    units : dict of str to ndarray of shape (n_samples,)
        Numbered values of the columns of text, also of those that were left out: rows of one person
        or state may be alike.
    categories : dict of str to ndarray of shape (n_samples,)
        Those of them with ten values or more and three samples of each or more on average: some
        classifiers read a text by value, also one that is left out.
    rows : ndarray of shape (n_samples,)
        The row of the table behind each sample; those without a label are left out, and those of
        a table of counts occur as often as they are counted.
    columns : tuple of Column
        How each column of `X` is made: its ``name``, the ``sources`` in the table, and its
        ``kind``, such as "number", "date", "gaps" or "category".
    unscaled : ndarray of shape (n_samples, n_columns)
        The values of `X` before they are scaled.
    time_source : str or None
        The column of the table that the times are from.
    unit_names : tuple of str
        Those of `units` whose names say so.
    set_aside : tuple of SetAside
        Columns that are no features, but may tell the label: each has a ``name``, a ``kind`` ("id",
        "mostly empty" or "shape of a text") and ``values``.
    rows_left_out : RowsLeftOut or None
        How many rows of the table lack a label, or another value, if any.
    """

    X: DataFrame
    y: Labels
    groups: Labels | None
    notes: list[Note]
    time: Floats | None
    time_name: str | None
    preparation: TablePreparation
    units: dict[str, Integers]
    categories: dict[str, Integers]
    rows: Integers
    columns: tuple[Column, ...]
    unscaled: Floats
    time_source: str | None
    unit_names: tuple[str, ...]
    set_aside: tuple[SetAside, ...] = ()
    rows_left_out: RowsLeftOut | None = None

    def take(self, rows: Any) -> PreparedTable:
        """The same table with some of its samples.

        Parameters
        ----------
        rows : array-like
            Their positions, or a mask.

        Returns
        -------
        PreparedTable
            Prepared and scaled as the whole table.
        """
        rows = np.arange(len(self.y))[rows]
        return replace(
            self,
            X=self.X.iloc[rows],
            y=self.y[rows],
            groups=None if self.groups is None else self.groups[rows],
            time=None if self.time is None else self.time[rows],
            units={name: values[rows] for name, values in self.units.items()},
            categories={name: values[rows] for name, values in self.categories.items()},
            set_aside=tuple(each._replace(values=each.values[rows]) for each in self.set_aside),
            rows=self.rows[rows],
            unscaled=self.unscaled[rows],
        )

    def __repr__(self) -> str:
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
    counts: str | None = None,
    missing: Literal["auto", "drop", "refuse"] = "auto",
    categorical: Literal["onehot", "drop", "refuse"] = "onehot",
    scale: Literal["none", "standard", "robust", "ranks", "minmax"] = "standard",
    decimal: Literal["auto", ".", ","] = "auto",
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
    counts : str or None, default=None
        The column with the number of samples of each row. None takes a column named like one
        (``Freq``, ``n``) if the table proves it: see the notes.
    missing : {"auto", "drop", "refuse"}, default="auto"
        As in `TablePreparation`; "drop" leaves out samples with gaps.
    categorical : {"onehot", "drop", "refuse"}, default="onehot"
        What becomes of text, as in `TablePreparation`.
    scale : {"none", "standard", "robust", "ranks", "minmax"}, default="standard"
        How to scale the columns of ``X``. A report on the result scales by itself.
    decimal : {"auto", ".", ","}, default="auto"
        The decimal mark of numbers that are written as text, as in `TablePreparation`.

    Returns
    -------
    PreparedTable
        Pass it to `difficulty_report`, or use its ``X`` and ``y``.

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
    three words among numbers, such as "unknown", are gaps, more of them and words with a digit,
    such as "5 or 6", only where they are few (up to 5%), or else the column is text. Texts of
    sentences whose words tell the labels become 20 columns, as in `TablePreparation`.

    A table of counts has a row for each combination of values and a column such as ``Freq`` or
    ``n`` with the number of its samples: each row is then repeated so often, in random order. It
    proves itself if no two rows are equal, most combinations are there, each value of the other
    columns is in two rows on average, and the counts are whole.

    Names of columns say nothing else but what the guide lists: that a whole number is an id or a
    time, that a date is one of birth, that a column counts samples. What follows from a name is
    printed.

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
    return prepare(
        open_frame(table),
        y,
        groups=groups,
        time=time,
        drop=drop,
        keep=keep,
        counts=counts,
        missing=missing,
        categorical=categorical,
        scale=scale,
        decimal=decimal,
    )


def prepare(
    named,
    y,
    *,
    groups,
    time,
    drop,
    keep,
    counts,
    missing,
    categorical,
    scale,
    option=as_keyword,
    decimal="auto",
    typed=None,
    notes=(),
    purpose_of_groups=GROUPS,
):
    """`prepare_table` for a `Frame`; `option` writes a parameter in messages.

    `typed` turns labels that were read from text into numbers, and `notes` say how the table was
    read.
    """
    if not len(named.frame):
        raise TableError("there are no samples in it.")
    drop, keep = as_names(drop, "drop"), as_names(keep, "keep")
    named, labels, grouping, given_time = take_out(
        named, y, groups, time, drop, keep, purpose_of_groups
    )
    counts = None if counts is None else named.called(counts, "count samples by")
    choice = _RowChoice(labels.values, given_time, missing, keep, counts, categorical, option)
    preparation = TablePreparation(
        drop=drop,
        keep=keep if counts is None else (*keep, counts),
        missing="auto" if missing == "auto" else "refuse",
        categorical=categorical,
        scale=scale,
        decimal=decimal,
    )
    validate_data(preparation, named.frame, skip_check_array=True)
    learned, points = learn(named, preparation, choice, option)
    preparation.learned_ = learned
    rows, times = choice.rows, choice.times.of(choice.rows)
    has_gaps = labels.values.isna().any()
    values = as_classes(labels.values.iloc[rows].tolist(), labels.shown, has_gaps=has_gaps)
    values, about_labels = typed(values) if typed else (values, None)
    check_classes(values, labels.shown)
    index = named.frame.index[rows]
    return PreparedTable(
        X=type(named.frame)(
            learned.scaled(points),
            index=index,
            columns=[column.name for column in learned.columns],
            copy=False,
        ),
        y=values,
        groups=None if grouping.values is None else grouping.values.iloc[rows].to_numpy(),
        notes=[
            *(Note(FILE, text) for text in notes),
            *([] if about_labels is None else [Note(LABELS, about_labels)]),
            *learned.notes,
            *times.notes,
            *_what_changes(learned.notes, missing, option),
        ],
        time=times.values,
        time_name=times.name,
        preparation=preparation,
        units=choice.units,
        categories=choice.categories,
        rows=rows,
        columns=learned.columns,
        unscaled=points,
        time_source=times.source,
        unit_names=choice.unit_names,
        set_aside=choice.set_aside,
        rows_left_out=choice.rows_left_out,
    )


class _RowChoice:
    """The rows of a table with a label, and what is read beside its points."""

    # rows                     of the table
    # times                    `Times` of all rows
    # units, categories        of the chosen rows, by name
    # unit_names               units by name
    # set_aside                `SetAside` of the chosen rows
    # rows_left_out            `RowsLeftOut` or None

    def __init__(self, labels, given_time, missing, keep, counts, categorical, option):
        self._labels, self._missing, self._option = labels, missing, option
        self._keep, self._counts, self._categorical = keep, counts, categorical
        self._time = given_time

    def __call__(self, walk):
        """The `Rows` of a `Walk`."""
        labels, used = self._labels, walk.used
        given = self._time
        if given.values is None:
            self.times = find_times(walk.read, walk.used_readers)
        elif given.name is None:
            self.times = Times(as_times(given.values, "time"), "time")
        else:
            self.times = named_times(given.values, given.name)
        kept = complete_rows(used, labels, self._missing, self._option)
        notes = []
        self.rows_left_out = None
        if not kept.all():
            lack = "a label" if self._missing == "auto" else "a value"
            self.rows_left_out = RowsLeftOut(int((~kept).sum()), len(kept), lack)
            text = f"dropped {(~kept).sum():,} of {len(kept):,} samples that lack {lack}"
            notes.append(Note(DROPPED, text))
        rows = np.flatnonzero(kept)
        counts = self._column_of_counts(used, rows)
        if counts is not None:
            rows = repeated(rows, counts.values)
            text = (
                f"counted each row as often as {counts.source} says: {kept.sum():,} rows are "
                f"{len(rows):,} samples"
            )
            notes.append(Note(COUNTED, text, (counts.source,)))
        self.rows = rows
        self._read_texts(walk)
        self.set_aside = tuple(self._columns_aside(walk))
        labels = self._labels.iloc[rows].astype(str).to_numpy(dtype=object)
        return Rows(
            rows,
            counts,
            tuple(notes),
            frozenset(self.categories),
            self.unit_names,
            lambda texts, points: words_tell(texts, labels, points),
        )

    def _column_of_counts(self, used, rows):
        if self._counts is None:
            counts = find_counts(used, self._labels, rows)
            return None if counts is None or counts.source in self._keep else counts
        counts = next((each for each in used if each.source == self._counts), None)
        if counts is None:
            raise TableError(f"column {self._counts!r} is left out: it cannot count samples.")
        check_counts(counts, rows)
        return counts

    def _read_texts(self, walk):
        texts = {each.source: each.values for each in walk.read if each.kind == TEXT}
        self.units = {name: numbered(values[self.rows]) for name, values in texts.items()}
        many = {walk.read[each.place].source for each in walk.useless if each.is_many_texts}
        by_value = many | {column.source for column in walk.used}
        self.categories = {
            name: codes
            for name, codes in self.units.items()
            if self._categorical == "onehot" and name in by_value and has_many_values(codes)
        }
        self.unit_names = tuple(
            name for name, codes in self.units.items() if hints_of_text(name, codes)
        )

    def _columns_aside(self, walk):
        for each in walk.useless:
            column = walk.read[each.place]
            if each.kind == ID:
                yield SetAside(column.source, ID, column.values[self.rows])
            elif each.kind == EMPTY:
                yield SetAside(column.source, EMPTY, column.gaps()[self.rows].astype(float))
        for column in walk.read:
            if column.kind == TEXT and self._categorical == "onehot":
                shape = shape_of(column.values[self.rows])
                if shape is not None:
                    yield SetAside(column.source, SHAPE, shape.astype(float))


def _what_changes(notes, missing, option):
    """The note on parameters that change what the others say."""
    kinds = {note.kind for note in notes}
    filled, otherwise = (FILLED, "refuse") if missing == "auto" else (DROPPED, "auto")
    ways = {
        ("keep", "NAME"): {LEFT_OUT, BY_VALUE, COUNTED} & kinds,
        ("missing", otherwise): {filled} & kinds,
        ("drop", "NAME"): kinds - {LEFT_OUT, BY_VALUE, DROPPED, COUNTED, HINT, FAR},
        ("categorical", "drop"): {ENCODED} & kinds,
        ("decimal", ","): {OPEN_AS_DOT} & kinds,
        ("decimal", "."): {OPEN_AS_COMMA} & kinds,
    }
    used = [option(name, value) for (name, value), found in ways.items() if found]
    if used:
        yield Note(CHANGE, f"to change this: {', '.join(used)}")

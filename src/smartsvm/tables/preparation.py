"""`TablePreparation`: a scikit-learn transformer from mixed columns to finite numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.validation import check_is_fitted, validate_data

from smartsvm._core.column_scales import SCALES, ColumnScale
from smartsvm._core.display_names import shorten
from smartsvm._core.validation import check_choice, describe, without_mask
from smartsvm.presentation.wording import listed
from smartsvm.tables.column_readers import (
    ENCODED_TEXTS,
    check_cells,
    free_name,
    import_pandas,
    readers_of,
    unique_names,
)
from smartsvm.tables.dates import DateColumn
from smartsvm.tables.hints import TableError, about_missing_column, about_text
from smartsvm.tables.named_columns import as_names, check_repeatable
from smartsvm.tables.useless_columns import DIFFERENT_TEXTS, columns_to_leave_out

CATEGORICAL = ("onehot", "drop", "refuse")
DECIMALS = ("auto", ".", ",")
_MISSING = ("auto", "refuse")
_MOST_CATEGORIES = ENCODED_TEXTS  # the others of a column share one
_LONGEST_NAME = 40  # characters of a column in a note: a question may have hundreds
_MOST_HINTS = 3  # on text columns
_INFREQUENT = "infrequent_sklearn"  # what OneHotEncoder calls the others


class TablePreparation(TransformerMixin, BaseEstimator):
    """Turn columns of numbers, text, dates and gaps into columns of finite numbers.

    The transformer behind `prepare_table`, for pipelines: what it learns from one table, such as
    medians, categories and the way in which dates are written, it applies to new rows.

    Parameters
    ----------
    drop : str or list of str, default=()
        Columns to leave out.
    keep : str or list of str, default=()
        Columns to keep, although they look like ids or names or are mostly empty.
    missing : {"auto", "refuse"}, default="auto"
        "auto" leaves out columns that are more than half empty and fills the gaps of the others
        with the median or the most frequent value; a column of 0 and 1 marks them. "refuse" raises
        an error. A column of one value and gaps is a box to tick: 1 where it has the value, else 0.
    categorical : {"onehot", "drop", "refuse"}, default="onehot"
        "onehot" makes a column of 0 and 1 for each value of a text column (the 50 most frequent)
        and leaves out columns with more than half distinct values, such as names, or whose 50 most
        frequent values cover less than a fifth of the rows. "drop" leaves out all text columns,
        "refuse" raises an error.
    scale : {"none", "standard", "robust", "ranks", "minmax"}, default="standard"
        How to scale the columns, as in `difficulty_report`.
    decimal : {".", ",", "auto"}, default="."
        The decimal mark of numbers that are written as text.

    Attributes
    ----------
    feature_names_in_ : ndarray of str
        The columns that new rows must have, in this order.
    n_features_in_ : int
        Their number.
    notes_ : list of str
        What was left out, filled in and encoded.

    See Also
    --------
    prepare_table : The same for a table with its labels, with points, labels and notes.

    Notes
    -----
    In new rows, a text that was not seen before counts as one of the rarer ones of its column, or
    as none of the known ones; a gap in a column without gaps is filled in; a word among numbers is
    a gap.

    A date becomes its elapsed days and, where they vary, the time of the year, the weekday and the
    hour, each as sine and cosine: December is next to January, and a straight line separates any
    season, any part of the week and any part of the day.

    Examples
    --------
    >>> import pandas
    >>> from sklearn.pipeline import make_pipeline
    >>> from smartsvm import SmartSVM, TablePreparation
    >>> table = pandas.DataFrame(
    ...     {"size": [1, 2, None, 4, 5, 6], "color": ["red", "red", "red", "blue", "blue", None]}
    ... )
    >>> model = make_pipeline(TablePreparation(), SmartSVM())
    >>> model.fit(table, ["a", "a", "a", "b", "b", "b"])[:1].get_feature_names_out().tolist()
    ['size', 'size missing', 'color missing', 'color=blue', 'color=red']
    >>> new = pandas.DataFrame({"size": [None, 7], "color": ["red", "green"]})
    >>> model.predict(new).tolist()
    ['a', 'b']
    """

    def __init__(
        self,
        *,
        drop: str | Iterable[str] = (),
        keep: str | Iterable[str] = (),
        missing: Literal["auto", "refuse"] = "auto",
        categorical: Literal["onehot", "drop", "refuse"] = "onehot",
        scale: Literal["none", "standard", "robust", "ranks", "minmax"] = "standard",
        decimal: str = ".",
    ) -> None:
        self.drop = drop
        self.keep = keep
        self.missing = missing
        self.categorical = categorical
        self.scale = scale
        self.decimal = decimal

    def fit(self, X: Any, y: Any = None) -> TablePreparation:
        """Learn how to prepare the columns of a table.

        Parameters
        ----------
        X : pandas.DataFrame
            Also a dictionary of columns, an array, or any table that `prepare_table` takes.
        y : None
            Ignored.

        Returns
        -------
        TablePreparation
            Itself.
        """
        check_choice(self.missing, "missing", _MISSING)
        frame = self._used(self._learn_columns(self._checked(X, reset=True)))
        self.notes_ += self._notes_on_left_out()
        gaps = frame.columns[frame.isna().any()].tolist()
        if gaps and self.missing == "refuse":
            raise TableError(
                f"these columns lack values: {listed(gaps)}. Fill them in, or have them filled in "
                f"with missing='auto'."
            )
        self._learn_values(frame, as_keyword)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Prepare a table with the same columns.

        Parameters
        ----------
        X : pandas.DataFrame
            As in `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_columns)
            Finite numbers; `set_output` makes it a data frame.
        """
        check_is_fitted(self)
        return self._values_of(
            self._used(self._columns(self._checked(X, reset=False))[0]), as_keyword
        )

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns that `transform` makes.

        Parameters
        ----------
        input_features : None or array-like of str
            The names that the table was fitted with; otherwise an error.

        Returns
        -------
        ndarray of str
            Names such as "size", "size missing" and "color=red".
        """
        check_is_fitted(self)
        known = getattr(self, "feature_names_in_", None)
        given = None if input_features is None else [str(name) for name in input_features]
        if given is not None and known is not None and given != known.tolist():
            raise ValueError("input_features is not equal to feature_names_in_")
        if given is not None and len(given) != self.n_features_in_:
            raise ValueError("input_features should have length equal to number of features")
        return np.array(self._names, dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = tags.input_tags.categorical = True
        return tags

    def _opened(self, frame):
        """A frame that is prepared, whose columns new rows must have."""
        validate_data(self, frame, skip_check_array=True)
        return frame

    def _learn_columns(self, frame):
        """Find out what the columns are; give all of them as floats and text."""
        check_choice(self.categorical, "categorical", CATEGORICAL)
        check_choice(self.scale, "scale", SCALES)
        check_choice(self.decimal, "decimal", DECIMALS)
        check_repeatable(self.drop, "drop")
        check_repeatable(self.keep, "keep")
        drop, keep = as_names(self.drop, "drop"), as_names(self.keep, "keep")
        purposes = [*((n, "leave out") for n in drop), *((n, "keep") for n in keep)]
        for name, purpose in purposes:
            if name not in frame:
                names = frame.columns.tolist()
                raise TableError(
                    f"no column {name!r} to {purpose}." + about_missing_column(name, names)
                )
        self.notes_ = []
        frame = frame.drop(columns=list(drop))
        self._readers = readers_of(frame, self.decimal, self.notes_)
        read, sources = self._columns(frame)
        dates = {n for n, reader in self._readers.items() if isinstance(reader, DateColumn)}
        found = columns_to_leave_out(read, sources, dates, self.missing, self.categorical)
        useless = {n: why for n, why in found if sources[n] not in keep and n not in keep}
        self._useless = useless
        self._left_out = {
            n for n in read if n in useless or (sources[n] in dates and sources[n] in useless)
        }
        self._sources = sources
        return read

    def _notes_on_left_out(self, categories=()):
        """What is left out, and what is read by value alone."""
        alone = {name: why for name, why in self._useless.items() if name in categories}
        fully = {name: why for name, why in self._useless.items() if name not in categories}
        begins = {"left out": fully, "used by boosting and naive Bayes only:": alone}
        return [
            f"{begin} {listed([f'{_in_note(name)} ({why})' for name, why in names.items()])}"
            for begin, names in begins.items()
            if names
        ]

    def _by_value(self, texts):
        """Those of all texts that are encoded, or left out because they have many values."""
        if self.categorical != "onehot":
            return []
        many = {name for name, why in self._useless.items() if why.endswith(DIFFERENT_TEXTS)}
        return [name for name in texts if name in many or name not in self._left_out]

    def _used(self, read):
        """Columns that were read, without those that are left out."""
        return read.drop(columns=list(self._left_out))

    def _without_counts(self, frame, name):
        """Columns that were read, without one that counts the samples of each row."""
        self._left_out = self._left_out | {name}
        return frame.drop(columns=name)

    def _learn_values(self, frame, option):
        """Learn what fills the gaps, the categories and the scale from columns that were read."""
        kinds = {name: values.dtype.kind == "f" for name, values in frame.items()}
        # A number with one value and gaps says nothing beside the mark of its gaps.
        self._numbers = [
            name
            for name, is_number in kinds.items()
            if is_number and not (frame[name].isna().any() and frame[name].nunique() == 1)
        ]
        self._texts = [name for name, is_number in kinds.items() if not is_number]
        self._refuse_text(frame, option)
        self._refuse_infinities(frame, option)
        self._learn_gaps(frame)
        if self._numbers:
            self._fill_numbers = SimpleImputer(strategy="median", keep_empty_features=True)
            self._fill_numbers.fit(frame[self._numbers].to_numpy(dtype=float))
        names = [*self._numbers, *(mark for mark, _ in self._marks)]
        if self._texts:
            texts = frame[self._texts].to_numpy(dtype=object)
            self._fill_texts = SimpleImputer(strategy="most_frequent", keep_empty_features=True)
            self._encoder = OneHotEncoder(
                max_categories=_MOST_CATEGORIES + 1,
                handle_unknown="infrequent_if_exist",
                sparse_output=False,
                feature_name_combiner=_named,
            ).fit(self._fill_texts.fit_transform(texts))
            names += self._encoder.get_feature_names_out(self._texts).tolist()
            self._note_categories()
        self._names = unique_names(names)
        if not names:
            raise TableError("; ".join(["no column of numbers is left", *self.notes_]) + ".")
        X = self._encoded(frame)
        self._scale = ColumnScale(X, self.scale)
        return self._scaled(X)

    def _values_of(self, frame, option):
        """Columns that were read as a matrix of finite, scaled numbers."""
        self._refuse_infinities(frame, option)
        return self._scaled(self._encoded(frame))

    def _scaled(self, X):
        with np.errstate(over="ignore", under="ignore"):
            scaled = self._scale.of(X)
        beyond = np.flatnonzero(~np.isfinite(scaled).all(axis=0))
        if len(beyond):
            largest = np.abs(X[:, beyond[0]]).max()
            raise TableError(
                f"column {self._names[beyond[0]]!r} holds {largest:.3g}, too far from the values "
                f"that it was fitted to: with scale={self.scale!r} that is no finite number."
            )
        return scaled

    def _encoded(self, frame):
        parts = [frame[[]].to_numpy(dtype=float)]
        if self._numbers:
            parts.append(self._fill_numbers.transform(frame[self._numbers].to_numpy(dtype=float)))
        if self._marks:
            firsts = [first for _, first in self._marks]
            parts.append(frame[firsts].isna().to_numpy(dtype=float))
        if self._texts:
            texts = self._fill_texts.transform(frame[self._texts].to_numpy(dtype=object))
            parts.append(self._encoder.transform(texts))
        return np.hstack(parts)

    def _refuse_infinities(self, frame, option):
        infinite = [name for name in self._numbers if np.isinf(frame[name]).any()]
        if infinite:
            raise TableError(
                f"these columns hold infinite values: {listed(infinite)}. Replace them, or leave "
                f"the column out with {option('drop', infinite[0])}."
            )

    def _checked(self, X, *, reset):
        """The table as a data frame, compared with the one that it was fitted on."""
        if isinstance(X, np.ndarray | list) or not is_table(X):
            X = without_mask(X)
            rows = validate_data(self, X, reset=reset, dtype=None, ensure_all_finite=False)
            names = getattr(self, "feature_names_in_", None)
            names = [f"x{j}" for j in range(rows.shape[1])] if names is None else names
            frame = _in_native_order(import_pandas().DataFrame(rows, columns=names))
            return frame.infer_objects() if rows.dtype.kind == "O" else frame
        frame = as_frame(X)
        validate_data(self, frame, reset=reset, skip_check_array=True)
        if not len(frame):
            raise ValueError("Found array with 0 sample(s): the table has no rows.")
        return frame

    def _columns(self, frame):
        """The columns that are made of a frame, and of which column each is made."""
        columns = {}
        sources = {}
        taken = set(self._readers)
        for name, reader in self._readers.items():
            check_cells(name, frame[name], reader)
            for own, column in reader.columns(name, frame[name]).items():
                # Places of a list and parts of a date must not replace other columns.
                made = name if own == name else free_name(own, taken)
                taken.add(made)
                columns[made] = column
                sources[made] = name
        return import_pandas().DataFrame(columns, index=frame.index), sources

    def _reader_of(self, name):
        """How a column is read, or None for one that is left out."""
        return None if name in self._left_out else self._readers.get(name)

    def _learn_gaps(self, frame):
        """Columns that lack values in the same samples share a mark."""
        absent = frame.isna()
        gaps = {}
        for name in absent.columns[absent.any()]:
            gaps.setdefault(absent[name].to_numpy().tobytes(), []).append(name)
        self._marks, shown = [], {}  # names of marks, each with a column whose gaps it marks
        for names in gaps.values():
            sources = list(dict.fromkeys(self._sources[name] for name in names))
            sources = sources if len(sources) < len(names) else names
            self._marks.append((f"{listed(sources, 3)} missing", names[0]))
            shown |= {
                source: f"{_in_note(source)} ({absent[names[0]].sum():,})" for source in sources
            }
        if gaps:
            self.notes_.append(
                "filled in the median or the most frequent value, marked in a further column: "
                + listed(shown.values())
            )

    def _note_categories(self):
        counts = []
        for name, values in zip(self._texts, self._encoder.categories_, strict=True):
            n = len(values)
            most = _MOST_CATEGORIES
            count = f"{n:,}" if n <= most + 1 else f"{most} most frequent of {n:,} values"
            counts.append(f"{_in_note(name)} ({count})")
        self.notes_.append(f"encoded text as columns of 0 and 1: {listed(counts)}")

    def _refuse_text(self, frame, option):
        if not self._texts or self.categorical != "refuse":
            return
        hints = {}  # one for all columns with the same problem
        for name in self._texts:
            hint = about_text(name, frame[name].dropna().tolist(), option)
            hints.setdefault(hint.replace(repr(name), ""), hint)
        raise TableError(
            f"these columns hold text, not numbers: {listed(self._texts)}."
            + "".join([*filter(None, hints.values())][:_MOST_HINTS])
            + f" Use {option('categorical', 'onehot')} for a 0/1 column per value, or "
            f"{option('categorical', 'drop')} to leave text columns out."
        )


def is_table(thing: Any) -> bool:
    """Whether `prepare_table` can read it."""
    if isinstance(thing, dict):
        return True
    return any(hasattr(thing, name) for name in ("columns", "to_pandas"))


def as_frame(table):
    """A data frame of its own, whose columns have names of their own."""
    pandas = import_pandas()
    if not isinstance(table, pandas.DataFrame):
        ways = (getattr(table, name, None) for name in ("to_pandas", "df", "compute"))
        convert = next(filter(None, ways), lambda: pandas.DataFrame(table))
        try:
            table = convert()
        except (TypeError, ValueError) as error:
            raise TypeError(f"table must be a data frame, got {describe(table)}.") from error
    frame = table.copy(deep=False)
    return _in_native_order(frame.set_axis(unique_names(map(str, frame.columns)), axis=1))


def _in_native_order(frame):
    """A frame whose numbers have the byte order of the machine; pandas counts no others."""
    for name, kind in frame.dtypes.items():
        if isinstance(kind, np.dtype) and not kind.isnative:
            frame[name] = frame[name].astype(kind.newbyteorder("="))
    return frame


def as_keyword(name, value):
    """A parameter as Python writes it."""
    shown = value if value == "NAME" else repr(value)
    return f"{name}=[{shown}]" if name in ("drop", "keep") else f"{name}={shown}"


def _named(column, value):
    """The name of a column of 0 and 1."""
    return f"{column}=(other)" if value == _INFREQUENT else f"{column}={value}"


def _in_note(name):
    """How a note calls a column."""
    return shorten(name, _LONGEST_NAME) or repr("")

"""`TablePreparation`: a scikit-learn transformer from mixed columns to finite numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from smartsvm._core.validation import check_choice, without_mask
from smartsvm.presentation.display_names import shown
from smartsvm.presentation.wording import listed
from smartsvm.tables.column_readers import import_pandas
from smartsvm.tables.frames import is_table, open_frame
from smartsvm.tables.hints import TableError
from smartsvm.tables.records import Note
from smartsvm.tables.walk import Rows, learn

_MISSING = ("auto", "refuse")


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
        frequent values cover less than a fifth of the rows. Texts of sentences become 20 columns
        by their words: hashed, weighted by how rare they are, and reduced by a singular value
        decomposition. "drop" leaves out all text columns,
        "refuse" raises an error.
    scale : {"none", "standard", "robust", "ranks", "minmax"}, default="standard"
        How to scale the columns, as in `difficulty_report`.
    decimal : {"auto", ".", ","}, default="auto"
        The decimal mark of numbers that are written as text. "auto" decides from all values of a
        column, and then from other columns; a note says where the reading was open.

    Attributes
    ----------
    feature_names_in_ : ndarray of str
        The columns that new rows must have, in this order.
    n_features_in_ : int
        Their number.
    learned_ : Learned
        The columns that it makes (``columns``), each with the columns of the table that it is made
        of, and ``notes`` on what was left out, filled in and encoded.

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
        decimal: Literal["auto", ".", ","] = "auto",
    ) -> None:
        self.drop = drop
        self.keep = keep
        self.missing = missing
        self.categorical = categorical
        self.scale = scale
        self.decimal = decimal

    @property
    def notes_(self) -> list[Note]:
        """What was left out, filled in and encoded."""
        check_is_fitted(self)
        return self.learned_.notes

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
        self.learned_, _ = learn(self._checked(X, reset=True), self, self._all_rows)
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
        return self.learned_.points_of(self._checked(X, reset=False).frame)

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
        return np.array([column.name for column in self.learned_.columns], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = tags.input_tags.categorical = True
        return tags

    def _checked(self, X, *, reset):
        """The table as a `Frame`, compared with the one that it was fitted on."""
        if isinstance(X, np.ndarray | list) or not is_table(X):
            X = without_mask(X)
            rows = validate_data(self, X, reset=reset, dtype=None, ensure_all_finite=False)
            names = getattr(self, "feature_names_in_", None)
            names = [f"x{j}" for j in range(rows.shape[1])] if names is None else names
            frame = import_pandas().DataFrame(rows, columns=names)
            return open_frame(frame.infer_objects() if rows.dtype.kind == "O" else frame)
        named = open_frame(X)
        try:
            validate_data(self, named.frame, reset=reset, skip_check_array=True)
        except ValueError as error:  # with names of columns, one on each line
            lines = str(error).split("\n")
            raise ValueError("\n".join(map(shown, lines))) from None
        if not len(named.frame):
            raise ValueError("Found array with 0 sample(s): the table has no rows.")
        return named

    def _all_rows(self, walk):
        """All rows, if they may have gaps or have none."""
        gaps = [column.name for column in walk.used if column.gaps().any()]
        if gaps and self.missing == "refuse":
            raise TableError(
                f"these columns lack values: {listed(gaps)}. Fill them in, or have them filled in "
                f"with missing='auto'."
            )
        return Rows(np.arange(walk.n_rows), words_tell=lambda texts, points: True)

"""The columns of a Parquet file: numbers, lists of numbers, and all else as text."""

from __future__ import annotations

from decimal import Decimal

import numpy as np

from smartsvm._core.validation import warn_of_large_integers
from smartsvm.commands.table_error import TableError
from smartsvm.commands.table_hints import check_target


def read_parquet(path, target, groups):
    """The columns of a Parquet file.

    Parameters
    ----------
    path : Path
        The file.
    target : str
        Name of the column of the labels.
    groups : str or None
        Name of a further column that is needed, even if it is part of a data frame's index.

    Returns
    -------
    names : list of str
        Of the columns besides the target. Lists of equal length, such as embeddings, are as many
        columns.
    columns : list of ndarray
        Floats, NaN where a value is missing, or text.
    labels : ndarray
        The target.
    notes : list of str
        What was left out.
    """
    try:
        import pandas
        from pyarrow import ArrowInvalid, parquet
    except ImportError as error:
        raise TableError(f"{path}: Parquet files need pandas and pyarrow.") from error
    try:
        stored = parquet.read_schema(path).names
        twice = [name for name in stored if stored.count(name) > 1]
        # Types that hold missing values: else whole numbers next to one would become floats.
        frame = None if twice else pandas.read_parquet(path, dtype_backend="numpy_nullable")
    except (ImportError, ValueError, ArrowInvalid) as error:
        raise TableError(f"{path}: {error}") from error
    if twice:
        raise TableError(f"{path}: the file names a column twice: {twice[0]!r}.")
    frame, notes = _without_index(frame, {target, groups})
    frame.columns = [str(name) for name in frame.columns]
    check_target(path, target, list(frame.columns))
    labels = _labels(frame.pop(target))
    names, columns = [], []
    for name in frame.columns:
        of_name = _columns_of(path, name, frame[name])
        names += [name] if len(of_name) == 1 else [f"{name}[{i}]" for i in range(len(of_name))]
        columns += of_name
    return names, columns, labels, notes


def _without_index(frame, wanted):
    """The frame with those levels of its index as columns that are wanted, and a note on others."""
    named = [name for name in frame.index.names if name is not None]
    frame = frame.reset_index([name for name in named if name in wanted])
    left = [str(name) for name in named if name not in wanted]
    return frame, [f"the index of the data frame left out: {', '.join(left)}"] if left else []


def _columns_of(path, name, values):
    import pandas

    if pandas.api.types.is_bool_dtype(values.dtype) or pandas.api.types.is_numeric_dtype(
        values.dtype
    ):
        present = values.dropna()
        if present.dtype.kind in "iu" and len(present):
            warn_of_large_integers(present.to_numpy(), f"column {name!r}")
        return [values.to_numpy(dtype=float, na_value=np.nan)]
    present = values.dropna().tolist()
    if present and all(isinstance(value, Decimal) for value in present):
        return [np.array([float("nan" if gone else value) for value, gone in _flagged(values)])]
    if present and all(isinstance(value, (list, np.ndarray)) for value in present):
        return _unpacked(path, name, values)
    if any(isinstance(value, dict) for value in present):
        raise TableError(f"{path}: column {name!r} holds records: make columns of their fields.")
    return [_texts(values)]


def _unpacked(path, name, values):
    """The columns that a column of lists of numbers stands for."""
    sizes = {len(value) for value, gone in _flagged(values) if not gone}
    try:
        (size,) = sizes
        empty = np.full(size, np.nan)
        rows = np.stack(
            [empty if gone else np.asarray(value, dtype=float) for value, gone in _flagged(values)]
        )
    except (TypeError, ValueError) as error:
        raise TableError(
            f"{path}: column {name!r} holds lists: they must be of numbers and of one length, got "
            f"lengths {sorted(sizes)[:5]}."
        ) from error
    return list(rows.T)


def _labels(values):
    """Labels in the type of the file: whole numbers and truth values are not made floats."""
    kind = values.dtype.kind
    if kind not in "biuf":
        return _texts(values)
    if values.isna().any():
        return values.to_numpy(dtype=object, na_value=None)
    return values.to_numpy(dtype=values.dtype.numpy_dtype)


def _texts(values):
    """A column of a frame as text, empty where a value is missing."""
    return np.array(["" if gone else str(value) for value, gone in _flagged(values)])


def _flagged(values):
    """Each value, and whether it is missing."""
    return zip(values, values.isna(), strict=True)

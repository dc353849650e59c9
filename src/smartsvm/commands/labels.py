"""How the labels of a text file are read: as numbers only if nothing is lost by it."""

from __future__ import annotations

import numpy as np

_LARGEST = np.iinfo(np.int64).max


def read_labels_as(labels):
    """Labels as integers or numbers where each is written as that number is, else as text.

    ``007`` and ``7`` are two labels, and so are ``0.50`` and ``0.5`` or ``1_0`` and ``10``: Python
    would read them as one number.

    Parameters
    ----------
    labels : ndarray of str
        As they are in the file.

    Returns
    -------
    labels : ndarray
        Of integers, floats or text.
    note : str or None
        How they were read, where that is not obvious.
    """
    texts, codes = np.unique(labels, return_inverse=True)
    words = texts.tolist()
    for kind, parse, name in (
        (np.int64, _integer, "whole numbers"),
        (np.float64, _number, "numbers"),
    ):
        values = [parse(word) for word in words]
        if all(value is not None for value in values):
            values = np.array(values, dtype=kind)
            # Others are not classes: an error about them follows.
            note = f"labels are read as {name}" if (values == np.floor(values)).all() else None
            return values[codes.ravel()], note
    values = np.array([_float(word) for word in words], dtype=object)
    if np.equal(values, None).any():
        return labels, None
    values = values.astype(float)
    if _is_continuous(values, len(labels)):
        return values[codes.ravel()], None
    odd = [word for word in words if _number(word) is None and _integer(word) is None]
    why = f"a number would not be written as {odd[0]!r}" if odd else "whole numbers among others"
    return labels, f"labels are read as text: {why}"


def _is_continuous(values, n_samples):
    """Whether numbers look like the target of a regression, which has an error of its own."""
    distinct = len(np.unique(values)) == len(values) > n_samples / 2
    return bool(distinct and (values != np.floor(values)).any())


def _integer(word):
    """The integer that is written so, None if there is none of 64 bits."""
    try:
        value = int(word) if len(word) < 21 else None
    except ValueError:
        return None
    return value if value is not None and abs(value) <= _LARGEST and str(value) == word else None


def _number(word):
    """The finite float that is written so, None if there is none."""
    value = _float(word)
    return value if value is not None and repr(value) == word else None


def _float(word):
    """The finite number that a word stands for in plain digits, None for other words."""
    if not word.isascii() or "_" in word:
        return None
    try:
        value = float(word)
    except ValueError:
        return None
    return value if np.isfinite(value) else None

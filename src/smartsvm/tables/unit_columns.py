"""Columns of text by value: units, such as a state or a person, and texts of many values."""

import re

import numpy as np

# Classifiers read a text by value if it has at least 10 values and 3 rows of each on average. With
# fewer values, columns of 0 and 1 do as well; with fewer rows, shares of classes mean nothing.
_LEAST_VALUES = 10
_LEAST_ROWS = 3
_NUMBER = re.compile(r"\d+([.,]\d+)*")


def numbered(values):
    """The numbered values of a column of text; a gap is a value of its own."""
    return np.unique(values.astype(str), return_inverse=True)[1]


def has_many_values(codes):
    """Whether a text has many numbered values, and some rows of each."""
    return _LEAST_VALUES <= codes.max() + 1 <= len(codes) / _LEAST_ROWS


def shape_of(values):
    """Numbered texts without their numbers, "90 min" as "# min", where most texts hold some."""
    words = values.astype(str)
    distinct, codes = np.unique(words, return_inverse=True)
    shapes = np.array([_NUMBER.sub("#", word) for word in distinct.tolist()])
    if 2 * np.count_nonzero(shapes != distinct) < len(distinct):
        return None
    n_shapes = len(np.unique(shapes))
    return numbered(shapes)[codes] if 1 < n_shapes <= len(distinct) / _LEAST_ROWS else None

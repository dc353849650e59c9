"""Columns of text that may name a unit, such as a state or a person, whose rows are alike."""

import numpy as np


def unit_columns(frame):
    """The numbered values of each column of text, by name; a gap is a value of its own."""
    return {
        name: np.unique(values.to_numpy().astype(str), return_inverse=True)[1]
        for name, values in frame.items()
        if values.dtype.kind not in "biuf"
    }

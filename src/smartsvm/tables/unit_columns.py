"""Columns of text by value: units, such as a state or a person, and texts of many values."""

import re

import numpy as np

_NOUN = "subject|subj|patient|participant|respondent|pupil|student|person|household|litter"
# With "id" behind them; alone, or with "no", they may be counts. Any word would do but for paid,
# acid and the like.
_THING = "child|infant|baby|family|school|class|teacher|hospital|clinic|site|plot|animal|dog|cow"
_THING += "|rat|mouse|team|player|firm|company|user|client|customer|account|county|country"
_NUMBER = "no|nr|nbr|num|number|id|code"
_UNIT = re.compile(
    rf"(?i)(.*[\W_])?(id|uuid|key|({_NOUN})[\W_]*({_NUMBER})?|({_THING})id"
    rf"|({_NUMBER})[\W_]*({_NOUN}))|(?-i:.*[a-z]I[dD])"
)

# Classifiers read a text by value if it has at least 10 values and 3 rows of each on average. With
# fewer values, columns of 0 and 1 do as well; with fewer rows, shares of classes mean nothing.
_LEAST_VALUES = 10
_LEAST_ROWS = 3


def is_unit_name(name):
    """Whether a column is named like a unit whose numbers mean nothing: id, subject, patientNo."""
    return _UNIT.fullmatch(name) is not None


def unit_columns(frame):
    """The numbered values of each column of text, by name; a gap is a value of its own."""
    return {
        name: np.unique(values.to_numpy().astype(str), return_inverse=True)[1]
        for name, values in frame.items()
        if values.dtype.kind not in "biuf"
    }


def has_many_values(numbered):
    """Whether a text has many numbered values, and some rows of each."""
    return _LEAST_VALUES <= numbered.max() + 1 <= len(numbered) / _LEAST_ROWS

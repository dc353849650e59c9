"""When a difference counts as clear: one rule for estimates, classifiers and the report."""

from math import inf

import numpy as np

# Standard errors. Chance alone exceeds 2 on one side in one of 44 cases, 3 in one of 740.
CLEAR = 2.0
CLEAR_OF_MANY = 3.0  # where the difference is the largest of about 20
# One percentage point: the smallest difference of errors that a sentence is worth.
POINT = 0.01


def is_clear(difference, error, z=CLEAR, least=-inf):
    """Whether a difference is above z standard errors, perhaps a negative z, and the least one."""
    return bool(difference > max(z * error, least))


def paired_difference(values, others):
    """The mean difference of two arrays on the same rows, and its standard error."""
    away = np.asarray(values, dtype=float) - others
    return float(away.mean()), float(away.std() / np.sqrt(len(away)))

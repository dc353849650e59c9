"""A hint where the labels look like measured numbers, not like classes."""

import numpy as np
from scipy.stats import spearmanr

from smartsvm.report.flags import Flag

_MANY = 30  # different numbers: fewer may be grades or counts
# Mistakes of classes without an order go anywhere: the rank correlation of the labels with the
# answers is about 0. Those of a number go to its neighbours.
_ORDERED = 0.3


def regression_flags(classes, n_samples, confusion):
    """A flag for many numbers as labels, unless they just count classes without an order."""
    if classes.dtype.kind not in "iuf" or len(classes) < _MANY:
        return
    counts_classes = np.array_equal(classes - classes[0], np.arange(len(classes)))
    repeated = len(classes) <= n_samples / 2
    if counts_classes and repeated and not _mistakes_follow_order(confusion):
        return
    yield Flag(
        "looks_like_regression",
        "perhaps a regression problem",
        f"The labels are {len(classes):,} different numbers from {classes[0]:g} to "
        f"{classes[-1]:g}. If they measure something, a prediction nearby is better than one far "
        "off: use a regression, or cut them into a few classes.",
    )


def _mistakes_follow_order(confusion):
    true, answered = np.nonzero(confusion * (1 - np.eye(len(confusion), dtype=confusion.dtype)))
    if len(true) < 3 or not (np.ptp(true) and np.ptp(answered)):
        return False
    counts = confusion[true, answered].astype(int)
    return spearmanr(np.repeat(true, counts), np.repeat(answered, counts)).statistic > _ORDERED

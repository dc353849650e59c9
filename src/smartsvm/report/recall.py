"""How much of each class is found: what rules reach if all classes count alike."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smartsvm._sampling import shuffled_by_class
from smartsvm.estimates import Interval
from smartsvm.report.count_intervals import error_interval
from smartsvm.report.reached import dependence

_FOLDS = 10


class Recall(NamedTuple):
    """What the rule with the smallest balanced error reaches, class by class.

    Attributes
    ----------
    rule : str
        Its name.
    balanced_error : Interval
        Mean of the errors of all classes, however large they are; guessing has 1 - 1/K.
    by_class : ndarray of shape (K,)
        Share of each class that is found.
    limits : ndarray of shape (K, 2)
        Confidence limits of that.
    """

    rule: str
    balanced_error: Interval
    by_class: np.ndarray
    limits: np.ndarray


def class_recalls(trials, codes, n_classes, z, seed):
    """Recall of every class by the rule that is best if all classes count alike.

    Parameters
    ----------
    trials : Trials
        Mistakes of all rules.
    codes : ndarray of shape (n_samples,)
        Class of each sample.
    n_classes : int
        Classes K.
    z : float
        Standard errors that an interval reaches to each side.
    seed : int
        Seed of the tenths that rules are picked without.

    Returns
    -------
    Recall
        On each tenth of the samples, the errors of the setting that is best on the other tenths.

    Notes
    -----
    The limits of the balanced error are as far from it as those of the classes together:
    squares of independent distances add up.
    """
    codes = codes[trials.rows]
    wrong = {rule: trials.on_rows(rule) for rule in trials.found}
    rule = min(wrong, key=lambda each: _class_errors(wrong[each], codes, n_classes).mean(1).min())
    counts = np.bincount(codes, minlength=n_classes)
    errors = _picked_errors(wrong[rule], codes, n_classes, seed) / counts
    factor = dependence(rule, sum(counts))
    each = [error_interval(e, n / factor, z) for e, n in zip(errors, counts, strict=True)]
    low, high = (np.array([interval[side] for interval in each]) for side in (1, 2))
    value = float(errors.mean())
    balanced = Interval(
        value,
        max(value - float(np.sqrt(((errors - low) ** 2).sum())) / n_classes, 0.0),
        min(value + float(np.sqrt(((high - errors) ** 2).sum())) / n_classes, 1.0),
    )
    return Recall(rule, balanced, 1 - errors, np.stack([1 - high, 1 - low], axis=1))


def _class_errors(wrong, codes, n_classes):
    """Mistakes of every setting in every class over its samples, shape (m, K)."""
    return _by_class(wrong, codes, n_classes) / np.bincount(codes, minlength=n_classes)


def _by_class(wrong, codes, n_classes):
    return np.stack([np.bincount(codes, each, minlength=n_classes) for each in wrong])


def _picked_errors(wrong, codes, n_classes, seed):
    """Mistakes in every class, in each tenth by the setting that is best on the others."""
    order = shuffled_by_class(codes, seed)
    total = _by_class(wrong, codes, n_classes)
    counts = np.bincount(codes, minlength=n_classes)
    found = np.zeros(n_classes)
    for fold in range(_FOLDS):
        rows = order[fold::_FOLDS]
        inside = _by_class(wrong[:, rows], codes[rows], n_classes)
        left = np.maximum(counts - np.bincount(codes[rows], minlength=n_classes), 1)
        found += inside[((total - inside) / left).mean(axis=1).argmin()]
    return found

"""Result types of the estimates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from smartsvm.presentation.wording import rounded_repr


@dataclass(frozen=True, eq=False)
class ErrorEstimate:
    """Estimated Bayes errors with lower and upper bounds.

    Estimates are numbers for one problem, arrays of shape (K,) for each class against the
    rest, and arrays of shape (K, K) with a zero diagonal for pairs.

    Attributes
    ----------
    value : float or ndarray
        The HP-estimate of the Bayes error.
    lower : float or ndarray
        Estimated lower bound of the Bayes error.
    upper : float or ndarray
        Estimated upper bound of the Bayes error.
    cross_counts : float or ndarray
        Tree edges R between the classes of the problem, averaged over the trees.
    class_counts : ndarray of shape (K,)
        Samples of each class.
    classes : ndarray of shape (K,)
        The labels, in the order of the axes.
    n_trees : int or ndarray
        Orthogonal trees averaged.
    normalized : bool
        Whether value and bounds are divided by the baseline error.
    divergence : float or ndarray
        The Henze–Penrose divergence, at least 0: 1 - R / E R, where E R is the count for random
        labels. 0 means that no classifier can tell the classes apart, 1 that they do not overlap.
    """

    value: float | np.ndarray
    lower: float | np.ndarray
    upper: float | np.ndarray
    cross_counts: float | np.ndarray
    class_counts: np.ndarray
    classes: np.ndarray
    n_trees: int | np.ndarray
    normalized: bool
    divergence: float | np.ndarray
    __repr__ = rounded_repr


class Interval(NamedTuple):
    """An estimate with its confidence interval.

    Attributes
    ----------
    value : float
        The estimate.
    low : float
        Lower limit.
    high : float
        Upper limit.
    """

    value: float
    low: float
    high: float

    def __repr__(self) -> str:
        return rounded_repr(self)

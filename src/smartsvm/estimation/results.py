"""Result types of the estimates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from smartsvm.presentation.wording import rounded_repr


@dataclass(frozen=True, eq=False)
class DivergenceEstimate:
    """An estimated Henze–Penrose divergence.

    Attributes
    ----------
    value : float
        The estimate, at least 0.
    raw : float
        The estimate without that limit; it may be negative by chance.
    cross_counts : float
        Edges R between the two classes, averaged over the trees.
    class_counts : ndarray of shape (2,)
        Samples of each class.
    classes : ndarray of shape (2,)
        The labels, in the order of `class_counts`.
    n_trees : int
        Trees averaged.
    """

    value: float
    raw: float
    cross_counts: float
    class_counts: np.ndarray
    classes: np.ndarray
    n_trees: int
    __repr__ = rounded_repr


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
    cross_limit : float, ndarray or None
        With ``extrapolate=True``, the limit of the fraction of cross edges for infinitely many
        samples, from which value and bounds are computed. NaN where nothing can be
        extrapolated; value and bounds are then those of this sample size. Where it is known too
        badly for pairs or classes, their value and bounds are NaN.
    cross_limit_error : float, ndarray or None
        Its standard error.
    """

    value: float | np.ndarray
    lower: float | np.ndarray
    upper: float | np.ndarray
    cross_counts: float | np.ndarray
    class_counts: np.ndarray
    classes: np.ndarray
    n_trees: int | np.ndarray
    normalized: bool
    cross_limit: float | np.ndarray | None = None
    cross_limit_error: float | np.ndarray | None = None
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

"""Weights of classes that grow with Bayes errors."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from smartsvm._core.types import RandomState
from smartsvm._core.validation import check_choice, check_number
from smartsvm.estimation.class_forest import ClassForest

BASES = (None, "balanced")


def bayes_error_class_weight(
    X: ArrayLike,
    y: ArrayLike,
    *,
    strength: float = 4.0,
    base: str | None = None,
    n_trees: int | Literal["auto"] = "auto",
    n_jobs: int | None = None,
    random_state: RandomState = 0,
) -> dict[Any, float]:
    """Class weights that grow with how hard a class is to tell from the others.

    For ``sample_weight=`` of a fit, ``compute_sample_weight(weights, y)`` of scikit-learn gives
    every sample the weight of its class.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The points.
    y : array-like of shape (n_samples,)
        Labels of any sortable type, two classes or more.
    strength : float, default=4.0
        Extra weight of a class that cannot be separated from the others at all; 0 ignores
        the errors.
    base : {None, "balanced"}, default=None
        Weights b_k to start from: 1, or n / (K n_k) as scikit-learn's "balanced".
    n_trees : int or "auto", default="auto"
        Orthogonal trees behind the errors, as in `ClassForest`.
    n_jobs : int or None, default=None
        Threads.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the order among equal distances.

    Returns
    -------
    dict
        Weight of each label, for ``class_weight=`` anywhere in scikit-learn.

    Notes
    -----
    w_k = c b_k (1 + strength · h_k), with c such that the weights of all samples sum to n and
    a regularisation constant keeps its meaning. The difficulty is h_k = min(1, P_k / p_k), where
    P_k is the value of `ovr_bayes_error`: the same confusion counts more for the smaller class. A
    heavier class gains recall at the expense of the others.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from smartsvm import bayes_error_class_weight
    >>> weights = bayes_error_class_weight(*load_iris(return_X_y=True))
    >>> {label: round(weight, 2) for label, weight in weights.items()}
    {0: 0.8, 1: 1.12, 2: 1.08}
    """
    check_choice(base, "base", BASES)
    legal = "a number of at least 0"
    strength = check_number(strength, "strength", legal, lambda number: 0 <= number < np.inf)
    forest = ClassForest(X, y, n_trees=n_trees, n_jobs=n_jobs, random_state=random_state)
    counts = forest.class_counts
    difficulty = np.minimum(forest.one_vs_rest().value * counts.sum() / counts, 1)
    weights = 1 + strength * difficulty
    if base == "balanced":
        weights = weights / counts
    weights = weights * counts.sum() / (counts * weights).sum()
    return dict(zip(forest.classes.tolist(), weights.tolist(), strict=True))

"""Weights of classes and samples that grow with Bayes errors."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree
from sklearn.metrics import pairwise_distances_argmin
from threadpoolctl import threadpool_limits

from smartsvm._core.blas_threads import single_blas_thread
from smartsvm._core.checked_labels import check_labels
from smartsvm._core.parallel import count_threads
from smartsvm._core.points import scale_points
from smartsvm._core.threads import run_chunks
from smartsvm._core.types import Floats, RandomState
from smartsvm._core.validation import check_choice, check_number
from smartsvm.estimation.class_forest import ClassForest
from smartsvm.trees.open_points import open_points

METHODS = ("ovr", "pairwise")
BASES = (None, "balanced")
_BLOCK = 1024  # points that a thread takes at a time: few enough that all threads have work
# Features up to which a kd-tree finds the nearest sample faster than brute force.
_MOST_TREE_FEATURES = 15


def bayes_error_class_weight(
    X: ArrayLike,
    y: ArrayLike,
    *,
    method: str = "ovr",
    strength: float = 4.0,
    base: str | None = None,
    n_trees: int | Literal["auto"] = "auto",
    n_jobs: int | None = None,
    random_state: RandomState = 0,
) -> dict[Any, float]:
    """Class weights that grow with how hard a class is to tell from the others.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The points.
    y : array-like of shape (n_samples,)
        Labels of any sortable type, two classes or more.
    method : {"ovr", "pairwise"}, default="ovr"
        Difficulty h_k of class k: its error against all others, or its largest pairwise
        error, relative to its size.
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
    a regularisation constant keeps its meaning. With "ovr", h_k = min(1, P_k / p_k), where P_k is
    the HP-estimate of the class against the rest; with "pairwise" it is the largest over l of
    min(1, P_kl (n_k + n_l) / n_k). The same confusion counts more for the smaller class.
    A heavier class gains recall at the expense of the others.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from smartsvm import bayes_error_class_weight
    >>> weights = bayes_error_class_weight(*load_iris(return_X_y=True))
    >>> {label: round(weight, 2) for label, weight in weights.items()}
    {0: 0.8, 1: 1.12, 2: 1.08}
    """
    check_choice(method, "method", METHODS)
    check_choice(base, "base", BASES)
    strength = _check_strength(strength)
    forest = ClassForest(X, y, n_trees=n_trees, n_jobs=n_jobs, random_state=random_state)
    counts = forest.class_counts
    if method == "ovr":
        difficulty = np.minimum(forest.one_vs_rest().value * counts.sum() / counts, 1)
    else:
        difficulty = _share_of_first(forest).max(axis=1)
    weights = 1 + strength * difficulty
    if base == "balanced":
        weights = weights / counts
    weights = weights * counts.sum() / (counts * weights).sum()
    return dict(zip(forest.classes.tolist(), weights.tolist(), strict=True))


def bayes_error_sample_weight(
    X: ArrayLike,
    y: ArrayLike,
    *,
    strength: float = 4.0,
    base: str | None = None,
    n_trees: int | Literal["auto"] = "auto",
    n_jobs: int | None = None,
    random_state: RandomState = 0,
) -> Floats:
    """Sample weights that grow with the error of the pair of classes a sample lies between.

    The pair is the class of the sample and its rival, the class of the nearest sample with
    another label. If fours and nines are hard to tell apart, the fours among the nines count
    more, and not those beside the sixes.

    Parameters
    ----------
    X, y : array-like
        Points and labels.
    strength : float, default=4.0
        Extra weight of a sample whose pair cannot be separated at all; 0 ignores the errors.
    base, n_trees, n_jobs, random_state : object
        As in `bayes_error_class_weight`.

    Returns
    -------
    ndarray of shape (n_samples,)
        Weights, for ``sample_weight=`` of a fit.

    Notes
    -----
    w_i = c b_i (1 + strength · h(k_i, l_i)), with k_i the class of sample i, l_i its rival,
    h(k, l) = min(1, P_kl (n_k + n_l) / n_k) the HP-estimate of the pair relative to the
    size of class k, and c such that the weights sum to n.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from smartsvm import bayes_error_sample_weight
    >>> X, y = load_iris(return_X_y=True)
    >>> weights = bayes_error_sample_weight(X, y)
    >>> [round(float(weights[y == k].mean()), 2) for k in range(3)]
    [0.81, 1.09, 1.09]
    """
    check_choice(base, "base", BASES)
    strength = _check_strength(strength)
    points = scale_points(open_points(X).read())
    n = points.n_rows
    y = check_labels(y, n_samples=n)
    codes = y.codes
    forest = ClassForest(points, y, n_trees=n_trees, n_jobs=n_jobs, random_state=random_state)
    weights = (
        1 + strength * _share_of_first(forest)[codes, rivals(points.values, codes, n_jobs=n_jobs)]
    )
    if base == "balanced":
        weights = weights / forest.class_counts[codes]
    return weights * (n / weights.sum())


def rivals(X, codes, *, n_jobs=None):
    """For every sample the class code of the nearest sample of another class."""
    rival = np.empty(len(codes), dtype=np.intp)
    centred = X - X.mean(axis=0)  # matrix products lose precision far from 0
    n_threads = count_threads(n_jobs)
    with single_blas_thread():
        for k in range(int(codes.max()) + 1):
            own = np.flatnonzero(codes == k)
            other = np.flatnonzero(codes != k)
            nearest = _search_among(centred[other])

            def search(lo, hi, own=own, other=other, nearest=nearest):
                rows = own[lo:hi]
                rival[rows] = codes[other[nearest(centred[rows])]]

            run_chunks(search, len(own), _BLOCK, n_threads)
    return rival


def _search_among(points):
    """A function that gives the nearest of these points to each query, in one thread."""
    # Threads of scipy and scikit-learn would outlive Ctrl-C.
    if points.shape[1] <= _MOST_TREE_FEATURES:
        tree = cKDTree(points)
        return lambda queries: tree.query(queries)[1]

    def nearest(queries):
        with threadpool_limits(1, user_api="openmp"):
            return pairwise_distances_argmin(queries, points)

    return nearest


def _share_of_first(forest):
    """Error of every pair (k, l) relative to the size of class k, at most 1."""
    counts = forest.class_counts
    sizes = np.add.outer(counts, counts)
    return np.minimum(forest.pairwise().value * sizes / counts[:, None], 1)


def _check_strength(strength):
    legal = "a number of at least 0"
    return check_number(strength, "strength", legal, lambda number: 0 <= number < np.inf)

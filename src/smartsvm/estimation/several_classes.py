"""The public Bayes errors for several classes: of every pair, of each against the rest, of all."""

from __future__ import annotations

from typing import Literal

from smartsvm._core.types import (
    Algorithm,
    BiasCorrection,
    LabelsLike,
    MemoryLimit,
    Path,
    PointsLike,
    RandomState,
)
from smartsvm._core.validation import check_flag
from smartsvm.estimation.class_forest import ClassForest
from smartsvm.estimation.extrapolated_errors import (
    extrapolated_classes,
    extrapolated_pairs,
    extrapolated_whole,
)
from smartsvm.estimation.results import ErrorEstimate


def pairwise_bayes_error(
    X: PointsLike,
    y: LabelsLike,
    *,
    n_trees: int | Literal["auto"] = "auto",
    bias_correction: BiasCorrection = "prior",
    normalize: bool = False,
    connectivity_offset: bool = False,
    extrapolate: bool = False,
    algorithm: Algorithm = "auto",
    n_jobs: int | None = None,
    random_state: RandomState = 0,
    verbose: int = 0,
    memory_limit: MemoryLimit = None,
    checkpoint: Path | None = None,
    device: str | None = None,
) -> ErrorEstimate:
    """Estimate the Bayes error of every pair of classes, with bounds.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The points; also on disk or a Dask array, as in `euclidean_mst`.
    y : array-like of shape (n_samples,)
        Labels of any sortable type; also on disk or a Dask array, as in `ClassForest`.
    n_trees : int or "auto", default="auto"
        As in `bayes_error`. Pairs with a class too small for as many trees count fewer, and one
        warning says so. Averages over orders of equal distances only for two classes.
    bias_correction : {True, False, "prior"}, default="prior"
        As in `bayes_error`.
    normalize : bool, default=False
        Divide by the smaller prior within the pair, so that balanced and imbalanced pairs compare.
        ``pairs.bounds`` of a `difficulty_report` with ``scale="none"`` are the errors of
        ``normalize=True``.
    connectivity_offset : bool, default=False
        Do not count the one edge per tree that joins the classes in any case.
    extrapolate : bool, default=False
        As in `multiclass_bayes_error`, for pairs of classes with at least 30 samples each.
        Every pair needs its own neighbour search. NaN where the limit is hardly known.
    algorithm, n_jobs, random_state, verbose, memory_limit, checkpoint, device : object
        As in `euclidean_mst`.

    Returns
    -------
    ErrorEstimate
        ``value``, ``lower``, ``upper``, ``cross_counts`` and ``n_trees`` have shape
        (K, K), symmetric with zero diagonal.

    See Also
    --------
    class_hierarchy : Cut these errors into a hierarchy of classes.
    PairwiseErrorDisplay : Draw them.

    Notes
    -----
    Hierarchies compare pairs with each other: the paper cuts errors with ``n_trees=3``,
    ``bias_correction=True`` and ``normalize=True``. Three trees rank pairs better than one,
    although their estimates are larger. For eight Gaussian classes of 60 samples, the rank
    correlation with the true errors is 0.92 with three trees and 0.90 with one in 5 dimensions
    (0.91 and 0.87 in 10); the root mean square error is 0.049 and 0.047 (0.035 and 0.029).

    All are biased upwards, the more so the more columns there are: for two Gaussian classes with a
    Bayes error of 0.1, the value is 0.12, 0.18 and 0.30 with 2, 10 and 100 columns and 100 samples
    per class, 0.11, 0.13 and 0.25 with 5,000. ``pairs.confused`` of a `difficulty_report` has
    held-out errors instead.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from smartsvm import pairwise_bayes_error
    >>> X, y = load_iris(return_X_y=True)
    >>> pairwise_bayes_error(X, y).value.round(2)
    array([[0.  , 0.01, 0.01],
           [0.01, 0.  , 0.05],
           [0.01, 0.05, 0.  ]])
    """
    check_flag(extrapolate, "extrapolate")
    forest = ClassForest(
        X,
        y,
        n_trees=n_trees,
        algorithm=algorithm,
        n_jobs=n_jobs,
        random_state=random_state,
        verbose=verbose,
        memory_limit=memory_limit,
        checkpoint=checkpoint,
        device=device,
    )
    estimate = forest.pairwise(
        bias_correction=bias_correction,
        normalize=normalize,
        connectivity_offset=connectivity_offset,
    )
    return extrapolated_pairs(forest, estimate, bias_correction) if extrapolate else estimate


def ovr_bayes_error(
    X: PointsLike,
    y: LabelsLike,
    *,
    n_trees: int | Literal["auto"] = "auto",
    bias_correction: BiasCorrection = "prior",
    normalize: bool = False,
    connectivity_offset: bool = False,
    extrapolate: bool = False,
    algorithm: Algorithm = "auto",
    n_jobs: int | None = None,
    random_state: RandomState = 0,
    verbose: int = 0,
    memory_limit: MemoryLimit = None,
    checkpoint: Path | None = None,
    device: str | None = None,
) -> ErrorEstimate:
    """Estimate the Bayes error of each class against all others, with bounds.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The points; also on disk or a Dask array, as in `euclidean_mst`.
    y : array-like of shape (n_samples,)
        Labels of any sortable type; also on disk or a Dask array, as in `ClassForest`.
    n_trees : int or "auto", default="auto"
        As in `bayes_error`.
    bias_correction : {True, False, "prior"}, default="prior"
        As in `bayes_error`.
    normalize : bool, default=False
        Divide by the smaller prior, that of the class or that of the rest.
    connectivity_offset : bool, default=False
        Do not count the one edge per tree that joins the class to the rest in any case.
    extrapolate : bool, default=False
        As in `multiclass_bayes_error`, for classes with at least 30 samples; NaN as in
        `pairwise_bayes_error`. Upper bounds are not extrapolated.
    algorithm, n_jobs, random_state, verbose, memory_limit, checkpoint, device : object
        As in `euclidean_mst`.

    Returns
    -------
    ErrorEstimate
        ``value``, ``lower``, ``upper``, ``cross_counts`` and ``n_trees`` have shape (K,).

    Notes
    -----
    R_k counts the edges that leave class k in the trees over all samples. The estimate and
    the lower bound belong to the binary problem "k or not". Its error is at most what the
    multiclass Bayes classifier gets wrong about class k. The upper bound is the paper's sum over
    pairs, Σ_c (p_k + p_c) U_kc; R_k/n itself is not an upper bound. All are biased upwards as
    those of `pairwise_bayes_error`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from smartsvm import ovr_bayes_error
    >>> X, y = load_iris(return_X_y=True)
    >>> ovr_bayes_error(X, y).value.round(3)
    array([0.005, 0.04 , 0.035])
    """
    check_flag(extrapolate, "extrapolate")
    forest = ClassForest(
        X,
        y,
        n_trees=n_trees,
        algorithm=algorithm,
        n_jobs=n_jobs,
        random_state=random_state,
        verbose=verbose,
        memory_limit=memory_limit,
        checkpoint=checkpoint,
        device=device,
    )
    estimate = forest.one_vs_rest(
        bias_correction=bias_correction,
        normalize=normalize,
        connectivity_offset=connectivity_offset,
    )
    return extrapolated_classes(forest, estimate, bias_correction) if extrapolate else estimate


def multiclass_bayes_error(
    X: PointsLike,
    y: LabelsLike,
    *,
    method: Literal["tree", "pairwise", "tightest"] = "tree",
    n_trees: int | Literal["auto"] = "auto",
    bias_correction: BiasCorrection = "prior",
    normalize: bool = False,
    connectivity_offset: bool = False,
    extrapolate: bool = False,
    algorithm: Algorithm = "auto",
    n_jobs: int | None = None,
    random_state: RandomState = 0,
    verbose: int = 0,
    memory_limit: MemoryLimit = None,
    checkpoint: Path | None = None,
    device: str | None = None,
) -> ErrorEstimate:
    """Estimate the Bayes error of the whole problem with K classes, with bounds.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The points; also on disk or a Dask array, as in `euclidean_mst`.
    y : array-like of shape (n_samples,)
        Labels of any sortable type; also on disk or a Dask array, as in `ClassForest`.
    method : {"tree", "pairwise", "tightest"}, default="tree"
        "tree" counts the cross edges of the trees over all classes. "pairwise" sums the
        bounds of all pairs. "tightest" takes the larger of the two lower bounds and the
        smallest of the two upper bounds and the baseline error.
    n_trees : int or "auto", default="auto"
        Orthogonal trees to average; "auto" as in `bayes_error`, but three to extrapolate.
    bias_correction : {True, False, "prior"}, default="prior"
        As in `bayes_error`, with the baseline error (of always predicting the largest class)
        in place of the smaller prior, and γ for K classes.
    normalize : bool, default=False
        Divide by the baseline error.
    connectivity_offset : bool, default=False
        Do not count the K - 1 edges per tree that join the classes in any case.
    extrapolate : bool, default=False
        Extrapolate the fraction of cross edges to infinitely many samples, and compute value
        and bounds from that limit; see Notes. Needs the points in memory and method "tree".
    algorithm, n_jobs, random_state, verbose, memory_limit, checkpoint, device : object
        As in `euclidean_mst`.

    Returns
    -------
    ErrorEstimate
        ``value``, ``lower``, ``upper`` and ``cross_counts`` are numbers.

    Notes
    -----
    With a = (K-1)/K and r = R/n over the trees of all classes, the error lies between
    a(1 - √(1 - r/a)) and r. The pairwise sums (2/K) Σ (p_i + p_j) L_ij and Σ (p_i + p_j) U_ij are
    bounds too, but seldom tighter. The value is the mean of both bounds; its asymptotic error is at
    most (K-1)/(8K).

    At a finite sample size R/n is too large, by half the mean squared change of the class
    probabilities along an edge. With ``extrapolate=True`` the agreement of labels beyond
    chance, q = 1 - r / chance, is fitted by log q = log q₀ - (h / ℓ)ᵖ over edges of many
    lengths h: those of the first three trees, those of trees of halves, quarters and eighths of
    the data, and those to the first 31 neighbours, whose lengths follow from the intrinsic
    dimension. The limit of r is chance · (1 - q₀), averaged over p = 1, 1.5 and 2; its standard
    error includes the spread between them. The K - 1 edges that join the classes are not
    counted. Where labels agree no more than by chance at any length, ``cross_limit`` is NaN, and
    value and bounds are those of this sample size.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from smartsvm import multiclass_bayes_error
    >>> X, y = load_iris(return_X_y=True)
    >>> estimate = multiclass_bayes_error(X, y)
    >>> print(f"{estimate.lower:.3f} <= {estimate.value:.3f} <= {estimate.upper:.3f}")
    0.027 <= 0.040 <= 0.053
    >>> estimate = multiclass_bayes_error(X, y, extrapolate=True)
    >>> print(f"{estimate.cross_limit:.3f}, standard error {estimate.cross_limit_error:.3f}")
    0.034, standard error 0.034
    """
    check_flag(extrapolate, "extrapolate")
    if extrapolate and method != "tree":
        raise ValueError(f'method must be "tree" with extrapolate=True, got {method!r}.')
    forest = ClassForest(
        X,
        y,
        n_trees=n_trees,
        algorithm=algorithm,
        n_jobs=n_jobs,
        random_state=random_state,
        verbose=verbose,
        memory_limit=memory_limit,
        checkpoint=checkpoint,
        device=device,
    )
    estimate = forest.multiclass(
        method=method,
        bias_correction=bias_correction,
        normalize=normalize,
        connectivity_offset=connectivity_offset,
    )
    return extrapolated_whole(forest, estimate, bias_correction) if extrapolate else estimate

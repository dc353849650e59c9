"""The public estimates: two classes, every pair, each class against the rest, all classes."""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np

from smartsvm._core.devices import on_host
from smartsvm._core.types import (
    Algorithm,
    BiasCorrection,
    LabelsLike,
    MemoryLimit,
    Path,
    PointsLike,
    RandomState,
)
from smartsvm._core.validation import check_flag, check_jobs, tie_seed
from smartsvm.estimation.class_forest import ClassForest
from smartsvm.estimation.extrapolated_errors import (
    extrapolated_classes,
    extrapolated_pairs,
    extrapolated_whole,
)
from smartsvm.estimation.henze_penrose import divergence
from smartsvm.estimation.results import DivergenceEstimate, ErrorEstimate


def hp_divergence(
    X: PointsLike,
    y: LabelsLike,
    *,
    n_trees: int | Literal["auto"] = "auto",
    connectivity_offset: bool = False,
    algorithm: Algorithm = "auto",
    n_jobs: int | None = None,
    random_state: RandomState = 0,
    verbose: int = 0,
    memory_limit: MemoryLimit = None,
    checkpoint: Path | None = None,
    device: str | None = None,
) -> DivergenceEstimate:
    """Estimate the Henze–Penrose divergence between two classes.

    0 means that no classifier can tell the two apart, 1 that they do not overlap.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The points; also on disk or a Dask array, as in `euclidean_mst`.
    y : array-like of shape (n_samples,)
        Labels of two classes; also on disk or a Dask array, as in `ClassForest`.
    n_trees : int or "auto", default="auto"
        As in `bayes_error`.
    connectivity_offset : bool, default=False
        Do not count the one edge per tree that joins the classes in any case.
    algorithm, n_jobs, random_state, verbose, memory_limit, checkpoint, device : object
        As in `euclidean_mst`.

    Returns
    -------
    DivergenceEstimate
        ``value`` is the estimate, at least 0; ``raw`` may be negative.

    See Also
    --------
    two_sample_divergence : The same between two samples, without labels.

    Notes
    -----
    With R cross edges, averaged over the trees, the estimate is 1 - n R / (2 n₁ n₂) [1]_. If both
    samples come from one distribution, its expectation is exactly 0.

    References
    ----------
    .. [1] N. Henze and M. Penrose (1999), On the multivariate runs test,
       Annals of Statistics 27, 290-298.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from smartsvm import hp_divergence
    >>> X, y = load_iris(return_X_y=True)
    >>> round(hp_divergence(X[50:], y[50:]).value, 2)
    0.86
    """
    _check_vector(y, "two_sample_divergence")
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
    _check_two_classes(forest)
    pair = forest.pairwise(connectivity_offset=connectivity_offset)
    cross = float(pair.cross_counts[0, 1])
    raw = float(divergence(cross, *pair.class_counts))
    n_trees = int(pair.n_trees[0, 1])
    return DivergenceEstimate(max(raw, 0.0), raw, cross, pair.class_counts, pair.classes, n_trees)


def bayes_error(
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
    """Estimate the Bayes error between two classes from spanning trees, with bounds.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The points; also on disk or a Dask array, as in `euclidean_mst`.
    y : array-like of shape (n_samples,)
        Labels of two classes; also on disk or a Dask array, as in `ClassForest`.
    n_trees : int or "auto", default="auto"
        Orthogonal trees to average. "auto" takes three for up to 3 features and one beyond,
        where later trees raise the bounds; where many distances are equal, it also averages
        over three orders among them. The paper takes three trees.
    bias_correction : {True, False, "prior"}, default="prior"
        "prior" limits both bounds to the smaller prior. This is closer to the truth unless
        the classes hardly differ. True limits the count to the paper's γ, so that the
        estimate is at most the smaller prior. False gives the uncorrected estimate.
    normalize : bool, default=False
        Divide by the smaller prior: 1 is then no better than always predicting the larger class.
    connectivity_offset : bool, default=False
        Do not count the one edge per tree that joins the classes in any case.
    extrapolate : bool, default=False
        As in `multiclass_bayes_error`.
    algorithm, n_jobs, random_state, verbose, memory_limit, checkpoint, device : object
        As in `euclidean_mst`.

    Returns
    -------
    ErrorEstimate
        ``value``, ``lower`` and ``upper`` are numbers.

    See Also
    --------
    two_sample_bayes_error : The same between two samples, without labels.
    difficulty_report : Estimates the Bayes error from more than trees.

    Notes
    -----
    This is not the estimate ``bayes_error`` of a `difficulty_report`, which combines held-out
    errors, trees and their extrapolation in a fitted model. ``lower`` and ``upper`` of a report
    with ``scale="none"`` are the bounds of this function.

    `ClassForest`, `pairwise_bayes_error`, `ovr_bayes_error` and `multiclass_bayes_error` have the
    same defaults and give the same numbers for the same classes.

    With R cross edges, averaged over the trees, and û = 1 - 2R/n, the Bayes error
    lies between ½ - ½√û and ½ - ½û = R/n as n grows [1]_. The value is their mean, which is
    not consistent: its asymptotic error is at most 1/16. The paper's bias correction [2]_
    limits R to γ = 2n p - ¾n + ¼n√(9 - 16p), where p is the smaller prior. With many features
    and few samples, R and both bounds are too large.

    References
    ----------
    .. [1] V. Berisha et al. (2016), Empirically estimable classification bounds
       based on a nonparametric divergence measure, IEEE Trans. Signal Processing 64.
    .. [2] G. J. J. van den Burg and A. O. Hero (2017), Fast meta-learning for
       adaptive hierarchical classifier design.

    Examples
    --------
    >>> import numpy as np
    >>> from smartsvm import bayes_error
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(1000) % 2
    >>> X = rng.normal(size=(1000, 2)) + 1.5 * y[:, None]
    >>> estimate = bayes_error(X, y)  # the true error is 0.144
    >>> print(f"{estimate.lower:.3f} <= {estimate.value:.3f} <= {estimate.upper:.3f}")
    0.103 <= 0.144 <= 0.185
    """
    _check_vector(y, "two_sample_bayes_error")
    return _estimate(
        _two_class_error,
        extrapolated_whole,
        X,
        y,
        n_trees,
        extrapolate,
        bias_correction,
        normalize,
        connectivity_offset,
        algorithm=algorithm,
        n_jobs=n_jobs,
        random_state=random_state,
        verbose=verbose,
        memory_limit=memory_limit,
        checkpoint=checkpoint,
        device=device,
    )


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
        ``pairs`` of `difficulty_report` is normalized: with ``scale="none"`` it has the values of
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
    per class, 0.11, 0.13 and 0.25 with 5,000. See ``pair_errors`` of `difficulty_report`.

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
    return _estimate(
        ClassForest.pairwise,
        extrapolated_pairs,
        X,
        y,
        n_trees,
        extrapolate,
        bias_correction,
        normalize,
        connectivity_offset,
        algorithm=algorithm,
        n_jobs=n_jobs,
        random_state=random_state,
        verbose=verbose,
        memory_limit=memory_limit,
        checkpoint=checkpoint,
        device=device,
    )


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
    return _estimate(
        ClassForest.one_vs_rest,
        extrapolated_classes,
        X,
        y,
        n_trees,
        extrapolate,
        bias_correction,
        normalize,
        connectivity_offset,
        algorithm=algorithm,
        n_jobs=n_jobs,
        random_state=random_state,
        verbose=verbose,
        memory_limit=memory_limit,
        checkpoint=checkpoint,
        device=device,
    )


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
    0.029, standard error 0.038
    """
    if check_flag(extrapolate, "extrapolate") and method != "tree":
        raise ValueError(f'method must be "tree" with extrapolate=True, got {method!r}.')
    return _estimate(
        partial(ClassForest.multiclass, method=method),
        extrapolated_whole,
        X,
        y,
        n_trees,
        extrapolate,
        bias_correction,
        normalize,
        connectivity_offset,
        algorithm=algorithm,
        n_jobs=n_jobs,
        random_state=random_state,
        verbose=verbose,
        memory_limit=memory_limit,
        checkpoint=checkpoint,
        device=device,
    )


def _estimate(
    errors,
    extrapolated,
    X,
    y,
    n_trees,
    extrapolate,
    bias_correction,
    normalize,
    connectivity_offset,
    **work,
):
    """What a method of `ClassForest` computes, and the function that extrapolates it if asked."""
    check_flag(extrapolate, "extrapolate")
    forest = ClassForest(X, y, n_trees=n_trees, **work)
    estimate = errors(
        forest,
        bias_correction=bias_correction,
        normalize=normalize,
        connectivity_offset=connectivity_offset,
    )
    if not extrapolate:
        return estimate
    return extrapolated(
        forest,
        estimate,
        bias_correction,
        seed=tie_seed(work["random_state"]),
        n_jobs=check_jobs(work["n_jobs"]),
        verbose=work["verbose"],
    )


def _two_class_error(forest, **options):
    _check_two_classes(forest)
    return forest.multiclass(**options)


def _check_two_classes(forest):
    if len(forest.classes) > 2:
        raise ValueError(
            f"y must hold two classes, got {len(forest.classes)}: use pairwise_bayes_error, "
            "ovr_bayes_error or multiclass_bayes_error."
        )


def _check_vector(y, two_samples):
    """Raise if y is a matrix; `two_samples` names the function that compares two of them."""
    shape = np.shape(on_host(y))
    if len(shape) > 1:
        raise ValueError(
            f"y must be one-dimensional, got shape {shape}: one label per row of X. To compare two "
            f"samples use {two_samples}(first, second)."
        )

"""The public estimates: two classes, every pair, each class against the rest, all classes."""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np

from smartsvm._core.devices import device_name, on_host
from smartsvm._core.scaling import scale_to_safe_range
from smartsvm._core.sources import is_source, open_source, read_labels
from smartsvm._core.types import (
    Algorithm,
    BiasCorrection,
    LabelsLike,
    MemoryLimit,
    Path,
    Points,
    RandomState,
)
from smartsvm._core.validation import (
    CheckedLabels,
    check_array,
    check_flag,
    check_jobs,
    check_labels,
    tie_seed,
)
from smartsvm.estimation.class_forest import ClassForest
from smartsvm.estimation.extrapolated_errors import (
    extrapolated_classes,
    extrapolated_pairs,
    extrapolated_whole,
)
from smartsvm.estimation.henze_penrose import divergence
from smartsvm.estimation.number_of_trees import AVERAGED_TREES, trees_for_bounds
from smartsvm.estimation.results import DivergenceEstimate, ErrorEstimate
from smartsvm.estimation.tie_averaged_forest import TieAveragedForest
from smartsvm.trees.in_memory.device_points import DevicePoints, open_on_device
from smartsvm.trees.out_of_core.memory_plan import open_points, parse_bytes


def hp_divergence(
    X: Points, y: LabelsLike, *, n_trees: int = 3, connectivity_offset: bool = False,
    algorithm: Algorithm = "auto", n_jobs: int | None = None, random_state: RandomState = 0,
    verbose: int = 0, device: str | None = None,
) -> DivergenceEstimate:  # fmt: skip
    """Estimate the Henze–Penrose divergence between two classes or two samples.

    0 means that no classifier can tell the two apart, 1 that they do not overlap.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The points, or the first sample.
    y : array-like of shape (n_samples,) or (m_samples, n_features)
        Labels of two classes, or (if two-dimensional) the second sample.
    n_trees : int, default=3
        Orthogonal trees to average.
    connectivity_offset : bool, default=False
        Do not count the one edge per tree that joins the classes in any case.
    algorithm, n_jobs, random_state, verbose, device : object
        As in `euclidean_mst`.

    Returns
    -------
    DivergenceEstimate
        ``value`` is the estimate, at least 0; ``raw`` may be negative.

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
    0.84
    """
    device = device_name(device, X)
    X, y = _two_classes(on_host(X), on_host(y))
    forest = ClassForest(
        X, y, n_trees=n_trees, algorithm=algorithm, n_jobs=n_jobs, random_state=random_state,
        verbose=verbose, device=device,
    )  # fmt: skip
    pair = forest.pairwise(connectivity_offset=connectivity_offset)
    cross = float(pair.cross_counts[0, 1])
    raw = float(divergence(cross, *pair.class_counts))
    n_trees = int(pair.n_trees[0, 1])
    return DivergenceEstimate(max(raw, 0.0), raw, cross, pair.class_counts, pair.classes, n_trees)


def bayes_error(
    X: Points, y: LabelsLike, *, n_trees: int | Literal["auto"] = "auto",
    bias_correction: BiasCorrection = "prior", normalize: bool = False,
    connectivity_offset: bool = False, algorithm: Algorithm = "auto", n_jobs: int | None = None,
    random_state: RandomState = 0, verbose: int = 0, device: str | None = None,
) -> ErrorEstimate:  # fmt: skip
    """Estimate the Bayes error between two classes or two samples, with bounds.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The points, or the first sample.
    y : array-like of shape (n_samples,) or (m_samples, n_features)
        Labels of two classes, or (if two-dimensional) the second sample.
    n_trees : int or "auto", default="auto"
        Orthogonal trees to average. "auto" takes three for up to 3 features and one beyond,
        where later trees raise the bounds; where many distances are equal, it also averages
        over five orders among them. With the paper's bias correction it takes three trees.
    bias_correction : {True, False, "prior"}, default="prior"
        "prior" limits both bounds to the smaller prior. This is closer to the truth unless
        the classes hardly differ. True gives the paper's estimate, which limits the count to
        γ, so that the estimate is at most the smaller prior. False applies no limit.
    normalize : bool, default=False
        Divide by the smaller prior: 1 is then no better than always predicting the larger class.
    connectivity_offset : bool, default=False
        Do not count the one edge per tree that joins the classes in any case.
    algorithm, n_jobs, random_state, verbose, device : object
        As in `euclidean_mst`.

    Returns
    -------
    ErrorEstimate
        ``value``, ``lower`` and ``upper`` are numbers.

    Notes
    -----
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
    >>> first, second = rng.normal(0, 1, (500, 2)), rng.normal(1.5, 1, (500, 2))
    >>> estimate = bayes_error(first, second)  # the true error is 0.144
    >>> print(f"{estimate.lower:.3f} <= {estimate.value:.3f} <= {estimate.upper:.3f}")
    0.118 <= 0.163 <= 0.208
    """
    device = device_name(device, X)
    X, y = _two_classes(on_host(X), on_host(y))
    return multiclass_bayes_error(
        X, y, n_trees=n_trees, bias_correction=bias_correction, normalize=normalize,
        connectivity_offset=connectivity_offset, algorithm=algorithm, n_jobs=n_jobs,
        random_state=random_state, verbose=verbose, device=device,
    )  # fmt: skip


def pairwise_bayes_error(
    X: Points, y: LabelsLike, *, n_trees: int | Literal["auto"] = 3,
    bias_correction: BiasCorrection = True, normalize: bool = True,
    connectivity_offset: bool = False, extrapolate: bool = False, algorithm: Algorithm = "auto",
    n_jobs: int | None = None, random_state: RandomState = 0, verbose: int = 0,
    memory_limit: MemoryLimit = None, checkpoint: Path | None = None, device: str | None = None,
) -> ErrorEstimate:  # fmt: skip
    """Estimate the Bayes error of every pair of classes, with bounds.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The points; also on disk or a Dask array, as in `euclidean_mst`.
    y : array-like of shape (n_samples,)
        Labels of any sortable type; also on disk or a Dask array, as in `ClassForest`.
    n_trees : int or "auto", default=3
        Orthogonal trees to average. Pairs with a class too small for that many count fewer,
        and one warning says so. "auto" as in `bayes_error`; together with
        ``bias_correction="prior"`` it gives the numbers of `difficulty_report`.
    bias_correction : {True, False, "prior"}, default=True
        As in `bayes_error`.
    normalize : bool, default=True
        Divide by the smaller prior within the pair, so that balanced and imbalanced pairs compare.
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
    The defaults are the paper's, since pairs are mostly compared with each other, as in
    hierarchies. Three trees rank pairs better than one, although their estimates are larger. For
    eight Gaussian classes of 60 samples, the rank correlation with the true errors is 0.92 with
    three trees and 0.90 with one in 5 dimensions (0.91 and 0.87 in 10); the root mean square
    error is 0.049 and 0.047 (0.035 and 0.029).

    All are biased upwards, the more so the more columns there are: for two Gaussian classes with a
    Bayes error of 0.1, the value is 0.12, 0.18 and 0.30 with 2, 10 and 100 columns and 100 samples
    per class, 0.11, 0.13 and 0.25 with 5,000. See ``pair_errors`` of `difficulty_report`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from smartsvm import pairwise_bayes_error
    >>> X, y = load_iris(return_X_y=True)
    >>> pairwise_bayes_error(X, y).value.round(2)
    array([[0.  , 0.02, 0.02],
           [0.02, 0.  , 0.12],
           [0.02, 0.12, 0.  ]])
    """
    return _estimate(
        ClassForest.pairwise, extrapolated_pairs,
        X, y, n_trees, extrapolate, bias_correction, normalize, connectivity_offset,
        algorithm=algorithm, n_jobs=n_jobs, random_state=random_state, verbose=verbose,
        memory_limit=memory_limit, checkpoint=checkpoint, device=device,
    )  # fmt: skip


def ovr_bayes_error(
    X: Points, y: LabelsLike, *, n_trees: int | Literal["auto"] = 3,
    bias_correction: BiasCorrection = True, normalize: bool = False,
    connectivity_offset: bool = False, extrapolate: bool = False, algorithm: Algorithm = "auto",
    n_jobs: int | None = None, random_state: RandomState = 0, verbose: int = 0,
    memory_limit: MemoryLimit = None, checkpoint: Path | None = None, device: str | None = None,
) -> ErrorEstimate:  # fmt: skip
    """Estimate the Bayes error of each class against all others, with bounds.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The points; also on disk or a Dask array, as in `euclidean_mst`.
    y : array-like of shape (n_samples,)
        Labels of any sortable type; also on disk or a Dask array, as in `ClassForest`.
    n_trees : int or "auto", default=3
        As in `pairwise_bayes_error`; the defaults are the paper's.
    bias_correction : {True, False, "prior"}, default=True
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
    array([0.005, 0.045, 0.04 ])
    """
    return _estimate(
        ClassForest.one_vs_rest, extrapolated_classes,
        X, y, n_trees, extrapolate, bias_correction, normalize, connectivity_offset,
        algorithm=algorithm, n_jobs=n_jobs, random_state=random_state, verbose=verbose,
        memory_limit=memory_limit, checkpoint=checkpoint, device=device,
    )  # fmt: skip


def multiclass_bayes_error(
    X: Points, y: LabelsLike, *, method: Literal["tree", "pairwise", "tightest"] = "tree",
    n_trees: int | Literal["auto"] = "auto", bias_correction: BiasCorrection = "prior",
    normalize: bool = False, connectivity_offset: bool = False, extrapolate: bool = False,
    algorithm: Algorithm = "auto", n_jobs: int | None = None, random_state: RandomState = 0,
    verbose: int = 0, memory_limit: MemoryLimit = None, checkpoint: Path | None = None,
    device: str | None = None,
) -> ErrorEstimate:  # fmt: skip
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
        partial(ClassForest.multiclass, method=method), extrapolated_whole,
        X, y, n_trees, extrapolate, bias_correction, normalize, connectivity_offset,
        algorithm=algorithm, n_jobs=n_jobs, random_state=random_state, verbose=verbose,
        memory_limit=memory_limit, checkpoint=checkpoint, device=device, method=method,
    )  # fmt: skip


def _estimate(
    errors, extrapolated, X, y, n_trees, extrapolate, bias_correction, normalize,
    connectivity_offset, method=None, **work,
):  # fmt: skip
    """What a method of `ClassForest` computes, and the function that extrapolates it if asked."""
    plain = check_flag(extrapolate, "extrapolate") or bias_correction is True
    forest = _forest(X, y, n_trees, plain, method != "tree", **work)
    estimate = errors(
        forest, bias_correction=bias_correction, normalize=normalize,
        connectivity_offset=connectivity_offset,
    )  # fmt: skip
    if not extrapolate:
        return estimate
    return extrapolated(
        forest, estimate, bias_correction, seed=tie_seed(work["random_state"]),
        n_jobs=check_jobs(work["n_jobs"]), verbose=work["verbose"],
    )  # fmt: skip


def _forest(X, y, n_trees, plain, pairs, **options):
    """The forest to estimate from; "auto" takes the paper's three trees if `plain`."""
    if not isinstance(n_trees, str):
        return ClassForest(X, y, n_trees=n_trees, **options)
    if n_trees != "auto":
        raise ValueError(f'n_trees must be "auto" or an integer of at least 1, got {n_trees!r}.')
    if plain:
        return ClassForest(X, y, n_trees=AVERAGED_TREES, **options)
    limit, checkpoint = parse_bytes(options["memory_limit"]), options["checkpoint"]
    X = open_on_device(
        X, options["device"], limit, algorithm=options["algorithm"], checkpoint=checkpoint
    )
    if not isinstance(X, DevicePoints):
        X = open_points(X, AVERAGED_TREES, limit, checkpoint, for_later=True)
        options["device"] = "cpu"
    counted = trees_for_bounds(X.n_features)
    return TieAveragedForest(X, y, n_trees=counted, pairs=pairs, **options)


def _two_classes(X, y):
    """Checked points and labels of two classes; y holds labels or the second sample."""
    if np.ndim(y) == 2:
        X, second = (check_array(each, name, copy=False) for each, name in ((X, "X"), (y, "y")))
        if X.shape[1] != second.shape[1]:
            raise ValueError(
                f"y is two-dimensional and so a second sample: it must have the {X.shape[1]} "
                f"columns of X, got shape {second.shape}; labels are one-dimensional."
            )
        codes = np.repeat([0, 1], [len(X), len(second)])
        X = scale_to_safe_range(np.concatenate([X, second]))
        return X, CheckedLabels(np.array([0, 1]), codes)
    if is_source(X):
        X, y = open_source(X), read_labels(y)
    else:
        X = scale_to_safe_range(check_array(X, "X"))
    y = check_labels(y, n_samples=X.n_rows)
    if len(y.classes) > 2:
        raise ValueError(
            f"y must hold two classes, got {len(y.classes)}: use pairwise_bayes_error, "
            "ovr_bayes_error or multiclass_bayes_error."
        )
    return X, y

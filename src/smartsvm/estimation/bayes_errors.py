"""The public Bayes errors from trees: of all classes, of pairs, of each against the rest."""

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
    Scale,
)
from smartsvm.estimation.class_forest import ClassForest
from smartsvm.estimation.results import ErrorEstimate


def bayes_error(
    X: PointsLike,
    y: LabelsLike,
    *,
    n_trees: int | Literal["auto"] = "auto",
    scale: Scale = "none",
    bias_correction: BiasCorrection = "prior",
    normalize: bool = False,
    algorithm: Algorithm = "auto",
    n_jobs: int | None = None,
    random_state: RandomState = 0,
    verbose: int = 0,
    memory_limit: MemoryLimit = None,
    checkpoint: Path | None = None,
    device: str | None = None,
) -> ErrorEstimate:
    """Estimate the Bayes error from spanning trees over unscaled columns.

    This is the estimate of the paper, with its bounds, for two classes or more. Columns keep their
    units unless `scale` says otherwise.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The points; also on disk or a Dask array, as in `euclidean_mst`.
    y : array-like of shape (n_samples,)
        Labels of any sortable type; also on disk or a Dask array, as in `ClassForest`.
    n_trees : int or "auto", default="auto"
        Orthogonal trees to average. "auto" takes three for up to 3 features and one beyond,
        where later trees raise the bounds; where many distances are equal, it also averages
        over three orders among them. The paper takes three trees.
    scale : str, default="none"
        How to scale the columns, in the words of `difficulty_report`, whose default is "auto":
        "none" keeps their units, so that columns of large numbers decide the distances. Another
        than "none" needs the points in memory.
    bias_correction : {True, False, "prior"}, default="prior"
        "prior" limits both bounds to the baseline error, that of always predicting the largest
        class: for two classes the smaller prior. This is closer to the truth unless the classes
        hardly differ. True limits the count to the paper's γ, so that the estimate is at most the
        baseline error. False gives the uncorrected estimate.
    normalize : bool, default=False
        Divide by the baseline error: 1 is then no better than always predicting the largest class.
    algorithm, n_jobs, random_state, verbose, memory_limit, checkpoint, device : object
        As in `euclidean_mst`.

    Returns
    -------
    ErrorEstimate
        ``value``, ``lower``, ``upper``, ``cross_counts`` and ``divergence`` are numbers.

    See Also
    --------
    difficulty_report : Estimates the Bayes error from more than trees.
    ClassForest : Several of these estimates from the same trees.
    two_sample_test : Whether and how much samples differ.

    Notes
    -----
    This is not the estimate ``report.bayes_error`` of a `difficulty_report`, which combines
    held-out errors, trees and their extrapolation in a fitted model. At the same ``scale``,
    ``report.trees.lower`` and ``report.trees.upper`` are the bounds of this function; a report
    scales the columns by default.

    `ClassForest`, `pairwise_bayes_error` and `ovr_bayes_error` have the same defaults and give the
    same numbers for the same classes.

    With R cross edges, averaged over the trees, r = R/n and a = (K-1)/K, the Bayes error
    lies between a(1 - √(1 - r/a)) and r as n grows [1]_; for two classes the lower bound is
    ½ - ½√(1 - 2r). The value is their mean, which is not consistent: its asymptotic error is at
    most (K-1)/(8K). The paper's bias correction [2]_ limits R to γ, which is 2n p - ¾n +
    ¼n√(9 - 16p) for two classes, where p is the smaller prior. With many features and few samples,
    R and both bounds are too large.

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
    forest = ClassForest(
        X,
        y,
        n_trees=n_trees,
        scale=scale,
        algorithm=algorithm,
        n_jobs=n_jobs,
        random_state=random_state,
        verbose=verbose,
        memory_limit=memory_limit,
        checkpoint=checkpoint,
        device=device,
    )
    return forest.multiclass(bias_correction=bias_correction, normalize=normalize)


def pairwise_bayes_error(
    X: PointsLike,
    y: LabelsLike,
    *,
    n_trees: int | Literal["auto"] = "auto",
    scale: Scale = "none",
    bias_correction: BiasCorrection = "prior",
    normalize: bool = False,
    algorithm: Algorithm = "auto",
    n_jobs: int | None = None,
    random_state: RandomState = 0,
    verbose: int = 0,
    memory_limit: MemoryLimit = None,
    checkpoint: Path | None = None,
    device: str | None = None,
) -> ErrorEstimate:
    """Estimate the Bayes error of every pair of classes over unscaled columns.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The points; also on disk or a Dask array, as in `euclidean_mst`.
    y : array-like of shape (n_samples,)
        Labels of any sortable type; also on disk or a Dask array, as in `ClassForest`.
    n_trees : int or "auto", default="auto"
        As in `bayes_error`. Pairs with a class too small for as many trees count fewer, and one
        warning says so. Averages over orders of equal distances only for two classes.
    scale : str, default="none"
        As in `bayes_error`; one scale for all pairs.
    bias_correction : {True, False, "prior"}, default="prior"
        As in `bayes_error`.
    normalize : bool, default=False
        Divide by the smaller prior within the pair, so that balanced and imbalanced pairs compare.
        At the same ``scale``, ``pairs.bounds`` of a `difficulty_report` are the errors of
        ``normalize=True``.
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
    forest = ClassForest(
        X,
        y,
        n_trees=n_trees,
        scale=scale,
        algorithm=algorithm,
        n_jobs=n_jobs,
        random_state=random_state,
        verbose=verbose,
        memory_limit=memory_limit,
        checkpoint=checkpoint,
        device=device,
    )
    return forest.pairwise(bias_correction=bias_correction, normalize=normalize)


def ovr_bayes_error(
    X: PointsLike,
    y: LabelsLike,
    *,
    n_trees: int | Literal["auto"] = "auto",
    scale: Scale = "none",
    bias_correction: BiasCorrection = "prior",
    normalize: bool = False,
    algorithm: Algorithm = "auto",
    n_jobs: int | None = None,
    random_state: RandomState = 0,
    verbose: int = 0,
    memory_limit: MemoryLimit = None,
    checkpoint: Path | None = None,
    device: str | None = None,
) -> ErrorEstimate:
    """Estimate the Bayes error of each class against the rest over unscaled columns.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The points; also on disk or a Dask array, as in `euclidean_mst`.
    y : array-like of shape (n_samples,)
        Labels of any sortable type; also on disk or a Dask array, as in `ClassForest`.
    n_trees : int or "auto", default="auto"
        As in `bayes_error`.
    scale : str, default="none"
        As in `bayes_error`.
    bias_correction : {True, False, "prior"}, default="prior"
        As in `bayes_error`.
    normalize : bool, default=False
        Divide by the smaller prior, that of the class or that of the rest.
    algorithm, n_jobs, random_state, verbose, memory_limit, checkpoint, device : object
        As in `euclidean_mst`.

    Returns
    -------
    ErrorEstimate
        ``value``, ``lower``, ``upper``, ``cross_counts`` and ``n_trees`` have shape (K,). At the
        same ``scale``, ``classes.bounds`` of a `difficulty_report` is the same.

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
    forest = ClassForest(
        X,
        y,
        n_trees=n_trees,
        scale=scale,
        algorithm=algorithm,
        n_jobs=n_jobs,
        random_state=random_state,
        verbose=verbose,
        memory_limit=memory_limit,
        checkpoint=checkpoint,
        device=device,
    )
    return forest.one_vs_rest(bias_correction=bias_correction, normalize=normalize)

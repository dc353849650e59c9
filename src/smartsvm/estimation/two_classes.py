"""The public estimates for two classes: their divergence and their Bayes error."""

from __future__ import annotations

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
from smartsvm._core.validation import check_flag
from smartsvm.estimation.class_forest import ClassForest
from smartsvm.estimation.extrapolated_errors import extrapolated_whole
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
    This is not the estimate ``report.bayes_error`` of a `difficulty_report`, which combines
    held-out errors, trees and their extrapolation in a fitted model. With ``scale="none"``,
    ``report.trees.lower`` and ``report.trees.upper`` are the bounds of this function.

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
    _check_two_classes(forest)
    estimate = forest.multiclass(
        bias_correction=bias_correction,
        normalize=normalize,
        connectivity_offset=connectivity_offset,
    )
    return extrapolated_whole(forest, estimate, bias_correction) if extrapolate else estimate


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

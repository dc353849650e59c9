"""Two samples without labels: how well they can be told apart."""

from __future__ import annotations

from typing import Literal

import numpy as np

from smartsvm._core.devices import device_name
from smartsvm._core.points import scale_points
from smartsvm._core.types import Algorithm, BiasCorrection, PointsLike, RandomState
from smartsvm.estimation.results import DivergenceEstimate, ErrorEstimate
from smartsvm.estimation.two_classes import bayes_error, hp_divergence
from smartsvm.trees.open_points import open_points


def two_sample_bayes_error(
    first: PointsLike,
    second: PointsLike,
    *,
    n_trees: int | Literal["auto"] = "auto",
    bias_correction: BiasCorrection = "prior",
    normalize: bool = False,
    connectivity_offset: bool = False,
    algorithm: Algorithm = "auto",
    n_jobs: int | None = None,
    random_state: RandomState = 0,
    verbose: int = 0,
    device: str | None = None,
) -> ErrorEstimate:
    """Estimate the Bayes error of telling two samples apart, with bounds.

    Parameters
    ----------
    first : array-like of shape (n_samples, n_features)
        The first sample, in any form that `euclidean_mst` takes, as long as it fits in memory.
    second : array-like of shape (m_samples, n_features)
        The second sample, with the same features.
    n_trees, bias_correction, normalize, connectivity_offset : object
        As in `bayes_error`.
    algorithm, n_jobs, random_state, verbose, device : object
        As in `euclidean_mst`.

    Returns
    -------
    ErrorEstimate
        That of `bayes_error` for both samples in one array, with labels 0 and 1.

    See Also
    --------
    two_sample_divergence : The Henze–Penrose divergence between two samples.

    Examples
    --------
    >>> import numpy as np
    >>> from smartsvm import two_sample_bayes_error
    >>> rng = np.random.default_rng(0)
    >>> first, second = rng.normal(0, 1, (500, 2)), rng.normal(1.5, 1, (500, 2))
    >>> estimate = two_sample_bayes_error(first, second)  # the true error is 0.144
    >>> print(f"{estimate.lower:.3f} <= {estimate.value:.3f} <= {estimate.upper:.3f}")
    0.118 <= 0.163 <= 0.208
    """
    X, y = _with_labels(first, second, device_name(device, first))
    return bayes_error(
        X,
        y,
        n_trees=n_trees,
        bias_correction=bias_correction,
        normalize=normalize,
        connectivity_offset=connectivity_offset,
        algorithm=algorithm,
        n_jobs=n_jobs,
        random_state=random_state,
        verbose=verbose,
    )


def two_sample_divergence(
    first: PointsLike,
    second: PointsLike,
    *,
    n_trees: int | Literal["auto"] = "auto",
    connectivity_offset: bool = False,
    algorithm: Algorithm = "auto",
    n_jobs: int | None = None,
    random_state: RandomState = 0,
    verbose: int = 0,
    device: str | None = None,
) -> DivergenceEstimate:
    """Estimate the Henze–Penrose divergence between two samples.

    0 means that no classifier can tell the two apart, 1 that they do not overlap.

    Parameters
    ----------
    first : array-like of shape (n_samples, n_features)
        The first sample, in any form that `euclidean_mst` takes, as long as it fits in memory.
    second : array-like of shape (m_samples, n_features)
        The second sample, with the same features.
    n_trees, connectivity_offset : object
        As in `hp_divergence`.
    algorithm, n_jobs, random_state, verbose, device : object
        As in `euclidean_mst`.

    Returns
    -------
    DivergenceEstimate
        That of `hp_divergence` for both samples in one array, with labels 0 and 1.

    See Also
    --------
    two_sample_bayes_error : The error of the best classifier between two samples.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from smartsvm import two_sample_divergence
    >>> X, y = load_iris(return_X_y=True)
    >>> round(two_sample_divergence(X[y == 1], X[y == 2]).value, 2)
    0.86
    """
    X, y = _with_labels(first, second, device_name(device, first))
    return hp_divergence(
        X,
        y,
        n_trees=n_trees,
        connectivity_offset=connectivity_offset,
        algorithm=algorithm,
        n_jobs=n_jobs,
        random_state=random_state,
        verbose=verbose,
    )


def _with_labels(first, second, device):
    """`Points` of both samples, with the number of its sample for every row."""
    samples = [open_points(first, "first").read(), open_points(second, "second").read()]
    sizes = [len(each) for each in samples]
    if samples[0].shape[1] != samples[1].shape[1]:
        raise ValueError(
            f"second must have the {samples[0].shape[1]} columns of first, got shape "
            f"{samples[1].shape}."
        )
    return scale_points(np.concatenate(samples), device=device), np.repeat([0, 1], sizes)

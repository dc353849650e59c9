"""The function `sample_difficulty`: which samples lie among other classes."""

from __future__ import annotations

from typing import Literal, overload

import numpy as np

from smartsvm._core.devices import device_name
from smartsvm._core.points import scale_points
from smartsvm._core.types import Algorithm, Floats, LabelsLike, PointsLike, RandomState, Scale
from smartsvm._core.validation import check_flag, tie_seed
from smartsvm.estimation.class_forest import ClassForest
from smartsvm.estimation.cross_edges import count_by_sample
from smartsvm.held_out.posterior import combined_posterior
from smartsvm.held_out.registry import CLASSIFIERS
from smartsvm.held_out.trials import Trials
from smartsvm.trees.open_points import open_points


@overload
def sample_difficulty(
    X: PointsLike,
    y: LabelsLike,
    *,
    n_trees: int = ...,
    scale: Scale = ...,
    return_posterior: Literal[False] = ...,
    algorithm: Algorithm = ...,
    n_jobs: int | None = ...,
    random_state: RandomState = ...,
    device: str | None = ...,
) -> Floats: ...
@overload
def sample_difficulty(
    X: PointsLike,
    y: LabelsLike,
    *,
    n_trees: int = ...,
    scale: Scale = ...,
    return_posterior: Literal[True],
    algorithm: Algorithm = ...,
    n_jobs: int | None = ...,
    random_state: RandomState = ...,
    device: str | None = ...,
) -> tuple[Floats, Floats]: ...
def sample_difficulty(
    X: PointsLike,
    y: LabelsLike,
    *,
    n_trees: int = 10,
    scale: Scale = "none",
    return_posterior: bool = False,
    algorithm: Algorithm = "auto",
    n_jobs: int | None = None,
    random_state: RandomState = 0,
    device: str | None = None,
) -> Floats | tuple[Floats, Floats]:
    """Fraction of each sample's tree edges to other classes, over unscaled columns.

    0 means that a sample lies among samples of its class, 1 that it lies among others: an outlier,
    a sample where classes overlap, or a label error. Nothing is trained for it.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The points.
    y : array-like of shape (n_samples,)
        Labels of any sortable type, two classes or more.
    n_trees : int, default=10
        Orthogonal trees to count in; more of them give finer steps.
    scale : str, default="none"
        How to scale the columns, as in `bayes_error`.
    return_posterior : bool, default=False
        Whether to return the probabilities of the given labels, too.
    algorithm : str, default="auto"
        Kernel for the trees; see `euclidean_mst`.
    n_jobs : int or None, default=None
        Threads.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the order among equal distances.
    device : str or None, default=None
        Where to compute the trees; see `euclidean_mst`.

    Returns
    -------
    difficulty : ndarray of shape (n_samples,)
        Between 0 and 1, in the order of the rows of X.
    posterior : ndarray of shape (n_samples,)
        Only with ``return_posterior=True``: probability of each sample's label by all classifiers
        of `difficulty_report` combined, without that label. Small where a label may be wrong.

    See Also
    --------
    difficulty_report : Ranks the likely label errors, among other things.

    Notes
    -----
    The posterior is proportional to exp(Σ w_c log p_c), where p_c is what classifier c says of the
    sample without having seen its label. The weights w_c are not negative and maximise the
    likelihood of the labels of other samples, so that the posterior is calibrated.

    Examples
    --------
    >>> import numpy as np
    >>> from smartsvm import sample_difficulty
    >>> X = np.arange(10.0).reshape(-1, 1)
    >>> y = np.array([0, 0, 1, 0, 0, 1, 1, 1, 1, 1])  # the third lies among the others
    >>> sample_difficulty(X, y, n_trees=1)
    array([0. , 0.5, 1. , 0.5, 0.5, 0.5, 0. , 0. , 0. , 0. ])
    >>> _, posterior = sample_difficulty(X, y, return_posterior=True)
    >>> int(posterior.argmin())
    2
    """
    check_flag(return_posterior, "return_posterior")
    if return_posterior:
        X = scale_points(open_points(X).read(), device=device_name(device, X))
    forest = ClassForest(
        X,
        y,
        n_trees=n_trees,
        scale=scale,
        algorithm=algorithm,
        n_jobs=n_jobs,
        random_state=random_state,
        device=device,
    )
    crossing, all_edges = count_by_sample(np.concatenate(forest.tree_edges()), forest.codes)
    difficulty = crossing / all_edges
    if not return_posterior:
        return difficulty
    codes, seed, points = forest.codes, tie_seed(random_state), forest._counts.forest.points
    trials = Trials(points, codes, None, CLASSIFIERS, seed=seed, n_jobs=n_jobs)
    posterior = combined_posterior(trials, codes, len(forest.classes))
    return difficulty, posterior.of_labels(codes)

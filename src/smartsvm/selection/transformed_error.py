"""How well the classes can be told apart after a transformation, and a scorer."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike
from sklearn.pipeline import Pipeline

from smartsvm._core.points import scale_points
from smartsvm._core.types import RandomState
from smartsvm._core.validation import check_array, check_choice, check_labels, tie_seed
from smartsvm.estimation.class_forest import ClassForest
from smartsvm.estimation.henze_penrose import bayes_error_bounds
from smartsvm.held_out.neighbors import leave_one_out, neighbor_labels
from smartsvm.held_out.posterior import combined_posterior
from smartsvm.held_out.registry import Trials
from smartsvm.selection.search_criteria import CRITERIA

HELD_OUT = "held_out"
TRANSFORMER_CRITERIA = (HELD_OUT, *CRITERIA)
# Classifiers behind the held-out error, besides k nearest neighbours: the quick ones.
JUDGES = ("linear", "gaussians", "kernel")
# Variance of the number of cross edges / binomial variance: 1.4 to 1.6 with one tree, 1.2 with
# three. Edges depend on each other where they share an end.
_DEPENDENCE = 1.6


class Judgement(NamedTuple):
    """What held-out classifiers say about every sample."""

    wrong: np.ndarray  # whether all of them together, by their combined posterior, are wrong
    of_each: dict  # whether one of them is wrong, by name, at its best setting


class TransformedError(NamedTuple):
    """Error of one set of points by one criterion, not clipped at the baseline."""

    error: float
    # Over new samples, roughly: binomial, times √1.6 for the dependence of edges, as if pairs were
    # independent.
    standard_error: float
    pairs: np.ndarray | None  # normalised HP-estimates of the pairs, shape (K, K)
    pair_noise: np.ndarray | None  # their standard errors
    judged: Judgement | None = None  # of each sample, where that is the criterion


class _QuietForest(ClassForest):
    """A forest without the warning about small classes: the caller warns once."""

    _warns = False


def transformed_error(
    points,
    y,
    criterion,
    *,
    n_trees=3,
    n_neighbors=5,
    with_pairs=False,
    n_jobs=None,
    random_state=0,
):
    """The `TransformedError` of (points, y); points may be sparse or one flat column."""
    points = scale_points(dense_points(points))
    n = points.n_rows
    seed = tie_seed(random_state)
    y = check_labels(y, n_samples=n)
    codes = y.codes
    pairs = noise = None
    if with_pairs or criterion not in (HELD_OUT, "knn"):
        forest = _QuietForest(points, y, n_trees=n_trees, n_jobs=n_jobs, random_state=seed)
    if with_pairs or criterion in ("mean_pair", "worst_pair"):
        estimate = forest.pairwise(bias_correction=False, normalize=True)
        pairs = estimate.value
        noise = _pair_noise(estimate)
    judged = None
    if criterion == HELD_OUT:
        judged = held_out_judgement(points, codes, seed=seed, n_jobs=n_jobs)
        error = float(judged.wrong.mean())
    if criterion == "knn":
        k = min(n_neighbors, n - 1)
        labels = neighbor_labels(points, codes, k, seed=seed, n_jobs=n_jobs)
        error = float(leave_one_out(labels, codes, len(y.classes), np.array([k])).errors[0])
    if criterion in (HELD_OUT, "knn"):
        return TransformedError(error, _binomial(error * n, n) / n, pairs, noise, judged)
    if criterion == "multiclass":
        whole = forest.multiclass(bias_correction=False)
        deviation = _binomial(whole.cross_counts, n)
        classes = {"e": 1 - forest.class_counts.max() / n, "n_classes": len(forest.classes)}
        error = _standard_error(whole.cross_counts, deviation, n, **classes)
        return TransformedError(whole.value, float(error), pairs, noise)
    upper = np.triu_indices(len(pairs), 1)
    values, errors = pairs[upper], noise[upper]
    if criterion == "worst_pair":
        return TransformedError(float(values.max()), float(errors[values.argmax()]), pairs, noise)
    error = float(np.sqrt((errors**2).sum()) / len(errors))
    return TransformedError(float(values.mean()), error, pairs, noise)


def held_out_judgement(points, codes, *, seed, n_jobs):
    """The `Judgement` of quick classifiers on `Points`."""
    trials = Trials(points, codes, None, JUDGES, seed=seed, n_jobs=n_jobs)
    posterior = combined_posterior(trials, codes, int(codes.max()) + 1, seed=seed)
    of_each = {name: each.wrong[each.best] for name, each in trials.mistakes.items()}
    return Judgement(posterior.answers() != codes, of_each)


def excess_mistakes(wrong, least, spare=1):
    """How many more mistakes than the least ones on the same samples, and the standard error."""
    excess = wrong.astype(float) - least
    # `spare` keeps the standard error above 0 where all mistakes are the same.
    return excess.sum(), np.sqrt(np.square(excess).sum() + spare)


def as_good(wrong, least, spare=1):
    """Whether mistakes exceed the least ones on the same samples by at most a standard error."""
    excess, error = excess_mistakes(wrong, least, spare)
    return excess <= max(1, error)


def dense_points(points):
    """The result of a transformer as a finite array of two dimensions."""
    if scipy.sparse.issparse(points):
        points = points.toarray()
    points = np.asarray(points)
    return check_array(points[:, None] if points.ndim == 1 else points, "X")


def bayes_error_scorer(
    estimator: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    criterion: str = "held_out",
    n_trees: int = 3,
    n_neighbors: int = 5,
    random_state: RandomState = 0,
) -> float:
    """Score a fitted transformer by how well the classes can be told apart after it.

    Pass it as ``scoring`` to `GridSearchCV` and similar searches to tune a transformer or a
    pipeline of them, without a classifier of your own. They score on held-out samples, so a
    transformer gains nothing by memorising labels.

    Parameters
    ----------
    estimator : fitted transformer or pipeline
        Anything with ``transform``. In a pipeline that ends with a predictor, the steps before it.
    X : array-like of shape (n_samples, n_features)
        Points that `estimator` was not fitted on.
    y : array-like of shape (n_samples,)
        Their labels.
    criterion, n_trees, n_neighbors, random_state : object
        As in `rank_transformers`.

    Returns
    -------
    float
        Minus the error, so that greater is better; HP-estimates are not clipped at the
        baseline (``bias_correction=False`` in `multiclass_bayes_error`).

    Notes
    -----
    For other options use ``functools.partial(bayes_error_scorer, criterion="knn")``.
    Compare scores on equal numbers of samples only: errors fall with more samples.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.decomposition import PCA
    >>> from sklearn.model_selection import GridSearchCV
    >>> from smartsvm import bayes_error_scorer
    >>> X, y = load_digits(return_X_y=True)
    >>> search = GridSearchCV(PCA(), {"n_components": [2, 8, 32]}, scoring=bayes_error_scorer, cv=3)
    >>> search.fit(X, y).best_params_
    {'n_components': 32}
    """
    check_choice(criterion, "criterion", TRANSFORMER_CRITERIA)
    if isinstance(estimator, Pipeline) and not hasattr(estimator, "transform"):
        estimator = estimator[:-1]
    if not hasattr(estimator, "transform"):
        raise TypeError(f"estimator must have a method transform, got {estimator!r}.")
    options = {"n_trees": n_trees, "n_neighbors": n_neighbors, "random_state": random_state}
    return -transformed_error(estimator.transform(X), y, criterion, **options).error


def _pair_noise(estimate):
    """Standard errors of the normalised estimates of all pairs, 0 on the diagonal."""
    counts = estimate.class_counts
    sizes = np.add.outer(counts, counts)
    smaller = np.minimum.outer(counts, counts) / sizes
    cross = estimate.cross_counts
    noise = _standard_error(cross, _binomial(cross, sizes), sizes, smaller) / smaller
    np.fill_diagonal(noise, 0)
    return noise


def _binomial(count, n):
    """Standard deviation of a count out of n; adding 1 to hits and misses keeps it above 0."""
    share = (np.asarray(count) + 1) / (np.asarray(n) + 2)
    share = np.minimum(share, 0.5)
    return np.sqrt(_DEPENDENCE * n * share * (1 - share))


def _standard_error(cross, deviation, n, e, n_classes=2):
    """Half the change of the HP-estimate from one deviation of its count below to one above."""
    up, down = (
        bayes_error_bounds(
            np.maximum(cross + s * deviation, 0), n, e, n_classes=n_classes, bias_correction=False
        )[0]
        for s in (1, -1)
    )
    return (up - down) / 2

"""The function `compare_representations`: which columns, embedding or labels are best?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from smartsvm._core.arithmetic import own_arithmetic
from smartsvm._core.checked_labels import check_groups
from smartsvm._core.column_scales import SCALES
from smartsvm._core.points import scale_points
from smartsvm._core.types import LabelsLike, RandomState
from smartsvm._core.validation import (
    check_choice,
    check_int,
    check_jobs,
    check_share,
    repeatable_seed,
    tie_seed,
)
from smartsvm.comparison.entries import open_entries
from smartsvm.comparison.paired_differences import paired_differences
from smartsvm.comparison.representation_result import RepresentationComparison
from smartsvm.held_out.folds import LEAST_SAMPLES, folds_of_groups
from smartsvm.held_out.neighbors import ladder_for, nearest_rows, neighbor_mistakes
from smartsvm.held_out.posterior import combined_posterior
from smartsvm.held_out.registry import CLASSIFIERS, check_classifiers
from smartsvm.held_out.scale_choice import choose_scale
from smartsvm.held_out.trials import Trials
from smartsvm.presentation.progress import Steps

# Smallest half widths of the intervals of errors and of log losses (in nats): the fitted weights of
# the classifiers shift the log losses of all rows a little, in one direction, even for the same
# columns in another order.
_LEAST_HALF_WIDTHS = (0.0, 0.01)


def compare_representations(
    X: Mapping[str, Any] | Any,
    y: LabelsLike | str | Mapping[str, Any],
    *,
    ids: Mapping[str, ArrayLike] | None = None,
    groups_of_columns: Mapping[str, Iterable[Any]] | None = None,
    groups: ArrayLike | None = None,
    scale: Literal["auto", "none", "standard", "robust", "ranks", "minmax"] = "auto",
    classifiers: Iterable[str] = CLASSIFIERS,
    confidence: float = 0.95,
    n_jobs: int | None = None,
    random_state: RandomState = 0,
    verbose: int = 0,
    device: str | None = None,
) -> RepresentationComparison:
    """Compare representations of the same rows: the best ones, and by how much they lead.

    Representations are embeddings by different models, versions of a table, or groups of its
    columns. Also two sets of labels for the same rows can be compared.

    Parameters
    ----------
    X : mapping of str to array-like of shape (n_samples, n_features)
        The representations by name: arrays, tensors, paths as in `euclidean_mst`, or data frames,
        which may have text, dates and gaps. One array or table for all if `y` is a mapping, or with
        `groups_of_columns`.
    y : array-like of shape (n_samples,), str or mapping of str to array-like
        The labels, also as the name of a column of all data frames. A mapping has labels of its own
        for each representation, or several labels of one `X`.
    ids : mapping of str to array-like of shape (n_samples,) or None, default=None
        The ids of the rows of each representation, by which they are matched; `y`, `groups` then
        follow the rows of the first. By default rows are matched by position.
    groups_of_columns : mapping of str to list or None, default=None
        Groups of the columns of one table or array, by names or numbers. All columns are compared
        with those without each group, and with each group alone.
    groups : array-like of shape (n_samples,) or None, default=None
        Samples of one patient, device or other source, which are not independent: as in
        `difficulty_report`. In the intervals each group counts as one sample.
    scale : str, default="auto"
        How to scale the columns of each representation, as in `difficulty_report`.
    classifiers : sequence of str, default=all of them
        Classifiers whose held-out posteriors are combined, as in `difficulty_report`.
    confidence : float, default=0.95
        Level of all intervals together.
    n_jobs, random_state, verbose, device : object
        As in `difficulty_report`.

    Returns
    -------
    RepresentationComparison
        Print it, ``plot()`` it, or read its attributes.

    See Also
    --------
    difficulty_report : How hard the problem is in one representation.
    bayes_error_scorer : Transformations of one table, in scikit-learn's own searches.

    Notes
    -----
    All classifiers combined give each row one posterior without its own label, as in
    `difficulty_report`, in every representation on the same folds. Each row has two losses: whether
    the most probable class is wrong, and minus the log probability of its label. The mean
    difference of losses on the same rows is more certain than a difference of two errors, since
    rows that are hard for both cancel.

    The intervals of all pairs and of both losses hold together with the given confidence. Their
    half width is q · √(Σ d² + 2 max d²) / n, where d is the difference on a row or group, and q the
    quantile of the largest standardised difference under random Gaussian multipliers of the rows
    [1]_. For log losses it is at least 0.01 nats.

    A representation is worse than another if one of its two losses is clearly larger and the other
    is not clearly smaller. ``best`` has all that none is better than. The comparison is about
    classifiers that learn from this many rows: a representation with many columns may overtake
    with more.

    References
    ----------
    .. [1] V. Chernozhukov, D. Chetverikov and K. Kato (2013), Gaussian approximations and
       multiplier bootstrap for maxima of sums of high-dimensional random vectors, Annals of
       Statistics 41.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from smartsvm import compare_representations
    >>> X, y = load_iris(return_X_y=True)
    >>> found = compare_representations({"sepals": X[:, :2], "petals": X[:, 2:]}, y)
    >>> found.best
    ['petals']
    """
    check_choice(scale, "scale", ("auto", *SCALES))
    confidence = check_share(confidence, "confidence")
    n_jobs = check_jobs(n_jobs)
    verbose = check_int(verbose, "verbose", least=0)
    chosen = check_classifiers(classifiers)
    entries, order = open_entries(X, y, ids, groups_of_columns)
    names = list(entries)
    n = len(entries[names[0]].codes)
    if n < LEAST_SAMPLES:
        raise ValueError(f"X must have at least {LEAST_SAMPLES} rows, got {n}.")
    if groups is not None:
        groups = check_groups(groups, n)[order]
    seed = tie_seed(repeatable_seed(random_state))
    steps = Steps(verbose)
    losses = []
    scales = []
    for name, entry in entries.items():
        steps.begin(f"held-out posterior of {name}")
        own_losses, own_scale = _losses(
            entry, groups, scale, chosen, seed=seed, n_jobs=n_jobs, device=device
        )
        losses.append(own_losses)
        scales.append(own_scale)
    differences = paired_differences(
        np.stack(losses, axis=1), confidence, least=_LEAST_HALF_WIDTHS, groups=groups, seed=seed
    )
    return RepresentationComparison(
        names=names,
        errors=differences.means[0],
        log_losses=differences.means[1],
        differences=differences.values,
        half_widths=differences.half_widths,
        n_samples=n,
        n_features=[entry.X.shape[1] for entry in entries.values()],
        scales=scales,
        confidence=confidence,
        groups_of_columns=None if groups_of_columns is None else list(map(str, groups_of_columns)),
    )


def _losses(entry, groups, scale, classifiers, *, seed, n_jobs, device):
    """Whether each row is wrong and minus the log probability of its label, (2, n); the scale."""
    codes = entry.codes
    n_classes = len(entry.classes)
    threads = {"seed": seed, "n_jobs": n_jobs}
    if scale == "auto":
        scale = choose_scale(entry.X, codes, groups=groups, **threads)
    points = scale_points(entry.X, scale, device=device, n_jobs=n_jobs)
    ladder = ladder_for(len(codes), groups)
    nearest = nearest_rows(points, int(ladder[-1]), groups=groups, **threads)
    votes = neighbor_mistakes(points.values, codes, n_classes, nearest, ladder, n_jobs)
    with own_arithmetic():
        folds = None if groups is None else folds_of_groups(groups)
        trials = Trials(points, codes, votes, classifiers, folds=folds, **threads)
        posterior = combined_posterior(trials, codes, n_classes, groups)
    wrong = (posterior.answers() != codes).astype(float)
    return np.stack([wrong, posterior.log_losses(codes)]), scale

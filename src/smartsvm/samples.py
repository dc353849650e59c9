"""Which samples are hard: those whose tree edges lead to other classes."""

from __future__ import annotations

import numpy as np

from smartsvm.class_forest import ClassForest
from smartsvm.cross_edges import count_by_sample


def sample_difficulty(X, y, *, n_trees=3, algorithm="auto", n_jobs=None, random_state=0):
    """Share of each sample's tree edges that lead to samples of other classes.

    0 means that a sample lies among its own, 1 that it lies among others: an
    outlier, a sample in the overlap of classes, or one with a wrong label. Nothing
    is trained.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The points.
    y : array-like of shape (n_samples,)
        Labels of any sortable type, two classes or more.
    n_trees : int, default=3
        Orthogonal trees to count in; more of them make finer steps.
    algorithm : str, default="auto"
        Kernel for the trees; see `euclidean_mst`.
    n_jobs : int or None, default=None
        Threads.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the order among equal distances.

    Returns
    -------
    ndarray of shape (n_samples,)
        Between 0 and 1, in the order of the rows of X.

    See Also
    --------
    difficulty_report : The ranked list of likely label errors, among other things.

    Examples
    --------
    >>> import numpy as np
    >>> from smartsvm import sample_difficulty
    >>> X = np.arange(10.0).reshape(-1, 1)
    >>> y = np.array([0, 0, 1, 0, 0, 1, 1, 1, 1, 1])  # the third is among the others
    >>> sample_difficulty(X, y, n_trees=1)
    array([0. , 0.5, 1. , 0.5, 0.5, 0.5, 0. , 0. , 0. , 0. ])
    """
    forest = ClassForest(
        X, y, n_trees=n_trees, algorithm=algorithm, n_jobs=n_jobs, random_state=random_state
    )
    crossing, all_edges = count_by_sample(np.concatenate(forest.tree_edges()), forest.codes)
    return crossing / all_edges


def rank_suspects(difficulty, disagreement):
    """Samples that look mislabelled, the most suspicious first.

    Suspicious is a sample most of whose tree edges and most of whose neighbours
    belong to other classes.

    Parameters
    ----------
    difficulty : ndarray of shape (n_samples,)
        Share of crossing tree edges.
    disagreement : ndarray of shape (n_samples,)
        Share of near neighbours of other classes; decides among equal difficulties.

    Returns
    -------
    ndarray of int
        Row numbers.
    """
    candidates = np.flatnonzero((difficulty > 0.5) & (disagreement > 0.5))
    order = np.lexsort((candidates, -disagreement[candidates], -difficulty[candidates]))
    return candidates[order]

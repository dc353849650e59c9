"""Hierarchies without an error graph: from class centroids."""

import numpy as np
from scipy.linalg import solve_triangular

from smartsvm.hierarchy.class_hierarchy import grow

_MOST_ROUNDS = 50  # of 2-means at most; it ends when no class changes sides


def centroid_hierarchy(means, within, classes):
    """Halve the centroids again and again by 2-means, whitened by covariance or variances."""
    if within.ndim == 1:
        whitened = means / np.sqrt(within)
    else:
        whitened = solve_triangular(np.linalg.cholesky(within), means.T, lower=True).T
    return grow(classes, lambda inside: (np.nan, _two_means(whitened[inside])))


def _principal_scores(centred):
    """Coordinates along the principal axis, up to a factor, from the smaller Gram matrix."""
    if len(centred) <= centred.shape[1]:
        return np.linalg.eigh(centred @ centred.T)[1][:, -1]
    return centred @ np.linalg.eigh(centred.T @ centred)[1][:, -1]


def _two_means(points):
    """The better of two runs of 2-means, as a mask; no side is empty: O(k² d) for k classes."""
    if len(points) == 2:
        return np.array([False, True])
    centred = points - points.mean(axis=0)
    squares = np.einsum("ij,ij->i", centred, centred)
    squared = squares[:, None] + squares - 2 * (centred @ centred.T)
    one, other = np.unravel_index(squared.argmax(), squared.shape)
    starts = [squared[one] > squared[other], _principal_scores(centred) > 0]
    best = -1.0
    best_side = np.arange(len(points)) == one  # if all centroids are equal
    for side in starts:
        side = _lloyd(centred, side)
        if side.all() or not side.any():
            continue
        sums = np.array([centred[side].sum(axis=0), centred[~side].sum(axis=0)])
        sizes = np.array([np.count_nonzero(side), np.count_nonzero(~side)])
        between = (np.einsum("ij,ij->i", sums, sums) / sizes).sum()
        if between > best:
            best, best_side = between, side
    return best_side


def _lloyd(points, side):
    for _ in range(_MOST_ROUNDS):
        if side.all() or not side.any():
            break
        one = points[side].mean(axis=0)
        other = points[~side].mean(axis=0)
        nearer = points @ (one - other) > (one @ one - other @ other) / 2
        if np.array_equal(nearer, side):
            break
        side = nearer
    return side

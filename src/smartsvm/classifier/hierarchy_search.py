"""Hierarchies without an error graph: from class centroids, and from exact Bayes errors."""

import numpy as np
from scipy.linalg import solve_triangular

from smartsvm.hierarchy._minimum_cut import minimum_cut
from smartsvm.hierarchy.class_hierarchy import grow

_MOST_ROUNDS = 50  # of 2-means at most; it ends when no class changes sides
# Moves / classes after each start of the search for a split: each lowers the cost, and this many
# bound the time where the cost falls slowly.
_MOST_PASSES = 8


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


def bayes_error_hierarchy(forest):
    """Splits of least Bayes error per bit; cut weights are the exact HP-estimates of the nodes."""
    # The trees of a group of classes do not depend on how it is split: the edges between its
    # classes give the exact HP-estimate of every split. The search minimises (estimate + price) /
    # entropy of the sides. The price is the mean error per bit of the whole problem; without it
    # single classes would be peeled off one by one, because nearly every error between two classes
    # occurs once in any hierarchy.
    shares = forest.class_counts / forest.class_counts.sum()
    price = forest.multiclass(method="tree").value / -(shares @ np.log2(shares))
    return grow(forest.classes, lambda inside: _best_split(forest._group(inside), price))


def _best_split(group, price):
    """The HP-estimate of the best split and its mask, from the edges between classes."""
    n_classes = len(group.counts)
    if n_classes == 2:
        right = np.array([False, True])
        return float(group.split_error(right)), right
    starts = [minimum_cut(group.cross)[1], _spectral_halves(group.cross, group.counts)]
    results = [_moved(group, start, price) for start in starts]
    _, right = min(results, key=lambda result: result[0])
    return float(group.split_error(right)), right


def _spectral_halves(cross, counts):
    """Sign of the second eigenvector of the normalised graph, weighted by class sizes."""
    degrees = np.maximum(cross.sum(axis=1), 1e-12)
    scale = 1 / np.sqrt(degrees)
    _, vectors = np.linalg.eigh(cross * np.outer(scale, scale))
    # The sign of an eigenvector is arbitrary: it must not depend on the order of the classes.
    second = vectors[:, -2] * np.sign(vectors[np.abs(vectors[:, -2]).argmax(), -2]) * scale
    order = np.argsort(second, kind="stable")
    right = np.zeros(len(counts), dtype=bool)
    half = np.searchsorted(np.cumsum(counts[order]), counts.sum() / 2) + 1
    right[order[: min(half, len(order) - 1)]] = True
    return right


def _moved(group, right, price):
    """Move single classes to the other side while that lowers the cost: (cost, mask)."""
    score = _cost_per_bit(group, right[None], price)[0]
    for _ in range(_MOST_PASSES * len(right)):
        neighbours = right ^ np.eye(len(right), dtype=bool)
        scores = _cost_per_bit(group, neighbours, price)
        best = scores.argmin()
        if scores[best] >= score:
            break
        score, right = scores[best], neighbours[best]
    return score, right


def _cost_per_bit(group, sides, price):
    """(HP-estimate + price) / entropy of every row of `sides`; infinite if a side is empty."""
    share = sides @ group.counts / group.counts.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = -(share * np.log2(share) + (1 - share) * np.log2(1 - share))
        return np.where(bits > 0, (group.split_error(sides) + price) / bits, np.inf)

"""Generalised edge counts: the edges within each class of a graph, beside their null moments.

Fewer edges between classes than chance allows show that classes lie apart. Where one class is wider
than another, in many columns, edges leave the wide class more often and the narrow one less often:
their sum hardly changes, their difference does. Both are read off the counts within each class.

Earlier trees have shorter edges, which say more about where classes differ: the edges of tree t
count 1 / (t + 2). The exact moments hold for any weights that do not depend on the labels.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc

from smartsvm.estimation._within_edges import count_within

_LEAST_SHARE = 1e-10  # of the largest eigenvalue: smaller ones are 0 but for rounding


class WithinMoments(NamedTuple):
    """Mean and covariance of the edges within each class over all permutations of the labels."""

    mean: np.ndarray  # shape (K,)
    covariance: np.ndarray  # shape (K, K)


class EdgeCounts(NamedTuple):
    """Standardised counts within classes, for one or many orders of the labels."""

    shift: np.ndarray  # z of the weighted count: large where classes lie apart
    # sum of squares of the other directions, chi-squared with rank - 1 degrees of freedom: large
    # where classes differ in spread
    scale: np.ndarray
    rank: int  # of the covariance

    @property
    def total(self):
        """The generalised edge count S, chi-squared with `rank` degrees of freedom."""
        return self.shift**2 + self.scale

    @property
    def p_total(self):
        """Chi-squared tail of S; 1 where the graph says nothing."""
        return chdtrc(self.rank, self.total) if self.rank else np.ones_like(self.scale)


def count_within_classes(edges, codes, n_classes):
    """Edges within each class, shape (orders, K), for labels of shape (n, orders)."""
    counts = np.zeros((codes.shape[1], n_classes), dtype=np.intp)
    count_within(edges, np.ascontiguousarray(codes), counts)
    return counts


def tree_weights(n_trees):
    """The weight of an edge of each orthogonal tree, the tree of the shortest edges first."""
    return 1 / np.arange(3.0, n_trees + 3)


def within_moments(edges, class_counts, weights=None):
    """Exact mean and covariance of the edges within classes (Chen and Friedman 2017).

    `weights` has what each edge counts, by default 1.
    """
    sizes = np.asarray(class_counts, dtype=np.float64)
    n = sizes.sum()
    weights = np.ones(len(edges)) if weights is None else weights
    m = weights.sum()
    squares = (weights**2).sum()
    degrees = np.bincount(edges.ravel(), np.repeat(weights, 2))
    adjacent = (degrees**2).sum() - 2 * squares  # ordered pairs of edges with a common end
    disjoint = m**2 - squares - adjacent  # and without one
    pairs = sizes * (sizes - 1)
    triples = pairs * (sizes - 2)
    fours = pairs * (sizes - 2) * (sizes - 3)
    mean = m * pairs / (n * (n - 1))
    # The chance that four ends drawn without replacement lie two and two in classes k and l.
    second = disjoint * np.outer(pairs, pairs)
    np.fill_diagonal(second, disjoint * fours)
    second /= n * (n - 1) * (n - 2) * (n - 3)
    same = squares * pairs / (n * (n - 1))
    second[np.diag_indices_from(second)] += same + adjacent * triples / (n * (n - 1) * (n - 2))
    return WithinMoments(mean, second - np.outer(mean, mean))


def standardised_counts(counts, moments, class_counts):
    """Counts of shape (orders, K), or (K,), as a part for shift and a part for scale."""
    # Weights 1 / (n_k - 1) cancel the degrees of the rows that a class happens to get, which make
    # the count of a large class noisy. The rest of the quadratic form is uncorrelated with it.
    sizes = np.asarray(class_counts, dtype=np.float64)
    weights = 1 / np.maximum(sizes - 1, 1)
    weights /= weights.max()
    deviations = counts - moments.mean
    covariance = moments.covariance
    values, vectors = np.linalg.eigh(covariance)
    # Where the degrees are nearly equal, true eigenvalues are small beside the mean, not beside 0.
    smallest = _LEAST_SHARE * max(values.max(), moments.mean.max(), np.finfo(float).tiny)
    positive = values > smallest
    scores = (deviations @ vectors[:, positive]) / np.sqrt(values[positive])
    variance = weights @ covariance @ weights
    if variance <= smallest * (weights @ weights):
        return EdgeCounts(
            np.zeros(scores.shape[:-1]), (scores**2).sum(axis=-1), int(positive.sum()) + 1
        )
    shift = deviations @ weights / np.sqrt(variance)
    scale = np.maximum((scores**2).sum(axis=-1) - shift**2, 0.0)
    return EdgeCounts(shift, scale, int(positive.sum()))

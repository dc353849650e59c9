"""The Friedman–Rafsky test for signal, and the variance of counts of cross edges.

Both need the same moments. Draw labels onto the ends of two edges, without replacement, from a
group of labels: s2, s3 and s4 are the probabilities that one edge, two adjacent edges, or two
edges without a common end join equal classes. With all n labels as the group, they give the
permutation distribution of Friedman and Rafsky. With a sample and its nearest neighbours as the
group, they give the variance of the count when labels are drawn again at the same points; no
estimated posterior adds noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, islice

import numpy as np
from scipy.special import ndtr, ndtri

from smartsvm.estimation._cross_edges import count_crossing
from smartsvm.estimation.combined_test import combined_test
from smartsvm.estimation.cross_edges import between_groups
from smartsvm.estimation.energy_features import distance_features
from smartsvm.estimation.label_orders import random_orders
from smartsvm.estimation.number_of_trees import trees_to_count
from smartsvm.presentation.wording import rounded_repr

_SIGNIFICANT = 0.05  # level of the test
# A pair of classes with a higher score shows no sign of a difference.
INSEPARABLE = float(ndtri(_SIGNIFICANT))
# A report combines the test with edges within classes for at most 10 classes, and with distances to
# 128 landmarks for at most 5,000 rows. More would take seconds, and many rows show any signal among
# their neighbours.
_MOST_COMBINED_CLASSES = 10
_MOST_COMBINED_ROWS = 5000
_COMBINED_LANDMARKS = 128
# Group for local moments: s4 needs four labels, and a larger group is less local. With ten
# classes in ten dimensions, 31 neighbours make intervals a quarter too short.
LOCAL_NEIGHBORS = 4
MOST_PERMUTATIONS = 10**7  # a statistic of each is kept: more would fill the memory


@dataclass(frozen=True, eq=False)
class SignalTest:
    """Whether labels depend on the points, by the Friedman–Rafsky test.

    Attributes
    ----------
    statistic : float
        Cross edges R, averaged over the trees.
    expected : float
        Mean of R under the null hypothesis.
    variance : float
        Variance of R under the null hypothesis.
    z : float
        (statistic - expected) / √variance; negative if there is signal.
    p_value : float
        Probability of an R this small under the null hypothesis, by the normal approximation. In
        the tail it is too small for few samples: 0.01 stands for 0.03 with 60 samples and ten
        trees.
    p_permutation : float or None
        The same from permuted labels; None without permutations.
    n_permutations : int
        Number of permutations.
    n_trees : int
        Orthogonal trees that R is averaged over.
    p_combined : float or None
        In a report on at most ten classes: R combined with edges within each class and, for at most
        5,000 samples, with distances, as in `two_sample_test`; None elsewhere.
    """

    statistic: float
    expected: float
    variance: float
    z: float
    p_value: float
    p_permutation: float | None
    n_permutations: int
    n_trees: int
    p_combined: float | None = None
    __repr__ = rounded_repr

    @property
    def best_p_value(self) -> float:
        """The combined p-value where there is one, else that of permutations or of the tail."""
        p_values = (self.p_combined, self.p_permutation, self.p_value)
        return next(p for p in p_values if p is not None)

    @property
    def shared_by_neighbors(self) -> bool:
        """Whether neighbours alone, without distances, show it at 5%."""
        p = self.p_value if self.p_permutation is None else self.p_permutation
        return p < _SIGNIFICANT

    @property
    def significant(self) -> bool:
        """Whether the null hypothesis is rejected at 5%, by `best_p_value`."""
        return self.best_p_value < _SIGNIFICANT


def signal_on_trees(trees, codes, n_permutations, *, groups=None, seed=0, points=None, n_jobs=None):
    """Test whether labels depend on the points, by few edges between classes in disjoint trees.

    `groups` are permuted as wholes. With `points`, the test of few classes is combined with edges
    within classes and distances.
    """
    # Given the trees and the class sizes, all assignments of labels are equally likely under the
    # null hypothesis (Friedman and Rafsky 1979). For m edges of which C pairs share an end,
    # E = m(1 - s2) and Var = m s2 + 2C s3 + (m(m - 1) - 2C) s4 - (m s2)², see `null_moments`.
    n = len(codes)
    if n < 4:
        raise ValueError(f"X must have at least 4 rows for a test, got {n}.")
    n_edges = sum(map(len, trees))
    trees = [np.ascontiguousarray(between_groups(tree, groups), dtype=np.uint32) for tree in trees]
    edges = np.concatenate(trees)
    class_counts, p_permutation, p_combined = np.bincount(codes), None, None
    if points is not None and len(class_counts) <= _MOST_COMBINED_CLASSES and n_permutations:
        work = {"seed": seed, "n_jobs": n_jobs}
        features = None
        if n <= _MOST_COMBINED_ROWS:
            features = distance_features(points, n_landmarks=_COMBINED_LANDMARKS, **work)
        combined = combined_test(
            trees, features, codes, len(class_counts), n_permutations, groups=groups, **work
        )
        crossing = (len(edges) - combined.n_within).tolist()
        p_combined = combined.p_value
    else:
        codes = codes.astype(np.min_scalar_type(len(class_counts)))
        orders = islice(random_orders(codes, groups, seed), n_permutations)
        crossing = [count_crossing(edges, order) for order in chain([codes], orders)]
    observed, *others = crossing
    degrees = np.bincount(edges.ravel(), minlength=n)
    adjacent = (degrees * (degrees - 1)).sum() / 2
    mean, variance = null_moments(len(edges), adjacent, class_counts)
    if n_permutations:
        p_permutation = float((1 + np.sum(np.array(others) <= observed)) / (n_permutations + 1))
        if groups is not None:  # the formulas hold for single labels
            mean, variance = np.mean(others), np.var(others)
    z = standard_score(observed, mean, variance)
    # Each edge between groups stands for those within groups, too.
    stand_for, n_trees = n_edges / max(len(edges), 1), len(trees)
    return SignalTest(
        statistic=observed * stand_for / n_trees,
        expected=float(mean) * stand_for / n_trees,
        variance=float(variance) * (stand_for / n_trees) ** 2,
        z=float(z),
        p_value=float(ndtr(z)),
        p_permutation=p_permutation,
        n_permutations=n_permutations,
        n_trees=n_trees,
        p_combined=p_combined,
    )


def standard_score(observed, mean, variance):
    """(observed - mean) / standard deviation; 0 where the variance is 0."""
    deviation = np.sqrt(np.maximum(variance, 0))
    return np.where(deviation > 0, observed - mean, 0.0) / np.where(deviation > 0, deviation, 1)


def equal_label_shares(counts):
    """Probabilities s2, s3, s4 from counts of shape (K, ...), at least four labels a group."""
    pairs_sum = triples_sum = squares_sum = fours_sum = size = 0.0
    for count in counts:
        count = np.asarray(count, dtype=np.float64)
        pairs = count * (count - 1)
        size = size + count
        pairs_sum = pairs_sum + pairs
        triples_sum = triples_sum + pairs * (count - 2)
        fours_sum = fours_sum + pairs * (count - 2) * (count - 3)
        squares_sum = squares_sum + pairs * pairs
    s2 = pairs_sum / (size * (size - 1))
    s3 = triples_sum / (size * (size - 1) * (size - 2))
    s4 = (fours_sum + pairs_sum * pairs_sum - squares_sum) / (
        size * (size - 1) * (size - 2) * (size - 3)
    )
    return s2, s3, s4


def null_moments(n_edges, n_adjacent, class_counts):
    """Exact mean and variance of the cross edges of a graph over all permutations of labels."""
    s2, s3, s4 = equal_label_shares(class_counts)
    m = np.asarray(n_edges, dtype=np.float64)
    variance = m * s2 + 2 * n_adjacent * s3 + (m * (m - 1) - 2 * n_adjacent) * s4 - (m * s2) ** 2
    return m * (1 - s2), variance


def pairwise_tests(forest_counts):
    """Friedman–Rafsky scores z of every pair, (K, K); NaN if too small to show any difference."""
    counts = forest_counts.of_pairs
    sizes = forest_counts.forest.class_counts
    n_counted = trees_to_count(np.minimum.outer(sizes, sizes), counts.spanning)
    last = np.maximum(n_counted - 1, 0)[None]
    cross = np.take_along_axis(np.cumsum(counts.cross, axis=0), last, axis=0)[0]
    adjacent = np.take_along_axis(counts.adjacent, last, axis=0)[0]
    n_both = np.add.outer(sizes, sizes)
    pair_sizes = np.broadcast_arrays(sizes[:, None], sizes[None, :])
    with np.errstate(divide="ignore", invalid="ignore"):
        mean, variance = null_moments(n_counted * (n_both - 1), adjacent, pair_sizes)
        can_differ = (n_both >= 4) & (standard_score(n_counted, mean, variance) <= INSEPARABLE)
        scores = np.where(can_differ, standard_score(cross, mean, variance), np.nan)
    np.fill_diagonal(scores, np.nan)
    return scores


@dataclass(frozen=True)
class CountVariance:
    """Variance of a count of cross edges, by source."""

    labels: float  # new labels at the same points
    # new points: easy and hard regions are sampled more or less often
    places: float
    # the order among equal distances, as far as it is not averaged out
    orders: float = 0.0

    @property
    def total(self):
        """The whole variance."""
        return self.labels + self.places + self.orders


def count_variance(graph, shares, orders=0.0):
    """Variance of a weighted count of cross edges if points and labels were drawn again."""
    # Given the points, an edge has variance s2 - s4, two adjacent edges covariance s3 - s4, others
    # none. The mean count is about the sum of 1 - s2, with variance n Var(s2 at a random place).
    s2, s3, s4 = shares
    n = len(s2)
    squared = graph.weights**2
    ends = graph.edges
    sums, squares = np.zeros(n), np.zeros(n)
    for side in (ends[:, 0], ends[:, 1]):
        sums += np.bincount(side, graph.weights, minlength=n)
        squares += np.bincount(side, squared, minlength=n)
    labels = (squares / 2 * (s2 - s4) + (sums**2 - squares) * (s3 - s4)).sum()
    places = n * (s4.mean() - s2.mean() ** 2)
    return CountVariance(max(float(labels), 0.0), max(float(places), 0.0), float(orders))


def local_shares(labels, codes, n_neighbors=LOCAL_NEIGHBORS):
    """s2, s3, s4 of every sample together with its nearest neighbours, each of shape (n,)."""
    group = np.vstack([labels[:n_neighbors], codes])
    # Every class is counted where it comes first in a group: K may be large.
    return equal_label_shares(
        (group == own).sum(axis=0) * (group[:place] != own).all(axis=0)
        for place, own in enumerate(group)
    )

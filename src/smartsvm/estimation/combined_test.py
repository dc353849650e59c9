"""Edge counts and distances in one permutation test of whether classes differ.

Each statistic finds its own kind of difference: the weighted edge count structure and local
differences, the energy distance shifts, the difference of edge counts and that of the mean
distances within classes spread. All see the same orders of the labels, so their p-values can be
combined without any assumption on how they depend on each other: the combined statistic of the
given labels is compared with that of every other order.
"""

from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from smartsvm._core.parallel import in_threads
from smartsvm.estimation.edge_count_test import (
    EdgeCounts,
    WithinMoments,
    count_within_classes,
    standardised_counts,
    tree_weights,
    within_moments,
)
from smartsvm.estimation.energy_features import mean_distances_within, squared_means
from smartsvm.estimation.label_orders import batches, orders_of

# Parts of the combined statistic Σ w / p, and the statistics that share a part by Σ 1 / p.
PARTS = {"neighbors": ("neighbors",), "distance": ("distance",), "spread": ("scale", "width")}
# At small levels a part is tested at w / Σ w of the level. Neighbours get most: nothing else finds
# structure such as an exclusive or, while shifts and spreads give far smaller p-values than needed.
_WEIGHTS = {"neighbors": 4.0, "distance": 1.0, "spread": 1.0}
_DIGITS = 6  # of a statistic: smaller differences are rounding


class CombinedTest(NamedTuple):
    """Statistics of the given labels, first, and of all other orders."""

    statistics: dict  # by name, each of shape (1 + orders,); large values indicate a difference
    p_values: dict  # of the parts, by name
    p_value: float  # combined
    edge_counts: EdgeCounts  # of the given labels
    n_within: np.ndarray  # edges within classes, each counted once, shape (1 + orders,)
    densest: int  # the class with most weighted edges within it, beside their mean


def combined_test(
    trees, features, codes, n_classes, n_permutations, *, groups=None, seed=0, n_jobs=None
):
    """Test labels on the edges of trees and `DistanceFeatures`; without these, on edges alone."""
    codes = codes.astype(np.min_scalar_type(n_classes))
    class_counts = np.bincount(codes, minlength=n_classes)
    weights = tree_weights(len(trees))

    def measured(orders):
        counts = np.stack([count_within_classes(edges, orders, n_classes) for edges in trees])
        of_edges = counts.sum(axis=(0, 2)), np.tensordot(weights, counts, 1)
        if features is None:
            return of_edges
        squares = squared_means(features.coordinates, orders, n_classes)
        return *of_edges, squares, mean_distances_within(features, squares, orders, n_classes)

    def measured_batch(batch):
        number, own_seed = batch
        return measured(orders_of(codes, number, groups, seed=own_seed))

    results = [measured(codes[:, None])]
    results += in_threads(measured_batch, batches(n_permutations, seed), n_jobs)
    n_within, counts, *distances = (np.concatenate(parts) for parts in zip(*results, strict=True))
    own_weights = np.repeat(weights, [len(edges) for edges in trees])
    moments = within_moments(np.concatenate(trees), class_counts, own_weights)
    if groups is not None and n_permutations:  # rows of a group are not exchanged
        moments = WithinMoments(counts[1:].mean(axis=0), np.cov(counts[1:].T, bias=True))
    standardised = standardised_counts(counts, moments, class_counts)
    statistics = {"neighbors": standardised.shift, "scale": standardised.scale}
    if features is not None:
        squares, widths = distances
        statistics["distance"] = squares @ class_counts
        middle = widths @ class_counts / len(codes)
        statistics["width"] = (widths - middle[:, None]) ** 2 @ class_counts
    of_parts = {
        part: _p_of_part([statistics[name] for name in names if name in statistics])
        for part, names in PARTS.items()
        if any(name in statistics for name in names)
    }
    combined = sum(_WEIGHTS[part] / p for part, p in of_parts.items())
    more = counts[0] / np.maximum(moments.mean, np.finfo(float).tiny)
    return CombinedTest(
        statistics=statistics,
        p_values={part: float(p[0]) for part, p in of_parts.items()},
        p_value=float(_p_values(combined)[0]),
        edge_counts=EdgeCounts(standardised.shift[0], standardised.scale[0], standardised.rank),
        n_within=n_within,
        densest=int(more.argmax()),
    )


def _p_of_part(statistics):
    """p-values of one statistic, or of Σ 1 / p of several."""
    if len(statistics) == 1:
        return _p_values(statistics[0])
    return _p_values(sum(1 / _p_values(statistic) for statistic in statistics))


def _p_values(statistic):
    """For every order, the fraction of all orders with a statistic at least as large."""
    largest = np.abs(statistic).max()
    if largest > 0:
        statistic = np.round(statistic / largest, _DIGITS)
    return rankdata(-statistic, method="max") / len(statistic)

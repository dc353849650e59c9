"""Cross edges in the trees of a labelled data set: of every pair of classes, and of all classes."""

from functools import cached_property
from typing import NamedTuple

import numpy as np

from smartsvm.estimation.cross_edges import (
    between_groups,
    count_by_class,
    count_by_sample,
    count_pairs,
    mean_over_trees,
)
from smartsvm.estimation.number_of_trees import trees_to_count
from smartsvm.estimation.tie_orders import other_orders, tie_share
from smartsvm.trees.spanning_trees import count_spanning


class OrderCounts(NamedTuple):
    """Counts in the trees of all samples under one order of tied edges."""

    by_class: np.ndarray  # edges between every two classes in each tree, (n_trees, K, K)
    # Edges between groups in all trees, and in the counted ones; None if not kept.
    edges: np.ndarray | None
    counted: np.ndarray | None


class WeightedEdges(NamedTuple):
    """Distinct edges and the weight of each in an averaged count."""

    edges: np.ndarray  # pairs of rows
    weights: np.ndarray  # number of orders that have the edge / (trees · orders)


class ForestCounts:
    """Counts in the trees of one forest, each made when it is first read.

    Integer and one-hot data have many tied edges. Then `averages_ties` takes the mean over a few
    orders of ties (see `tie_orders`) of all counts in the trees of all samples. Pairs of classes
    are counted in the first order only: the pairs of another order would take as long again.

    With `groups`, one number for each sample, only edges between groups count. They are scaled up
    to stand for all edges. `keeps_edges` keeps the edges of every order for `graph` and
    `sample_difficulty`.
    """

    def __init__(
        self, forest, counted_trees, *, averages_ties=False, groups=None, keeps_edges=False
    ):
        """Counts of a `SpanningForest` or `BlockSpanningForest` in its first trees."""
        self.forest = forest
        self._most_counted = counted_trees
        self.averages_ties = averages_ties
        self._groups = groups
        self._keeps_edges = keeps_edges

    def answers(self):
        """All that is known without the trees, which have a checksum of their own."""
        return {name: value for name, value in vars(self).items() if name != "forest"}

    @cached_property
    def of_pairs(self):
        """`PairCounts` of every pair of classes, within groups as well as between them."""
        return count_pairs(self.forest)

    @property
    def pair_trees(self):
        """How many trees of every pair are counted, at least one, (K, K)."""
        counts = self.forest.class_counts
        spanning = np.minimum(self.of_pairs.spanning, self._most_counted)
        return trees_to_count(np.minimum.outer(counts, counts), spanning)

    @cached_property
    def pair_means(self):
        """Cross edges of every pair, averaged over its trees, (K, K)."""
        if self.forest.n_classes == 2:  # the only pair has the trees of all samples
            return mean_over_trees(self.by_class, self.pair_trees)
        cross = self.of_pairs.cross
        if self._groups is not None:
            cross = np.zeros(cross.shape)
            for k, m, (edges, _, sizes) in self.forest.pairs():
                counts = self._count_by_class(edges, sizes)[:, k, m]
                cross[:, k, m] = cross[:, m, k] = counts
        return mean_over_trees(cross, self.pair_trees)

    @cached_property
    def orders(self):
        """`OrderCounts` of every order of ties, with one forest in memory at a time."""
        seeds = []
        if self.averages_ties:
            seeds = other_orders(self.forest.seed, self.tie_share)
        others = map(self.forest.in_other_order, seeds)
        return [self._count(self.forest), *map(self._count, others)]

    @cached_property
    def by_class(self):
        """Edges between every two classes in each tree, mean over orders, (n_trees, K, K)."""
        first, *others = [order.by_class for order in self.orders]
        return np.mean([first, *others], axis=0) if others else first

    @property
    def spanning(self):
        """How many of the counted trees span all samples."""
        _, _, sizes = self.forest.whole()
        return min(count_spanning(sizes, len(self.forest.codes)), self._most_counted)

    @property
    def n_counted(self):
        """Number of trees that the multiclass error is computed from."""
        counts = self.forest.class_counts
        # A class too small for all trees has few of the edges, unless there are only two classes.
        smaller = counts.min() if len(counts) == 2 else counts.sum()
        return int(trees_to_count(smaller, self.spanning))

    @property
    def tie_share(self):
        """Fraction of the edges of the first tree that are as long as another one."""
        _, squared, sizes = self.forest.whole()
        return tie_share(squared, sizes)

    @property
    def share_between_groups(self):
        """Fraction of the edges of the first tree that join different groups."""
        first = self.forest.tree_edges()[0]
        return len(between_groups(first, self._groups)) / len(first)

    def graph(self):
        """The counted edges of all orders as one weighted graph."""
        n, n_orders = len(self.forest.codes), len(self.orders)
        edges = np.concatenate([order.counted for order in self.orders])
        # All edges of one tree weigh n - 1; edges between groups represent all edges.
        weight = self.n_counted * (n - 1) * n_orders / max(len(edges), 1)
        weight /= n_orders * self.n_counted
        if n_orders == 1:
            return WeightedEdges(edges, np.full(len(edges), weight))
        edges = np.sort(edges, axis=1).astype(np.int64)
        keys, times = np.unique(edges[:, 0] * n + edges[:, 1], return_counts=True)
        return WeightedEdges(np.stack(np.divmod(keys, n), axis=1), times * weight)

    def order_variance(self):
        """Variance of the mean count due to the choice of orders."""
        if len(self.orders) == 1:
            return 0.0
        means = [order.by_class[: self.n_counted].mean(axis=0) for order in self.orders]
        crossing = [np.triu(mean, 1).sum() for mean in means]
        return float(np.var(crossing, ddof=1) / len(crossing))

    def sample_difficulty(self):
        """Fraction of each sample's edges that lead to other classes, over all orders."""
        by_sample = [count_by_sample(order.edges, self.forest.codes) for order in self.orders]
        crossing, all_edges = np.sum(by_sample, axis=0)
        return crossing / np.maximum(all_edges, 1)  # some have no edge between groups

    def _count(self, forest):
        """`OrderCounts` of a forest of the same points."""
        edges, _, sizes = forest.whole()
        by_class = self._count_by_class(edges, sizes)
        if not self._keeps_edges:
            return OrderCounts(by_class, None, None)
        trees = [between_groups(tree, self._groups) for tree in forest.tree_edges()]
        counted = np.concatenate(trees[: self.n_counted])
        return OrderCounts(by_class, np.concatenate(trees), counted)

    def _count_by_class(self, edges, sizes):
        """Edges between every two classes in each tree; those between groups stand for all."""
        codes, n_classes = self.forest.codes, self.forest.n_classes
        if self._groups is None:
            return count_by_class(edges, sizes, codes, n_classes)
        trees = np.split(edges, np.cumsum(sizes)[:-1])
        between = [between_groups(tree, self._groups) for tree in trees]
        n_between = np.array([len(tree) for tree in between])
        counts = count_by_class(np.concatenate(between), n_between, codes, n_classes)
        return counts * (sizes / np.maximum(n_between, 1))[:, None, None]

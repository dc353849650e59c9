"""What a report counts in its trees, averaged over orders of tied edges (see `tie_orders`)."""

from typing import NamedTuple

import numpy as np

from smartsvm.estimation.class_forest import ClassForest
from smartsvm.estimation.cross_edges import (
    between_groups,
    count_by_class,
    count_by_sample,
    mean_over_trees,
)
from smartsvm.estimation.tie_orders import other_orders, tie_share
from smartsvm.trees.in_memory.class_trees import SpanningForest
from smartsvm.trees.in_memory.forests import most_trees


class WeightedEdges(NamedTuple):
    """Distinct edges and the weight of each in an averaged count."""

    edges: np.ndarray  # pairs of rows
    weights: np.ndarray  # number of orders that have the edge / (trees · orders)


class TieAveragedForest(ClassForest):
    """A `ClassForest` whose counts are averaged over orders of tied edges if there are many."""

    def __init__(
        self,
        points,
        codes,
        classes,
        *,
        n_trees,
        seed,
        counted_trees=None,
        averages_ties=True,
        groups=None,
        n_jobs=None,
        verbose=0,
    ):
        """Of `Points` whose labels are numbered; `seed` is that of the ties."""
        forest = SpanningForest(
            points,
            codes,
            n_trees=most_trees(len(codes), n_trees),
            seed=seed,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self._read(forest, classes, n_trees)
        self._warns = False
        self._average(counted_trees, averages_ties, groups)

    def _average(self, counted_trees, averages_ties, groups):
        """Count in several orders if there are many ties, and keep the means."""
        self._counted_trees = counted_trees or self.n_trees
        self._groups = groups
        self._forest.keeps_pairs = False
        self._counts_of_pairs()  # the trees of all samples are among those of the pairs
        _, squared, sizes = self._forest.whole()
        self.tie_share = tie_share(squared, sizes)
        zeros = np.count_nonzero(squared[: sizes[0]] == 0)
        self.duplicate_share = float(zeros / self._n_samples)
        first = self.tree_edges()[0]
        self.between_groups = len(between_groups(first, groups)) / len(first)
        seeds = other_orders(self._forest.seed, self.tie_share) if averages_ties else []
        self.n_orders = 1 + len(seeds)
        self._count_orders(seeds)

    def _count_orders(self, seeds):
        """Collect the counts of each order, with one forest in memory at a time."""
        # The pairs of other orders would take as long again, each.
        self._pair_means = mean_over_trees(self._crossing_pairs(self), self._pair_trees())
        self._wholes = []
        self._graphs = []
        by_sample = []
        for seed in (None, *seeds):
            forest = self if seed is None else self._in_other_order(seed)
            self._wholes.append(self._by_class(forest))
            trees = [between_groups(edges, self._groups) for edges in forest.tree_edges()]
            by_sample.append(count_by_sample(np.concatenate(trees), self.codes))
            self._graphs.append(np.concatenate(trees[: self.counted_trees]))
        self._by_sample = np.sum(by_sample, axis=0)

    def _in_other_order(self, seed):
        """The same data under another order of ties."""
        other = object.__new__(type(self))
        vars(other).update(vars(self))
        other._forest = self._forest.in_other_order(seed)
        other._counts = other._counts_of_all = None
        return other

    def _by_class(self, forest):
        """Edges between every two classes in each tree of all samples."""
        if self._groups is None:
            return ClassForest._whole_counts(forest)[0]
        edges, _, sizes = forest._forest.whole()
        return self._counted_between_groups(edges, sizes)

    def _crossing_pairs(self, forest):
        """Edges between the two classes in each tree of each pair."""
        if self._groups is None:
            return forest._counts_of_pairs().cross
        cross = np.zeros(forest._counts_of_pairs().cross.shape)
        for k, m, (edges, _, sizes) in forest._forest.pairs():
            cross[:, k, m] = cross[:, m, k] = self._counted_between_groups(edges, sizes)[:, k, m]
        return cross

    def _counted_between_groups(self, edges, sizes):
        """Edges between every two classes in each tree, scaled up from edges between groups."""
        trees = np.split(edges, np.cumsum(sizes)[:-1])
        between = [between_groups(tree, self._groups) for tree in trees]
        sizes_between = np.array([len(tree) for tree in between])
        counts = count_by_class(
            np.concatenate(between), sizes_between, self.codes, len(self.classes)
        )
        return counts * (sizes / np.maximum(sizes_between, 1))[:, None, None]

    @property
    def counted_trees(self):
        """Number of trees that the bounds are computed from."""
        return self._n_counted()

    def graph(self):
        """The counted edges of all orders as one weighted graph."""
        edges_in_trees = self.counted_trees * (self._n_samples - 1)
        # Edges between groups represent all edges.
        stand_for = edges_in_trees * self.n_orders / max(sum(map(len, self._graphs)), 1)
        each = stand_for / (self.n_orders * self.counted_trees)
        if self.n_orders == 1:
            edges = self._graphs[0]
            return WeightedEdges(edges, np.full(len(edges), each))
        edges = np.sort(np.concatenate(self._graphs), axis=1).astype(np.int64)
        keys, times = np.unique(edges[:, 0] * self._n_samples + edges[:, 1], return_counts=True)
        edges = np.stack(np.divmod(keys, self._n_samples), axis=1)
        return WeightedEdges(edges, times * each)

    def whole(self):
        """The trees of all samples under the first order."""
        return self._forest.whole()

    def first_tree_cross(self):
        """Cross edges of the first tree, mean over the orders."""
        return float(np.mean([np.triu(by_class[0], 1).sum() for by_class in self._wholes]))

    def order_variance(self):
        """Variance of the mean count due to the choice of orders."""
        if self.n_orders == 1:
            return 0.0
        counts = []
        for by_class in self._wholes:
            mean = by_class[: self.counted_trees].mean(axis=0)
            counts.append(np.triu(mean, 1).sum())
        return float(np.var(counts, ddof=1) / self.n_orders)

    def sample_difficulty(self):
        """Fraction of each sample's edges that lead to other classes, over all orders."""
        crossing, all_edges = self._by_sample
        return crossing / np.maximum(all_edges, 1)  # some have no edge between groups

    def _mean_pairs(self):
        return self._mean_of_two() if len(self.classes) == 2 else self._pair_means

    def _whole_counts(self):
        return np.mean(self._wholes, axis=0), super()._whole_counts()[1]

"""Counts of cross edges in the trees of a labelled data set, and what follows for pairs."""

from __future__ import annotations

import numpy as np

from smartsvm._core.checksums import checksum_of
from smartsvm._core.validation import warn
from smartsvm._core.wording import listed
from smartsvm.estimation.cross_edges import count_by_class, count_pairs, mean_over_trees
from smartsvm.estimation.henze_penrose import bayes_error_bounds
from smartsvm.estimation.number_of_trees import trees_to_count
from smartsvm.estimation.tie_orders import other_orders, tie_share
from smartsvm.trees.spanning_trees import count_spanning

# Samples below which a class raises a warning: later orthogonal trees run out of inner edges.
_SMALL_CLASS = 10


class SmallClassWarning(UserWarning):
    """Some classes have too few samples for the number of trees, or for a precise estimate."""


class ForestCounts:
    """Counts in the trees of pairs and of all classes, computed once; base of `ClassForest`."""

    _warns = True  # of small classes

    def _read(self, forest, classes, n_trees, averages_ties=False):
        """Use this forest; `n_trees` is the number requested."""
        self._averages_ties = averages_ties
        self.n_trees = n_trees
        self.classes = classes
        self._forest = forest
        self._counted_trees = n_trees
        self.class_counts = forest.class_counts
        self._n_samples = len(forest.codes)
        self._priors = self.class_counts / self._n_samples
        self._counts = self._counts_of_all = None

    def __getstate__(self):
        return vars(self) | {"_checksum": self._checksum_of_answers()}

    def __setstate__(self, state):
        vars(self).update(state)
        if vars(self).pop("_checksum") != self._checksum_of_answers():
            raise ValueError("the pickled ClassForest is damaged: its checksum is another.")

    def _checksum_of_answers(self):
        """Of all but the trees, which have a checksum of their own."""
        return checksum_of({name: each for name, each in vars(self).items() if name != "_forest"})

    def _counts_of_pairs(self):
        """`PairCounts`: cross edges in the trees of every pair of classes."""
        if self._counts is None:
            self._counts = count_pairs(self._forest)
        return self._counts

    def _pair_counts(self, connectivity_offset):
        """Mean cross edges of the pairs and the numbers of trees averaged, both (K, K)."""
        n_counted = self._pair_trees()
        cross = self._mean_pairs()
        cross = without_connections(cross, 1, connectivity_offset)
        np.fill_diagonal(cross, 0)
        np.fill_diagonal(n_counted, 0)
        return cross, n_counted

    def _mean_pairs(self):
        """Cross edges of every pair, averaged over its trees."""
        if len(self.classes) == 2:
            return self._mean_of_two()
        return mean_over_trees(self._counts_of_pairs().cross, self._pair_trees())

    def _mean_of_two(self):
        """The same for two classes: the only pair has the trees over all samples."""
        return mean_over_trees(self._whole_counts()[0], self._pair_trees())

    def _pair_trees(self):
        """How many trees of every pair are counted, at least one."""
        smaller = np.minimum.outer(self.class_counts, self.class_counts)
        spanning = np.minimum(self._counts_of_pairs().spanning, self._counted_trees)
        return trees_to_count(smaller, spanning)

    def _pair_bounds(self, cross, bias_correction):
        """Estimate and bounds (K, K) of the pairs, not normalised, zero on the diagonal."""
        pair_sizes = np.add.outer(self.class_counts, self.class_counts)
        bounds = bayes_error_bounds(
            cross, pair_sizes, self._pair_priors(), bias_correction=bias_correction
        )
        for matrix in bounds:
            np.fill_diagonal(matrix, 0)
        return bounds

    def _pair_priors(self):
        """The smaller prior within each pair."""
        pair_sizes = np.add.outer(self.class_counts, self.class_counts)
        return np.minimum.outer(self.class_counts, self.class_counts) / pair_sizes

    def _pair_weights(self):
        """p_k + p_l: the prior of each pair."""
        return np.add.outer(self._priors, self._priors)

    def _whole_counts(self):
        """Edges between classes in the trees over all samples, (n_trees, K, K); how many span."""
        if self._counts_of_all is None:
            _, squared, sizes = self._forest.whole()
            by_class = self._count_whole(self._forest)
            if self._averages_ties:
                seeds = other_orders(self._forest.seed, tie_share(squared, sizes))
                others = [self._count_whole(self._forest.in_other_order(seed)) for seed in seeds]
                by_class = np.mean([by_class, *others], axis=0)
            spanning = min(count_spanning(sizes, self._n_samples), self._counted_trees)
            self._counts_of_all = by_class, spanning
        return self._counts_of_all

    def _count_whole(self, forest):
        """Edges between every two classes in each tree over all samples, in one order of ties."""
        edges, _, sizes = forest.whole()
        return count_by_class(edges, sizes, forest.codes, len(self.classes))

    def _n_counted(self):
        """Number of trees that the multiclass error is computed from."""
        _, spanning = ForestCounts._whole_counts(self)
        # A class too small for all trees has few of the edges, unless there are only two classes.
        smaller = self.class_counts.min() if len(self.classes) == 2 else self._n_samples
        return int(trees_to_count(smaller, spanning))

    def _warn_if_small(self, n_counted):
        """Warn once about classes with too few samples."""
        if not self._warns:
            return
        small = self.class_counts < _SMALL_CLASS
        n_counted = np.asarray(n_counted)
        reduced = n_counted[(n_counted > 0) & (n_counted < self._counted_trees)]
        message = []
        if small.any():
            pairs = zip(
                self.classes[small].tolist(), self.class_counts[small].tolist(), strict=True
            )
            shown = listed([f"{label!r} ({count})" for label, count in pairs], 5)
            message.append(f"y has classes of fewer than {_SMALL_CLASS} samples: {shown}")
        if reduced.size:
            message.append(
                f"n_trees={self.n_trees} is too many for some problems, which average as few as "
                f"{reduced.min()} (see n_trees of the result)"
            )
        if message:
            warn("; ".join(message) + ".", SmallClassWarning)


def without_connections(cross, n_connections, connectivity_offset):
    """Subtract the edges that every tree needs to join the classes, if requested."""
    return np.maximum(cross - n_connections, 0.0) if connectivity_offset else cross * 1.0

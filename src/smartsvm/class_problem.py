"""A data set with classes, validated once, and the cross edges of its problems."""

from __future__ import annotations

import warnings

import numpy as np

from smartsvm._validation import (
    check_array,
    check_int,
    check_labels,
    scale_to_safe_range,
    tie_seed,
)
from smartsvm.cross_edges import count_by_class, count_pairs, mean_over_trees, trees_to_count
from smartsvm.forest import SpanningForest
from smartsvm.henze_penrose import bayes_error_bounds
from smartsvm.spanning_trees import count_spanning

_SMALL_CLASS = 10  # below it the orthogonal trees begin to be forced out of the class


class SmallClassWarning(UserWarning):
    """Some classes have too few samples for the trees asked for, or for a fine estimate."""


class ClassProblem:
    """One validated data set, its forest, and the counts read off it.

    Counts are averaged over the orthogonal trees that a problem can hold; with
    `connectivity_offset` the edges that must join the classes are subtracted.
    """

    def __init__(self, X, y, n_trees, algorithm, n_jobs, random_state, connectivity_offset):
        self.requested = check_int(n_trees, "n_trees", least=1)
        X = check_array(X, "X")
        self.classes, codes = check_labels(y, n_samples=len(X))
        points, _ = scale_to_safe_range(X)
        self.offset = bool(connectivity_offset)
        self.forest = SpanningForest(
            points,
            codes,
            # No n points hold more than n/2 trees; fewer than asked for give a warning.
            n_trees=min(self.requested, max(1, len(X) // 2)),
            seed=tie_seed(random_state),
            algorithm=algorithm,
            n_jobs=n_jobs,
        )
        self.class_counts = self.forest.class_counts
        self.n_samples = len(X)
        self.priors = self.class_counts / self.n_samples

    def pairs(self, *, gather=False):
        """Mean cross edges (K, K) of the pairs and the trees they were averaged over."""
        counts = count_pairs(self.forest, gather=gather)
        smaller = np.minimum.outer(self.class_counts, self.class_counts)
        used = trees_to_count(smaller, counts.spanning)
        cross = self._less_connections(mean_over_trees(counts.cross, used), 1)
        np.fill_diagonal(cross, 0)
        np.fill_diagonal(used, 0)
        return cross, used

    def one_vs_rest(self):
        """Mean edges (K,) that leave each class, and the trees they were averaged over."""
        by_class, spanning = self._whole_counts()
        inside = np.diagonal(by_class, axis1=1, axis2=2)
        smaller = np.minimum(self.class_counts, self.n_samples - self.class_counts)
        used = trees_to_count(smaller, spanning)
        cross = mean_over_trees(by_class.sum(axis=2) - inside, used)
        return self._less_connections(cross, 1), used

    def all_classes(self):
        """Mean edges between any two classes, and the trees they were averaged over."""
        by_class, spanning = self._whole_counts()
        cross = np.triu(by_class, 1).sum(axis=(1, 2))
        # A class too small for all trees holds few of all edges, unless there are only two.
        used = max(1, spanning)
        if len(self.classes) == 2:
            used = int(trees_to_count(self.class_counts.min(), spanning))
        return self._less_connections(cross[:used].mean(), len(self.classes) - 1), used

    def pair_bounds(self, cross, bias_correction):
        """Estimate and bounds (K, K) of the pairs, not normalised, zero on the diagonal."""
        together = np.add.outer(self.class_counts, self.class_counts)
        bounds = bayes_error_bounds(
            cross, together, self.pair_priors(), bias_correction=bias_correction
        )
        for matrix in bounds:
            np.fill_diagonal(matrix, 0)
        return bounds

    def pair_priors(self):
        """The smaller prior within each pair."""
        together = np.add.outer(self.class_counts, self.class_counts)
        return np.minimum.outer(self.class_counts, self.class_counts) / together

    def pair_weights(self):
        """p_k + p_l: the share of the samples that belong to each pair."""
        return np.add.outer(self.priors, self.priors)

    def warn_if_small(self, used):
        """One warning for all that too few samples of a class do to a call."""
        small = self.class_counts < _SMALL_CLASS
        used = np.asarray(used)
        reduced = used[(used > 0) & (used < self.requested)]
        if not small.any() and not reduced.size:
            return
        message = []
        if small.any():
            named = [f"{c!r} ({m})" for c, m in zip(
                self.classes[small].tolist(), self.class_counts[small].tolist(), strict=True
            )]  # fmt: skip
            shown = ", ".join(named[:5]) + (", ..." if len(named) > 5 else "")
            message.append(f"y has classes of fewer than {_SMALL_CLASS} samples: {shown}")
        if reduced.size:
            message.append(
                f"n_trees={self.requested} is more than some problems can hold, and as few as "
                f"{reduced.min()} were averaged there (see n_trees of the result)"
            )
        warnings.warn("; ".join(message) + ".", SmallClassWarning, stacklevel=3)

    def _whole_counts(self):
        forests = self.forest.whole()
        by_class = count_by_class(
            forests.edges, forests.sizes, self.forest.codes, len(self.classes)
        )
        return by_class, count_spanning(forests.sizes, self.n_samples)

    def _less_connections(self, cross, n_connections):
        return np.maximum(cross - n_connections, 0) if self.offset else np.array(cross, dtype=float)

"""Bayes errors of the nodes, estimated on first use."""

import numpy as np

from smartsvm._core.validation import tie_seed
from smartsvm.estimation.class_forest import ClassForest
from smartsvm.estimation.extrapolated_errors import extrapolated_split

# A smaller fraction of all samples is not worth a richer node, or a note.
WORTHWHILE = 0.0005


class NodeErrors:
    """Estimated Bayes errors of trained nodes, from (points, labels, options of `ClassForest`)."""

    def __init__(self, sample, hierarchy, nodes):
        self._sample, self._hierarchy = sample, hierarchy
        self._held_out_errors = np.array([node.left_out_error for node in nodes])
        self._shares = np.array([node.share for node in nodes])
        self._least_gain = max(WORTHWHILE, 1 / nodes[0].n_samples)
        self._bayes_errors = None

    def bayes_errors(self):
        """One error per node, at most its held-out error; NaN without samples. Computed once."""
        if self._bayes_errors is None:
            self._bayes_errors = np.full(self._hierarchy.n_nodes, np.nan)
            if self._sample is not None:
                points, labels, options = self._sample
                self._estimate(ClassForest(points, labels, **options), options)
                self._sample = None
        return self._bayes_errors.copy()

    def _estimate(self, forest, options):
        sides, children = self._hierarchy.sides, self._hierarchy.children
        worth = self._held_out_errors * self._shares > WORTHWHILE
        seed = tie_seed(options["random_state"])
        work = {"seed": seed, "n_jobs": options["n_jobs"], "verbose": 0}
        for node, codes, group in forest.node_groups(children, range(len(children))):
            right = sides[node, codes] > 0
            error = group.split_error(right)
            if worth[node] and forest.block_report is None:  # trees of few samples count too much
                limit = extrapolated_split(forest, codes[~right], codes[right], **work)
                error = error if np.isnan(limit) else limit
            # A node with a smaller error refutes the estimate.
            self._bayes_errors[node] = min(error, self._held_out_errors[node])

    def to_gain(self):
        """Held-out less Bayes error of each node, as a fraction of all samples; 0 if tiny."""
        gains = (self._held_out_errors - self.bayes_errors()) * self._shares
        return np.where(gains >= self._least_gain, gains, 0.0)

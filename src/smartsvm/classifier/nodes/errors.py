"""Bayes errors of the problems at the nodes, estimated when they are asked for.

The trees' count is too large as long as samples are few, and a Bayes error read off it exceeds
what nodes reach. So the count is taken to ever more data where it matters: at nodes that have
more than a few samples on their wrong side.
"""

from __future__ import annotations

import numpy as np

from smartsvm._core.validation import tie_seed
from smartsvm.estimation.class_forest import ClassForest
from smartsvm.estimation.extrapolated_errors import extrapolated_split

# Less than this share of all samples is not worth a richer node, or a word.
WORTHWHILE = 0.0005


class NodeErrors:
    """What the nodes of a hierarchy could reach at best.

    Parameters
    ----------
    sample : (points, labels, options) or None
        Samples of all classes and the options of the `ClassForest` over them; None if no
        errors are wanted. They are forgotten once the errors are known.
    hierarchy : ClassHierarchy
        The binary problems.
    nodes : list of TrainedNode
        What the nodes reach, and how many samples each has.

    Notes
    -----
    Where next to no sample is wrong, where the count cannot be taken further, and in blocks
    (`memory_limit`) the estimate is the HP-estimate of the samples that there are. No estimate
    exceeds the left-out error.
    """

    def __init__(self, sample, hierarchy, nodes):
        self._sample, self._hierarchy = sample, hierarchy
        self._left_out_errors = np.array([node.left_out_error for node in nodes])
        self._shares = np.array([node.share for node in nodes])
        self._least_gain = max(WORTHWHILE, 1 / nodes[0].n_samples)
        self._found = None

    def bayes_errors(self):
        """Estimated Bayes errors, NaN without samples to estimate them from; computed once.

        Returns
        -------
        ndarray of shape (n_nodes,)
            One error per node.
        """
        if self._found is None:
            self._found = np.full(self._hierarchy.n_nodes, np.nan)
            if self._sample is not None:
                points, labels, options = self._sample
                self._estimate(ClassForest(points, labels, **options), options)
                self._sample = None
        return self._found.copy()

    def _estimate(self, forest, options):
        sides, children = self._hierarchy.sides, self._hierarchy.children
        worth = self._left_out_errors * self._shares > WORTHWHILE
        seed = tie_seed(options["random_state"])
        work = {"seed": seed, "n_jobs": options["n_jobs"], "verbose": 0}
        for node, codes, group in forest.node_groups(children, range(len(children))):
            right = sides[node, codes] > 0
            found = group.split_error(right)
            if worth[node] and forest.block_report is None:
                limit = extrapolated_split(forest, codes[~right], codes[right], **work)
                found = found if np.isnan(limit) else limit
            # A node that errs less has refuted the estimate.
            self._found[node] = min(found, self._left_out_errors[node])

    def to_gain(self):
        """Shares of all samples that perfect nodes would judge better; 0 where too few.

        Returns
        -------
        ndarray of shape (n_nodes,)
            Left-out errors less Bayes errors, as shares of all training samples.
        """
        gains = (self._left_out_errors - self.bayes_errors()) * self._shares
        return np.where(gains >= self._least_gain, gains, 0.0)

"""Bayes errors of the problems at the nodes, estimated when somebody asks for them."""

from __future__ import annotations

import numpy as np

from smartsvm.class_forest import ClassForest

# Less than this share of all samples is not worth a richer node, or a word.
WORTHWHILE = 0.0005


class NodeErrors:
    """What the nodes of a hierarchy could reach at best.

    Parameters
    ----------
    sample : (points, labels, options) or None
        Samples of all classes and the options of the `ClassForest` over them; None if no
        errors are to be told. They are forgotten once the errors are known.
    hierarchy : ClassHierarchy
        The binary problems.
    left_out_errors : ndarray of shape (n_nodes,)
        What the nodes reach.
    shares : ndarray of shape (n_nodes,)
        Share of all training samples that belong to each node.

    Notes
    -----
    The estimates are HP-estimates: exact for the samples that there are, and too large as long
    as those are few. A better estimate for ever more samples belongs into `bayes_errors`.
    """

    def __init__(self, sample, hierarchy, left_out_errors, shares):
        self._sample, self._hierarchy = sample, hierarchy
        self._left_out_errors, self._shares = left_out_errors, shares
        self._found = None

    def bayes_errors(self):
        """Estimated Bayes errors, NaN where next to no sample is wrong; computed once.

        Returns
        -------
        ndarray of shape (n_nodes,)
            One error a node.
        """
        if self._found is None:
            errors = np.full(self._hierarchy.n_nodes, np.nan)
            asked = np.flatnonzero(self._left_out_errors * self._shares > WORTHWHILE).tolist()
            if asked and self._sample is not None:
                points, labels, options = self._sample
                forest = ClassForest(points, labels, **options)
                for node, codes, group in forest.node_groups(self._hierarchy.children, asked):
                    errors[node] = group.split_error(self._hierarchy.sides[node, codes] > 0)
            self._found, self._sample = errors, None
        return self._found.copy()

    def to_gain(self):
        """Shares of all samples that perfect nodes would judge better; 0 where too few.

        Returns
        -------
        ndarray of shape (n_nodes,)
            Left-out errors less Bayes errors, as shares of all training samples.
        """
        gains = (self._left_out_errors - self.bayes_errors()) * self._shares
        return np.where(gains > WORTHWHILE, gains, 0.0)

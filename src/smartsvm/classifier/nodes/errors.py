"""Bayes errors of the nodes, and what better nodes could gain."""

import numpy as np

from smartsvm.estimation.class_forest import ClassForest
from smartsvm.estimation.extrapolated_errors import extrapolated_split

# Fraction of all samples: what gains less is not worth a richer node, or a note.
WORTHWHILE = 0.0005


def node_bayes_errors(sample, hierarchy, nodes):
    """Estimated Bayes error of each node, at most its held-out error; NaN without a sample.

    The sample has points, labels and options of a `ClassForest`.
    """
    errors = np.full(hierarchy.n_nodes, np.nan)
    if sample is None:
        return errors
    points, labels, options = sample
    forest = ClassForest(points, labels, **options)
    forest._warns = False  # of small classes: those of a subsample are
    for node in range(hierarchy.n_nodes):
        errors[node] = forest.split(*hierarchy.node_classes(node)).value
        mistakes = nodes[node].held_out_error * nodes[node].share
        if mistakes > WORTHWHILE and forest.block_report is None:
            # The trees of few samples have too many cross edges.
            left, right = (np.flatnonzero(hierarchy.sides[node] == side) for side in (-1, 1))
            limit = extrapolated_split(forest, left, right)
            errors[node] = errors[node] if np.isnan(limit) else limit
    # A node with a smaller error refutes the estimate.
    return np.minimum(errors, [node.held_out_error for node in nodes])


def possible_gains(bayes_errors, nodes):
    """Held-out less Bayes error of each node, as a fraction of all samples; 0 if tiny."""
    held_out = np.array([node.held_out_error for node in nodes])
    gains = (held_out - bayes_errors) * np.array([node.share for node in nodes])
    return np.where(gains >= max(WORTHWHILE, 1 / nodes[0].n_samples), gains, 0.0)

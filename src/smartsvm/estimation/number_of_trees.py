"""How many orthogonal trees: to make, to read bounds off, to count for small classes."""

from typing import NamedTuple

import numpy as np

# Up to this many columns three trees give better bounds than one; beyond, the longer
# edges of later trees cross classes that overlap less (benchmarks/report/trees.py).
MOST_AVERAGED_FEATURES = 3
AVERAGED_TREES = 3
# Ten trees find weaker signals than three; with more samples than this three find them, too.
TREES_FOR_TEST, MOST_FOR_TEN = 10, 5000


class ReportTrees(NamedTuple):
    """How many orthogonal trees a report makes."""

    made: int  # for all that is read off pairs and classes
    counted: int  # of these, the first ones, for the bounds
    tested: int  # for the test for any signal and the difficulty of samples


def trees_for_report(n_trees, n_samples, n_features):
    """As many trees as were asked for everywhere, or with "auto" as many as serve each best."""
    if n_trees != "auto":
        return ReportTrees(n_trees, n_trees, n_trees)
    tested = TREES_FOR_TEST if n_samples <= MOST_FOR_TEN else AVERAGED_TREES
    return ReportTrees(AVERAGED_TREES, trees_for_bounds(n_features), tested)


def trees_for_bounds(n_features):
    """How many orthogonal trees bounds of the Bayes error are best read off."""
    return AVERAGED_TREES if n_features <= MOST_AVERAGED_FEATURES else 1


def trees_to_count(smaller_class, spanning):
    """How many of the spanning trees of a problem are worth counting.

    A class of m points has m(m-1)/2 edges inside, so from the tree m/2 on further
    edges are forced to leave it: perfectly separated classes of 3 points look half
    confused in the third tree.
    """
    return np.clip(np.minimum(spanning, np.asarray(smaller_class) // 2), 1, None)

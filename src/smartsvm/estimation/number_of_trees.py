"""How many orthogonal trees to compute, and how many of them to count in."""

from typing import NamedTuple

import numpy as np

# With up to this many features, three trees give better bounds than one. With more, the longer
# edges of later trees cross between classes that do not overlap (benchmarks/report/trees.py).
MOST_AVERAGED_FEATURES = 3
AVERAGED_TREES = 3
# Trees of the signal test for up to 5,000 samples: ten detect weaker signals than three. With more
# samples three suffice.
TREES_FOR_TEST = 10
MOST_FOR_TEN = 5000
# A report, whose test has other statistics as well, takes ten for up to 2,000: with 5,000 samples
# they would take a quarter of its time.
_MOST_FOR_TEN_IN_REPORT = 2000


class ReportTrees(NamedTuple):
    """How many orthogonal trees a report computes."""

    made: int  # for pairs and classes
    counted: int  # the first of these, for the bounds
    tested: int  # for the signal test and the difficulty of samples
    averages_ties: bool  # whether counts are averaged over orders of tied edges


def trees_for_report(n_trees, n_samples, n_features):
    """The given number of trees throughout, or with "auto" the best number for each use."""
    if n_trees != "auto":
        return ReportTrees(n_trees, n_trees, n_trees, averages_ties=False)
    counted = trees_for_bounds(n_features)
    tested = TREES_FOR_TEST if n_samples <= _MOST_FOR_TEN_IN_REPORT else AVERAGED_TREES
    return ReportTrees(AVERAGED_TREES, counted, tested, averages_ties=True)


def trees_for_test(n_samples):
    """The number of orthogonal trees for a test of whether classes differ."""
    return TREES_FOR_TEST if n_samples <= MOST_FOR_TEN else AVERAGED_TREES


def trees_for_bounds(n_features):
    """The number of orthogonal trees that gives the best bounds of the Bayes error."""
    return AVERAGED_TREES if n_features <= MOST_AVERAGED_FEATURES else 1


def trees_to_count(smaller_class, spanning):
    """How many of the spanning trees of a problem to count in."""
    # A class of m points has only m(m-1)/2 inner edges, enough for m/2 trees. Later trees must
    # leave the class: separated classes of 3 points look half confused in the third tree.
    return np.clip(np.minimum(spanning, np.asarray(smaller_class) // 2), 1, None)

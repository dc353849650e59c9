"""How many orthogonal trees to compute, and how many of them to count in."""

from typing import NamedTuple

import numpy as np

from smartsvm._core.validation import check_int, warn
from smartsvm.presentation.wording import listed

# With up to this many features, three trees give better bounds than one. With more, the longer
# edges of later trees cross between classes that do not overlap (benchmarks/report/trees.py).
MOST_AVERAGED_FEATURES = 3
AVERAGED_TREES = 3
# Trees of the signal test of a report for up to 2,000 samples: ten detect more than three.
# With 5,000 samples they would take a quarter of its time, and it has other statistics as well.
TREES_FOR_TEST = 10
_MOST_FOR_TEN = 2000
# With more samples, in more than three columns, one tree does for both: the second and the third
# would take half of the time of a report on a wide table. On 30,000 rows of fars and shuttle, the
# intervals of the Bayes error are equal to three digits with one tree and with three.
_MOST_FOR_THREE = 20_000
# Samples below which a class raises a warning: later orthogonal trees run out of inner edges.
_SMALL_CLASS = 10
# Trees of a test of samples for up to 5,000 rows. They count less and less, and 20 of them detect
# weaker shifts and correlations than ten.
_TREES_FOR_SAMPLES = 20
_MOST_FOR_SAMPLES = 5000


class SmallClassWarning(UserWarning):
    """Some classes have too few samples for the number of trees, or for a precise estimate."""


class ReportTrees(NamedTuple):
    """How many orthogonal trees a report computes."""

    made: int  # for pairs and classes
    counted: int  # the first of these, for the bounds
    tested: int  # for the signal test and the difficulty of samples
    averages_ties: bool  # whether counts are averaged over orders of tied edges


def check_n_trees(n_trees):
    """Check the parameter `n_trees`: "auto", or an integer of at least 1."""
    if not isinstance(n_trees, str):
        return check_int(n_trees, "n_trees", least=1)
    if n_trees != "auto":
        raise ValueError(f'n_trees must be "auto" or an integer of at least 1, got {n_trees!r}.')
    return n_trees


def trees_for_report(n_trees, n_samples, n_features):
    """The given number of trees throughout, or with "auto" the best number for each use."""
    if n_trees != "auto":
        return ReportTrees(n_trees, n_trees, n_trees, averages_ties=False)
    counted = trees_for_bounds(n_features)
    made = AVERAGED_TREES if n_samples <= _MOST_FOR_THREE else counted
    tested = TREES_FOR_TEST if n_samples <= _MOST_FOR_TEN else made
    return ReportTrees(made, counted, tested, averages_ties=True)


def trees_for_samples(n_rows):
    """The number of orthogonal trees for a test of whether samples differ."""
    return _TREES_FOR_SAMPLES if n_rows <= _MOST_FOR_SAMPLES else AVERAGED_TREES


def trees_for_bounds(n_features):
    """The number of orthogonal trees that gives the best bounds of the Bayes error."""
    return AVERAGED_TREES if n_features <= MOST_AVERAGED_FEATURES else 1


def trees_to_count(smaller_class, spanning):
    """How many of the spanning trees of a problem to count in."""
    # A class of m points has only m(m-1)/2 inner edges, enough for m/2 trees. Later trees must
    # leave the class: separated classes of 3 points look half confused in the third tree.
    return np.clip(np.minimum(spanning, np.asarray(smaller_class) // 2), 1, None)


def warn_of_small_classes(classes, class_counts, n_trees, n_counted):
    """Warn about classes of few samples, and problems that count in fewer than `n_trees` trees."""
    small = class_counts < _SMALL_CLASS
    n_counted = np.asarray(n_counted)
    reduced = n_counted[(n_counted > 0) & (n_counted < n_trees)]
    message = []
    if small.any():
        pairs = zip(classes[small].tolist(), class_counts[small].tolist(), strict=True)
        shown = listed([f"{label!r} ({count})" for label, count in pairs], 5)
        message.append(f"y has classes of fewer than {_SMALL_CLASS} samples: {shown}")
    if reduced.size:
        message.append(
            f"n_trees={n_trees} is too many for some problems, which average as few as "
            f"{reduced.min()} (see n_trees of the result)"
        )
    if message:
        warn("; ".join(message) + ".", SmallClassWarning)

"""Each case once: what rules reach and what ever more data would give, without copies of rows.

A copy of a sample answers for it, whatever the rule, and every left-out error is too small.
So where rows are repeated that would not coincide by chance, one of each is looked at.
"""

from __future__ import annotations

import numpy as np

from smartsvm.extrapolation import cross_limit
from smartsvm.forest import SpanningForest
from smartsvm.neighbors import ladder_for, leave_one_out, neighbor_labels
from smartsvm.report.reached import reached_errors
from smartsvm.report.recall import class_recalls
from smartsvm.report.rules import Trials

_N_TREES = 3
_LEAST = 8  # samples, of which a report can be made
_FEW_VALUES = 0.5  # of the number of different rows: a column with fewer values is discrete


def one_of_each(points, codes, cases):
    """Rows of the first of all samples with the same values, or of one case, and the same class.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_features)
        The points.
    codes : ndarray of shape (n_samples,)
        Class of each point.
    cases : ndarray of int of shape (n_samples,)
        Number of each sample's case, from `near_copies`.

    Returns
    -------
    ndarray of int or None
        Rising row numbers; None if all samples differ, if most columns take so few values that
        rows coincide by chance and repeated rows are cases of their own, or if fewer than eight
        are left.
    """
    both = np.column_stack([points, codes])
    _, first = np.unique(both, axis=0, return_index=True)
    first.sort()
    first = first[np.unique([cases[first], codes[first]], axis=1, return_index=True)[1]]
    n = len(first)
    if n == len(points):
        return None
    few = [len(np.unique(column)) < _FEW_VALUES * n for column in points.T]
    return None if 2 * sum(few) >= len(few) or n < _LEAST else np.sort(first)


def evidence_once(points, codes, rules, z, *, seed, n_jobs=None, verbose=0):
    """What rules reach, and the limit of the share of cross edges.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_features)
        Points, none twice.
    codes : ndarray of shape (n_samples,)
        Class of each point, none empty.
    rules : sequence of str
        Rules to try.
    z : float
        Standard errors that an interval reaches to each side.
    seed : int
        Seed of all that is random.
    n_jobs : int or None, default=None
        Threads.
    verbose : int, default=0
        1 shows progress on standard error.

    Returns
    -------
    reached : Reached
        Errors and intervals.
    recall : Recall
        The same if all classes count alike.
    limit : CrossLimit
        For ever more data.
    """
    n_classes, ladder = int(codes.max()) + 1, ladder_for(len(codes))
    work = {"seed": seed, "n_jobs": n_jobs, "verbose": verbose}
    neighbors = neighbor_labels(points, codes, int(ladder[-1]), **work)
    votes = leave_one_out(neighbors, codes, n_classes, ladder)
    trials = Trials(points, codes, votes, rules, seed=seed, n_jobs=n_jobs)
    reached = reached_errors(trials, z, seed)
    recall = class_recalls(trials, codes, n_classes, z, seed)
    trees = SpanningForest(points, codes, n_trees=_N_TREES, seed=seed, n_jobs=n_jobs)
    return reached, recall, cross_limit(points, codes, n_classes, trees.whole(), **work)

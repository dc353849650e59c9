"""Samples that are copies of each other, or nearly so, and one of each.

A copy of a sample answers for it, whatever the classifier, and every left-out error is too small.
So where rows are repeated that would not coincide by chance, classifiers see one of each.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

# A copy is this many times nearer than the next neighbour that is not one. Among independent
# samples one in a thousand has such a neighbour in one dimension, far fewer in more.
_GAP = 1e-3
_ROUNDED_GAP = 2 * _GAP  # distances are rounded
_BLOCK_NUMBERS = 2**21  # in the largest temporary array
_LEAST = 8  # samples that a report needs
_FEW_VALUES = 0.5  # of the number of different rows: a column with fewer values is discrete


def near_copies(points, nearest):
    """Which samples are copies of each other, or nearly so.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_features)
        The points.
    nearest : ndarray of shape (n_samples, k)
        Rows of the nearest neighbours of each point, the nearest first.

    Returns
    -------
    share : float
        Samples that have a near copy, over all; equal rows do not count.
    cases : ndarray of int of shape (n_samples,) or None
        Number of each sample's case: copies of each other, equal rows included, have one. None
        if no two samples are copies of each other.

    Notes
    -----
    A sample has near copies if some of its neighbours, at a distance above 0, are a thousand
    times nearer than the next one. As many as k copies of a sample are not seen.
    """
    n, k = nearest.shape
    step = max(1, _BLOCK_NUMBERS // (k * points.shape[1]))
    found, links, are_equal = 0, [], False
    for start in range(0, n, step):
        rows = np.arange(start, min(start + step, n))
        ends = _lengths(points, rows, nearest[rows][:, [0, -1]])
        are_equal |= not ends[:, 0].all()
        # A gap makes the first neighbour so much nearer than the last one; hardly any sample's is.
        rows = rows[ends[:, 0] < _ROUNDED_GAP * ends[:, 1]]
        lengths = _lengths(points, rows, nearest[rows])
        near, next_one = lengths[:, :-1], lengths[:, 1:]
        gap = near < _GAP * next_one
        found += np.count_nonzero((gap & (near > 0)).any(axis=1))
        copies = np.logical_or.accumulate(gap[:, ::-1], axis=1)[:, ::-1]  # all before a gap
        row, place = np.nonzero(copies)
        links.append(np.stack([rows[row], nearest[rows[row], place]]))
    joined = np.concatenate(links, axis=1)
    if not joined.size and not are_equal:
        return 0.0, None
    graph = coo_matrix((np.ones(joined.shape[1], dtype=bool), joined), (n, n))
    return found / n, connected_components(graph, directed=False)[1]


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


def _lengths(points, rows, others):
    """Distances of rows from some others each."""
    away = points[others] - points[rows, None]
    return np.sqrt(np.einsum("ijk,ijk->ij", away, away))

"""Samples that are copies of each other, or nearly so, and one of each.

A copy of a sample gives its label away to every classifier, and held-out errors are too small. So
where rows are repeated that would not coincide by chance, classifiers see one of each.
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
_FEW_VALUES = 0.5  # of the number of distinct rows: a column with fewer values is discrete


def near_copies(points, nearest):
    """The fraction of samples with a near copy, and a number for each case with all its copies.

    A sample has near copies if some of its neighbours, at a distance above 0, are a thousand times
    nearer than the next one. Equal rows belong to one case, but do not count in the fraction. The
    cases are None if no two samples are copies. k or more copies of one sample are not recognised.
    """
    n, k = nearest.shape
    step = max(1, _BLOCK_NUMBERS // (k * points.shape[1]))
    n_copied, links, are_equal = 0, [], False
    for start in range(0, n, step):
        rows = np.arange(start, min(start + step, n))
        ends = _lengths(points, rows, nearest[rows][:, [0, -1]])
        are_equal |= not ends[:, 0].all()
        # Only where the first neighbour is that much nearer than the last one can there be a gap.
        rows = rows[ends[:, 0] < _ROUNDED_GAP * ends[:, 1]]
        lengths = _lengths(points, rows, nearest[rows])
        near, next_one = lengths[:, :-1], lengths[:, 1:]
        gap = near < _GAP * next_one
        n_copied += np.count_nonzero((gap & (near > 0)).any(axis=1))
        copies = np.logical_or.accumulate(gap[:, ::-1], axis=1)[:, ::-1]  # all before a gap
        row, place = np.nonzero(copies)
        links.append(np.stack([rows[row], nearest[rows[row], place]]))
    pairs = np.concatenate(links, axis=1)
    if not pairs.size and not are_equal:
        return 0.0, None
    graph = coo_matrix((np.ones(pairs.shape[1], dtype=bool), pairs), (n, n))
    return n_copied / n, connected_components(graph, directed=False)[1]


def one_of_each(points, codes, cases):
    """Rows of the first sample of each case and class, or None if all samples are kept.

    That is so if all differ, if most columns take so few values that rows coincide by chance, or if
    fewer than eight would remain.
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

"""Samples that are copies of each other, exact or nearly so."""

from __future__ import annotations

import numpy as np

# A copy is so many times nearer than the next neighbour that is none. Among independent
# samples one in a thousand has such a neighbour in one dimension, far fewer in more.
_GAP = 1e-3
_LOOKED_AT = 4000  # samples by which columns are called discrete
_BLOCK_NUMBERS = 2**21  # in the largest temporary array


def copy_share(points, nearest):
    """Share of the samples that have a copy.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_features)
        The points.
    nearest : ndarray of shape (n_samples, k)
        Rows of the nearest neighbours of each point, the nearest first.

    Returns
    -------
    float
        Between 0 and 1. Equal rows count only if most columns take so many values that rows
        do not coincide by chance.

    Notes
    -----
    A sample has copies if some of its neighbours are a thousand times nearer than the
    next one. As many as k copies of a sample are not seen, unless they are exact.
    """
    n, k = nearest.shape
    coincide = _is_discrete(points)
    step = max(1, _BLOCK_NUMBERS // (k * points.shape[1]))
    found = 0
    for start in range(0, n, step):
        rows = slice(start, start + step)
        away = points[nearest[rows]] - points[rows, None]
        lengths = np.sqrt(np.einsum("ijk,ijk->ij", away, away))
        copied = (lengths[:, :-1] < _GAP * lengths[:, 1:]).any(axis=1)
        exact = lengths[:, 0] == 0
        found += np.count_nonzero(copied & ~exact if coincide else copied | exact)
    return found / n


def _is_discrete(points):
    """Whether most columns take far fewer values than there are different rows."""
    some = points[:: 1 + len(points) // _LOOKED_AT]
    n_rows = len(np.unique(some, axis=0))
    few = [2 * len(np.unique(column)) < n_rows for column in some.T]
    return 2 * sum(few) >= len(few)

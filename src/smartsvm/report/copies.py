"""Samples that are nearly copies of each other."""

from __future__ import annotations

import numpy as np

# A copy is so many times nearer than the next neighbour that is none. Among independent
# samples one in a thousand has such a neighbour in one dimension, far fewer in more.
_GAP = 1e-3
_BLOCK_NUMBERS = 2**21  # in the largest temporary array


def copy_share(points, nearest):
    """Share of the samples that have a near copy.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_features)
        The points.
    nearest : ndarray of shape (n_samples, k)
        Rows of the nearest neighbours of each point, the nearest first.

    Returns
    -------
    float
        Between 0 and 1. Equal rows do not count.

    Notes
    -----
    A sample has near copies if some of its neighbours, at a distance above 0, are a thousand
    times nearer than the next one. As many as k copies of a sample are not seen.
    """
    n, k = nearest.shape
    step = max(1, _BLOCK_NUMBERS // (k * points.shape[1]))
    found = 0
    for start in range(0, n, step):
        rows = slice(start, start + step)
        away = points[nearest[rows]] - points[rows, None]
        lengths = np.sqrt(np.einsum("ijk,ijk->ij", away, away))
        near, next_one = lengths[:, :-1], lengths[:, 1:]
        found += np.count_nonzero(((near > 0) & (near < _GAP * next_one)).any(axis=1))
    return found / n

"""Parts of a data set with its classes in proportion."""

from __future__ import annotations

import numpy as np


def stratified_rows(codes, size, seed):
    """Rows of a random subsample with the classes in proportion, none of them lost.

    Parameters
    ----------
    codes : ndarray of shape (n_samples,)
        Class of each sample, 0 to K-1, each of them present.
    size : int
        Rows to take, at least one for each class.
    seed : int
        Seed of the choice.

    Returns
    -------
    ndarray of int
        Rising row numbers: all of them if `size` is not less.
    """
    n = len(codes)
    if size >= n:
        return np.arange(n)
    counts = np.bincount(codes)
    share = counts * (size / n)
    taken = np.maximum(np.floor(share).astype(np.intp), 1)
    left = size - taken.sum()
    if left > 0:
        taken[np.argsort(-(share - taken), kind="stable")[:left]] += 1
    shuffled = np.random.default_rng(seed).permutation(n)
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    place = np.arange(n) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.sort(by_class[place < np.repeat(taken, counts)])

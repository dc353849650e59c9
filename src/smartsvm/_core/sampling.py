"""Stratified subsamples, drawn by a seed or by the content of the rows."""

import numpy as np


def rows_by_class(codes):
    """All rows sorted by class, in their order within each class."""
    # numpy sorts 16-bit integers in linear time, ten times as fast.
    return np.argsort(codes.astype(np.uint16) if codes.max() < 2**16 else codes, kind="stable")


def shuffled_by_class(codes, seed):
    """All rows sorted by class, in random order within each class."""
    shuffled = np.random.default_rng(seed).permutation(len(codes))
    return shuffled[rows_by_class(codes[shuffled])]


def rows_of_classes(codes, sizes, seed):
    """Random rows, `sizes[k]` of class k, in increasing order."""
    counts = np.bincount(codes)
    place = np.arange(len(codes)) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.sort(shuffled_by_class(codes, seed)[place < np.repeat(sizes, counts)])


def stratified_rows(codes, size, seed):
    """Rows of a random subsample with classes in proportion and none of them missing."""
    n = len(codes)
    if size >= n:
        return np.arange(n)
    counts = np.bincount(codes)
    share = counts * (size / n)
    taken = np.maximum(np.floor(share).astype(np.intp), 1)
    n_missing = size - taken.sum()
    if n_missing > 0:
        taken[np.argsort(-(share - taken), kind="stable")[:n_missing]] += 1
    return rows_of_classes(codes, taken, seed)


def content_order(points, classes=None):
    """All rows in an order that looks random, but depends on nothing but their content.

    What is drawn in this order moves neither with the seed nor with the order of the rows. Equal
    rows follow each other before the shuffle, by `classes` if these are given: which of them is
    drawn makes no difference.
    """
    d = points.shape[1]
    for n_columns in sorted({1, min(d, 8), d}):  # the first column decides, unless values repeat
        leading = points[:, :n_columns]
        keys = leading.T[::-1] if classes is None else [classes, *leading.T[::-1]]
        order = np.lexsort(keys)
        if not (leading[order[1:]] == leading[order[:-1]]).all(axis=1).any():
            break
    # A fixed seed: neighbours in the sorted order must not be dealt out in turn.
    return order[np.random.default_rng(0).permutation(len(points))]


def content_order_by_class(points, codes):
    """The rows in `content_order`, sorted by class; classes are sorted by size and means."""
    counts = np.maximum(np.bincount(codes), 1)
    means = (np.bincount(codes, weights=column) / counts for column in points.T)
    rank = np.argsort(np.lexsort([*means, counts]))[codes]
    order = content_order(points, rank)
    return order[np.argsort(rank[order], kind="stable")]

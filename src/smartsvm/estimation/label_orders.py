"""Random orders of the labels, for permutation tests."""

from itertools import islice

import numpy as np

ORDERS_AT_ONCE = 64  # labels of a row in so many orders fill one line of the cache


def orders_of(codes, number, groups, *, seed):
    """Labels in `number` random orders, shape (n, number); groups are permuted as wholes."""
    draws = random_orders(codes, groups, seed)
    out = np.empty((number, len(codes)), dtype=codes.dtype)
    for place, shuffled in enumerate(islice(draws, number)):
        out[place] = shuffled
    return np.ascontiguousarray(out.T)


def random_orders(codes, groups, seed):
    """Labels in one random order after another, without end; groups are permuted as wholes."""
    random = np.random.default_rng(seed)
    return shuffles(codes, random) if groups is None else group_shuffles(codes, groups, random)


def batches(number, seed):
    """Numbers of orders, at most 64 each, with a seed of its own for each batch."""
    sizes = [min(ORDERS_AT_ONCE, number - done) for done in range(0, number, ORDERS_AT_ONCE)]
    return list(zip(sizes, np.random.SeedSequence(seed).spawn(len(sizes)), strict=True))


def shuffles(codes, random):
    """The labels in one random order after another."""
    shuffled = codes.astype(np.intp)  # numpy shuffles these twice as fast as bytes
    while True:
        random.shuffle(shuffled)
        yield shuffled.astype(codes.dtype)


def group_shuffles(codes, groups, random):
    """Each group gets the labels of another group, repeated as often as needed."""
    order = np.argsort(groups, kind="stable")
    sizes = np.bincount(groups)
    begins = np.cumsum(sizes) - sizes
    place = np.empty(len(codes), dtype=np.intp)  # of each sample within its group
    place[order] = np.arange(len(codes)) - np.repeat(begins, sizes)
    while True:
        partner = random.permutation(len(sizes))[groups]
        yield codes[order[begins[partner] + place % sizes[partner]]]

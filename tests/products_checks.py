"""The products kernel against Prim's algorithm: checks and point sets that several tests share."""

import numpy as np
import oracle

from smartsvm._mst.prim.prim import prim_points
from smartsvm._mst.products import products

SEED = 11


def assert_same_forests(found, wanted):
    edges, squared, sizes = found
    edges_wanted, squared_wanted, sizes_wanted = wanted
    assert list(sizes) == list(sizes_wanted)
    assert oracle.edge_sets(edges, sizes) == oracle.edge_sets(edges_wanted, sizes_wanted)
    ends = np.cumsum(sizes)[:-1]
    for part, part_wanted in zip(
        np.split(squared, ends), np.split(squared_wanted, ends), strict=True
    ):
        np.testing.assert_array_equal(np.sort(part), np.sort(part_wanted))


def check_set(X, n_trees=1, n_threads=1, ids=None, seed=SEED, basis=None):
    X = np.ascontiguousarray(X, dtype=np.float64)
    ids = np.arange(len(X), dtype=np.uint32) if ids is None else ids
    found = products.forests(products.index(X, ids, n_threads, basis), seed, n_trees, n_threads)
    assert_same_forests(found, prim_points(X, ids, seed, n_trees))
    assert found[0].dtype == np.uint32
    assert found[1].dtype == np.float64
    assert found[2].dtype == np.intp


def check_pair(X, in_a, n_trees=1, n_threads=1, seed=SEED, basis=None):
    X = np.ascontiguousarray(X, dtype=np.float64)
    ids = np.random.default_rng(len(X)).permutation(len(X)).astype(np.uint32)
    sides = [np.flatnonzero(in_a), np.flatnonzero(~in_a)]
    indexes = [
        products.index(np.ascontiguousarray(X[rows]), ids[rows], n_threads, basis) for rows in sides
    ]
    within = [products.forests(index, seed, n_trees, n_threads)[:2] for index in indexes]
    found = products.pair_forests(*indexes, *within, seed, n_trees, n_threads)
    order = np.concatenate(sides)
    assert_same_forests(
        found, prim_points(np.ascontiguousarray(X[order]), ids[order], seed, n_trees)
    )


def random_points(kind, n, d, rng):
    if kind == "uniform":
        return rng.random((n, d))
    if kind == "lattice":
        return rng.integers(0, 3, (n, d)).astype(float)
    if kind == "one-hot":
        return np.eye(4)[rng.integers(0, 4, (n, -(-d // 4)))].reshape(n, -1)[:, :d]
    if kind == "duplicates":
        return rng.random((max(1, n // 5), d))[rng.integers(0, max(1, n // 5), n)]
    if kind == "few sites":
        return rng.random((3, d))[rng.integers(0, 3, n)]
    if kind == "equal":
        return np.full((n, d), 0.1)
    if kind == "simplex":
        return np.eye(n)[:, : max(d, n)]
    if kind == "collinear":
        return rng.integers(0, 2 * n, (n, 1)) * rng.normal(size=d)
    if kind == "constant columns":
        return np.hstack([rng.random((n, 1)), np.full((n, d - 1), 7.3)])
    if kind == "far clusters":
        return rng.random((n, d)) + 1e8 * rng.integers(0, 3, (n, 1))
    if kind == "offset":
        return rng.random((n, d)) + 1e8
    if kind == "tight clusters":
        return rng.random((5, d))[rng.integers(0, 5, n)] + 1e-7 * rng.normal(size=(n, d))
    if kind == "outlier":
        X = rng.random((n, d))
        X[0] = 1e12
        return X
    if kind == "many scales":
        return rng.normal(size=(n, d)) * 10.0 ** rng.integers(-30, 30, (n, 1))
    if kind == "large":
        return rng.normal(size=(n, d)) * 1e150
    if kind == "small":
        return rng.normal(size=(n, d)) * 1e-140
    if kind == "vanishing":
        # Differences whose squares are zero between points that are not equal.
        return rng.integers(0, 2, (n, d)) * 1e-170 + rng.integers(0, 2, (n, d))
    if kind == "signed zeros":
        return rng.integers(0, 2, (n, d)) * rng.choice([-1.0, 1.0], (n, d))
    raise ValueError(kind)


KINDS = [
    "uniform",
    "lattice",
    "one-hot",
    "duplicates",
    "few sites",
    "equal",
    "simplex",
    "collinear",
    "constant columns",
    "far clusters",
    "offset",
    "tight clusters",
    "outlier",
    "many scales",
    "large",
    "small",
    "vanishing",
    "signed zeros",
]

"""Trees by mutual reachability, and nearest neighbours: every kernel against brute force."""

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, point_sets, seeds

from smartsvm._mst.kdtree import kdtree
from smartsvm._mst.prim import prim
from smartsvm._mst.products import products

KERNELS = {"prim": prim, "kdtree": kdtree, "products": products}


def edges_to_lengths(edges, lengths, sizes):
    """One dictionary a forest."""
    pairs = list(zip(map(tuple, np.sort(edges, axis=1).tolist()), lengths.tolist(), strict=True))
    ends = np.cumsum(sizes).tolist()
    return [dict(pairs[a:b]) for a, b in zip([0, *ends], ends, strict=False)]


def brute_force(X, k, seed, n_trees, ids=None):
    """The cores, and one dictionary a forest."""
    core, listed = oracle.mutual_edges(X, k, seed, ids)
    forests = oracle.peel(listed, len(X), n_trees)
    return core, [{(i, j): length for (length, _), _, i, j in forest} for forest in forests]


def check_trees(kernel, X, k, seed, n_trees, n_threads, ids=None, wanted=None):
    """A kernel has the cores, edges and lengths of brute force, ties included."""
    ids = np.arange(len(X), dtype=np.uint32) if ids is None else ids
    *found, core = kernel.mutual_forests(
        kernel.index(X, ids, n_threads), seed, n_trees, k, n_threads
    )
    wanted_core, forests = wanted or brute_force(X, k, seed, n_trees, ids)
    assert np.array_equal(core, wanted_core)
    assert edges_to_lengths(*found) == forests


@examples(30)
@given(
    X=point_sets(least=2, most=40),
    seed=seeds,
    k=st.integers(1, 39),
    n_trees=st.integers(1, 4),
    n_threads=st.sampled_from([1, 1, 2]),
    data=st.data(),
)
@pytest.mark.parametrize("name", KERNELS)
def test_small_sets_against_brute_force(name, X, seed, k, n_trees, n_threads, data):
    ids = np.array(data.draw(st.permutations(range(2 * len(X)))), dtype=np.uint32)[: len(X)]
    check_trees(KERNELS[name], X, min(k, len(X) - 1), seed, n_trees, n_threads, ids)


SHAPES = {
    "uniform": lambda r, n, d: r.random((n, d)),
    "clusters": lambda r, n, d: r.normal(size=(n, d)) + 50 * r.integers(0, 4, size=(n, 1)),
    "noise around a cluster": lambda r, n, d: (
        r.normal(size=(n, d)) * np.where(r.random((n, 1)) < 0.9, 0.01, 1)
    ),
    "heavy tails": lambda r, n, d: r.standard_cauchy((n, d)),
    "lattice": lambda r, n, d: r.integers(0, 4, size=(n, d)).astype(float),
    "copies": lambda r, n, d: r.normal(size=(n, d))[r.integers(0, n // 3, n)],
    "few sites": lambda r, n, d: r.normal(size=(n, d))[r.integers(0, 5, n)],
    "one point": lambda r, n, d: np.ones((n, d)),
    "underflow": lambda r, n, d: r.integers(0, 3, (n, d)) * 1e-200,
    "line": lambda r, n, d: r.integers(-9, 9, (n, 1)) * r.normal(size=(1, d)),
}


@pytest.mark.parametrize("k", [1, 6, 70])
@pytest.mark.parametrize("shape", SHAPES)
def test_larger_sets_against_brute_force(shape, k):
    # Lists of neighbours end before the components do, and before the core of 70 neighbours.
    for d, n_trees in ((2, 3), (17, 2)):
        X = np.ascontiguousarray(SHAPES[shape](np.random.default_rng([k, d]), 150, d))
        wanted = brute_force(X, k, 5, n_trees)
        for kernel in KERNELS.values():
            check_trees(kernel, X, k, 5, n_trees, 2, wanted=wanted)


@examples(30)
@given(
    X=point_sets(least=2, most=40),
    seed=seeds,
    k=st.integers(1, 39),
    n_threads=st.sampled_from([1, 1, 2]),
)
@pytest.mark.parametrize("name", KERNELS)
def test_neighbors_against_brute_force(name, X, seed, k, n_threads):
    k, ids = min(k, len(X) - 1), np.arange(len(X), dtype=np.uint32)
    kernel = KERNELS[name]
    rows, squared = kernel.neighbors(kernel.index(X, ids, n_threads), seed, k, n_threads)
    wanted_rows, wanted = oracle.nearest(X, k, seed)
    assert np.array_equal(rows, wanted_rows)
    assert np.array_equal(squared, wanted)


@pytest.mark.parametrize("shape", SHAPES)
def test_kernels_agree_where_blocks_and_leaves_are_many(shape):
    X = np.ascontiguousarray(SHAPES[shape](np.random.default_rng(3), 3000, 6))
    ids = np.arange(len(X), dtype=np.uint32)
    found = {}
    for name, kernel in KERNELS.items():
        *forests, core = kernel.mutual_forests(kernel.index(X, ids, 2), 7, 2, 9, 2)
        rows, squared = kernel.neighbors(kernel.index(X, ids, 2), 7, 9, 2)
        found[name] = (edges_to_lengths(*forests), core.tolist(), rows.tolist(), squared.tolist())
    assert found["kdtree"] == found["prim"]
    assert found["products"] == found["prim"]

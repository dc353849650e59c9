"""Whatever vectors the processor has, the trees are the same, bit for bit."""

import numpy as np
import oracle
import pytest

from smartsvm._mst.common import vector_loops
from smartsvm._mst.kdtree import kdtree
from smartsvm._mst.prim import prim
from smartsvm._mst.products import products

KINDS = {
    "normal": lambda r, n, d: r.normal(size=(n, d)),
    "skewed": lambda r, n, d: r.random((n, d)) ** 8 * 10.0 ** r.integers(-3, 4, d),
    "lattice": lambda r, n, d: r.integers(0, 4, (n, d)).astype(float),
    "rounded": lambda r, n, d: np.round(r.normal(size=(n, d)), 1),
    "one-hot": lambda r, n, d: np.eye(d)[r.integers(0, d, n)],
}


@pytest.fixture
def every_loop():
    """Kinds of loops that this processor runs, each taken in turn."""

    def turns():
        for name in vector_loops.runnable():
            vector_loops.take(name)
            yield name

    yield turns
    vector_loops.take(vector_loops.runnable().pop())


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 7, 8, 10, 11, 19])
@pytest.mark.parametrize("kind", KINDS)
def test_trees_of_brute_force(every_loop, kind, d):
    random = np.random.default_rng(d)
    for n in (5, 33, 90):
        X = np.ascontiguousarray(KINDS[kind](random, n, d))
        ids = random.permutation(2 * n)[:n].astype(np.uint32)
        peeled = oracle.peel(oracle.sorted_edges(X, 7, ids), n, 2)
        wanted = [{tuple(sorted(edge[-2:])) for edge in tree} for tree in peeled]
        for loops in every_loop():
            for kernel in (prim, kdtree, products):
                edges, squared, sizes = kernel.forests(kernel.index(X, ids), 7, 2, 1)
                assert oracle.edge_sets(edges, sizes) == wanted, (loops, kernel)
                i, j = edges.T
                lengths = oracle.sum_of_lanes(X[i].T, X[j].T)
                assert np.array_equal(lengths, squared), (loops, kernel)


@pytest.mark.parametrize("d", [3, 10, 64, 200])
@pytest.mark.parametrize("kind", KINDS)
def test_tiles_of_many_points(every_loop, kind, d):
    """Many blocks; of the last ones one has a single panel, and one an odd number of them."""
    random = np.random.default_rng(d)
    for n in (773, 1476):
        X = np.ascontiguousarray(KINDS[kind](random, n, d))
        ids = random.permutation(2 * n)[:n].astype(np.uint32)
        for loops in every_loop():
            found, wanted = (
                kernel.forests(kernel.index(X, ids), 7, 2, 1) for kernel in (products, prim)
            )
            trees = [oracle.edge_sets(edges, sizes) for edges, _, sizes in (found, wanted)]
            assert trees[0] == trees[1], loops


def test_unknown_kinds_are_refused():
    with pytest.raises(ValueError, match="name must be one of"):
        vector_loops.take("mmx")

"""Whatever vectors the processor has, the trees are the same, bit for bit."""

import numpy as np
import oracle
import pytest

from smartsvm._mst import blocked, boruvka, prim
from smartsvm._mst.common import vector_loops

KINDS = {
    "normal": lambda r, n, d: r.normal(size=(n, d)),
    "skewed": lambda r, n, d: r.random((n, d)) ** 8 * 10.0 ** r.integers(-3, 4, d),
    "lattice": lambda r, n, d: r.integers(0, 4, (n, d)).astype(float),
    "rounded": lambda r, n, d: np.round(r.normal(size=(n, d)), 1),
    "one-hot": lambda r, n, d: np.eye(d)[r.integers(0, d, n)],
}


@pytest.fixture(params=vector_loops.runnable())
def _kind(request):
    vector_loops.take(request.param)
    yield
    vector_loops.take(vector_loops.runnable().pop())


@pytest.mark.usefixtures("_kind")
@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 7, 8, 10, 11, 19])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("kernel", [prim, boruvka, blocked])
def test_trees_of_brute_force(kernel, kind, d):
    random = np.random.default_rng(d)
    for n in (5, 33, 90):
        X = np.ascontiguousarray(KINDS[kind](random, n, d))
        ids = random.permutation(2 * n)[:n].astype(np.uint32)
        edges, squared, sizes = kernel.forests(kernel.index(X, ids), 7, 2, 1)
        wanted = oracle.peel(oracle.sorted_edges(X, 7, ids), n, 2)
        assert oracle.edge_sets(edges, sizes) == [
            {tuple(sorted(edge[-2:])) for edge in tree} for tree in wanted
        ]
        i, j = edges.T
        assert np.array_equal(oracle.sum_of_lanes(X[i].T, X[j].T), squared)


@pytest.mark.usefixtures("_kind")
@pytest.mark.parametrize("d", [3, 10, 64, 200])
@pytest.mark.parametrize("kind", KINDS)
def test_tiles_of_many_points(kind, d):
    """Many blocks; of the last ones one has a single panel, and one an odd number of them."""
    random = np.random.default_rng(d)
    for n in (773, 1476):
        X = np.ascontiguousarray(KINDS[kind](random, n, d))
        ids = random.permutation(2 * n)[:n].astype(np.uint32)
        found, wanted = (
            kernel.forests(kernel.index(X, ids), 7, 2, 1) for kernel in (blocked, prim)
        )
        assert oracle.edge_sets(found[0], found[2]) == oracle.edge_sets(wanted[0], wanted[2])


def test_unknown_kinds_are_refused():
    with pytest.raises(ValueError, match="name must be one of"):
        vector_loops.take("mmx")

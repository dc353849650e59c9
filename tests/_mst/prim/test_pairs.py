"""Many small pairs at once: the trees of each are those of its points from scratch."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import point_sets, seeds

from smartsvm._core.points import Points
from smartsvm._mst.common import vector_loops
from smartsvm._mst.prim import prim
from smartsvm._mst.prim.pairs import Sets
from smartsvm.trees.in_memory.class_trees import SpanningForest


def sets_of(X, sizes, ids, seed, n_trees):
    starts = np.append(0, np.cumsum(sizes))
    within = [
        prim.prim_points(X[lo:hi].copy(), ids[lo:hi].copy(), seed, n_trees)[:2]
        for lo, hi in pairwise(starts.tolist())
    ]
    return Sets(X, starts, ids, within, seed, n_trees), starts


def trees(rows, edges, squared, sizes):
    """Each tree as a set of (row, row, squared length)."""
    ends = np.sort(rows[edges], axis=1).tolist()
    found = [(*pair, length) for pair, length in zip(ends, squared.tolist(), strict=True)]
    stops = np.cumsum(sizes).tolist()
    return [
        set(found[stop - size : stop]) for size, stop in zip(sizes.tolist(), stops, strict=True)
    ]


@pytest.mark.parametrize("kind", vector_loops.runnable())
@given(
    X=point_sets(least=3, most=60, most_features=20),
    seed=seeds,
    n_trees=st.integers(1, 4),
    n_sets=st.integers(2, 5),
    shuffle=st.integers(0, 99),
)
def test_each_pair_has_the_trees_of_its_points(kind, X, seed, n_trees, n_sets, shuffle):
    random = np.random.default_rng(shuffle)
    n_sets = min(n_sets, len(X))
    # Sets of any size from one point on, whose forests may not be trees.
    cuts = np.sort(random.choice(np.arange(1, len(X)), n_sets - 1, replace=False))
    sizes = np.diff(np.concatenate([[0], cuts, [len(X)]]))
    ids = random.permutation(len(X)).astype(np.uint32)
    sets, starts = sets_of(X, sizes, ids, seed, n_trees)
    pairs = np.array([(a, b) for a in range(n_sets) for b in range(n_sets) if a != b])
    try:
        vector_loops.take(kind)
        edges, squared, found = sets.forests(pairs)
    finally:
        vector_loops.take(vector_loops.runnable().pop())
    assert len(edges) == len(squared) == found.sum()
    stops = np.cumsum(found.sum(axis=1))
    for (a, b), sizes_, stop in zip(pairs.tolist(), found, stops.tolist(), strict=True):
        rows = np.concatenate([np.arange(starts[c], starts[c + 1]) for c in (a, b)])
        own = slice(stop - sizes_.sum(), stop)
        scratch = prim.prim_points(X[rows], ids[rows], seed, n_trees)
        mine = trees(np.arange(len(X)), edges[own], squared[own], sizes_)
        assert mine == trees(rows, *scratch)


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_small_and_large_pairs_come_in_their_order(n_jobs):
    # With sizes that alternate there are batches of small pairs between large ones.
    random = np.random.default_rng(5)
    codes = random.permutation(np.repeat(np.arange(7), [900, 5, 700, 40, 6, 800, 30]))
    X = random.integers(0, 9, size=(len(codes), 3)).astype(float)
    options = {"n_trees": 2, "seed": 4}
    forest = SpanningForest(Points(X), codes, n_jobs=n_jobs, **options)
    by_blocks = SpanningForest(Points(X), codes, algorithm="products", **options)
    batches = list(forest.pair_batches())
    assert {len(batch.pairs) for batch in batches} > {1}
    found = [each for batch in batches for each in batch.split()]
    for (k, m, mine), (*pair, theirs) in zip(found, by_blocks.pairs(), strict=True):
        assert [k, m] == pair
        rows = np.arange(len(X))
        assert trees(rows, *mine) == trees(rows, *theirs)

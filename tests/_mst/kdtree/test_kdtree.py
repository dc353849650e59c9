"""Borůvka over kd-trees returns the trees of Prim's algorithm and of brute force."""

import itertools

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import by_tree
from strategies import examples

from smartsvm._mst.edges.peel import peel
from smartsvm._mst.kdtree import kdtree
from smartsvm._mst.prim.prim import prim_points

SHAPES = {
    "uniform": lambda r, n, d: r.random((n, d)),
    "clusters far apart": lambda r, n, d: r.integers(0, 3, (n, 1)) * 1e8 + r.random((n, d)),
    "offset": lambda r, n, d: 1e8 + r.random((n, d)),
    "small lattice": lambda r, n, d: r.integers(0, 3, (n, d)).astype(float),
    "one-hot": lambda r, n, d: np.eye(d)[r.integers(0, d, n)],
    "collinear": lambda r, n, d: np.outer(r.integers(0, n, n), np.ones(d)),
    "constant": lambda r, n, d: np.zeros((n, d)),
    "signed zeros": lambda r, n, d: r.choice([0.0, -0.0, 1.0], (n, d)),
    "underflow": lambda r, n, d: r.integers(0, 3, (n, d)) * 1e-200,
    "outliers": lambda r, n, d: r.random((n, d)) ** 40 * 1e6,
    "powers": lambda r, n, d: 2.0 ** -r.integers(0, 400, (n, d)),
    # What float32 cannot tell apart, and what it cannot hold.
    "nearly tied": lambda r, n, d: np.eye(d)[r.integers(0, d, n)] + 1e-9 * r.random((n, d)),
    "nearly tied clusters": lambda r, n, d: (
        8 * np.eye(d)[r.integers(0, d, n)] + r.integers(0, 2, (n, d)) + 1e-9 * r.random((n, d))
    ),
    "beyond float32": lambda r, n, d: 2.0**70 * r.random((n, d)),
}

problems = st.fixed_dictionaries(
    {
        "shape": st.sampled_from(sorted(SHAPES)),
        "n": st.one_of(st.integers(1, 20), st.integers(21, 150)),
        "d": st.one_of(st.integers(1, 11), st.sampled_from([16, 17, 40])),
        "n_trees": st.integers(1, 5),
        "n_threads": st.sampled_from([1, 1, 2, 3]),
        "seed": st.integers(0, 2**64 - 1),
    }
)


def draw(shape, n, d, seed):
    r = np.random.default_rng(seed)
    X = np.ascontiguousarray(SHAPES[shape](r, n, d), dtype=np.float64)
    ids = r.permutation(4 * n)[:n].astype(np.uint32)
    return X, ids


def pair_by_kdtree(X, ids, n_a, seed, n_trees, n_threads):
    parts = [kdtree.index(X[:n_a], ids[:n_a]), kdtree.index(X[n_a:], ids[n_a:])]
    within = [kdtree.forests(part, seed, n_trees, n_threads)[:2] for part in parts]
    return kdtree.pair_forests(*parts, *within, seed, n_trees, n_threads)


@given(problems)
@examples(300)
def test_forests_are_those_of_prim(problem):
    X, ids = draw(problem["shape"], problem["n"], problem["d"], problem["seed"])
    index = kdtree.index(X, ids, problem["n_threads"])
    found = kdtree.forests(index, problem["seed"], problem["n_trees"], problem["n_threads"])
    assert by_tree(found) == by_tree(prim_points(X, ids, problem["seed"], problem["n_trees"]))


@given(problems, st.floats(0.02, 0.98))
@examples(200)
def test_pair_forests_are_those_of_the_union(problem, share):
    n = max(2, problem["n"])
    X, ids = draw(problem["shape"], n, problem["d"], problem["seed"])
    n_a = min(max(1, int(share * n)), n - 1)
    found = pair_by_kdtree(X, ids, n_a, problem["seed"], problem["n_trees"], problem["n_threads"])
    assert by_tree(found) == by_tree(prim_points(X, ids, problem["seed"], problem["n_trees"]))


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_forests_are_those_of_brute_force(shape):
    X, ids = draw(shape, 40, 3, 7)
    edges, squared, sizes = kdtree.forests(kdtree.index(X, ids), 11, 4, 1)
    expected = oracle.peel(oracle.sorted_edges(X, 11, ids), len(X), 4)
    assert oracle.edge_sets(edges, sizes) == [{(i, j) for _, _, i, j in tree} for tree in expected]
    assert sorted(squared.tolist()) == sorted(edge[0] for tree in expected for edge in tree)


@pytest.mark.parametrize("d", [2, 5, 9, 12])
@pytest.mark.parametrize(
    "shape",
    [
        "uniform",
        "clusters far apart",
        "small lattice",
        "outliers",
        "one-hot",
        "nearly tied",
        "nearly tied clusters",
        "beyond float32",
    ],
)
def test_larger_sets(shape, d):
    X, ids = draw(shape, 2000, d, d)
    expected = by_tree(prim_points(X, ids, 3, 3))
    for n_threads in (1, 3):
        index = kdtree.index(X, ids, n_threads)
        assert by_tree(kdtree.forests(index, 3, 3, n_threads)) == expected
    assert by_tree(pair_by_kdtree(X, ids, 700, 3, 3, 2)) == expected


def test_many_trees_run_out_alike():
    X, ids = draw("small lattice", 12, 2, 1)
    expected = prim_points(X, ids, 5, 20)
    found = kdtree.forests(kdtree.index(X, ids), 5, 20, 1)
    assert by_tree(found) == by_tree(expected)
    assert found[2].sum() == 12 * 11 // 2


def test_threads_change_no_bit():
    X, ids = draw("uniform", 30000, 3, 0)
    results = [
        kdtree.forests(kdtree.index(X, ids, n_threads), 1, 2, n_threads) for n_threads in (1, 2, 4)
    ]
    for other in results[1:]:
        for one, two in zip(results[0], other, strict=True):
            np.testing.assert_array_equal(one, two)


def product_of_levels(r, levels, share=1, first=1):
    """Some of all combinations of categories, with columns for the categories from `first` on."""
    rows = np.array(list(itertools.product(*(range(n) for n in levels))))
    rows = rows[r.random(len(rows)) < share]
    return np.hstack([np.eye(n)[rows[:, k]][:, first:] for k, n in enumerate(levels)])


def cube(n):
    return np.array(list(itertools.product((0.0, 1.0), repeat=n)))


def side_by_side(X, Y):
    """Two sets in columns of their own, far apart."""
    return np.block([[X, np.zeros((len(X), Y.shape[1]))], [np.full((len(Y), X.shape[1]), 50.0), Y]])


TIED = {
    "one-hot product": lambda r: product_of_levels(r, (3, 4, 3, 3, 4), first=0),
    "part of a product": lambda r: product_of_levels(r, (3, 4, 2, 3, 2, 3), 0.6),
    "with copies": lambda r: np.repeat(product_of_levels(r, (3, 4, 2, 3, 2), 0.9), 3, axis=0),
    "corners, some many times": lambda r: r.integers(0, 2, (900, 9)).astype(float),
    "product, some many times": lambda r: product_of_levels(r, (3, 4, 5, 3, 4), first=0)[
        r.integers(0, 720, 1200)
    ],
    "unequal widths": lambda r: product_of_levels(r, (3, 4, 2, 3, 2)) * r.choice([1, 3.0], 9),
    "width of no power of two": lambda r: product_of_levels(r, (3, 4, 2, 3, 2)) * 0.3,
    "and whole numbers": lambda r: np.hstack(
        [np.repeat(cube(8), 3, axis=0), np.tile([[0.0], [1], [2]], (256, 1))]
    ),
    "more bits than a word": lambda r: np.tile(cube(12)[:2048], (1, 6)),
    "more ties than room": lambda r: side_by_side(cube(8), np.eye(100)),
    "most are alone": lambda r: side_by_side(cube(7), r.random((300, 9))),
    "lattice": lambda r: np.stack(np.meshgrid(*[np.arange(7.0)] * 3), -1).reshape(-1, 3),
    "lattice with copies": lambda r: r.integers(0, 6, (800, 3)).astype(float),
    "lattice of thirds": lambda r: r.integers(0, 6, (800, 3)) / 3,
}


@pytest.mark.parametrize("n_trees", [1, 3])
@pytest.mark.parametrize("kind", sorted(TIED))
def test_mass_ties(kind, n_trees):
    r = np.random.default_rng(5)
    X = np.ascontiguousarray(TIED[kind](r), dtype=np.float64)
    X = X[r.permutation(len(X))]
    ids = r.permutation(len(X)).astype(np.uint32)
    for seed in (0, 9):
        expected = by_tree(prim_points(X, ids, seed, n_trees))
        for n_threads in (1, 3):
            found = kdtree.forests(kdtree.index(X, ids, n_threads), seed, n_trees, n_threads)
            assert by_tree(found) == expected


def test_ties_of_a_large_lattice():
    # Ranks are not kept for this many points, but made where they are needed.
    side = 725
    X = np.ascontiguousarray(np.indices((side, side)).reshape(2, -1).T, dtype=float)
    ids = np.arange(len(X), dtype=np.uint32)
    grid = ids.reshape(side, side)
    pairs = [(grid[:-1], grid[1:]), (grid[:, :-1], grid[:, 1:])]
    steps = np.concatenate([np.column_stack([a.ravel(), b.ravel()]) for a, b in pairs])
    wanted, _, _ = peel(steps, np.ones(len(steps)), ids, 5, 1)
    edges, squared, _ = kdtree.forests(kdtree.index(X, ids), 5, 1, 1)
    assert (squared == 1).all()
    np.testing.assert_array_equal(
        np.unique(np.sort(edges, axis=1), axis=0), np.unique(np.sort(wanted, axis=1), axis=0)
    )

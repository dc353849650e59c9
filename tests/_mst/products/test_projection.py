"""Products of projections: trees stay those of Prim, and a basis is found where it pays."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from products_checks import KINDS, SEED, assert_same_forests, check_pair, check_set, random_points
from strategies import examples

from smartsvm import euclidean_mst
from smartsvm._mst.choice import KernelChoice
from smartsvm._mst.prim.prim import prim_points
from smartsvm._mst.products import products, projection


def orthonormal(d, m, rng):
    return np.linalg.qr(rng.normal(size=(d, m)))[0]


def of_low_rank(n, d, rank, rng, noise=0.05):
    return rng.normal(size=(n, rank)) @ rng.normal(size=(rank, d)) + noise * rng.normal(size=(n, d))


@pytest.fixture
def small_sets(monkeypatch):
    """Look for directions in sets that Prim's algorithm can check."""
    monkeypatch.setattr(projection, "_LEAST_WORK", 0)
    monkeypatch.setattr(projection, "_FEWEST_FEATURES", 64)


@examples(80)
@given(
    kind=st.sampled_from(KINDS),
    n=st.integers(2, 400),
    d=st.integers(2, 40),
    share=st.floats(0, 1),
    n_trees=st.integers(1, 3),
    is_pair=st.booleans(),
    inside=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_any_orthonormal_directions_give_the_same_trees(
    kind, n, d, share, n_trees, is_pair, inside, seed
):
    rng = np.random.default_rng(seed)
    X = random_points(kind, n, d, rng)
    d = X.shape[1]
    if inside:
        # Nothing is lost: bounds are as tight as they can be.
        directions = orthonormal(d + 10, d, rng)
        X = X @ directions.T
    else:
        directions = orthonormal(d, 1 + int(share * (d - 1)), rng)
    in_a = rng.random(len(X)) < 0.5
    if is_pair and 0 < in_a.sum() < len(X):
        check_pair(X, in_a, n_trees, basis=directions)
    else:
        check_set(X, n_trees, basis=directions)


@pytest.mark.parametrize("n_threads", [1, 2])
def test_several_blocks_and_threads(n_threads):
    rng = np.random.default_rng(2)
    X = of_low_rank(3000, 100, 6, rng)
    check_set(X, 2, n_threads, basis=orthonormal(100, 20, rng))
    check_pair(X, rng.random(3000) < 0.3, 2, n_threads, basis=orthonormal(100, 20, rng))


def test_sets_far_apart():
    rng = np.random.default_rng(3)
    X = of_low_rank(900, 60, 4, rng)
    in_a = rng.random(900) < 0.5
    X[in_a] += 1e6 * rng.normal(size=60)
    check_pair(X, in_a, basis=orthonormal(60, 9, rng))


@pytest.mark.parametrize("exponent", [-300, 0, 300])
def test_data_of_low_rank_has_a_basis(exponent):
    rng = np.random.default_rng(4)
    X = np.ldexp(of_low_rank(6000, 784, 10, rng) + 100, exponent)
    found = projection.find_basis(X)
    assert found.shape == (784, 32)
    np.testing.assert_allclose(found.T @ found, np.eye(32), atol=1e-13)
    # Nearly all of the distance lies in these directions.
    apart = np.ldexp(X[:100] - X[100:200], -exponent)
    assert (((apart @ found) ** 2).sum(axis=1) > 0.9 * (apart**2).sum(axis=1)).all()


@pytest.mark.parametrize("kind", ["uniform", "clusters", "equal", "few", "low dimension"])
def test_other_data_has_none(kind):
    rng = np.random.default_rng(5)
    X = {
        "uniform": lambda: rng.random((5000, 784)),
        # Between clusters a hundred directions are enough, inside a cluster they are not.
        "clusters": lambda: (
            4 * rng.normal(size=(100, 784))[rng.integers(100, size=5000)]
            + rng.normal(size=(5000, 784))
        ),
        "equal": lambda: np.full((5000, 784), 0.1),
        "few": lambda: of_low_rank(1000, 784, 3, rng),
        "low dimension": lambda: of_low_rank(20_000, 100, 3, rng),
    }[kind]()
    assert projection.find_basis(X) is None


@pytest.mark.usefixtures("small_sets")
def test_it_is_used():
    rng = np.random.default_rng(6)
    X = of_low_rank(1500, 96, 5, rng)
    choice = KernelChoice("products", X, 1)
    ids = np.arange(1500, dtype=np.uint32)
    index = choice.index(products, X, ids)
    assert index.width == 32
    assert choice.index(products, X[:700], ids[:700]).basis is index.basis
    assert_same_forests(products.forests(index, SEED, 2, 1), prim_points(X, ids, SEED, 2))
    found, wanted = (euclidean_mst(X, algorithm=name) for name in ("products", "prim"))
    np.testing.assert_array_equal(found.edges, wanted.edges)


def test_two_sets_with_two_bases_are_refused():
    rng = np.random.default_rng(7)
    X = rng.random((20, 5))
    ids = np.arange(20, dtype=np.uint32)
    indices = [products.index(X, ids, 1, orthonormal(5, 2, rng)) for _ in range(2)]
    within = [products.forests(index, SEED, 1, 1)[:2] for index in indices]
    with pytest.raises(ValueError, match="basis must be the same"):
        products.pair_forests(*indices, *within, SEED, 1, 1)

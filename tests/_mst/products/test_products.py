"""The products search gives the trees of Prim, on data made to break its certificates."""

import threading

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from products_checks import KINDS, SEED, check_pair, check_set, random_points
from strategies import examples

from smartsvm._mst.products import products

quick = examples(60)
SEEDS = st.integers(0, 2**32 - 1)


def point_sets(n, d, n_trees):
    """Sets of every kind, each of at most n points and d columns, and numbers of trees."""
    shape = {"n": st.integers(1, n), "d": st.integers(1, d), "n_trees": st.integers(1, n_trees)}
    return given(kind=st.sampled_from(KINDS), rng=SEEDS, **shape)


@quick
@point_sets(n=40, d=20, n_trees=5)
def test_small_sets_against_brute_force(kind, n, d, n_trees, rng):
    rng = np.random.default_rng(rng)
    X = np.ascontiguousarray(random_points(kind, n, d, rng))
    ids = rng.permutation(2 * n)[:n].astype(np.uint32)
    edges, _, sizes = products.forests(products.index(X, ids), SEED, n_trees, 1)
    wanted = oracle.peel(oracle.sorted_edges(X, SEED, ids), n, n_trees)
    assert oracle.edge_sets(edges, sizes) == [{(i, j) for *_, i, j in tree} for tree in wanted]


@quick
@point_sets(n=700, d=40, n_trees=4)
def test_one_set(kind, n, d, n_trees, rng):
    rng = np.random.default_rng(rng)
    ids = rng.permutation(3 * n)[:n].astype(np.uint32)
    check_set(random_points(kind, n, d, rng), n_trees, ids=ids)


@quick
@given(
    kind=st.sampled_from(KINDS),
    n=st.integers(2, 600),
    d=st.integers(1, 40),
    n_trees=st.integers(1, 4),
    share=st.floats(0, 1),
    rng=SEEDS,
)
def test_two_sets(kind, n, d, n_trees, share, rng):
    rng = np.random.default_rng(rng)
    in_a = rng.random(n) < share
    in_a[0], in_a[1] = True, False
    check_pair(random_points(kind, n, d, rng), in_a, n_trees)


@quick
@given(
    sites=st.sampled_from(["uniform", "lattice", "simplex", "vanishing", "signed zeros"]),
    sizes=st.lists(st.integers(1, 60), min_size=1, max_size=40),
    d=st.integers(1, 6),
    n_trees=st.integers(1, 4),
    share=st.none() | st.floats(0, 1),
    rng=SEEDS,
)
def test_groups_of_equal_points(sites, sizes, d, n_trees, share, rng):
    rng = np.random.default_rng(rng)
    X = np.repeat(random_points(sites, len(sizes), d, rng), sizes, axis=0)
    X = X[rng.permutation(len(X))]
    if share is None or len(X) == 1:
        check_set(X, n_trees, ids=rng.permutation(3 * len(X))[: len(X)].astype(np.uint32))
    else:
        in_a = rng.random(len(X)) < share
        in_a[0], in_a[1] = True, False
        check_pair(X, in_a, n_trees)


@pytest.mark.parametrize("n_trees", [1, 2, 5])
def test_few_sites_use_the_same_two_again(n_trees):
    # More trees than pairs of sites: each takes another pair of the same points.
    X = np.repeat(np.eye(3), [10, 300, 11], axis=0)
    check_set(X, n_trees)
    check_set(X, n_trees, n_threads=2)
    check_set(np.repeat(np.eye(2), [12, 1], axis=0), n_trees)


@pytest.mark.parametrize("n_trees", [1, 3])
def test_hubs_lose_their_lists_to_earlier_trees(n_trees):
    # Small sites around large ones, all at the same distance: every tree uses the hub.
    X = np.vstack([np.zeros((50, 90)), np.repeat(np.eye(90), 6, axis=0)])
    check_set(X, n_trees)


@pytest.mark.parametrize("kind", ["uniform", "lattice", "duplicates", "tight clusters"])
def test_threads(kind):
    rng = np.random.default_rng(3)
    X = random_points(kind, 2500, 30, rng)
    for n_threads in (2, 3):
        check_set(X, 2, n_threads)
        check_pair(X, rng.random(len(X)) < 0.4, 2, n_threads)


@pytest.mark.parametrize("step", [0, 0.25])
def test_lists_of_many_nodes_are_ranked_in_threads(step):
    # So many that threads copy and sort them; with a step, most lengths tie.
    rng = np.random.default_rng(8)
    X = rng.normal(size=(20_000, 6)) + 8 * rng.integers(0, 5, size=(20_000, 1))
    if step:
        X = np.round(X / step) * step
    index = products.index(X, np.arange(len(X), dtype=np.uint32))
    alone, together = (products.forests(index, SEED, 2, n_threads) for n_threads in (1, 4))
    assert oracle.edge_sets(together[0], together[2]) == oracle.edge_sets(alone[0], alone[2])


def test_sets_far_apart_share_no_scale():
    rng = np.random.default_rng(5)
    X = np.vstack([rng.random((300, 12)) * 1e-6, 1e6 + rng.random((200, 12)) * 1e3])
    check_pair(X, np.arange(500) < 300, 2)


def test_more_trees_than_there_are():
    X = np.random.default_rng(1).random((9, 3))
    check_set(X, 50)
    check_pair(X, np.arange(9) < 4, 50)
    check_set(X[:1], 3)


def test_more_dimensions_than_points():
    check_set(np.random.default_rng(2).normal(size=(30, 3000)), 2)


def test_groups_of_duplicates_larger_than_a_block():
    rng = np.random.default_rng(4)
    sites = rng.integers(0, 3, (12, 5)).astype(float)
    X = sites[np.minimum(rng.geometric(0.4, 1500) - 1, 11)]
    for n_trees in (1, 3):
        check_set(X, n_trees)
        check_pair(X, rng.random(len(X)) < 0.5, n_trees)


@pytest.mark.usefixtures("two_blas_threads")
def test_calls_that_overlap_restore_the_threads_of_blas():
    from threadpoolctl import threadpool_info

    def threads():
        return [lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"]

    before = threads()
    assert set(before) == {2}
    X = np.random.default_rng(6).random((800, 20))
    workers = [threading.Thread(target=check_set, args=(X, 1, 2)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert threads() == before

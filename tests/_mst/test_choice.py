"""The automatic choice: made from the data, repeatable, and sensible at the extremes."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from smartsvm._mst.choice import KERNELS, KernelChoice
from smartsvm._mst.common import vector_loops
from smartsvm._mst.common.pruning_probe import probe_pruning


def name_of(kernel):
    return next(name for name, module in KERNELS.items() if module is kernel)


def chosen(X, n_trees=1, n=None):
    """The name of the kernel for all points, or for a subset of n."""
    return name_of(KernelChoice("auto", X, n_trees).for_size(len(X) if n is None else n))


@pytest.mark.parametrize(
    ("n", "d", "expected"),
    [
        (30, 2, "prim"),
        (30, 500, "prim"),
        (20_000, 2, "kdtree"),
        (20_000, 5, "kdtree"),
        (20_000, 20, "products"),
        (6_000, 100, "products"),
    ],
)
def test_uniform_points(n, d, expected):
    X = np.random.default_rng(0).random((n, d))
    assert chosen(X) == expected
    assert chosen(X) == expected


def test_points_near_a_plane_go_to_the_kd_tree():
    random = np.random.default_rng(0)
    plane = random.normal(size=(20_000, 2)) @ random.normal(size=(2, 12))
    assert chosen(plane) == "kdtree"
    assert chosen(random.normal(size=(20_000, 12))) == "products"


def test_skewed_points_of_low_dimension_go_to_the_kd_tree():
    # Ten columns that follow three, with tails: real sets are often like this.
    random = np.random.default_rng(1)
    hidden = np.exp(random.normal(size=(20_000, 3)))
    X = hidden @ random.random((3, 10)) + 0.02 * random.normal(size=(20_000, 10))
    assert chosen(X) == "kdtree"


def test_tables_of_integers_go_to_the_kd_tree():
    # Age in days, height, weight, two pressures and nine columns of a few values.
    random = np.random.default_rng(0)
    body = random.normal([19_500, 165, 74, 128, 82], [2_500, 8, 14, 16, 10], (50_000, 5))
    X = np.column_stack([body.round(), random.integers(0, 3, (50_000, 9))])
    assert chosen(X) == "kdtree"


def test_columns_of_few_values_are_no_directions_of_their_own():
    # A small sample finds neighbours among other values, all points among those with the same.
    random = np.random.default_rng(0)
    body, levels = random.normal(0.5, 0.15, (15_000, 5)), random.random((15_000, 8)) < 0.5
    X = np.column_stack([body, levels])
    touched = probe_pruning(X, len(X))[0]
    assert touched / 2 < KernelChoice("auto", X, 1)._touched_leaves(len(X)) < 2 * touched


def test_clusters_go_to_products_and_outskirts_do_not():
    random = np.random.default_rng(0)
    noise = random.normal(size=(20_000, 8))
    centres = 4 * random.normal(size=(100, 8))
    assert chosen(centres[random.integers(100, size=20_000)] + noise) == "products"
    tails = random.normal(size=(20_000, 3)) * np.exp(random.normal(size=(20_000, 1)))
    assert chosen(np.concatenate([tails, tails @ random.normal(size=(3, 5))], axis=1)) == "kdtree"


def test_a_few_thousand_clustered_points_go_to_products():
    random = np.random.default_rng(0)
    centres = 4 * random.normal(size=(50, 16))
    clustered = centres[random.integers(50, size=5_000)] + random.normal(size=(5_000, 16))
    assert chosen(clustered) == "products"


@pytest.mark.parametrize(("n", "copies", "d"), [(100, 30, 20), (1_000, 60, 45)])
def test_copies_go_to_the_kernel_that_collapses_them(n, copies, d):
    rows = np.random.default_rng(0).normal(size=(n, d))
    assert chosen(np.repeat(rows, copies, axis=0)) == "kdtree"


@pytest.fixture(params=vector_loops.runnable())
def few(request):
    """Points of 64 columns that are few for the loops that run."""
    before = vector_loops.taken()
    vector_loops.take(request.param)
    yield 450 if request.param == "plain" else 1_200
    vector_loops.take(before)


def test_several_trees_and_cores_turn_from_prim(few):
    choice = KernelChoice("auto", np.random.default_rng(0).random((few, 64)), 1)
    assert name_of(choice.for_size(few)) == "prim"
    assert name_of(choice.for_size(few, mutual=True)) == "products"
    assert name_of(choice.for_pair(few)) == "products"
    assert name_of(choice.for_size(3 * few)) == "products"
    assert chosen(choice.points, 3) == "products"


def test_the_better_boxes_prune_the_fewer_points_go_to_prim(few, monkeypatch):
    choice = KernelChoice("auto", np.random.default_rng(0).normal(size=(3 * few, 10)), 1)
    monkeypatch.setattr(KernelChoice, "_touched_leaves", lambda self, n_points: 30.0)
    assert name_of(choice.for_size(2 * few)) == "prim"
    monkeypatch.setattr(KernelChoice, "_touched_leaves", lambda self, n_points: 3.0)
    assert name_of(choice.for_size(2 * few)) == "kdtree"


def test_only_small_pairs_go_to_prim():
    X = np.random.default_rng(0).random((5_000, 16))
    for n_trees in (1, 3):
        choice = KernelChoice("auto", X, n_trees)
        assert name_of(choice.for_pair(100)) == "prim"
        assert name_of(choice.for_pair(2_000)) == "products"


def test_subsets_are_chosen_for_by_their_own_size():
    X = np.random.default_rng(0).random((20_000, 3))
    assert chosen(X, n=40) == "prim"


def test_the_share_of_distinct_rows_is_counted():
    rows = np.array([[0.0, 1], [1, 0], [0, 1], [-0.0, 1]])
    assert KernelChoice("auto", np.tile(rows, (250, 1)), 1)._distinct_share() == 2 / 1000


def test_more_rows_than_identities_are_refused():
    X = np.broadcast_to(np.zeros((1, 2)), (2**32 - 1, 2))
    with pytest.raises(ValueError, match=r"X must have at most 4294967294 rows .* got 4294967295"):
        KernelChoice("prim", X, 1)


@pytest.mark.parametrize("name", KERNELS)
def test_a_name_is_obeyed(name):
    assert KernelChoice(name, np.zeros((5, 2)), 1).for_size(10**6) is KERNELS[name]


def test_a_region_of_copies_is_not_taken_for_ties():
    # Half of the rows are one point: the other half decides.
    random = np.random.default_rng(0)
    X = np.concatenate([np.ones((20_000, 16)), random.normal(size=(20_000, 16))])
    assert chosen(X) == "products"
    assert chosen(np.ones((40_000, 16))) == "kdtree"


def test_threads_get_the_same_kernels():
    random = np.random.default_rng(0)
    X = random.normal(size=(6_000, 4)) @ random.normal(size=(4, 12))
    sizes = [300, 1_500, 3_000, 6_000] * 8
    expected = [chosen(X, n=n) for n in sizes]
    for _ in range(5):
        choice = KernelChoice("auto", X, 1)
        with ThreadPoolExecutor(8) as pool:
            assert [name_of(kernel) for kernel in pool.map(choice.for_size, sizes)] == expected


def test_a_choice_can_be_used_again():
    X = np.random.default_rng(0).random((300, 3))
    choice = KernelChoice("auto", X, 1)
    ids = np.arange(300, dtype=np.uint32)
    first, second = (choice.search_all(ids, 0)()[0] for _ in range(2))
    assert np.array_equal(first, second)
    assert np.array_equal(choice.forests(X, ids, 0)[0], first)


def test_few_points_that_are_mostly_copies_take_the_tree_that_holds_each_once():
    points = np.random.default_rng(0).normal(size=(1000, 8))
    assert KernelChoice("auto", points, 1).for_size(1000) is KERNELS["prim"]
    copies = points[np.arange(1000) // 4]
    assert KernelChoice("auto", copies, 1).for_size(1000) is KERNELS["kdtree"]
    assert KernelChoice("auto", copies, 1).for_size(300) is KERNELS["prim"]


def test_a_pair_turns_to_products_at_fewer_leaves(monkeypatch):
    monkeypatch.setattr(KernelChoice, "_touched_leaves", lambda self, n_points: 18.0)
    monkeypatch.setattr(KernelChoice, "_has_clusters", lambda self, n_points: False)
    choice = KernelChoice("auto", np.random.default_rng(0).normal(size=(6000, 16)), 1)
    assert choice.for_size(6000) is KERNELS["kdtree"]
    assert choice.for_pair(6000) is KERNELS["products"]

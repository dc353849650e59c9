"""The automatic choice: made from the data, repeatable, and sensible at the extremes."""

import numpy as np
import pytest

from smartsvm._mst.choice import KERNELS, KernelChoice, read_costs

PLAIN, WIDE = read_costs("plain"), read_costs("wide")


def chosen(X, n_trees=1, n=None, costs=PLAIN.trees):
    """The name of the kernel; costs are those of one kind of processor on any machine."""
    n = len(X) if n is None else n
    kernel = KernelChoice("auto", X, n_trees).for_size(n, costs)
    return next(name for name, module in KERNELS.items() if module is kernel)


@pytest.mark.parametrize(
    ("n", "d", "expected"),
    [
        (30, 2, "prim"),
        (30, 500, "prim"),
        (20_000, 2, "boruvka"),
        (20_000, 5, "boruvka"),
        (20_000, 20, "blocked"),
        (6_000, 100, "blocked"),
    ],
)
def test_uniform_points(n, d, expected):
    X = np.random.default_rng(0).random((n, d))
    assert chosen(X) == expected
    assert chosen(X) == expected


def test_points_near_a_plane_go_to_the_kd_tree():
    random = np.random.default_rng(0)
    plane = random.normal(size=(20_000, 2)) @ random.normal(size=(2, 12))
    assert chosen(plane) == "boruvka"
    assert chosen(random.normal(size=(20_000, 12))) == "blocked"


def test_skewed_points_of_low_dimension_go_to_the_kd_tree():
    # Ten columns that follow three, with tails: real sets are often like this.
    random = np.random.default_rng(1)
    hidden = np.exp(random.normal(size=(20_000, 3)))
    X = hidden @ random.random((3, 10)) + 0.02 * random.normal(size=(20_000, 10))
    assert chosen(X) == "boruvka"


def test_clusters_go_to_the_blocked_kernel_and_outskirts_do_not():
    random = np.random.default_rng(0)
    noise = random.normal(size=(20_000, 8))
    centres = 4 * random.normal(size=(100, 8))
    assert chosen(centres[random.integers(100, size=20_000)] + noise) == "blocked"
    tails = random.normal(size=(20_000, 3)) * np.exp(random.normal(size=(20_000, 1)))
    assert chosen(np.concatenate([tails, tails @ random.normal(size=(3, 5))], axis=1)) == "boruvka"


def test_on_a_manifold_the_least_estimate_wins(monkeypatch):
    monkeypatch.setattr(KernelChoice, "how_points_lie", lambda self, n: (False, True))
    X = np.random.default_rng(0).normal(size=(20_000, 3)) @ np.ones((3, 9))
    for share in (1.0, 0.8, 0.3, 0.05, 1e-3):
        costs = WIDE.trees._replace(blocked_near_manifold=share, blocked_in_clusters=1e-9)
        work = KernelChoice("auto", X, 1).estimate(len(X), costs, near_manifold=True)
        assert KERNELS[chosen(X, costs=costs)] is min(work, key=work.get)


def test_copies_go_to_the_kernel_that_collapses_them():
    rows = np.random.default_rng(0).normal(size=(100, 20))
    assert chosen(np.repeat(rows, 30, axis=0)) == "boruvka"


def test_copies_are_counted_in_sets_of_any_size():
    rows = np.random.default_rng(0).normal(size=(1_000, 45))
    assert chosen(np.repeat(rows, 60, axis=0)) == "boruvka"


def test_a_few_thousand_clustered_points_go_to_the_blocked_kernel():
    random = np.random.default_rng(0)
    centres = 4 * random.normal(size=(50, 16))
    clustered = centres[random.integers(50, size=5_000)] + random.normal(size=(5_000, 16))
    choice = KernelChoice("auto", clustered, 1)
    assert choice.how_points_lie(5_000)[0]
    assert chosen(clustered, costs=WIDE.trees) == "blocked"


def test_many_trees_turn_from_prim():
    X = np.random.default_rng(0).random((1_000, 64))
    one, three = (
        {n for n in range(100, 1_001, 20) if chosen(X, n_trees, n) == "prim"} for n_trees in (1, 3)
    )
    assert three < one


def test_wide_vectors_turn_to_prim_except_in_pairs():
    X = np.random.default_rng(0).random((2_500, 8))
    assert chosen(X) == "blocked"
    assert chosen(X, costs=WIDE.trees) == "prim"
    assert chosen(X, costs=WIDE.pairs) == "blocked"


@pytest.mark.parametrize("costs", [PLAIN.pairs, WIDE.pairs])
def test_only_small_pairs_go_to_prim(costs):
    X = np.random.default_rng(0).random((5_000, 16))
    for n_trees in (1, 3):
        assert chosen(X, n_trees, n=100, costs=costs) == "prim"
        assert chosen(X, n_trees, n=2_000, costs=costs) == "blocked"


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
    assert chosen(X) == "blocked"
    assert chosen(np.ones((40_000, 16))) == "boruvka"

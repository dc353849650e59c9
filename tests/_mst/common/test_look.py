"""What the choice of a kernel sees: how well boxes prune, and what ties."""

import numpy as np
import pytest

from smartsvm._mst.common.look import count_distinct, look_at


def test_boxes_prune_in_the_plane_and_not_in_many_dimensions():
    random = np.random.default_rng(0)
    touched = [look_at(random.random((4096, d)), 4096)[0] for d in (2, 5, 10, 30)]
    assert touched == sorted(touched)
    assert touched[0] < 4
    assert touched[-1] > 120  # of 128


def test_columns_that_say_nothing_more_change_nothing():
    plane = np.random.default_rng(0).random((3000, 2))
    thrice = np.concatenate([plane, plane, plane], axis=1)
    assert look_at(thrice, 3000)[:2] == look_at(plane, 3000)[:2]


@pytest.mark.parametrize("n", [1, 2, 31, 32, 33, 64, 65, 100, 1000])
@pytest.mark.parametrize("n_sampled", [1, 33, 5000])
def test_every_box_holds_between_half_and_all_of_what_fits(n, n_sampled):
    found = look_at(np.arange(float(n))[:, None], n_sampled)
    seen = min(n, n_sampled)
    if seen == 1:
        assert found is None  # nothing but itself
    else:
        assert seen / 32 <= found[1] <= max(1, seen / 16)
        assert 1 <= found[0] <= found[1]


def test_copies_are_not_neighbors():
    assert look_at(np.ones((500, 3)), 500) is None
    points = np.repeat(np.random.default_rng(0).random((40, 2)), 10, axis=0)
    assert look_at(points, 400)[2] == 10  # the copies of the nearest other point


def test_ties_of_a_lattice():
    lattice = np.stack(np.meshgrid(*[np.arange(8.0)] * 3), axis=-1).reshape(-1, 3)
    _, _, ties, alike = look_at(lattice, len(lattice))
    assert alike
    assert 3 <= ties <= 6
    _, _, ties, alike = look_at(np.random.default_rng(0).random((512, 3)), 512)
    assert ties == 1
    assert not alike


def test_distinct_rows_are_counted():
    points = np.array([[0.0, 1], [1, 0], [0, 1], [-0.0, 1]])
    assert count_distinct(points) == 2

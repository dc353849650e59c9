"""What the choice of a kernel sees: how well boxes prune."""

import numpy as np
import pytest

from smartsvm._mst.common.pruning_probe import probe_pruning


def test_boxes_prune_in_the_plane_and_not_in_many_dimensions():
    random = np.random.default_rng(0)
    touched = [probe_pruning(random.random((4096, d)), 4096)[0] for d in (2, 5, 10, 30)]
    assert touched == sorted(touched)
    assert touched[0] < 4
    assert touched[-1] > 120  # of 128


def test_columns_that_say_nothing_more_change_nothing():
    plane = np.random.default_rng(0).random((3000, 2))
    thrice = np.concatenate([plane, plane, plane], axis=1)
    assert probe_pruning(thrice, 3000)[:2] == probe_pruning(plane, 3000)[:2]


@pytest.mark.parametrize("n", [1, 2, 31, 32, 33, 64, 65, 100, 1000])
@pytest.mark.parametrize("n_sampled", [1, 33, 5000])
def test_every_box_holds_between_half_and_all_of_what_fits(n, n_sampled):
    found = probe_pruning(np.arange(float(n))[:, None], n_sampled)
    seen = min(n, n_sampled)
    if seen == 1:
        assert found is None  # nothing but itself
    else:
        assert seen / 32 <= found[1] <= max(1, seen / 16)
        assert 1 <= found[0] <= found[1]


def test_copies_are_not_neighbors():
    assert probe_pruning(np.ones((500, 3)), 500) is None
    points = np.zeros((500, 3))
    points[7] = 1
    touched, n_boxes = probe_pruning(points, 500)
    assert touched == n_boxes  # a query with one neighbour among copies visits every box

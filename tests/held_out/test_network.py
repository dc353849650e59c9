"""The small network: where it runs, and that nothing is learnt from held-out labels."""

import numpy as np
import pytest
from problems import check_best_by, check_no_signal

from smartsvm.held_out import network
from smartsvm.held_out.network import network_held_out, network_pays


def bent(n, d, seed=0):
    """A border that waves along a second direction, with 5% of the labels wrong."""
    random = np.random.default_rng(seed)
    first, second = np.linalg.qr(random.normal(size=(d, 2)))[0].T
    points = random.normal(size=(n, d))
    codes = points @ first + 0.5 * np.sin(2 * points @ second) > 0
    return points, np.where(random.random(n) < 0.05, ~codes, codes).astype(int)


@pytest.mark.parametrize("d", [3, 8, 14])
def test_it_learns_a_bent_border_in_rotated_columns(d):
    points, codes = bent(8000, d)
    assert network_pays(points, codes, 2, 0, 1)


def test_it_beats_the_other_classifiers_there():
    mistakes = check_best_by(0.02, "network", *bent(3000, 6))
    assert mistakes.errors.min() < 0.1  # the Bayes error is 5%


def test_it_does_not_run_on_few_rows_many_classes_or_straight_borders():
    points, codes = bent(1999, 3)
    assert network_held_out(points, codes, 2) is None
    points, codes = bent(4000, 3)
    assert not network_pays(points, np.arange(4000) % 11, 11, 0, 1)
    assert not network_pays(np.tile(points, 200), codes, 2, 0, 1)
    for seed in range(3):
        points = np.random.default_rng(seed).normal(size=(4000, 10))
        codes = (points @ np.ones(10) + np.random.default_rng(9).normal(size=4000) > 0).astype(int)
        assert not network_pays(points, codes, 2, 0, 1)


def test_held_out_labels_are_not_seen(monkeypatch):
    monkeypatch.setattr(network, "network_pays", lambda *_: True)
    check_no_signal(network_held_out, 300, 10)

"""Simultaneous intervals of paired differences."""

import numpy as np
import pytest
from scipy.stats import norm

from smartsvm.comparison.paired_differences import paired_differences


def test_values_are_mean_differences():
    losses = np.random.default_rng(0).random(size=(2, 3, 50))
    found = paired_differences(losses, 0.95)
    assert found.means == pytest.approx(losses.mean(axis=2))
    assert found.values[1, 0, 2] == pytest.approx((losses[1, 0] - losses[1, 2]).mean())
    assert found.half_widths[0, 0, 1] == found.half_widths[0, 1, 0] > 0
    assert not found.half_widths[:, range(3), range(3)].any()


def test_rows_that_are_hard_for_both_do_not_widen_the_interval():
    random = np.random.default_rng(0)
    hard, noise = random.normal(size=(2, 1000))
    losses = np.stack([5 * hard, 5 * hard + noise])[None]
    (half,) = paired_differences(losses, 0.95).half_widths[:, 0, 1]
    spread = np.sqrt((noise**2).sum() + 2 * (noise**2).max()) / 1000
    assert half == pytest.approx(norm.ppf(0.975) * spread, rel=0.05)


def test_two_large_differences_need_not_vary_together():
    # All rows differ by about 10 in both losses, and by more or less independently of each other.
    noise = np.random.default_rng(0).normal(size=(2, 5000))
    losses = np.stack([10 + noise, np.zeros((2, 5000))], axis=1)
    both = paired_differences(losses, 0.95).half_widths[0, 0, 1]
    alone = paired_differences(losses[:1], 0.95).half_widths[0, 0, 1]
    independent = norm.ppf((1 + np.sqrt(0.95)) / 2) / norm.ppf(0.975)
    assert both / alone == pytest.approx(independent, rel=0.05)


def test_all_intervals_hold_together():
    # Five representations of equal quality: a false claim among ten pairs and two losses.
    random = np.random.default_rng(0)
    false = []
    for draw in range(200):
        hard = random.random(120)
        wrong = (random.random((5, 120)) < hard * 0.5).astype(float)
        losses = np.stack([wrong, wrong + random.exponential(size=(5, 120))])
        false.append(paired_differences(losses, 0.95, seed=draw).clear.any())
    assert np.mean(false) <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / 200)


@pytest.mark.parametrize(("n_differing", "claimed"), [(0, False), (5, False), (12, True)])
def test_few_rows_that_differ_prove_nothing(n_differing, claimed):
    losses = np.zeros((1, 2, 200))
    losses[0, 1, :n_differing] = 1
    assert paired_differences(losses, 0.95).clear.any() == claimed


def test_half_widths_have_a_least_value():
    losses = np.zeros((2, 2, 100))
    losses[1, 1] = 1e-3  # the same small difference in all rows
    assert paired_differences(losses, 0.95).clear[1, 0, 1]
    found = paired_differences(losses, 0.95, least=(0.0, 0.01))
    assert not found.clear.any()
    assert found.half_widths[:, 0, 1].tolist() == [0.0, 0.01]


def test_rows_of_a_group_count_as_one():
    random = np.random.default_rng(1)
    groups = np.repeat(np.arange(15), 20)
    one = np.repeat(random.random(15) < 0.5, 20).astype(float)
    losses = np.stack([one, np.zeros(300)])[None]
    alone, grouped = (
        paired_differences(losses, 0.95),
        paired_differences(losses, 0.95, groups=groups),
    )
    assert (grouped.values == alone.values).all()
    assert grouped.half_widths[0, 0, 1] > 3 * alone.half_widths[0, 0, 1]

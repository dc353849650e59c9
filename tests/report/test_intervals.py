"""Confidence intervals from given numbers: the Bayes error and the baseline."""

import numpy as np
import pytest

from smartsvm import Interval
from smartsvm.estimation.extrapolation import CrossLimit
from smartsvm.report.held_out_errors import HeldOutErrors
from smartsvm.report.intervals import baseline_interval, bayes_error_interval, error_interval


def held_out(limit=0.1, limit_error=0.02, gain=0.8, known=1.0):
    best = Interval(0.12, 0.1, 0.14)
    return HeldOutErrors((), "kernel", best, 0.02, limit, limit_error, gain, known, 1000.0)


def limit(value, error):
    return CrossLimit(value, error, np.full(3, value), np.full(3, error), 0.5)


def test_the_value_is_the_mean_by_precision():
    # A share of .18 has the bounds .1 and .18.
    even = bayes_error_interval(held_out(), limit(0.18, 1e-9), 2, 1.96, 1.645)
    assert even.value == pytest.approx((0.1 + 0.14) / 2)  # .02 is a quarter of the distance
    most = bayes_error_interval(held_out(), limit(0.3, 0.01), 2, 1.96, 1.645)
    assert most.value == 0.12  # at most the held-out error
    vague = bayes_error_interval(held_out(), limit(0.18, 0.5), 2, 1.96, 1.645)
    assert vague.value == pytest.approx(0.1, abs=0.005)
    below = bayes_error_interval(held_out(limit_error=0.5), limit(0.08, 0.001), 2, 1.96, 1.645)
    assert below.value == pytest.approx((0.0417 + 0.08) / 2, abs=0.002)


def test_the_value_is_at_least_the_share_of_wrong_labels():
    low = bayes_error_interval(held_out(), limit(0.0, 0.01), 2, 1.96, 1.645)
    assert low.value < 0.06
    assert bayes_error_interval(held_out(), limit(0.0, 0.01), 2, 1.96, 1.645, 0.06).value == 0.06
    assert bayes_error_interval(held_out(), limit(0.0, 0.01), 2, 1.96, 1.645, 0.2).value == 0.12


@pytest.mark.parametrize(
    ("gain", "known", "trust"),
    [(0.0, 1, 0.0), (0.15, 1, 0.5), (0.3, 1, 1.0), (0.9, 1, 1.0), (0.9, 0.5, 0.5), (0.9, 0, 0.0)],
)
def test_a_classifier_is_trusted_by_what_it_has_learnt(gain, known, trust):
    found = bayes_error_interval(
        held_out(gain=gain, known=known), limit(0.12, 0.02), 2, 1.96, 1.645
    )
    trees = (1 - np.sqrt(1 - 2 * (0.12 - 1.96 * 0.02))) / 2
    classifier = 0.1 - 1.96 * 0.02
    assert trees < classifier
    assert found.low == pytest.approx(trees + trust * (classifier - trees))


def test_a_classifier_does_not_lift_the_low_end_above_what_the_trees_expect():
    found = bayes_error_interval(held_out(limit_error=0.005), limit(0.05, 0.02), 2, 1.96, 1.645)
    middle = (0.05 + (1 - np.sqrt(1 - 2 * 0.05)) / 2) / 2
    assert found.low == pytest.approx(middle + 0.2 * 0.02)
    assert bayes_error_interval(held_out(), limit(0.0, 0.01), 2, 1.96, 1.645).low <= 0.002


def test_what_nothing_sees_has_no_low_end():
    # A parity looks like noise: neighbours disagree, and no classifier avoids much.
    best = Interval(0.49, 0.46, 0.52)
    blind = held_out(limit=0.48)._replace(best=best)
    noise, signal = limit(0.49, 0.01), limit(0.4, 0.01)
    lows = [
        bayes_error_interval(blind._replace(gain=gain), noise, 2, 1.96, 1.645).low
        for gain in (0.0, 0.05, 0.1)
    ]
    assert lows[0] == 0
    assert 0.1 < lows[1] < lows[2] < 0.46
    # The trees may see what no classifier does.
    assert bayes_error_interval(blind._replace(gain=0.0), signal, 2, 1.96, 1.645).low > 0.2


def test_trees_do_not_vouch_for_a_classifier_that_still_learns():
    best, trees = Interval(0.4, 0.38, 0.42), limit(0.45, 0.01)
    learning = held_out(limit=0.2, limit_error=0.08, gain=0.2)._replace(best=best)
    lows = [
        bayes_error_interval(learning._replace(known=known), trees, 2, 1.96, 1.645).low
        for known in (0.0, 0.5, 1.0)
    ]
    assert lows[0] == pytest.approx(0.2 - 1.96 * 0.08)
    assert lows[0] < lows[1] < lows[2] == pytest.approx((1 - np.sqrt(1 - 2 * 0.4304)) / 2)


def test_the_ends():
    found = bayes_error_interval(held_out(), limit(0.18, 0.02), 2, 1.96, 1.645)
    z_above = 1.645 * (0.82 + 0.18 * 100 / 1000)
    chance = error_interval(0.12, 1000, z_above).high - 0.12
    assert found.high == pytest.approx(0.12 + np.hypot(chance, z_above * 0.01) - 0.01)
    settled = bayes_error_interval(held_out()._replace(excess=0), limit(0.18, 0.02), 2, 1.96, 1.645)
    assert found.high < settled.high == pytest.approx(0.12 + chance)
    young = bayes_error_interval(held_out()._replace(excess=0.1), limit(0.18, 0.02), 2, 1.96, 1.645)
    assert young.high == settled.high  # an excess that is not known does not widen it
    assert found.low == pytest.approx((1 - np.sqrt(1 - 2 * (0.18 - 1.96 * 0.02))) / 2)
    refused = bayes_error_interval(held_out(), limit(np.nan, np.nan), 2, 1.96, 1.645)
    assert refused == Interval(0.1, 0.0, found.high)
    # Trees that are too certain are refuted by the held-out error.
    refuted = bayes_error_interval(held_out(), limit(0.4, 0.001), 2, 1.96, 1.645)
    assert refuted.low == pytest.approx(0.1 - 1.96 * 0.02)


def test_the_high_end_is_never_below_the_held_out_error():
    for z_above in (-0.5, 0.0):  # of levels of a half and less
        found = bayes_error_interval(held_out(), limit(0.18, 0.02), 2, 0.5, z_above)
        assert found.low < found.value <= found.high == 0.12


def test_the_baseline_has_limits_for_new_samples():
    random = np.random.default_rng(0)
    for shares, least, most in [
        ([0.5, 0.5], 0.95, 0.99), ([0.1] * 10, 0.95, 0.995), ([0.9, 0.1], 0.92, 0.975),
    ]:  # fmt: skip
        covered = []
        for counts in random.multinomial(300, shares, 2000):
            found = baseline_interval(counts, 300, 1.96)
            assert found.low < found.value < found.high
            covered.append(found.low <= 1 - max(shares) <= found.high)
        assert least < np.mean(covered) < most

"""Confidence intervals from given numbers: held-out errors and the baseline."""

import numpy as np
import pytest

from smartsvm._core.wilson import wilson_limits
from smartsvm.report.intervals import (
    baseline_interval,
    choice_of_largest,
    error_interval,
)


def test_wilsons_limits():
    # The limits are where the share is z standard errors away.
    low, high = wilson_limits(0.12, 1000, 1.96)
    for end in (low, high):
        assert abs(end - 0.12) == pytest.approx(1.96 * np.sqrt(end * (1 - end) / 1000))
    assert wilson_limits(0.0, 50, 1.96)[0] == 0
    assert wilson_limits(1.0, 50, 1.96)[1] == 1
    assert error_interval(0.12, 1000, 1.96) == pytest.approx((0.12, low, high))


def test_only_classes_that_may_be_the_largest_widen_the_choice():
    assert choice_of_largest(np.array([900, 100]), 1000, 1.96) == 1
    two = choice_of_largest(np.array([500, 500]), 1000, 1.96)
    assert two == pytest.approx(1 + 2 * np.log(2) / 1.96**2)
    assert choice_of_largest(np.array([450, 450, 100]), 1000, 1.96) == pytest.approx(two)


def test_the_baseline_has_limits_for_new_samples():
    random = np.random.default_rng(0)
    for shares, least, most in [
        ([0.5, 0.5], 0.95, 0.99),
        ([0.1] * 10, 0.95, 0.995),
        ([0.9, 0.1], 0.92, 0.975),
    ]:
        covered = []
        for counts in random.multinomial(300, shares, 2000):
            found = baseline_interval(counts, 300, 1.96)
            assert found.low < found.value < found.high
            covered.append(found.low <= 1 - max(shares) <= found.high)
        assert least < np.mean(covered) < most

"""The smallest held-out error of a report with more samples."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import two_gaussians

from smartsvm import Interval, difficulty_report
from smartsvm.report.held_out_errors import HeldOutErrors
from smartsvm.report.learning_curve import learning_curve
from smartsvm.report.statistics import MEANINGS, within_limits

BEST = Interval(0.1, 0.08, 0.12)

NOTHING = Interval(0.0, 0.0, 1.0)  # is known of the Bayes error


def held_out(best=BEST, gain=0.8):
    return HeldOutErrors((), "kernel", best, gain, 1000.0)


@given(
    st.lists(st.floats(-10, 10), min_size=len(MEANINGS), max_size=len(MEANINGS)),
    st.floats(0, 1),
    st.floats(0, 1),
    st.floats(0.01, 1),
    st.floats(0.5, 0.99),
)
def test_errors_are_in_order_and_never_rise(values, first, second, baseline, confidence):
    low, high = sorted((first, second))
    best = Interval((low + high) / 2, low, high)
    statistics = {name: within_limits(name, v) for name, v in zip(MEANINGS, values, strict=True)}
    curve = learning_curve(held_out(best), NOTHING, statistics, None, baseline, 1000, confidence)
    assert curve.sizes == (1000, 2000, 10_000)
    assert curve.errors[0] == best
    for before, each in pairwise(curve.errors):
        assert 0 <= each.low <= each.value <= each.high
        assert each.value <= before.value
        assert each.high <= before.high


def test_without_signal_there_is_no_curve():
    statistics = dict.fromkeys(MEANINGS, 0.0)
    assert learning_curve(held_out(gain=0.0), NOTHING, statistics, None, 0.5, 1000, 0.95) is None
    X = np.random.default_rng(0).normal(size=(300, 3))
    assert difficulty_report(X, np.arange(300) % 2).errors.learning_curve is None


def test_it_is_the_error_of_a_report_on_as_many_samples():
    covered, distances, present = [], [], []
    for seed in range(5):
        X, y = two_gaussians(1000, 10, 3.0, seed)
        curve = difficulty_report(X[:100], y[:100]).errors.learning_curve
        for each, n in zip(curve.errors[1:], curve.sizes[1:], strict=True):
            later = difficulty_report(X[:n], y[:n]).errors.held_out.best.value
            covered.append(each.low <= later <= each.high)
            distances.append(abs(each.value - later))
            present.append(abs(curve.errors[0].value - later))
    assert np.mean(covered) >= 0.8
    assert np.mean(distances) < np.mean(present)  # better than to expect no change


@pytest.fixture(scope="module")
def knight_moves():
    """From one square to another in how many moves? A quarter of the answers are random."""
    squares = np.stack(np.divmod(np.arange(64), 8), axis=1)
    near = np.abs(squares[:, None] - squares).prod(axis=2) == 2
    moves = np.where(np.eye(64, dtype=bool), 0, -1)
    for step in range(1, 7):
        moves[((moves == step - 1).astype(int) @ near > 0) & (moves < 0)] = step
    random = np.random.default_rng(0)
    start, end = random.integers(0, 64, (2, 2000))
    X = np.hstack([squares[start], squares[end]]).astype(float)
    y = np.where(random.random(2000) < 0.25, random.integers(0, 7, 2000), moves[start, end])
    return difficulty_report(X, y)  # trees see little of it


def test_the_best_possible_error_is_no_larger_with_more_samples(knight_moves):
    later = knight_moves.errors.learning_curve.errors[-1]
    assert knight_moves.bayes_error.low <= later.low
    assert knight_moves.bayes_error.value <= later.value


def test_structure_that_no_classifier_sees_is_in_the_interval(knight_moves):
    bayes_error = knight_moves.bayes_error
    assert bayes_error.low <= 0.25 * 6 / 7 <= bayes_error.high

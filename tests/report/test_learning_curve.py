"""The error of the best classifier with more samples."""

import numpy as np
import pytest

from smartsvm import Interval, difficulty_report
from smartsvm.report.held_out_errors import HeldOutErrors, learning_curve


def held_out(excess=0.04, limit=0.06, known=1.0, gain=0.8):
    best = Interval(0.1, 0.08, 0.12)
    return HeldOutErrors((), "kernel", best, excess, limit, 0.02, gain, known, 1000.0)


def test_the_excess_falls_with_the_rate():
    curve = learning_curve(held_out(), 1000)
    assert curve.sizes == (1000, 2000, 10_000)
    now, twice, many = curve.errors
    assert now == Interval(0.1, 0.08, 0.12)
    assert twice.value == pytest.approx(0.06 + 0.04 / 2**0.5)
    assert many.value == pytest.approx(0.06 + 0.04 / 10**0.5)
    assert many.low < twice.low < now.low
    for each in curve.errors:
        assert 0 <= each.low <= each.value <= each.high


def test_a_fall_that_is_not_known_may_be_larger():
    known, unknown = (learning_curve(held_out(known=k), 1000).errors[1] for k in (1.0, 0.0))
    assert unknown.low < known.low
    assert unknown.high == known.high


def test_it_never_goes_below_zero():
    for each in learning_curve(held_out(excess=0.9, limit=0.0, known=0.0), 10).errors[1:]:
        assert each.low == 0
        assert each.value > 0


def test_without_signal_there_is_no_curve():
    assert learning_curve(held_out(gain=0.0), 1000) is None


def test_the_best_possible_error_is_at_most_that_with_more_samples():
    # In how many moves does a knight get from one square to another? Trees see little of it.
    squares = np.stack(np.divmod(np.arange(64), 8), axis=1)
    near = np.abs(squares[:, None] - squares).prod(axis=2) == 2
    moves = np.where(np.eye(64, dtype=bool), 0, -1)
    for step in range(1, 7):
        moves[((moves == step - 1).astype(int) @ near > 0) & (moves < 0)] = step
    random = np.random.default_rng(0)
    start, end = random.integers(0, 64, (2, 2000))
    X = np.hstack([squares[start], squares[end]]).astype(float)
    y = np.where(random.random(2000) < 0.25, random.integers(0, 7, 2000), moves[start, end])
    report = difficulty_report(X, y)
    later = report.learning_curve.errors[-1]
    assert report.bayes_error.low <= later.low
    assert report.bayes_error.value <= later.value
    assert report.bayes_error.low <= 0.25 * 6 / 7 <= report.bayes_error.high  # the truth

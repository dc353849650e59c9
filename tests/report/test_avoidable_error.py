"""The distribution of what a model can gain."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression

from smartsvm import difficulty_report
from smartsvm.report.avoidable_error import (
    Difference,
    Fits,
    Gain,
    difference_of_models,
    variance_of_fits,
)
from smartsvm.report.bayes_error import BayesError, MeasuredError, quantile
from smartsvm.report.fitted_model import FittedError

LEVELS = np.linspace(0, 1, 201)


def bayes_error(location=0.1, scale=0.01, best=0.12, n=10_000):
    """A Bayes error that is nearly normal, below a best error on n samples."""
    residuals = norm.ppf(np.clip(LEVELS, 1e-6, 1 - 1e-6))
    fitted = FittedError.from_scales(location, scale, scale, residuals, LEVELS)
    return BayesError(
        fitted, MeasuredError(best, n), MeasuredError(0.5, n), MeasuredError(0.0, n), 0.5
    )


def test_rows_on_which_both_err_cancel():
    shared = np.random.default_rng(0).random(1000) < 0.3
    worse = shared.copy()
    worse[np.flatnonzero(~shared)[:10]] = True
    found = difference_of_models(worse, shared)
    assert found.value == pytest.approx(0.01)
    alone = np.sqrt(shared.mean() * (1 - shared.mean()) / 1000)
    assert found.deviation < alone / 3
    assert difference_of_models(worse, shared, 0.25).deviation == pytest.approx(2 * found.deviation)
    assert difference_of_models(shared, shared).deviation > 0


def test_the_variance_of_fits_is_that_of_their_expected_errors():
    random = np.random.default_rng(0)
    fits = Fits(np.repeat(np.arange(2000), 50), 1999 / 2000)
    expected = random.choice([0.2, 0.4], 2000)  # variance 0.01
    wrong = random.random(100_000) < expected[fits.numbers]
    # 1/2000 for the mean, and as much because fits share rows
    assert 1000 * variance_of_fits(wrong.astype(float), fits) == pytest.approx(0.01, rel=0.1)
    alike = random.random(100_000) < 0.3
    assert 1000 * variance_of_fits(alike.astype(float), fits) < 0.001


def test_a_model_that_varies_between_fits_is_less_certain():
    fits = Fits(np.repeat(np.arange(10), 40), 0.9)
    others = np.arange(400) % 5 == 0
    steady = np.arange(400) % 4 == 0
    unsteady = (fits.numbers < 3) & (np.arange(400) % 6 > 0)  # three fits fail; as many mistakes
    assert unsteady.sum() == steady.sum()
    known = difference_of_models(steady, others, fits=fits)
    assert known == difference_of_models(steady, others)
    assert difference_of_models(unsteady, others, fits=fits).deviation > 2 * known.deviation
    # The model may be the best classifier itself.
    alone = difference_of_models(unsteady, unsteady, fits=fits)
    assert alone.deviation > 5 * difference_of_models(steady, steady, fits=fits).deviation
    # Rows of a group say the same: less of the difference between fits is due to these.
    grouped = variance_of_fits(unsteady.astype(float), fits, 0.1)
    assert 0 < grouped < variance_of_fits(unsteady.astype(float), fits)


@pytest.mark.parametrize("numbers", [np.arange(30), np.zeros(30, dtype=int)])
def test_a_fit_for_each_row_or_for_all_shows_no_variance_of_fits(numbers):
    wrong = np.arange(30) % 3 == 0
    assert variance_of_fits(wrong.astype(float), Fits(numbers, 0.9)) == 0


def test_a_fit_to_all_rows_leaves_less_to_gain():
    given, difference = bayes_error(), Difference(0.05, 1e-4)
    whole, part = Gain.of(given, difference).interval(0.95), Gain.of(given, difference, 0.8)
    found = part.interval(0.95)
    assert 0.8 * whole.low < found.low < whole.low
    assert 0.8 * whole.high < found.high < whole.high
    assert found.value == pytest.approx(0.9 * whole.value, rel=0.02)


def test_the_gain_is_the_gap_and_the_difference_to_the_best():
    found = Gain.of(bayes_error(), Difference(0.05, 0.001)).interval(0.95)
    # 0.12 - 0.1 + 0.05, with the standard deviation of the Bayes error
    assert found.value == pytest.approx(0.07, abs=5e-4)
    assert found.low == pytest.approx(0.07 - 1.96 * 0.01, abs=1e-3)
    assert found.high == pytest.approx(0.07 + 1.96 * 0.01, abs=1e-3)


@pytest.mark.parametrize("difference", [-0.05, 0.0, 0.02])
def test_the_chance_never_falls_and_no_gain_is_negative(difference):
    gain = Gain.of(bayes_error(), Difference(difference, 0.01))
    chances = [gain.chance(each) for each in np.linspace(-0.1, 0.6, 141)]
    assert (np.diff(chances) >= 0).all()
    assert chances[0] == 0
    assert chances[-1] == pytest.approx(1)
    found = gain.interval(0.9)
    assert 0 <= found.low <= found.value <= found.high
    wider = gain.interval(0.99)
    assert wider.low <= found.low
    assert wider.high >= found.high


def test_a_worse_model_can_gain_more():
    differences = [-0.02, 0.0, 0.01, 0.05, 0.2]
    gains = [Gain.of(bayes_error(), Difference(each, 0.005)) for each in differences]
    for level in (0.025, 0.5, 0.975):
        quantiles = [quantile(gain.chance, level) for gain in gains]
        assert (np.diff(quantiles) >= 0).all()
        assert quantiles[-1] > quantiles[0]


def test_nothing_is_gained_beyond_the_bayes_error():
    gain = Gain.of(bayes_error(location=0.12, scale=1e-4), Difference(0.0, 1e-4))
    assert gain.interval(0.95).high < 0.001
    assert gain.chance(0.01) == pytest.approx(1)


def test_an_optimal_model_can_gain_little_and_a_coin_much():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 3000)
    X = random.normal(size=(3000, 2))
    X[:, 0] += 2 * y
    models = {"optimal": LogisticRegression(), "coin": random.integers(0, 2, 3000)}
    report = difficulty_report(X, y, models=models)
    optimal, coin = report.headroom("optimal"), report.headroom("coin")
    assert optimal.gain.low < 0.01
    assert optimal.gain.high < 0.05
    truth = 0.5 - norm.cdf(-1)
    assert coin.gain.low < truth < coin.gain.high
    assert coin.chance > 0.99 > optimal.chance
    # Two intervals beside each other would leave more open.
    apart = (coin.error.high - coin.error.low) + (report.bayes_error.high - report.bayes_error.low)
    assert coin.gain.high - coin.gain.low < apart

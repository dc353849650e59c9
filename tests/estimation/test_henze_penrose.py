"""The formulas: identities, closed forms and the paper's appendix."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from smartsvm.estimation.henze_penrose import (
    bayes_error_bounds,
    cross_ratio_limit,
    divergence,
    lower_bound,
)

sizes = st.integers(1, 10_000)


@given(first=sizes, second=sizes, share=st.floats(0, 1))
def test_u_is_one_minus_twice_the_ratio(first, second, share):
    n = first + second
    cross = share * (n - 1)
    p, q = first / n, second / n
    u = 4 * p * q * divergence(cross, n, 2 * p * q) + (p - q) ** 2
    assert u == pytest.approx(1 - 2 * cross / n, abs=1e-9)
    value, lower, upper = bayes_error_bounds(cross, n, min(p, q), bias_correction=False)
    assert lower == pytest.approx(0.5 - 0.5 * np.sqrt(max(u, 0)), abs=1e-6)
    assert upper == pytest.approx(0.5 - 0.5 * u, abs=1e-9)
    assert value == pytest.approx((lower + upper) / 2)


def test_divergence_is_zero_in_expectation_without_signal():
    first, second = 30, 70
    expected_cross = (first + second - 1) * 2 * first * second / (100 * 99)
    assert divergence(expected_cross, 100, 2 * 0.3 * 0.7) == pytest.approx(0, abs=1e-12)


@given(e=st.floats(1e-6, 0.5), ratio=st.floats(0, 1))
def test_the_correction_is_the_smaller_of_estimate_and_prior(e, ratio):
    paper = 2 * e - 0.75 + 0.25 * np.sqrt(9 - 16 * e)  # γ / n as printed
    assert cross_ratio_limit(e) == pytest.approx(paper, abs=1e-12)
    raw = bayes_error_bounds(ratio, 1, e, bias_correction=False)[0]
    assert bayes_error_bounds(ratio, 1, e, bias_correction=True)[0] == pytest.approx(
        min(raw, e), abs=1e-12
    )


@given(k=st.integers(2, 50), share=st.floats(1e-6, 1), ratio=st.floats(0, 1))
def test_the_correction_reaches_the_error_of_the_largest_class(k, share, ratio):
    a = (k - 1) / k
    e = share * a
    raw = bayes_error_bounds(ratio, 1, e, n_classes=k, bias_correction=False)[0]
    corrected = bayes_error_bounds(ratio, 1, e, n_classes=k, bias_correction=True)[0]
    assert corrected == pytest.approx(min(raw, e), abs=1e-9)


@given(
    ratio=st.floats(0, 1),
    share=st.floats(1e-6, 1),
    k=st.integers(2, 30),
    correction=st.sampled_from([True, False, "prior"]),
)
def test_bounds_are_ordered(ratio, share, k, correction):
    e = share * (k - 1) / k
    value, lower, upper = bayes_error_bounds(ratio, 1, e, n_classes=k, bias_correction=correction)
    assert 0 <= lower <= value <= upper <= 1
    if correction == "prior":
        assert upper <= e
        assert upper == min(ratio, e)


def population(delta, p=0.5):
    """Bayes error, HP ratio and Jensen–Shannon bound of two unit Gaussians `delta` apart."""

    def integral(function):
        return quad(function, -12, 12 + delta, limit=400, points=[0, delta / 2, delta])[0]

    def densities(x):
        return p * norm.pdf(x), (1 - p) * norm.pdf(x - delta)

    def entropy(x):
        a, b = densities(x)
        return sum(-w * np.log2(w / (a + b)) for w in (a, b) if w > 0 and a + b > 0)

    error = integral(lambda x: min(densities(x)))
    ratio = integral(lambda x: 2 * np.prod(densities(x)) / max(sum(densities(x)), 1e-300))
    return error, ratio, integral(entropy) / 2


@pytest.mark.parametrize(
    ("delta", "error", "low", "high", "shannon", "bhattacharyya"),
    [
        (1, 0.30854, 0.27414, 0.39797, 0.41963, 0.44125),
        (2, 0.15866, 0.12906, 0.22480, 0.25703, 0.30327),
        (3, 0.06681, 0.05202, 0.09862, 0.12001, 0.16233),
    ],
)
def test_closed_forms_of_two_gaussians(delta, error, low, high, shannon, bhattacharyya):
    true_error, ratio, js = population(delta)
    assert true_error == pytest.approx(error, abs=1e-5)
    assert true_error == pytest.approx(norm.cdf(-delta / 2), abs=1e-8)
    _, lower, upper = bayes_error_bounds(ratio, 1, 0.5, bias_correction=False)
    assert lower == pytest.approx(low, abs=1e-5)
    assert upper == pytest.approx(high, abs=1e-5)
    assert js == pytest.approx(shannon, abs=1e-5)
    assert 0.5 * np.exp(-(delta**2) / 8) == pytest.approx(bhattacharyya, abs=1e-5)
    assert lower <= true_error <= upper <= js


@given(
    f=st.lists(st.floats(1e-6, 1), min_size=2, max_size=8),
    g=st.lists(st.floats(1e-6, 1), min_size=8, max_size=8),
)
def test_hp_upper_bound_is_below_jensen_shannon(f, g):
    # Appendix B, on discrete densities with equal priors.
    f, g = np.array(f) / np.sum(f), np.array(g[: len(f)]) / np.sum(g[: len(f)])
    hp = np.sum(f * g / (f + g))
    entropy = -(f * np.log2(f / (f + g)) + g * np.log2(g / (f + g))) / 2
    error = np.minimum(f, g).sum() / 2
    assert lower_bound(hp) - 1e-12 <= error <= hp + 1e-12
    assert hp <= entropy.sum() / 2 + 1e-12

"""The paper's two figures, by Monte Carlo (slow).

Expected numbers come from an independent run of the same experiments; the
tolerance is four standard errors of the two runs together.
"""

import numpy as np
import pytest
from scipy.stats import norm

from smartsvm import bayes_error

pytestmark = pytest.mark.slow


def gaussians(n, share, delta, random):
    """Two spherical bivariate Gaussians whose means are `delta` apart."""
    first = round(share * n)
    X = random.normal(size=(n, 2))
    X[:first, 0] += delta
    return X, (np.arange(n) < first).astype(int)


def true_error(share, delta):
    if delta == 0:
        return min(share, 1 - share)
    t = delta / 2 + np.log(share / (1 - share)) / delta
    return share * norm.cdf(-t) + (1 - share) * norm.cdf(t - delta)


@pytest.mark.parametrize(
    ("share", "delta", "count", "raw_bias", "corrected_bias"),
    [
        (0.15, 0, 255.3, 52.8, 0.0),
        (0.15, 0.5, 247.6, 46.2, 0.0),
        (0.15, 1, 222.5, 30.5, 5.5),
        (0.15, 2, 139.0, 13.7, 13.7),
        (0.15, 3, 63.8, 5.6, 5.6),
        (0.15, 5, 6.5, 0.6, 0.6),
        (1 / 3, 0, 444.3, 56.5, 0.0),
        (1 / 3, 0.5, 418.5, 34.6, 8.3),
        (1 / 3, 1, 362.0, 30.3, 30.2),
        (1 / 3, 2, 207.7, 17.9, 17.9),
        (1 / 3, 3, 92.1, 8.4, 8.4),
        (1 / 3, 5, 8.7, 0.8, 0.8),
    ],
)
def test_figure_1_bias_of_the_estimate(share, delta, count, raw_bias, corrected_bias):
    random = np.random.default_rng(int(1000 * share + 10 * delta))
    trials = 200
    counts, raw, corrected = np.empty((3, trials))
    for trial in range(trials):
        X, y = gaussians(1000, share, delta, random)
        options = {"n_trees": 1}
        plain = bayes_error(X, y, bias_correction=False, **options)
        counts[trial] = plain.cross_counts
        raw[trial] = plain.value
        corrected[trial] = bayes_error(X, y, bias_correction=True, **options).value
    error = true_error(round(1000 * share) / 1000, delta)  # of the priors in the sample
    for found, expected, digits in (
        (counts, count, 0.05),
        (1000 * (raw - error), raw_bias, 0.05),
        (1000 * (corrected - error), corrected_bias, 0.05),
    ):
        standard_error = np.sqrt(2) * found.std() / np.sqrt(trials)
        assert abs(found.mean() - expected) < 4 * standard_error + digits


@pytest.mark.parametrize(
    ("delta", "variances"),
    [
        (1, (23.1, 14.7, 11.3)),
        (2, (17.9, 13.4, 12.0)),
        (3, (7.2, 5.9, 5.3)),
        (4, (2.6, 2.0, 1.75)),
    ],
)
def test_figure_2_variance_over_orthogonal_trees(delta, variances):
    random = np.random.default_rng(delta)
    repetitions = 500
    samples = [gaussians(1000, 0.33, delta, random) for _ in range(repetitions)]
    found = []
    for n_trees, expected in zip((1, 3, 10), variances, strict=True):
        values = [
            bayes_error(X, y, n_trees=n_trees, bias_correction=True).value for X, y in samples
        ]
        found.append(1e5 * np.var(values))
        # A variance from 500 draws has a relative standard error of √(2/499) = 6.3 %.
        assert found[-1] == pytest.approx(expected, rel=4 * np.sqrt(2) * 0.063)
    assert found[0] > found[1] > found[2]

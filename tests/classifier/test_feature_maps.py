"""Feature maps against their definitions, and how they are standardised."""

import itertools

import numpy as np
import pytest
from scipy.spatial.distance import mahalanobis

from smartsvm.classifier.feature_maps import MAPS, MahalanobisMap, QuadraticMap

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(200, 5)) @ RANDOM.normal(size=(5, 5)) + 3
STARTS = np.array([0, 60, 150, 200])


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("d", [1, 5, 40, 1200])
def test_columns_are_standardised_and_repeat(name, d):
    X = RANDOM.normal(size=(200, d))
    found, columns = MAPS[name].fit(X, STARTS, 0)
    np.testing.assert_allclose(columns.mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(columns.std(axis=0), 1, atol=1e-9)
    np.testing.assert_allclose(found.transform(X), columns, atol=1e-9)
    np.testing.assert_allclose(found.transform(X[:3]), columns[:3], atol=1e-9)


def test_all_products_of_two():
    found, columns = QuadraticMap.fit(X, STARTS, 0)
    centred = X - X.mean(axis=0)
    products = np.array([np.outer(row, row)[np.triu_indices(5)] for row in centred])
    expected = (products - products.mean(axis=0)) / products.std(axis=0)
    np.testing.assert_allclose(columns, expected, atol=1e-9)
    assert found.n_columns == 15


def test_many_features_are_multiplied_in_their_principal_components():
    wide = RANDOM.normal(size=(200, 3)) @ RANDOM.normal(size=(3, 50))  # rank 3
    _, columns = QuadraticMap.fit(wide, STARTS, 0)
    assert columns.shape == (200, 136)
    # Products of the rank's three components, and constants that stay at 0.
    assert np.count_nonzero(columns.std(axis=0) > 0.5) >= 6


def test_distances_in_the_metric_of_each_class():
    _, columns = MahalanobisMap.fit(X, STARTS, 0)
    pooled = sum(np.cov(X[a:b].T, bias=True) * (b - a) for a, b in itertools.pairwise(STARTS)) / 200
    pooled = pooled + 1e-3 * np.trace(pooled) / 5 * np.eye(5)
    distances = np.empty((200, 3))
    for k, (a, b) in enumerate(itertools.pairwise(STARTS)):
        covariance = (np.cov(X[a:b].T, bias=True) * (b - a) + 7 * pooled) / (b - a + 7)
        inverse = np.linalg.inv(covariance)
        distances[:, k] = [mahalanobis(row, X[a:b].mean(axis=0), inverse) for row in X]
    expected = (distances - distances.mean(axis=0)) / distances.std(axis=0)
    np.testing.assert_allclose(columns, expected, atol=1e-6)


@pytest.mark.parametrize("name", MAPS)
def test_constant_features_stay_quiet(name):
    flat = np.hstack([X, np.full((200, 2), 1e8)])
    found, columns = MAPS[name].fit(flat, STARTS, 0)
    assert np.isfinite(columns).all()
    assert np.abs(found.transform(flat + 1e-9)).max() < 1e3

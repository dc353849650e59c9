"""The quadratic columns against their definition, and how they are standardised."""

import numpy as np
import pytest

from smartsvm.classifier.nodes.quadratic_map import QuadraticMap
from smartsvm.held_out.principal_components import Directions

RANDOM = np.random.default_rng(0)


def mapped(X):
    directions = Directions(X)
    found = QuadraticMap(directions, directions(X))
    return directions, found, found.columns(directions(X))


@pytest.mark.parametrize("d", [1, 5, 40, 1200])
def test_columns_are_standardised_and_repeat(d):
    X = RANDOM.normal(size=(200, d))
    directions, found, columns = mapped(X)
    np.testing.assert_allclose(columns.mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(columns.std(axis=0), 1, atol=1e-9)
    np.testing.assert_allclose(found.columns(directions(X[:3])), columns[:3], atol=1e-9)


def test_features_and_all_products_of_two():
    X = RANDOM.uniform(size=(200, 5)) + 3  # nothing lies far out
    _, found, columns = mapped(X)
    centred = X - X.mean(axis=0)
    products = np.array([np.outer(row, row)[np.triu_indices(5)] for row in centred])
    every = np.hstack([X, products])
    np.testing.assert_allclose(columns, (every - every.mean(axis=0)) / every.std(axis=0), atol=1e-7)
    assert found.n_columns == 20


@pytest.mark.parametrize(("d", "n_columns"), [(20, 20 + 210), (21, 21 + 136), (50, 32 + 136)])
def test_many_features_become_products_of_principal_components(d, n_columns):
    assert mapped(RANDOM.normal(size=(200, d)))[2].shape == (200, n_columns)


def test_constant_features_stay_quiet():
    X = RANDOM.normal(size=(200, 3))
    flat = np.hstack([X, np.full((200, 2), 1e8)])
    directions, found, columns = mapped(flat)
    assert columns.shape == (200, 9)
    assert np.isfinite(columns).all()
    assert np.abs(found.columns(directions(flat + 1e-9))).max() < 1e3
    assert mapped(np.ones((4, 2)))[2].shape == (4, 0)

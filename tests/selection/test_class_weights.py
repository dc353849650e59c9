"""Weights of hard classes and hard pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.utils.class_weight import compute_class_weight, compute_sample_weight
from strategies import examples

from smartsvm import (
    bayes_error_class_weight,
    bayes_error_sample_weight,
    ovr_bayes_error,
    pairwise_bayes_error,
)
from smartsvm.selection.class_weights import rivals

IRIS = load_iris(return_X_y=True)


def uneven(seed=0):
    """One easy class, and two of different size that overlap."""
    random = np.random.default_rng(seed)
    y = np.repeat([0, 1, 2], [200, 150, 50])
    return random.normal(size=(400, 2)) + np.array([[0, 9], [0, 0], [1.5, 0]])[y], y


def shares(X, y):
    """Errors of the pairs, relative to the first class of each."""
    counts = np.bincount(y)
    smaller = np.minimum.outer(counts, counts)
    return pairwise_bayes_error(X, y, normalize=True).value * smaller / counts[:, None]


@pytest.mark.parametrize("base", [None, "balanced"])
@pytest.mark.parametrize("method", ["ovr", "pairwise"])
@given(strength=st.floats(0, 100), seed=st.integers(0, 20))
@examples(10)
def test_weights_follow_the_formula(method, base, strength, seed):
    X, y = uneven(seed)
    weights = bayes_error_class_weight(X, y, method=method, base=base, strength=strength)
    counts = np.bincount(y)
    if method == "ovr":
        hardness = np.minimum(ovr_bayes_error(X, y).value * 400 / counts, 1)
    else:
        hardness = shares(X, y).max(axis=1)
    expected = (1 + strength * hardness) / (counts if base else 1)
    found = np.array([weights[k] for k in range(3)])
    np.testing.assert_allclose(found / found[0], expected / expected[0], rtol=1e-10)
    assert (counts * found).sum() == pytest.approx(len(y))
    samples = bayes_error_sample_weight(X, y, base=base, strength=strength)
    assert samples.sum() == pytest.approx(len(y))
    assert (samples > 0).all()


def test_no_strength_is_the_base():
    X, y = uneven()
    assert bayes_error_class_weight(X, y, strength=0) == pytest.approx({0: 1, 1: 1, 2: 1})
    balanced = bayes_error_class_weight(X, y, strength=0, base="balanced")
    peer = compute_class_weight("balanced", classes=np.arange(3), y=y)
    assert list(balanced.values()) == pytest.approx(peer.tolist())
    samples = bayes_error_sample_weight(X, y, strength=0, base="balanced")
    np.testing.assert_allclose(samples, compute_sample_weight("balanced", y))


def test_hard_classes_weigh_more_and_labels_stay_labels():
    X, y = uneven()
    names = np.array(["easy", "hard", "rare"])[y]
    weights = bayes_error_class_weight(X, names)
    assert weights["easy"] < weights["hard"] < weights["rare"]
    model = LogisticRegression(class_weight=weights).fit(X, names)
    plain = LogisticRegression().fit(X, names)
    rare = names == "rare"
    assert (model.predict(X)[rare] == "rare").mean() > (plain.predict(X)[rare] == "rare").mean()


def test_samples_are_weighed_by_their_own_pair():
    X, y = load_digits(return_X_y=True)
    X, y = X[:900], y[:900]
    weights = bayes_error_sample_weight(X, y, strength=10)
    rival = rivals(X, y)
    errors = shares(X, y)
    assert np.corrcoef(weights, errors[y, rival])[0, 1] == pytest.approx(1)
    # Within one class the samples beside a hard rival weigh more.
    ones = y == 1
    assert weights[ones & (rival == 8)].mean() > weights[ones & (rival != 8)].mean()


@pytest.mark.parametrize(("n", "d"), [(60, 3), (3000, 2), (3000, 20)])
def test_rivals_by_brute_force(n, d):
    random = np.random.default_rng(0)
    X = random.normal(size=(n, d)) + 1e4
    y = np.arange(n) % 4
    squared = sum((column[:, None] - column) ** 2 for column in X.T)
    squared[y[:, None] == y[None]] = np.inf
    for n_jobs in (None, 3):
        assert np.array_equal(rivals(X, y, n_jobs=n_jobs), y[squared.argmin(axis=1)])


@pytest.mark.parametrize("weigh", [bayes_error_class_weight, bayes_error_sample_weight])
def test_wrong_options_are_named(weigh):
    X, y = IRIS
    with pytest.raises(ValueError, match="strength must be a number of at least 0"):
        weigh(X, y, strength=-1)
    with pytest.raises(TypeError, match="strength must be a number of at least 0"):
        weigh(X, y, strength="big")
    with pytest.raises(ValueError, match="base must be one of"):
        weigh(X, y, base="equal")
    with pytest.raises(ValueError, match="method must be one of"):
        bayes_error_class_weight(X, y, method="tree")


@pytest.mark.parametrize("size", [2.0**660, 2.0**-660])
def test_sample_weights_do_not_depend_on_the_scale(size):
    X, y = load_iris(return_X_y=True)
    expected = bayes_error_sample_weight(X, y)
    assert np.array_equal(bayes_error_sample_weight(X * size, y), expected)

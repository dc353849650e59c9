"""Weights of hard classes and hard pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.utils.class_weight import compute_class_weight, compute_sample_weight
from strategies import examples

from smartsvm import bayes_error_class_weight, ovr_bayes_error

IRIS = load_iris(return_X_y=True)


def uneven(seed=0):
    """One easy class, and two of different size that overlap."""
    random = np.random.default_rng(seed)
    y = np.repeat([0, 1, 2], [200, 150, 50])
    return random.normal(size=(400, 2)) + np.array([[0, 9], [0, 0], [1.5, 0]])[y], y


def test_no_strength_is_the_base():
    X, y = uneven()
    assert bayes_error_class_weight(X, y, strength=0) == pytest.approx({0: 1, 1: 1, 2: 1})
    balanced = bayes_error_class_weight(X, y, strength=0, base="balanced")
    peer = compute_class_weight("balanced", classes=np.arange(3), y=y)
    assert list(balanced.values()) == pytest.approx(peer.tolist())


def test_hard_classes_weigh_more_and_labels_stay_labels():
    X, y = uneven()
    names = np.array(["easy", "hard", "rare"])[y]
    weights = bayes_error_class_weight(X, names)
    assert weights["easy"] < weights["hard"] < weights["rare"]
    model = LogisticRegression(class_weight=weights).fit(X, names)
    plain = LogisticRegression().fit(X, names)
    rare = names == "rare"
    assert (model.predict(X)[rare] == "rare").mean() > (plain.predict(X)[rare] == "rare").mean()


@pytest.mark.parametrize("base", [None, "balanced"])
@given(strength=st.floats(0, 100), seed=st.integers(0, 20))
@examples(10)
def test_weights_follow_the_formula(base, strength, seed):
    X, y = uneven(seed)
    weights = bayes_error_class_weight(X, y, base=base, strength=strength)
    counts = np.bincount(y)
    hardness = np.minimum(ovr_bayes_error(X, y).value * 400 / counts, 1)
    expected = (1 + strength * hardness) / (counts if base else 1)
    found = np.array([weights[k] for k in range(3)])
    np.testing.assert_allclose(found / found[0], expected / expected[0], rtol=1e-10)
    assert compute_sample_weight(weights, y).sum() == pytest.approx(len(y))


def test_wrong_options_are_named():
    X, y = IRIS
    with pytest.raises(ValueError, match="strength must be a number of at least 0"):
        bayes_error_class_weight(X, y, strength=-1)
    with pytest.raises(TypeError, match="strength must be a number of at least 0"):
        bayes_error_class_weight(X, y, strength="big")
    with pytest.raises(ValueError, match="base must be one of"):
        bayes_error_class_weight(X, y, base="equal")

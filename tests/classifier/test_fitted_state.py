"""Fitted state: built once, checked when it is replaced, and never false."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris

from smartsvm import ClassHierarchy, SmartSVM

IRIS = load_iris(return_X_y=True)


def digits(n=600):
    X, y = load_digits(return_X_y=True)
    return X[:n] / 16, y[:n]


def test_replaced_state_is_checked_and_followed():
    X, y = digits()
    model = SmartSVM(nodes="linear").fit(X, y)
    with pytest.raises(ValueError, match="read-only"):
        model.coef_[0] = 0
    before = model.predict_proba(X)
    for name, wrong in (
        ("coef_", np.zeros((8, 64))),
        ("coef_", np.zeros((9, 63))),
        ("coef_", np.full((9, 64), np.nan)),
        ("coef_", np.zeros(64)),
        ("intercept_", np.zeros(3)),
        ("intercept_", np.full(9, np.inf)),
        ("hierarchy_", ClassHierarchy.from_nested([0, [1, 2]])),
    ):
        with pytest.raises(ValueError, match=r"must|shape"):
            setattr(model, name, wrong)
        assert np.array_equal(model.predict_proba(X), before)
    copy = pickle.loads(pickle.dumps(model))
    assert not copy.coef_.flags.writeable
    assert not copy.intercept_.flags.writeable
    copy.coef_ = -np.asarray(copy.coef_)
    assert not np.array_equal(copy.predict_proba(X), before)
    assert np.array_equal(model.predict_proba(X), before)

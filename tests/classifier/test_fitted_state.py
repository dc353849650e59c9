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


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_coefficients_that_are_not_finite_are_refused_on_load(value):
    X, y = IRIS

    def spoil(array):
        array = np.array(array)
        array.flat[0] = value
        return array

    for nodes in ("linear", "quadratic", "evidence"):
        model = SmartSVM(nodes=nodes).fit(X, y)
        assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
        damages = [(vars(model), "coef_"), (vars(model), "intercept_")]
        weights = model.nodes_[0]._svm_weights
        damages += [(weights, kind) for kind in weights]
        if nodes == "evidence":
            damages += [(vars(model._evidence), "_intercepts")]
            model._evidence._terms = [list(term) for term in model._evidence._terms]
            damages += [(term, 2) for term in model._evidence._terms]
        for holder, name in damages:
            if isinstance(name, str) and name not in holder:
                continue
            true = holder[name]
            holder[name] = spoil(true)
            pickled = pickle.dumps(model)
            holder[name] = true
            with pytest.raises(ValueError, match="finite"):
                pickle.loads(pickled)

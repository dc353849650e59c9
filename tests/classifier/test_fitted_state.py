"""Fitted state: built once, and checked when it is loaded."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris

from smartsvm import SmartSVM

IRIS = load_iris(return_X_y=True)


def digits(n=600):
    X, y = load_digits(return_X_y=True)
    return X[:n] / 16, y[:n]


def test_weights_of_linear_nodes_cannot_be_replaced():
    X, y = digits()
    model = SmartSVM(nodes="linear").fit(X, y)
    before = model.predict_proba(X)
    assert model.coef_.shape == (9, 64)
    assert model.intercept_.shape == (9,)
    for name in ("coef_", "intercept_"):
        with pytest.raises(AttributeError):
            setattr(model, name, np.zeros((9, 64)))
        assert not hasattr(SmartSVM(nodes="linear"), name)
        assert not hasattr(SmartSVM().fit(X, y), name)
    model.coef_[:] = 0  # a copy
    assert np.array_equal(model.predict_proba(X), before)
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copy.coef_, model.coef_)
    assert np.array_equal(copy.predict_proba(X), before)


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
        damages = [(model.nodes_[0].machines, kind) for kind in model.nodes_[0].machines]
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

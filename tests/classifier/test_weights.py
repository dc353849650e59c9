"""Weights of classes and of samples."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from smartsvm import SmartSVM

IRIS = load_iris(return_X_y=True)


def test_class_weight_moves_the_decision():
    X, y = make_classification(
        n_samples=600,
        n_features=5,
        n_informative=4,
        n_redundant=0,
        n_classes=3,
        weights=[0.8, 0.1, 0.1],
        n_clusters_per_class=1,
        class_sep=0.5,
        random_state=0,
    )
    plain = SmartSVM().fit(X, y).predict(X)
    heavy = SmartSVM(class_weight={1: 20.0}).fit(X, y).predict(X)
    assert np.count_nonzero(heavy == 1) > np.count_nonzero(plain == 1)
    with pytest.raises(ValueError, match=r"class_weight='balanced'.* needs nodes whose fit"):
        SmartSVM(nodes=KNeighborsClassifier(), class_weight="balanced").fit(X, y)


@pytest.mark.parametrize(
    "weights", [{0: -1.0}, {1: 0.0}, {2: np.nan}, {0: np.inf}], ids=["negative", "0", "nan", "inf"]
)
@pytest.mark.parametrize("nodes", ["evidence", LogisticRegression()], ids=["built-in", "own"])
def test_class_weights_are_positive(weights, nodes):
    X, y = IRIS
    with pytest.raises(ValueError, match="class_weight must hold positive numbers"):
        SmartSVM(class_weight=weights, nodes=nodes).fit(X, y)


@pytest.mark.parametrize("nodes", [LinearSVC(), LogisticRegression(), "evidence"])
def test_class_weights_count_with_soft_routing(nodes):
    X, y = make_classification(
        600, n_informative=4, n_classes=3, n_clusters_per_class=1, flip_y=0.3, random_state=0
    )
    light, heavy = (
        SmartSVM(nodes=nodes, class_weight={1: weight}).fit(X, y) for weight in (1.0, 20.0)
    )
    before, after = (np.mean(model.predict(X[y == 1]) == 1) for model in (light, heavy))
    assert after > max(0.95, before + 0.05)


def test_sample_weights():
    X, y = make_classification(
        600, n_informative=4, n_classes=3, n_clusters_per_class=1, flip_y=0.3, random_state=0
    )
    for mode in ({}, {"nodes": "forest"}, {"nodes": "linear"}, {"nodes": LogisticRegression()}):
        plain = SmartSVM(**mode).fit(X, y)
        ones = SmartSVM(**mode).fit(X, y, sample_weight=np.ones(600))
        assert np.array_equal(plain.predict_proba(X), ones.predict_proba(X))
        heavy = SmartSVM(**mode).fit(X, y, sample_weight=np.where(y == 1, 20.0, 1.0))
        weighted = SmartSVM(class_weight={1: 20.0}, **mode).fit(X, y)
        np.testing.assert_allclose(heavy.predict_proba(X), weighted.predict_proba(X))
        found, before = (np.mean(m.predict(X[y == 1]) == 1) for m in (heavy, plain))
        assert found > max(0.95, before + 0.05)
        some = np.arange(600) < 300
        less = SmartSVM(**mode).fit(X, y, sample_weight=some.astype(float))
        only = SmartSVM(**mode).fit(X[some], y[some])
        assert np.array_equal(less.predict_proba(X), only.predict_proba(X))
    for weights, message in (
        (np.zeros(600), "at least one (non-zero )?number"),
        (-np.ones(600), "Negative values in data passed to `sample_weight`"),
    ):
        with pytest.raises(ValueError, match=message):
            SmartSVM().fit(X, y, sample_weight=weights)
    with pytest.raises(ValueError, match=r"sample_weight=.* needs nodes whose fit"):
        SmartSVM(nodes=KNeighborsClassifier()).fit(X, y, sample_weight=np.ones(600))


def test_weights_are_routed_through_pipelines():
    X, y = IRIS
    weights = np.where(y == 1, 30.0, 1.0)
    with config_context(enable_metadata_routing=True):
        model = SmartSVM().set_fit_request(sample_weight=True)
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        routed = make_pipeline(scaler, model).fit(X, y, sample_weight=weights)
    inside = StandardScaler().fit_transform(X)
    direct = SmartSVM().fit(inside, y, sample_weight=weights)
    assert np.array_equal(routed.predict_proba(X), direct.predict_proba(inside))

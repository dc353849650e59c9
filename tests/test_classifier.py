"""SmartSVM: scikit-learn's contract, its nodes, and prediction through the hierarchy."""

import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits, load_iris, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import estimator_checks_generator

from smartsvm import SmallClassWarning, SmartSVM, class_hierarchy, pairwise_bayes_error

IRIS = load_iris(return_X_y=True)


def digits(n=600):
    X, y = load_digits(return_X_y=True)
    return X[:n] / 16, y[:n]


def _checks():
    for model in (SmartSVM(), SmartSVM(estimator=LogisticRegression(C=1.0), n_jobs=2)):
        yield from estimator_checks_generator(model)


@pytest.mark.parametrize(
    ("model", "check"),
    list(_checks()),
    ids=lambda v: getattr(getattr(v, "func", v), "__name__", "model"),
)
@pytest.mark.filterwarnings("ignore::smartsvm.SmallClassWarning")
@pytest.mark.filterwarnings("ignore:.*has less than 3 samples.*:UserWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learn_contract(model, check):
    check(model)  # it raises if the contract is broken


@given(
    seed=st.integers(0, 1000),
    n_classes=st.integers(2, 6),
    estimator=st.sampled_from([None, GaussianNB(), SVC(kernel="rbf"), KNeighborsClassifier(3)]),
)
@settings(max_examples=25)
def test_largest_decision_value_is_the_prediction(seed, n_classes, estimator):
    X, y = make_classification(
        n_samples=30 * n_classes, n_features=6, n_informative=4, n_classes=n_classes,
        n_clusters_per_class=1, random_state=seed,
    )  # fmt: skip
    model = SmartSVM(estimator=estimator).fit(X, y)
    scores = model.decision_function(X)
    if n_classes == 2:
        scores = np.column_stack([-scores, scores])
    assert np.array_equal(model.classes_[scores.argmax(axis=1)], model.predict(X))


def test_a_margin_of_zero_is_decided_alike():
    X, y = digits()
    model = SmartSVM().fit(X, y)
    model.coef_ = np.zeros_like(model.coef_)
    model.intercept_ = np.zeros_like(model.intercept_)
    scores = model.decision_function(X)
    assert np.array_equal(model.classes_[scores.argmax(axis=1)], model.predict(X))


def test_prediction_goes_down_the_hierarchy():
    X, y = digits()
    model = SmartSVM(C=0.1).fit(X, y)
    assert model.coef_.shape == (9, 64)
    for row, predicted in zip(X[:50], model.predict(X[:50]), strict=True):
        node = 0
        while node >= 0:
            margin = model.estimators_[node].decision_function(row[None])[0]
            node = model.hierarchy_.children[node, int(margin > 0)]
        assert model.classes_[~node] == predicted


def test_nodes_are_what_they_say():
    X, y = digits()
    model = SmartSVM(C=0.5).fit(X, y)
    assert np.array_equal(model.pairwise_error_, pairwise_bayes_error(X, y).value)
    assert model.hierarchy_ == class_hierarchy(model.pairwise_error_, classes=model.classes_)
    assert len(model.estimators_) == 9
    left, right = model.hierarchy_.node_classes(3)
    pick = np.isin(y, np.concatenate([left, right]))
    node = LinearSVC(C=0.5, dual=False).fit(X[pick], np.isin(y[pick], right))
    np.testing.assert_allclose(model.coef_[3], node.coef_[0], rtol=1e-6, atol=1e-9)


def test_two_classes_are_one_linear_svm():
    X, y = IRIS
    X, y = X[50:], y[50:]
    model, plain = SmartSVM().fit(X, y), LinearSVC(dual=False).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), plain.decision_function(X), rtol=1e-6)
    balanced = SmartSVM(class_weight="balanced").fit(X[10:], y[10:])
    plain = LinearSVC(dual=False, class_weight="balanced").fit(X[10:], y[10:])
    np.testing.assert_allclose(balanced.coef_, plain.coef_, rtol=1e-4)


def test_wide_data_is_solved_in_the_dual_and_repeats_under_threads():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(80, 300)), np.arange(80) % 8
    expected = SmartSVM(C=10.0).fit(X, y)
    for _ in range(5):
        again = SmartSVM(C=10.0, n_jobs=2).fit(X, y)
        assert np.array_equal(again.coef_, expected.coef_)


def test_given_errors_are_used_and_not_written_to():
    X, y = IRIS
    errors = np.array([[0, 0.5, 0.1], [0.5, 0, 0.1], [0.1, 0.1, 0]])
    errors.setflags(write=False)
    model = SmartSVM(error_matrix=errors).fit(X, y)
    assert np.array_equal(model.pairwise_error_, errors)
    model.pairwise_error_[0, 1] = 0.9
    assert errors[0, 1] == 0.5
    left, right = model.hierarchy_.node_classes(0)
    assert (left.tolist(), right.tolist()) == ([0, 1], [2])


def test_class_weight_moves_the_decision():
    X, y = make_classification(
        n_samples=600, n_features=5, n_informative=4, n_redundant=0, n_classes=3,
        weights=[0.8, 0.1, 0.1], n_clusters_per_class=1, class_sep=0.5, random_state=0,
    )  # fmt: skip
    plain = SmartSVM().fit(X, y).predict(X)
    heavy = SmartSVM(class_weight={1: 20.0}).fit(X, y).predict(X)
    assert np.count_nonzero(heavy == 1) > np.count_nonzero(plain == 1)
    with pytest.raises(ValueError, match=r"class_weight='balanced' needs an estimator whose fit"):
        SmartSVM(estimator=KNeighborsClassifier(), class_weight="balanced").fit(X, y)


def test_works_where_classifiers_work():
    X, y = IRIS
    pipeline = make_pipeline(StandardScaler(), SmartSVM())
    assert cross_val_score(pipeline, X, y).mean() > 0.9
    search = GridSearchCV(SmartSVM(), {"C": [0.01, 1.0]}, cv=3).fit(X, y)
    assert search.best_params_["C"] == 1.0
    search = GridSearchCV(SmartSVM(estimator=SVC()), {"estimator__C": [0.1, 1.0]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.9
    calibrated = CalibratedClassifierCV(SmartSVM(), cv=3).fit(X, y)
    assert calibrated.predict_proba(X).sum(axis=1) == pytest.approx(1)
    model = SmartSVM().fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copy.predict(X), model.predict(X))
    assert clone(model).get_params() == model.get_params()


def test_refit_forgets_the_linear_nodes():
    X, y = IRIS
    model = SmartSVM().fit(X, y)
    model.set_params(estimator=RandomForestClassifier(5)).fit(X, y)
    assert not hasattr(model, "coef_")
    assert model.score(X, y) > 0.9


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_keep_their_names(library):
    frames = pytest.importorskip(library)
    X, y = IRIS
    frame = frames.DataFrame({f"column {i}": X[:, i] for i in range(4)})
    labels = frames.Series(np.array(["setosa", "versicolor", "virginica"])[y])
    model = SmartSVM().fit(frame, labels)
    assert model.feature_names_in_.tolist() == [f"column {i}" for i in range(4)]
    assert set(model.predict(frame)) == {"setosa", "versicolor", "virginica"}
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[[f"column {i}" for i in (1, 0, 2, 3)]])
    assert pairwise_bayes_error(frame, labels).classes.tolist() == [
        "setosa", "versicolor", "virginica",
    ]  # fmt: skip


def test_large_input_is_predicted_in_blocks(monkeypatch):
    X, y = digits()
    model = SmartSVM().fit(X, y)
    expected = model.predict(X), model.decision_function(X)
    monkeypatch.setattr("smartsvm.classifier._MARGINS_AT_ONCE", 100)
    assert np.array_equal(model.predict(X), expected[0])
    np.testing.assert_allclose(model.decision_function(X), expected[1], atol=1e-12)


def test_threads_change_nothing():
    X, y = digits()
    one, two = (SmartSVM(n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    assert np.array_equal(one.coef_, two.coef_)
    assert one.hierarchy_ == two.hierarchy_


def test_a_small_class_warns_once():
    X, y = IRIS
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        SmartSVM().fit(X[:105], y[:105])
    assert [w.category for w in record] == [SmallClassWarning]

"""SmartSVM: scikit-learn's contract, its nodes, and prediction through the hierarchy."""

import pickle
import warnings

import numpy as np
import pytest
from contract import contract_cases, settings_after
from hypothesis import given
from hypothesis import strategies as st
from margins import leads
from scipy import sparse
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
from strategies import examples

from smartsvm import (
    ClassHierarchy,
    SmallClassWarning,
    SmartSVM,
    SmartSVMCV,
    class_hierarchy,
    pairwise_bayes_error,
)

IRIS = load_iris(return_X_y=True)
PAPER = {"hierarchy": "min-cut", "nodes": "linear", "routing": "hard", "solver": "liblinear"}


def digits(n=600):
    X, y = load_digits(return_X_y=True)
    return X[:n] / 16, y[:n]


# The built-in nodes, any classifier at the nodes of the paper's hierarchy, and a search.
CONTRACT_MODES = [
    SmartSVM(),
    SmartSVM(**PAPER | {"nodes": LinearSVC(dual=False)}),
    SmartSVMCV(Cs=[0.1, 1.0], cv=2),
]
OTHER_MODES = [
    PAPER,
    {"nodes": "forest"},
    {"hierarchy": "min-cut-tree", "nodes": "quadratic"},
    {"hierarchy": "min-cut-tree", "nodes": "linear", "n_trees": 2},
    {"nodes": LogisticRegression(C=1.0), "n_jobs": 2},
]


def weights_are_no_repetition(model):
    why = "a sample of weight 2 is held out as one; spanning trees use no weights"
    return {f"check_sample_weight_equivalence_on_{kind}_data": why for kind in ("dense", "sparse")}


@contract_cases(*CONTRACT_MODES, expected_failures=weights_are_no_repetition)
@pytest.mark.filterwarnings("ignore::smartsvm.SmallClassWarning")
@pytest.mark.filterwarnings("ignore:.*has less than 3 samples.*:UserWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learn_contract(model, check):
    settings_before = model.get_params()
    assert settings_after(check, model) == settings_before


@given(
    seed=st.integers(0, 1000),
    n_classes=st.integers(2, 6),
    routing=st.sampled_from(["hard", "soft"]),
    nodes=st.sampled_from(["evidence", GaussianNB(), SVC(kernel="rbf"), KNeighborsClassifier(3)]),
)
@examples(40)
def test_largest_decision_value_is_the_prediction(seed, n_classes, routing, nodes):
    X, y = make_classification(
        n_samples=30 * n_classes,
        n_features=6,
        n_informative=4,
        n_classes=n_classes,
        n_clusters_per_class=1,
        random_state=seed,
    )
    model = SmartSVM(nodes=nodes, routing=routing).fit(X, y)
    scores = model.decision_function(X)
    if n_classes == 2:
        scores = np.column_stack([-scores, scores])
    assert np.array_equal(model.classes_[scores.argmax(axis=1)], model.predict(X))
    if hasattr(model, "predict_proba"):
        probabilities = model.predict_proba(X)
        assert np.exp(model.predict_log_proba(X)) == pytest.approx(probabilities)
        np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-12)
        if routing == "soft":
            assert np.array_equal(model.classes_[probabilities.argmax(axis=1)], model.predict(X))


@pytest.mark.parametrize("routing", ["hard", "soft"])
def test_a_margin_of_zero_is_decided_alike(routing):
    X, y = digits()
    model = SmartSVM(nodes="linear", routing=routing).fit(X, y)
    model.coef_ = np.zeros_like(model.coef_)
    model.intercept_ = np.zeros_like(model.intercept_)
    scores = model.decision_function(X)
    assert np.array_equal(model.classes_[scores.argmax(axis=1)], model.predict(X))


def test_prediction_goes_down_the_hierarchy():
    X, y = digits()
    model = SmartSVM(C=0.1, **PAPER).fit(X, y)
    assert model.coef_.shape == (9, 64)
    for row, predicted in zip(X[:50], model.predict(X[:50]), strict=True):
        node = 0
        while node >= 0:
            margin = row @ model.coef_[node] + model.intercept_[node]
            node = model.hierarchy_.children[node, int(margin > 0)]
        assert model.classes_[~node] == predicted


def test_the_papers_method_is_what_it_says():
    X, y = digits()
    model = SmartSVM(C=0.5, **PAPER).fit(X, y)
    errors = pairwise_bayes_error(X, y, n_trees=3, bias_correction=True, normalize=True)
    assert np.array_equal(model.pairwise_error_, errors.value)
    assert model.hierarchy_ == class_hierarchy(model.pairwise_error_, classes=model.classes_)
    for number, node in enumerate(model.nodes_):
        left, right = model.hierarchy_.node_classes(number)
        pick = np.isin(y, np.concatenate([left, right]))
        plain = LinearSVC(C=0.5, dual=False, tol=1e-8).fit(X[pick], np.isin(y[pick], right))
        np.testing.assert_allclose(model.coef_[number], plain.coef_[0], atol=2e-3)  # its tol
        np.testing.assert_allclose(model.intercept_[number], plain.intercept_, atol=2e-3)
        assert node.kinds == ("linear",)
        assert node.weights == {"linear": 1.0, "intercept": 0.0}
        assert node.n_samples == pick.sum()
        assert node.share == pick.sum() / len(y)
        wrong = plain.predict(X[pick]) != np.isin(y[pick], right)
        assert wrong.mean() <= node.held_out_error < wrong.mean() + 0.1


def test_two_classes_are_one_linear_svm():
    X, y = IRIS
    X, y = X[50:], y[50:]
    model = SmartSVM(nodes="linear", routing="hard").fit(X, y)
    plain = LinearSVC(dual=False, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), plain.decision_function(X), rtol=1e-5)
    soft = SmartSVM(nodes="linear").fit(X, y)
    odds = np.log(soft.predict_proba(X)[:, 1] / soft.predict_proba(X)[:, 0])
    np.testing.assert_allclose(soft.decision_function(X), odds, rtol=1e-6, atol=1e-9)
    balanced = SmartSVM(nodes="linear", class_weight="balanced").fit(X[10:], y[10:])
    plain = LinearSVC(dual=False, class_weight="balanced", tol=1e-8).fit(X[10:], y[10:])
    np.testing.assert_allclose(balanced.coef_, plain.coef_, rtol=1e-5)


@pytest.mark.parametrize("mode", [{}, {"nodes": "forest"}, {"nodes": "quadratic"}, PAPER])
def test_threads_change_nothing(mode):
    random = np.random.default_rng(0)
    # Small values: LibLinear would come near its limit of steps, on some processors beyond it.
    wide = random.normal(size=(80, 300)) / 10, np.arange(80) % 8
    for X, y in (digits(), wide):
        one, two = (SmartSVM(C=10.0, n_jobs=jobs, **mode).fit(X, y) for jobs in (1, 2))
        assert one.hierarchy_ == two.hierarchy_
        for here, there in zip(one.nodes_, two.nodes_, strict=True):
            assert here.weights == there.weights
        assert np.array_equal(one.decision_function(X), two.decision_function(X))


def test_own_hierarchies():
    X, y = IRIS
    names = np.array(["a", "b", "c"])[y]
    for own in ([["a", "c"], "b"], ClassHierarchy.from_nested([["c", ["a", "z"]], "b"])):
        model = SmartSVM(hierarchy=own).fit(X, names)
        left, right = model.hierarchy_.node_classes(0)
        assert (left.tolist(), right.tolist()) == (["a", "c"], ["b"])
        assert not hasattr(model, "pairwise_error_")
        assert model.score(X, names) > 0.9
    with pytest.raises(ValueError, match=r"hierarchy must hold all classes of y.*'b'"):
        SmartSVM(hierarchy=["a", "c"]).fit(X, names)
    with pytest.raises(TypeError, match=r"hierarchy must be one of .* got 3 \(int\)"):
        SmartSVM(hierarchy=3).fit(X, names)


def test_sparse_points():
    X, y = digits()
    dense = SmartSVM(nodes="linear").fit(X, y)
    for kind in (sparse.csr_matrix, sparse.csc_array):
        model = SmartSVM(nodes="linear", hierarchy=dense.hierarchy_).fit(kind(X), y)
        np.testing.assert_allclose(model.coef_, dense.coef_, rtol=0.05, atol=0.005)  # its tol
        scores = dense.decision_function(X)
        np.testing.assert_allclose(model.decision_function(kind(X)), scores, atol=0.1)
        clear = leads(scores) > 0.2
        assert np.array_equal(model.predict(kind(X))[clear], dense.predict(X)[clear])
    model = SmartSVM().fit(sparse.csr_matrix(X), y)
    assert {node.kinds for node in model.nodes_} == {("linear",)}
    assert model.score(sparse.csr_matrix(X), y) > 0.95
    accurate = SmartSVM(nodes="forest").fit(sparse.csr_matrix(X), y)
    assert ("linear", "forest") in {node.kinds for node in accurate.nodes_}
    for mode in (PAPER, {"hierarchy": "min-cut-tree"}):
        with pytest.raises(TypeError, match="got a sparse matrix X"):
            SmartSVM(**mode).fit(sparse.csr_matrix(X), y)
    for mode in ({"nodes": "quadratic"}, {"solver": "newton"}):
        with pytest.raises(TypeError, match=f"{next(iter(mode))}='.*' needs dense points"):
            SmartSVM(**mode).fit(sparse.csr_matrix(X), y)


def test_works_where_classifiers_work():
    X, y = IRIS
    pipeline = make_pipeline(StandardScaler(), SmartSVM())
    assert cross_val_score(pipeline, X, y).mean() > 0.9
    search = GridSearchCV(SmartSVM(nodes="linear"), {"C": [1e-5, 1.0]}, cv=3).fit(X, y)
    assert search.best_params_["C"] == 1.0
    search = GridSearchCV(SmartSVM(nodes=SVC()), {"nodes__C": [0.1, 1.0]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.9
    calibrated = CalibratedClassifierCV(SmartSVM(), cv=3).fit(X, y)
    assert calibrated.predict_proba(X).sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize("mode", [{}, *OTHER_MODES], ids=str)
def test_copies_and_second_fits_predict_the_same(mode):
    X, y = IRIS
    model = SmartSVM(**mode).fit(X, y)
    expected = model.decision_function(X)
    state = model.get_params()
    assert np.array_equal(pickle.loads(pickle.dumps(model)).decision_function(X), expected)
    assert np.array_equal(clone(model).fit(X, y).decision_function(X), expected)
    assert np.array_equal(model.fit(X, y).decision_function(X), expected)
    assert model.get_params() == state
    with pytest.raises(ValueError, match="X has 3 features"):
        model.predict(X[:, :3])


def test_refit_forgets_the_linear_nodes():
    X, y = IRIS
    model = SmartSVM(nodes="linear").fit(X, y)
    model.set_params(nodes=RandomForestClassifier(5)).fit(X, y)
    assert not hasattr(model, "coef_")
    assert model.to_text().count("RandomForestClassifier") == 2
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
        "setosa",
        "versicolor",
        "virginica",
    ]


@pytest.mark.parametrize("mode", [{}, PAPER])
def test_large_input_is_predicted_in_blocks(monkeypatch, mode):
    X, y = digits()
    model = SmartSVM(**mode).fit(X, y)
    predicted, scores = model.predict(X), model.decision_function(X)
    monkeypatch.setattr("smartsvm.classifier.routing._MARGINS_AT_ONCE", 100)
    clear = leads(scores) > 2e-12  # how BLAS rounds may depend on the number of rows
    assert np.array_equal(model.predict(X)[clear], predicted[clear])
    np.testing.assert_allclose(model.decision_function(X), scores, rtol=0, atol=1e-12)


def test_a_small_class_warns_once():
    X, y = IRIS
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        SmartSVM(**PAPER).fit(X[:105], y[:105])
    assert [w.category for w in record] == [SmallClassWarning]


def test_a_hierarchy_in_another_order_means_the_same_classes():
    X, y = IRIS
    errors = [[0, 0.4, 0.01], [0.4, 0, 0.01], [0.01, 0.01, 0]]
    tree = class_hierarchy(errors, classes=[2, 0, 1])  # 2 and 0 against 1
    model = SmartSVM(hierarchy=tree).fit(X, y)
    assert [side.tolist() for side in model.hierarchy_.node_classes(0)] == [[0, 2], [1]]
    same = SmartSVM(hierarchy=[[0, 2], 1]).fit(X, y)
    assert np.array_equal(model.predict_proba(X), same.predict_proba(X))


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"random_state": "x"}, TypeError, "random_state must be an integer .* got 'x'"),
        ({"random_state": -1}, ValueError, "random_state must be at least 0, got -1"),
        ({"random_state": 2**32}, ValueError, "random_state must be at most 4294967295"),
        ({"n_jobs": 0}, ValueError, "n_jobs must be None or .* got 0"),
        ({"nodes": 3}, TypeError, "nodes must be one of .* or a .* got 3"),
        ({"nodes": LogisticRegression}, TypeError, "nodes must be one of .* instance"),
        ({"nodes": StandardScaler()}, TypeError, "nodes must be one of .* StandardScaler"),
        ({"verbose": -1}, ValueError, "verbose must be at least 0, got -1"),
        ({"memory_limit": "x"}, ValueError, "memory_limit must be .* got 'x'"),
    ],
)
def test_wrong_settings_are_named(settings, error, message):
    with pytest.raises(error, match=message):
        SmartSVM(**settings).fit(*IRIS)


def test_sparse_rows_are_mapped_like_dense_ones():
    X, y = IRIS
    for model in (SmartSVM(), SmartSVM(nodes="quadratic", routing="hard")):
        model.fit(X, y)
        given = sparse.csr_matrix(X)
        assert np.array_equal(model.predict(given), model.predict(X))
        np.testing.assert_allclose(model.decision_function(given), model.decision_function(X))


def test_prediction_refuses_rows_too_large_to_be_squared():
    X, y = IRIS
    model = SmartSVM(nodes="quadratic").fit(X, y)
    for ask in (model.predict, model.predict_proba, model.decision_function):
        with pytest.raises(
            ValueError, match=r"X must hold values of at most 1e\+75.* got 7\.9e\+300"
        ):
            ask(1e300 * X)
        with pytest.raises(ValueError, match=r"X must hold values of at most 1e\+75"):
            ask(-1e300 * sparse.csr_matrix(X))

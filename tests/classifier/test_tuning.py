"""SmartSVMCV finds what a plain search finds, and says how."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from smartsvm import ClassHierarchy, SmallClassWarning, SmartSVM, SmartSVMCV

IRIS = load_iris(return_X_y=True)


@pytest.mark.parametrize(
    "candidates",
    [
        None,
        {"routing": ["hard", "soft"], "nodes": ["linear", "evidence", "forest"]},
        {"hierarchy": ["min-cut", "min-cut-tree", "centroids"]},
    ],
)
def test_it_finds_what_a_grid_search_finds(candidates):
    X, y = load_digits(n_class=5, return_X_y=True)
    X, y = X[:180] / 16, y[:180]
    Cs = [0.01, 10.0]
    found = SmartSVMCV(Cs=Cs, cv=3, candidates=candidates, scoring="adjusted_rand_score").fit(X, y)
    grid = GridSearchCV(
        SmartSVM(), {"C": Cs, **(candidates or {})}, cv=3, scoring="adjusted_rand_score"
    ).fit(X, y)
    assert found.best_score_ == pytest.approx(grid.best_score_, abs=1e-9)
    expected = {
        tuple(sorted(map(str, params.items()))): score
        for params, score in zip(
            grid.cv_results_["params"], grid.cv_results_["mean_test_score"], strict=True
        )
    }
    for params, score in zip(
        found.cv_results_["params"], found.cv_results_["mean_test_score"], strict=True
    ):
        assert score == pytest.approx(expected[tuple(sorted(map(str, params.items())))], abs=1e-9)
    assert found.scores_.shape == (2, 3)
    assert found.scores_.mean(axis=1).max() == pytest.approx(found.best_score_)
    assert found.C_ == found.best_params_["C"] == found.best_estimator_.C
    assert adjusted_rand_score(y, found.predict(X)) > 0.9


def test_threads_and_equal_scores():
    X, y = IRIS
    one, two = (SmartSVMCV(Cs=6, n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    assert np.array_equal(
        one.cv_results_["split_test_scores"], two.cv_results_["split_test_scores"]
    )
    assert np.array_equal(one.predict_proba(X), two.predict_proba(X))
    means = one.scores_.mean(axis=1)
    assert one.Cs_[means.argmax()] == one.C_


def test_a_class_that_a_fold_lacks_does_no_harm():
    X, y = IRIS
    X, y = X[:102], y[:102]  # two samples of the last class, three folds
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = SmartSVMCV(Cs=[1.0], cv=StratifiedKFold(3)).fit(X, y)
        own = SmartSVMCV(Cs=[1.0], cv=3, hierarchy=ClassHierarchy.from_nested([0, [1, 2]]))
        own.fit(X, y)
    assert model.classes_.tolist() == own.classes_.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"Cs": []}, "Cs must be a list of positive numbers"),
        ({"Cs": [1.0, -1.0]}, "Cs must be a list of positive numbers"),
        ({"Cs": 0}, "Cs must be at least 1, got 0"),
        ({"candidates": {"n_trees": [1]}}, "candidates must be a dict of lists .*'n_trees'"),
        ({"candidates": {"routing": "hard"}}, r"candidates\['routing'\] must be a list"),
        ({"candidates": {"routing": []}}, r"candidates\['routing'\] must be a list"),
        ({"nodes": "cubic"}, "nodes must be one of"),
    ],
)
def test_bad_settings_are_named(settings, message):
    with pytest.raises(ValueError, match=message):
        SmartSVMCV(**settings).fit(*IRIS)


def test_hierarchies_that_look_alike_are_different_candidates():
    X, y = load_digits(n_class=4, return_X_y=True)
    own = [ClassHierarchy.from_nested(n) for n in ([[0, 1], [2, 3]], [[0, 2], [1, 3]])]
    assert repr(own[0]) == repr(own[1])
    fixed = {"Cs": [1e-3], "nodes": "linear", "routing": "hard"}
    both = SmartSVMCV(candidates={"hierarchy": own}, **fixed).fit(X, y)
    for row, hierarchy in zip(both.cv_results_["split_test_scores"], own, strict=True):
        assert np.array_equal(row, SmartSVMCV(hierarchy=hierarchy, **fixed).fit(X, y).scores_[0])


@pytest.mark.parametrize("kind", [np.random.RandomState, np.random.default_rng])
def test_threads_do_not_share_a_random_state(kind):
    X, y = load_digits(return_X_y=True)
    X, y = X[:300], y[:300]
    one, two = (
        SmartSVMCV(Cs=[1.0], nodes="forest", n_jobs=jobs, random_state=kind(3)).fit(X, y)
        for jobs in (1, 2)
    )
    assert np.array_equal(one.scores_, two.scores_)
    assert np.array_equal(one.predict_proba(X), two.predict_proba(X))


def test_a_score_that_is_no_number_is_never_the_best():
    def scorer(model, X, y):
        return model.score(X, y) if limit <= model.C else np.nan

    limit = 1.0
    assert SmartSVMCV(Cs=[0.1, 1.0, 10.0], scoring=scorer).fit(*IRIS).C_ >= 1
    limit = np.inf
    with pytest.raises(ValueError, match="gave no number in any combination"):
        SmartSVMCV(Cs=[0.1, 1.0], scoring=scorer).fit(*IRIS)


def test_what_tuning_gains_over_the_defaults():
    X, y = IRIS
    found = SmartSVMCV(Cs=[1e-4, 1.0, 100.0], nodes="linear").fit(X, y)
    column = found.Cs_.tolist().index(1.0)
    differences = found.scores_[found.Cs_.tolist().index(found.C_)] - found.scores_[column]
    assert found.gain_ == pytest.approx(differences.mean())
    assert found.gain_error_ == pytest.approx(differences.std(ddof=1) / np.sqrt(5))
    nothing = SmartSVMCV(Cs=[1.0]).fit(X, y)
    assert nothing.gain_ == nothing.gain_error_ == 0
    unknown = SmartSVMCV(Cs=[0.5], candidates={"nodes": ["linear"]}).fit(X, y)
    assert np.isnan(unknown.gain_)
    assert np.isnan(unknown.gain_error_)


@pytest.mark.parametrize(
    ("Cs", "ending"),
    [
        ([1.0], ", +0.0000 ± 0.0000 over C=1: no significant gain.\n"),
        ([2.0], "C=1 was not among the values tried.\n"),
    ],
)
def test_it_says_whether_tuning_gained_anything(capsys, Cs, ending):
    SmartSVMCV(Cs=Cs, nodes="linear", verbose=1).fit(*load_iris(return_X_y=True))
    assert capsys.readouterr().err.endswith(ending)
    SmartSVMCV(Cs=Cs, nodes="linear").fit(*load_iris(return_X_y=True))
    assert capsys.readouterr().err == ""


def test_a_gain_that_is_sure_is_named(capsys):
    random = np.random.default_rng(0)
    X = random.normal(size=(600, 2))
    y = (X @ [1.0, 1.0] > 1.5).astype(int)
    # Small features need a large C; even smaller ones would be scaled.
    SmartSVMCV(Cs=[1.0, 1e4], nodes="linear", routing="hard", verbose=1).fit(X * 0.05, y)
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("C=10000.0 scores ")
    assert last.endswith(" over C=1.")


def test_sample_weights_count_in_every_fit():
    X, y = IRIS
    weights = np.where(y == 1, 20.0, 1.0)
    plain, heavy = (SmartSVMCV(Cs=[1.0]).fit(X, y, sample_weight=w) for w in (None, weights))
    assert heavy.best_score_ != plain.best_score_
    assert np.count_nonzero(heavy.predict(X) == 1) > np.count_nonzero(plain.predict(X) == 1)


def test_small_classes_are_named_once():
    X, y = IRIS
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        SmartSVMCV(Cs=[1.0], cv=3, hierarchy="min-cut").fit(X[:105], y[:105])
    assert [each.category for each in record] == [SmallClassWarning]

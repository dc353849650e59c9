"""Feature selection: criteria against the public estimates, greedy against brute force."""

import numpy as np
import pytest
from contract import contract_cases, settings_after
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from strategies import examples

from smartsvm import BayesErrorSelector, ClassForest
from smartsvm._core.points import Points
from smartsvm._core.validation import tie_seed
from smartsvm.held_out.neighbors import leave_one_out, neighbor_labels
from smartsvm.selection.feature_search import FeatureSearch
from smartsvm.selection.held_out_error import as_good
from smartsvm.selection.search_criteria import CRITERIA

IRIS = load_iris(return_X_y=True)


def planted(seed=0, n=240, n_features=10, places=(3, 7)):
    """Three classes, told apart by two columns among noise."""
    random = np.random.default_rng(seed)
    y = np.arange(n) % 3
    X = random.normal(size=(n, n_features))
    X[:, places[0]] += 3.0 * y
    X[:, places[1]] += 3.0 * (y == 1)
    return X, y


def score_of(X, y, criterion):
    """The criterion by the public functions."""
    if criterion == "neighbors":
        labels = neighbor_labels(Points(X), y, 5)
        return leave_one_out(labels, y, int(y.max()) + 1, np.array([5])).errors[0]
    return ClassForest(X, y, n_trees=1).multiclass(bias_correction=False).upper


@contract_cases(BayesErrorSelector())
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learn_contract(model, check):
    settings_before = model.get_params()
    assert settings_after(check, model) == settings_before


@given(
    seed=st.integers(0, 500),
    n_classes=st.integers(2, 4),
    n_features=st.integers(2, 9),
    criterion=st.sampled_from(sorted(CRITERIA)),
    integers=st.booleans(),
)
@examples(40)
def test_criteria_are_the_public_estimates(seed, n_classes, n_features, criterion, integers):
    random = np.random.default_rng(seed)
    y = np.arange(40 * n_classes) % n_classes
    X = random.normal(size=(len(y), n_features)) + y[:, None]
    if integers and criterion == "tree":  # neighbours have another order among ties
        X = np.round(X)
    scored = CRITERIA[criterion](y, tie_seed(0))
    distances = ((X[:, None, :-1] - X[None, :, :-1]) ** 2).sum(axis=2)
    last, others = np.ascontiguousarray(X[:, -1]), np.ascontiguousarray(X[:, :-1].T)
    assert scored(distances, last, others) == pytest.approx(score_of(X, y, criterion), abs=1e-12)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_search_is_greedy_by_the_public_estimates(criterion):
    X, y = planted(n=90, n_features=6, places=(1, 4))
    search = FeatureSearch(np.ascontiguousarray(X.T), CRITERIA[criterion](y, tie_seed(0)))
    order = search.take(4)
    for place, step in enumerate(search.path):
        chosen = order[:place]
        scores = {
            j: score_of(np.ascontiguousarray(X[:, [*chosen, j]]), y, criterion)
            for j in range(6)
            if j not in chosen
        }
        assert step.score == pytest.approx(min(scores.values()), abs=1e-12)
        assert scores[step.feature] == pytest.approx(step.score, abs=1e-12)
        assert step.n_features == place + 1


@pytest.mark.parametrize("criterion", CRITERIA)
def test_auto_finds_planted_features_and_stops(criterion):
    X, y = planted(n_features=30)
    selector = BayesErrorSelector(criterion=criterion).fit(X, y)
    assert selector.support_[[3, 7]].all()
    assert selector.n_features_ <= 4
    assert selector.held_out_error_ <= selector.full_error_
    assert selector.summary_.startswith(f"{selector.n_features_} of 30 features: held-out error ")


def test_auto_finds_two_features_that_tell_only_together():
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 8))
    y = (X[:, 2] > 0) ^ (X[:, 5] > 0)
    selector = BayesErrorSelector().fit(X, y)
    assert selector.support_[[2, 5]].all()


def test_auto_keeps_the_columns_that_a_linear_classifier_needs():
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    selector = BayesErrorSelector().fit(X, y)
    found = LinearSVC(dual=False).fit(X[:, selector.support_], y).score(X[:, selector.support_], y)
    assert found > 0.98


def test_noise_alone_keeps_few():
    random = np.random.default_rng(0)
    selector = BayesErrorSelector().fit(random.normal(size=(200, 12)), np.arange(200) % 2)
    assert selector.n_features_ <= 6


def test_mistakes_are_compared_on_the_same_samples():
    wrong = np.zeros(1000)
    wrong[:100] = 1
    worse = wrong.copy()
    worse[100:104] = 1  # four mistakes more on the same samples are clear, beside 100 they are not
    assert not as_good(worse, wrong)
    worse[:3] = 0
    assert as_good(worse, wrong)
    assert as_good(wrong, worse)
    few = np.zeros(100)
    few[:2] = 1
    assert as_good(few, np.zeros(100))
    few[2] = 1
    assert not as_good(few, np.zeros(100))


def test_scale_of_other_columns_does_not_hide_a_feature():
    X, y = planted()
    selector = BayesErrorSelector(2).fit(X * 2.0**-600, y)
    assert selector.get_support(indices=True).tolist() == [3, 7]


def test_number_and_share_of_features():
    X, y = planted()
    for given_number, n_features in ((3, 3), (0.25, 2), (1.0, 10), (0.01, 1), (10, 10)):
        selector = BayesErrorSelector(given_number).fit(X, y)
        assert selector.n_features_ == selector.support_.sum() == n_features
        assert sorted(selector.ranking_.tolist()).count(1) == n_features
        assert np.isnan(selector.full_error_)


def test_ranks_follow_the_order_of_the_search():
    X, y = planted(n_features=40)
    selector = BayesErrorSelector().fit(X, y)
    order = [step.feature for step in selector.path_]
    assert len(order) > selector.n_features_
    later = selector.ranking_[order[selector.n_features_ :]]
    assert later.tolist() == list(range(2, len(later) + 2))
    never = np.setdiff1d(np.arange(40), order)
    assert set(selector.ranking_[never]) <= {len(later) + 2}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_features_to_select": 0}, "n_features_to_select must be"),
        ({"n_features_to_select": 5}, "n_features_to_select must be"),
        ({"n_features_to_select": 1.5}, "n_features_to_select must be"),
        ({"criterion": "accuracy"}, "criterion must be one of"),
        ({"memory_limit": 100}, "memory_limit must hold distances of at least 32 samples"),
    ],
)
def test_wrong_options_are_named(options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        BayesErrorSelector(**options).fit(*IRIS)


def test_more_samples_than_memory_are_a_stratified_part():
    X, y = planted(n=600)
    selector = BayesErrorSelector(2, memory_limit=8 * 300**2).fit(X, y)
    assert 290 <= selector.n_samples_used_ <= 300
    assert selector.get_support(indices=True).tolist() == [3, 7]


def test_threads_and_repetition_change_nothing():
    X, y = planted()
    first = BayesErrorSelector(random_state=3).fit(X, y)
    for n_jobs in (None, 2):
        again = clone(first).set_params(n_jobs=n_jobs).fit(X, y)
        np.testing.assert_equal(again.path_, first.path_)
        assert np.array_equal(again.support_, first.support_)


def test_names_go_in_and_out():
    pandas = pytest.importorskip("pandas")
    X, y = planted(n_features=4, places=(1, 2))
    frame = pandas.DataFrame(X, columns=list("abcd"))
    selector = BayesErrorSelector(2).fit(frame, y)
    assert selector.get_feature_names_out().tolist() == ["b", "c"]


def test_progress_names_the_steps(capsys):
    BayesErrorSelector(2, verbose=1).fit(*IRIS)
    assert "2 features, error " in capsys.readouterr().err


def test_works_in_a_pipeline():
    X, y = planted()
    model = make_pipeline(StandardScaler(), BayesErrorSelector(2), LinearSVC(dual=False))
    assert model.fit(X, y).score(X, y) > 0.9

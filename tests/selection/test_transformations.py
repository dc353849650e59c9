"""Ranking of transformers: held-out estimates, halving, pairs, and the estimators on top."""

import warnings
from functools import partial

import numpy as np
import pytest
from contract import contract_cases, settings_after
from margins import leads
from sklearn import config_context
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.manifold import SpectralEmbedding
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsOneClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, MinMaxScaler, StandardScaler
from sklearn.svm import LinearSVC

from smartsvm import (
    BayesErrorTransformerSearch,
    ClassForest,
    PairwiseTransformerClassifier,
    SmallClassWarning,
    bayes_error_scorer,
    multiclass_bayes_error,
    pairwise_bayes_error,
    rank_transformers,
)
from smartsvm._core.points import Points, scale_points
from smartsvm.held_out.posterior import combined_posterior
from smartsvm.held_out.registry import Trials
from smartsvm.selection.transformations import _round_sizes
from smartsvm.selection.transformed_error import as_good, transformed_error

IRIS, WINE = load_iris(return_X_y=True), load_wine(return_X_y=True)


class Memory(TransformerMixin, BaseEstimator):
    """Knows the labels of the points it was fitted on, and nothing about others."""

    def fit(self, X, y):
        self.known_ = {row.tobytes(): label for row, label in zip(X, y, strict=True)}
        return self

    def transform(self, X):
        noise = np.random.default_rng(0).normal(size=len(X))
        learnt = [float(self.known_.get(row.tobytes(), -1)) for row in X]
        return np.column_stack([learnt, 1e-3 * noise])


class Transductive(BaseEstimator):
    """Maps only what it is fitted on; must not be told any label."""

    def fit_transform(self, X, y=None):
        assert y is None
        return X * 1.0


class Noise(TransformerMixin, BaseEstimator):
    """Forgets the points."""

    def __init__(self, seed=0):
        self.seed = seed

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return np.random.default_rng(self.seed).normal(size=(len(X), 2))


class Interrupts(Noise):
    """Ctrl-C while it is fitted."""

    def fit(self, X, y=None):
        raise KeyboardInterrupt


@contract_cases(
    BayesErrorTransformerSearch(per_pair=True),
    PairwiseTransformerClassifier(["passthrough", PCA(1)], estimator=GaussianNB(), n_jobs=2),
)
@pytest.mark.filterwarnings("ignore::smartsvm.SmallClassWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learn_contract(model, check):
    settings_before = model.get_params()
    assert settings_after(check, model) == settings_before


def test_labels_learnt_by_heart_are_not_rewarded():
    X, y = IRIS
    ranking = rank_transformers([Memory(), "passthrough"], X, y)
    assert ranking.names == ["passthrough", "Memory()"]
    assert ranking.errors[1] > 0.5
    # On the points it was fitted on it would have won.
    assert multiclass_bayes_error(Memory().fit(X, y).transform(X), y).value < 0.02


def test_errors_are_those_of_the_held_out_points():
    X, y = WINE
    given = {"first": StandardScaler(), "second": PCA(2)}
    ranking = rank_transformers(given, X, y, test_size=0.4, per_pair=True)
    assert set(ranking.names) == {"first", "second"}
    assert ranking.n_held_out.tolist() == [71, 71]
    assert np.all(np.diff(ranking.errors) >= 0)
    worst = rank_transformers(given, X, y, test_size=0.4, criterion="worst_pair")
    mean = rank_transformers(given, X, y, test_size=0.4, criterion="mean_pair")
    upper = np.triu_indices(3, 1)
    for other, reduce in ((worst, np.max), (mean, np.mean)):
        for name, error in zip(other.names, other.errors, strict=True):
            pairs = ranking.pair_errors[ranking.names.index(name)]
            assert error == pytest.approx(reduce(pairs[upper]))
    assert (rank_transformers(given, X, y, criterion="knn").errors < 0.5).all()


def test_one_split_is_shared_and_stratified():
    seen = []

    class Spy(Noise):
        def fit(self, X, y=None):
            seen.append(("fit", np.bincount(y).tolist()))
            return self

        def transform(self, X):
            seen.append(("transform", len(X)))
            return X

    rank_transformers([Spy()], *IRIS)
    assert seen == [("fit", [25, 25, 25]), ("transform", 75)]


def test_transductive_maps_are_marked_and_get_no_labels():
    X, y = IRIS
    ranking = rank_transformers(
        [Transductive(), "passthrough", make_pipeline(StandardScaler(), SpectralEmbedding(2))], X, y
    )
    by_name = dict(zip(ranking.names, ranking.transductive, strict=True))
    assert not by_name.pop("passthrough")
    assert all(by_name.values())
    same = dict(zip(ranking.names, ranking.errors, strict=True))
    assert same["Transductive()"] == same["passthrough"]
    assert "fitted on all points at once" in str(ranking)
    search = BayesErrorTransformerSearch([Transductive(), PCA(1)]).fit(X, y)
    assert search.best_name_ == "PCA(n_components=1)"
    assert search.best_index_ == 1
    with pytest.raises(ValueError, match="None of the transformers can transform new points"):
        BayesErrorTransformerSearch([Transductive()]).fit(X, y)


def test_halving_drops_clear_losers_only():
    X, y = load_digits(return_X_y=True)
    candidates = {f"noise {k}": Noise(k) for k in range(6)} | {"all": "passthrough", "same": PCA()}
    ranking = rank_transformers(candidates, X, y, test_size=0.6)
    assert set(ranking.names[:2]) == {"all", "same"}
    finalists = ranking.rounds == 2
    assert finalists.sum() == 3  # the best third of eight, rounded up
    assert ranking.n_held_out[finalists].tolist() == [1078] * 3
    assert ranking.n_held_out[~finalists].tolist() == [359] * 5
    full = rank_transformers(candidates, X, y, test_size=0.6, halving=False)
    assert (full.rounds == 1).all()
    assert full.errors[0] == ranking.errors[0]


@pytest.mark.parametrize(
    ("arguments", "sizes"),
    [
        ((1, 9000, 3), [9000]),
        ((3, 9000, 3), [3000, 9000]),
        ((9, 9000, 3), [1000, 3000, 9000]),
        ((99, 9000, 3), [333, 1000, 3000, 9000]),
        ((99, 9000, 50), [1000, 3000, 9000]),
        ((9, 500, 3), [500]),
    ],
)
def test_rounds(arguments, sizes):
    assert _round_sizes(*arguments) == sizes


def test_failures_are_told_and_do_not_stop_the_others():
    X, y = IRIS
    ranking = rank_transformers([PCA(50), "passthrough"], X, y)
    assert ranking.names == ["passthrough", "PCA(n_components=50)"]
    assert np.isnan(ranking.errors[1])
    assert "n_components=50" in ranking.failures[1]
    assert "failed: ValueError" in str(ranking)
    with pytest.raises(ValueError, match="All transformers failed: PCA"):
        rank_transformers([PCA(50)], X, y)


def test_interruption_keeps_what_is_known():
    X, y = IRIS
    with pytest.raises(KeyboardInterrupt, match="`ranking` of this exception") as stopped:
        rank_transformers(["passthrough", Interrupts(), PCA(1)], X, y)
    ranking = stopped.value.ranking
    assert ranking.interrupted
    assert ranking.names[0] == "passthrough"
    assert ranking.failures == [None, "interrupted", "interrupted"]
    search = BayesErrorTransformerSearch(["passthrough", Interrupts()])
    with pytest.raises(KeyboardInterrupt, match="interrupted"):
        search.fit(X, y)
    assert search.transform(X).shape == X.shape
    assert search.best_name_ == "passthrough"
    with pytest.raises(KeyboardInterrupt):
        rank_transformers([Interrupts()], X, y)
    with pytest.raises(KeyboardInterrupt):  # what is known cannot transform anything
        BayesErrorTransformerSearch([SpectralEmbedding(2), Interrupts()]).fit(X, y)


def test_names_are_distinct_and_forms_are_checked():
    X, y = IRIS
    ranking = rank_transformers([("a", PCA(1)), ("a", PCA(2)), TfidfTransformer()], X, y)
    assert sorted(ranking.names) == ["TfidfTransformer()", "a", "a-2"]  # sparse output is fine
    for wrong in ("passthrough", 3):
        with pytest.raises(TypeError, match="transformers must be a list or a dict"):
            rank_transformers(wrong, X, y)
    with pytest.raises(TypeError, match='must be "passthrough" or have a method'):
        rank_transformers([LinearSVC()], X, y)
    with pytest.raises(ValueError, match="transformers must not be empty"):
        rank_transformers([], X, y)
    with pytest.raises(ValueError, match="criterion must be one of"):
        rank_transformers(None, X, y, criterion="best")
    with pytest.raises(ValueError, match="test_size must be a number between"):
        rank_transformers(None, X, y, test_size=1.0)
    with pytest.raises(ValueError, match="X must have more than 2 rows"):
        rank_transformers(None, X[49:51], y[49:51])
    with pytest.warns(SmallClassWarning, match="held-out"):
        rank_transformers([PCA(1)], X[:112], y[:112])


def test_a_table_prints_in_several_forms(capsys):
    pandas = pytest.importorskip("pandas")
    ranking = rank_transformers(None, *WINE, verbose=1, n_jobs=2)
    frame = ranking.to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert frame["error"][1:].is_monotonic_increasing  # a tie may give another the first place
    assert "5 transformers" in capsys.readouterr().err
    assert repr(ranking) == f"TransformerRanking(5 transformers, best: {ranking.names[0]!r})"
    assert len(str(ranking).splitlines()) == 6
    with pytest.raises(ValueError, match="use per_pair=True"):
        ranking.best_for_pairs()


def test_search_is_fitted_on_all_samples():
    X, y = WINE
    search = BayesErrorTransformerSearch([StandardScaler(), PCA(2)]).fit(X, y)
    assert search.best_name_ == "StandardScaler()"
    np.testing.assert_allclose(search.transform(X), StandardScaler().fit_transform(X))
    assert search.get_feature_names_out().tolist() == [f"x{j}" for j in range(13)]
    assert clone(search).fit(X, y).best_error_ == search.best_error_
    plain = BayesErrorTransformerSearch(["passthrough"]).fit(X, y)
    assert np.array_equal(plain.transform(X), X)
    assert plain.get_feature_names_out(["a"] * 13).tolist() == ["a"] * 13
    reduced = BayesErrorTransformerSearch([PCA(2)]).fit(X, y)
    assert reduced.get_feature_names_out().tolist() == ["pca0", "pca1"]
    with pytest.raises(ValueError, match="use per_pair=True"):
        reduced.transform_pair(X, 0, 1)


def pairs_with_columns_of_their_own(seed=0, n=600):
    """Each pair of three classes is told apart by one column; the others drown it."""
    random = np.random.default_rng(seed)
    y = np.arange(n) % 3
    X = random.normal(size=(n, 3))
    X[:, 0] += 5.0 * (y == 1)  # tells 0 from 1, and 1 from 2
    X[:, 1] += 5.0 * (y == 2)  # tells 0 from 2, and 1 from 2
    return X, y


class Column(TransformerMixin, BaseEstimator):
    """One column."""

    def __init__(self, j=0):
        self.j = j

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return X[:, [self.j]]


def test_each_pair_has_its_transformer():
    X, y = pairs_with_columns_of_their_own()
    search = BayesErrorTransformerSearch([Column(2), Column(1), Column(0)], per_pair=True)
    search.fit(X, y)
    index = search.pair_index_
    names = search.ranking_.names
    assert names[index[0, 1]] == "Column()"
    assert names[index[0, 2]] == "Column(j=1)"
    assert np.array_equal(index, index.T)
    assert index[0, 0] == -1
    assert np.array_equal(search.transform_pair(X, 0, 2), X[:, [1]])
    with pytest.raises(ValueError, match="second must be one of"):
        search.transform_pair(X, 0, 7)
    with pytest.raises(ValueError, match="must differ"):
        search.transform_pair(X, 1, 1)
    candidates = [Column(2), Column(1), Column(0)]
    own = PairwiseTransformerClassifier(candidates).fit(X, y)
    shared = PairwiseTransformerClassifier(candidates, per_pair=False).fit(X, y)
    assert own.score(X, y) > 0.97 > shared.score(X, y) + 0.2


def test_without_transformation_it_is_one_vs_one():
    X, y = load_digits(return_X_y=True)
    X, y = X[:500] / 16, y[:500]
    for binary in (LinearSVC(dual=False), GaussianNB()):
        ours = PairwiseTransformerClassifier(["passthrough"], estimator=binary).fit(X, y)
        peer = OneVsOneClassifier(binary).fit(X, y)
        votes = np.round(peer.decision_function(X))
        np.testing.assert_array_equal(np.round(ours.decision_function(X)), votes)
        alone = leads(votes) > 0  # equals are decided by margins, which are not the same
        np.testing.assert_array_equal(ours.predict(X)[alone], peer.predict(X)[alone])
    ours = PairwiseTransformerClassifier(["passthrough"]).fit(X, y)
    peer = OneVsOneClassifier(LinearSVC(dual=False)).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), peer.decision_function(X), atol=1e-6)


def test_binary_classifiers_of_any_kind_vote():
    X, y = WINE
    plain = PairwiseTransformerClassifier(["passthrough"], estimator=KNeighborsClassifier(3))
    scores = plain.fit(X, y).decision_function(X)
    assert np.array_equal(plain.classes_[scores.argmax(axis=1)], plain.predict(X))
    two = PairwiseTransformerClassifier().fit(X[y < 2], y[y < 2])
    assert two.decision_function(X).shape == (len(X),)
    assert two.score(X[y < 2], y[y < 2]) > 0.95


def test_scorer_is_minus_the_error():
    X, y = IRIS
    scaler = StandardScaler().fit(X[::2])
    Z = scaler.transform(X)
    expected = ClassForest(Z, y, n_trees=3).multiclass(bias_correction=False).value
    assert bayes_error_scorer(scaler, X, y, criterion="multiclass") == -expected
    options = {"n_trees": 3, "bias_correction": False, "normalize": True}
    pairs = pairwise_bayes_error(Z, y, **options).value
    assert bayes_error_scorer(scaler, X, y, criterion="worst_pair") == -pairs.max()
    pipeline = make_pipeline(StandardScaler(), LinearSVC(dual=False)).fit(X[::2], y[::2])
    assert bayes_error_scorer(pipeline, X, y) == bayes_error_scorer(scaler, X, y)
    with pytest.raises(TypeError, match="estimator must have a method transform"):
        bayes_error_scorer(LinearSVC(), X, y)
    with pytest.raises(ValueError, match="criterion must be one of"):
        bayes_error_scorer(scaler, X, y, criterion="accuracy")


def test_scorer_tunes_transformers():
    X, y = WINE
    scoring = partial(bayes_error_scorer, criterion="knn")
    pipeline = make_pipeline(StandardScaler(), PCA(), LinearDiscriminantAnalysis())
    grid = {
        "standardscaler": ["passthrough", StandardScaler(), MinMaxScaler()],
        "pca__n_components": [1, 8],
    }
    search = GridSearchCV(pipeline, grid, scoring=scoring, cv=3, error_score="raise").fit(X, y)
    assert search.best_params_["standardscaler"] != "passthrough"
    assert search.best_params_["pca__n_components"] == 8


def test_any_error_of_a_transformer_is_an_outcome():
    # Of points that are all the same, discriminant analysis raises an error of numpy or LAPACK.
    X, y = np.ones((60, 3)), np.arange(60) % 3
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ranking = rank_transformers(None, X, y)
    failed = dict(zip(ranking.names, ranking.failures, strict=True))
    assert failed["lda"].startswith(("IndexError: ", "ValueError: Internal work array"))
    assert failed["passthrough"] is None


def test_data_frames_between_transformers_and_pairs():
    X, y = load_wine(return_X_y=True)
    plain = PairwiseTransformerClassifier().fit(X, y)
    with config_context(transform_output="pandas"):
        framed = PairwiseTransformerClassifier().fit(X, y)
        assert np.array_equal(framed.decision_function(X), plain.decision_function(X))


def test_names_that_fit_did_not_see_are_refused():
    X, y = load_wine(return_X_y=True, as_frame=True)
    search = BayesErrorTransformerSearch(["passthrough"]).fit(X, y)
    assert search.get_feature_names_out(X.columns).tolist() == X.columns.tolist()
    with pytest.raises(ValueError, match="input_features is not equal to feature_names_in_"):
        search.get_feature_names_out(["one"])
    with pytest.raises(ValueError, match="input_features is not equal to feature_names_in_"):
        search.get_feature_names_out([f"x{i}" for i in range(13)])
    search.fit(X.to_numpy(), y)
    with pytest.raises(ValueError, match=r"number of features \(13\), got 1"):
        search.get_feature_names_out(["one"])


@pytest.mark.parametrize("estimator", [LinearSVC(dual=True, tol=1e-2), RandomForestClassifier(3)])
def test_classifiers_of_pairs_are_seeded_in_any_thread(estimator):
    X, y = load_digits(n_class=5, return_X_y=True)
    X, y = X[:200], y[:200]
    one, two = (
        PairwiseTransformerClassifier(["passthrough"], estimator=estimator, n_jobs=jobs).fit(X, y)
        for jobs in (1, 2)
    )
    assert np.array_equal(one.decision_function(X), two.decision_function(X))


@pytest.mark.parametrize("size", [2.0**660, 2.0**-660])
def test_neighbours_are_sought_among_scaled_points(size):
    X, y = IRIS
    expected = rank_transformers(["passthrough"], X, y, criterion="knn").errors
    found = rank_transformers(["passthrough"], X * size, y, criterion="knn").errors
    assert np.array_equal(found, expected)


def test_a_projection_that_loses_information_is_not_chosen():
    X, y = WINE
    projection = make_pipeline(StandardScaler(), PCA(5))
    for order in (["passthrough", StandardScaler(), projection], [projection, StandardScaler()]):
        search = BayesErrorTransformerSearch(order).fit(X, y)
        assert search.best_name_ == "StandardScaler()"  # raw wines are far apart by one feature
        restored = dict(zip(search.ranking_.names, search.ranking_.invertible, strict=True))
        assert restored["StandardScaler()"]
        assert not restored["StandardScaler() + PCA(n_components=5)"]


def test_of_invertible_ones_nearest_neighbours_choose():
    X, y = load_breast_cancer(return_X_y=True)
    for rows in (slice(1, None, 2), slice(0, None, 3)):  # their errors hardly differ
        ranking = rank_transformers(["passthrough", StandardScaler()], X[rows], y[rows])
        assert ranking.names[0] == "StandardScaler()"


def test_ties_go_to_invertible_then_to_short_transformers():
    random = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = random.normal(size=(200, 3)) + 20 * y[:, None]  # anything separates them
    whole = make_pipeline(StandardScaler(), PCA())
    # Its inverse restores nothing.
    bins = KBinsDiscretizer(4, encode="ordinal", strategy="uniform")
    for order, first in (
        ([bins, PCA(1), whole, PCA(), "passthrough"], "passthrough"),
        ([bins, PCA(1), whole, PCA()], "PCA()"),
        ([bins, PCA(1)], "PCA(n_components=1)"),
    ):
        ranking = rank_transformers(order, X, y)
        assert (ranking.errors == 0).all()
        if len(order) > 2:
            assert ranking.names[0] == first
        else:
            assert not ranking.invertible.any()
            assert ranking.names[0].startswith("KBinsDiscretizer")  # the first one given


def test_candidates_are_compared_on_the_same_samples():
    wrong = np.zeros(1000)
    wrong[:100] = 1
    worse = wrong.copy()
    worse[100:104] = 1  # four mistakes more on the same samples are clear, beside 100 they are not
    assert not as_good(worse, wrong)
    worse[:3] = 0
    assert as_good(worse, wrong)
    assert as_good(wrong, worse)


def test_the_error_is_that_of_all_classifiers_together():
    X, y = WINE
    estimate = transformed_error(X[::2], y[::2], "held_out")
    assert estimate.error == estimate.judged.wrong.mean()
    points = scale_points(X[::2]).values
    trials = Trials(
        Points(points), y[::2], None, ("linear", "gaussians", "kernel"), seed=0, n_jobs=1
    )
    combined = combined_posterior(trials, y[::2], 3, seed=0)
    assert estimate.error == np.mean(combined.answers() != y[::2])

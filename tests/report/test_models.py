"""Models of the user in a report."""

import pickle
from typing import ClassVar

import numpy as np
import pandas
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, TimeSeriesSplit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from smartsvm import difficulty_report
from smartsvm._core.sampling import stratified_rows
from smartsvm._core.validation import tie_seed
from smartsvm.held_out.folds import folds_of_cv
from smartsvm.report.models import cross_validated, folds_of_rows, open_models

FAST = {"classifiers": ("linear",)}
CLASSES = np.array(["no", "yes"])


def two_classes(n=200, seed=0):
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, n)
    X = random.normal(size=(n, 2))
    X[:, 0] += 1.5 * y
    return X, CLASSES[y]


class Recorder(ClassifierMixin, BaseEstimator):
    """Answers "yes"; a list that all clones share has the rows of every fit and prediction."""

    seen: ClassVar[list] = []

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.rows_ = X[:, 0]
        return self

    def predict(self, X):
        self.seen.append((self.rows_, X[:, 0]))
        return np.full(len(X), "yes")


def test_an_estimator_joins_the_held_out_errors():
    X, y = two_classes()
    model = LogisticRegression()
    report = difficulty_report(X, y, models={"mine": model}, **FAST)
    assert not hasattr(model, "coef_")  # it was cloned
    found = report.headroom("mine")
    assert found.cross_validated
    assert report.errors.held_out.of("mine").error == found.error
    assert found.error.value == (found.predicted != y).mean()
    assert found.confusion.sum() == len(y)
    assert np.trace(found.confusion) == (found.predicted == y).sum()
    pickled = pickle.loads(pickle.dumps(report)).headroom("mine")
    assert pickled.gain == found.gain
    assert not pickled.predicted.flags.writeable


def test_a_better_estimator_lowers_the_bayes_error():
    class Oracle(ClassifierMixin, BaseEstimator):
        """Knows that a product decides, which LDA and two neighbours hardly see."""

        def fit(self, X, y):
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return CLASSES[(np.prod(X[:, :4], axis=1) > 0).astype(int)]

    random = np.random.default_rng(0)
    X = random.normal(size=(300, 12))
    y = Oracle().predict(X)
    plain = difficulty_report(X, y, **FAST)
    ours = difficulty_report(X, y, models={"oracle": Oracle()}, **FAST)
    given = difficulty_report(X, y, models={"oracle": y}, **FAST)
    assert ours.bayes_error.high < 0.05 < plain.bayes_error.high
    assert given.bayes_error == plain.bayes_error
    assert given.errors.held_out.of("oracle") is None
    assert not given.headroom("oracle").cross_validated


def test_all_rows_of_a_group_are_held_out_together():
    X, y = two_classes()
    X[:, 0] = np.arange(len(X))
    groups = np.arange(len(X)) // 10
    Recorder.seen.clear()
    difficulty_report(X, y, models={"mine": Recorder()}, groups=groups, scale="none", **FAST)
    assert len(Recorder.seen) == 5
    for training, held_out in Recorder.seen:
        assert not set(training // 10) & set(held_out // 10)
    assert sorted(np.concatenate([held_out for _, held_out in Recorder.seen])) == list(range(200))


def test_a_splitter_holds_out_its_rows_alone():
    X, y = two_classes()
    X[:, 0] = np.arange(len(X))
    Recorder.seen.clear()
    report = difficulty_report(
        X, y, models={"mine": Recorder()}, cv=TimeSeriesSplit(3), scale="none", **FAST
    )
    for training, held_out in Recorder.seen:
        assert training.max() < held_out.min()
    found = report.headroom("mine")
    assert found.confusion.sum() == 150
    np.testing.assert_array_equal(found.predicted[:50], y[:50])
    assert (found.predicted[50:] == "yes").all()
    assert found.error.value == (y[50:] != "yes").mean()
    assert (found.improvable >= 50).all()


def test_copies_of_a_row_are_never_on_both_sides():
    random = np.random.default_rng(0)
    X = np.repeat(random.normal(size=(150, 3)), 2, axis=0)
    y = CLASSES[np.repeat(random.integers(0, 2, 150), 2)]  # no signal but the copy itself
    report = difficulty_report(X, y, models={"mine": KNeighborsClassifier(1)}, **FAST)
    assert report.headroom("mine").error.value > 0.3
    assert len(report.headroom("mine").predicted) == 300


def test_a_pipeline_sees_columns_of_the_rows_with_a_label():
    X, y = two_classes()
    table = pandas.DataFrame({"x": X[:, 0], "z": np.where(X[:, 1] > 0, "up", "down"), "kind": y})
    table.loc[[3, 50], "kind"] = None
    model = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["z"]), remainder="passthrough"),
        LogisticRegression(),
    )
    predictions = np.where(np.arange(200) % 2, "yes", "no")
    report = difficulty_report(table, "kind", models={"mine": model, "given": predictions}, **FAST)
    assert report.headroom("mine").error.value < 0.35
    kept = np.delete(predictions, [3, 50])
    np.testing.assert_array_equal(report.headroom("given").predicted, kept)


def test_with_a_subsample_the_same_rows_are_taken():
    X, y = two_classes(400)
    wrong = np.where(y == "yes", "no", "yes")
    wrong[:200] = y[:200]
    report = difficulty_report(X, y, models={"given": wrong}, subsample=150, **FAST)
    rows = report.data.rows
    np.testing.assert_array_equal(rows, stratified_rows((y == "yes").astype(int), 150, tie_seed(0)))
    np.testing.assert_array_equal(report.headroom("given").predicted, wrong[rows])


def test_all_forms_of_the_same_predictions_agree():
    X, y = two_classes()
    chance = 1 / (1 + np.exp(1.5 - 2 * X[:, 0]))
    both = np.column_stack([1 - chance, chance])
    models = {
        "labels": CLASSES[both.argmax(axis=1)],
        "list": CLASSES[both.argmax(axis=1)].tolist(),
        "in order": both,
        "turned": (both[:, ::-1], ["yes", "no"]),
        "frame": pandas.DataFrame(both[:, ::-1], columns=["yes", "no"]),
    }
    report = difficulty_report(X, y, models=models, **FAST)
    first = report.headroom("labels")
    for name in models:
        found = report.headroom(name)
        np.testing.assert_array_equal(found.predicted, first.predicted)
        assert found.gain == first.gain


def test_folds_are_stratified_and_every_row_is_held_out_once():
    codes = np.repeat([0, 1], [95, 10])
    folds = folds_of_rows(codes, 0)
    held_out = np.array([each for _, each in folds.splits()])
    assert len(held_out) == 10
    assert (held_out.sum(axis=0) == 1).all()
    assert (held_out[:, codes == 1].sum(axis=1) == 1).all()


def test_cross_validation_is_that_of_scikit_learn():
    X, y = two_classes()
    codes = (y == "yes").astype(int)
    folds = folds_of_rows(codes, 0)
    (model,) = open_models({"mine": KNeighborsClassifier(3)}, CLASSES, 200, np.arange(200))
    found = cross_validated(model, X, codes, CLASSES, folds)
    expected = np.empty(200, dtype=int)
    for training, held_out in folds.splits():
        fitted = KNeighborsClassifier(3).fit(X[training], codes[training])
        expected[held_out] = fitted.predict(X[held_out])
    np.testing.assert_array_equal(found.answers, expected)
    again = cross_validated(model, X, codes, CLASSES, folds, n_jobs=2)
    np.testing.assert_array_equal(again.answers, expected)
    np.testing.assert_array_equal(found.fits.numbers, folds.numbers)
    assert found.fits.share == pytest.approx(0.9)
    in_order = folds_of_cv(TimeSeriesSplit(3), X, CLASSES[codes], codes)
    found = cross_validated(model, X, codes, CLASSES, in_order)
    assert found.fits.share == pytest.approx((50 + 100 + 150) / 3 / 200)


HALVES = np.full((200, 2), 0.5)
WITH_GAP = np.where(np.arange(400).reshape(200, 2) == 5, np.nan, 0.5)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (np.full(150, "yes"), "must have a row for each of the 200 rows of X, got 150"),
        (np.full(200, "maybe"), "must have the classes of y, 'no', 'yes', got 'maybe'"),
        ([None] + ["yes"] * 199, "models['mine'] must have no missing labels, got 1"),
        (HALVES[:100], "a row for each of the 200 rows of X, got 100"),
        (HALVES * 0.9, "a sum of 1 in every row; got 200 other rows, such as row 0 (sum 0.9"),
        (HALVES + np.array([-0.7, 0.7]), "none below 0"),
        (WITH_GAP, "must be finite, got nan at [2, 1]"),
        (np.full((200, 3), 1 / 3), "a column for each of the 2 classes of y"),
        ((HALVES, ["yes", "other"]), "must have the classes of y, 'no', 'yes', got 'other'"),
        ((HALVES, ["yes", "yes"]), "must name the class of each of its 2 columns once"),
        (np.linspace(0, 1, 200), "looks like the probabilities of one class"),
        ("mine", "must be an estimator with fit and predict, held-out predictions"),
        (LogisticRegression, "must be an object, such as LogisticRegression(), not its class"),
    ],
)
def test_refusals_name_the_model(model, message):
    X, y = two_classes()
    with pytest.raises((TypeError, ValueError)) as caught:
        difficulty_report(X, y, models={"mine": model}, **FAST)
    assert "models['mine']" in str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "models", [LogisticRegression(), {"linear": HALVES}, {"": HALVES}, {3: HALVES}]
)
def test_refused_names(models):
    X, y = two_classes()
    with pytest.raises((TypeError, ValueError), match="models must"):
        difficulty_report(X, y, models=models, **FAST)


def test_what_an_estimator_refuses_gets_its_name():
    X, y = two_classes()
    with pytest.raises(ValueError, match=r"models\['mine'\] cannot be fitted to 180 rows"):
        difficulty_report(X, y, models={"mine": LogisticRegression(C=-1)}, **FAST)
    with pytest.raises(ValueError, match="model must be one of"):
        difficulty_report(X, y, models={"mine": y}, **FAST).headroom("other")
    with pytest.raises(ValueError, match="has no models: pass models="):
        difficulty_report(X, y, **FAST).headroom("mine")


class Probable(LogisticRegression):
    """A network that predicts probabilities."""

    def predict(self, X):
        return self.predict_proba(X)


class Broken(LogisticRegression):
    """An estimator that fails in its own way."""

    def fit(self, X, y):
        raise RuntimeError("out of memory")


def test_what_an_estimator_does_wrong_gets_its_name():
    X, y = two_classes()
    message = (
        r"models\['mine'\]\.predict must give one label for each of 20 rows, got shape \(20, 2\)"
    )
    with pytest.raises(ValueError, match=message):
        difficulty_report(X, y, models={"mine": Probable()}, **FAST)
    with pytest.raises(RuntimeError, match="out of memory") as error:
        difficulty_report(X, y, models={"mine": Broken()}, **FAST)
    assert error.value.__notes__ == ["This was raised by models['mine']."]


@pytest.mark.parametrize("make", [pandas.Series, lambda y: pandas.get_dummies(y, dtype=float)])
def test_rows_in_another_order_than_the_table_are_refused(make):
    X, y = two_classes()
    table = pandas.DataFrame(X)
    given = make(pandas.Series(y)).iloc[::-1]
    with pytest.raises(ValueError, match=r"models\['mine'\] must have its rows in the order of X"):
        difficulty_report(table, y, models={"mine": given}, **FAST)
    named = given.reindex(table.index)
    assert (
        difficulty_report(table, y, models={"mine": named}, **FAST).headroom("mine").error[0] == 0
    )
    # Other names of rows say nothing about their order.
    named.index = np.arange(1000, 1200)
    assert (
        difficulty_report(table, y, models={"mine": named}, **FAST).headroom("mine").error[0] == 0
    )


def flag_of(report):
    return next((flag for flag in report.flags if flag.code == "not_held_out"), None)


def test_predictions_of_training_rows_give_themselves_away():
    X, y = two_classes(600)
    trained = KNeighborsClassifier(1).fit(X, y)
    report = difficulty_report(X, y, models={"mine": trained.predict(X)}, **FAST)
    assert "far below every classifier" in flag_of(report).message
    assert "mine" in flag_of(report).message
    ours = difficulty_report(X, y, models={"mine": trained}, **FAST)
    assert flag_of(ours) is None
    held_out = ours.headroom("mine").predicted
    assert flag_of(difficulty_report(X, y, models={"mine": held_out}, **FAST)) is None


def test_predictions_that_know_contradicting_copies_are_named():
    random = np.random.default_rng(0)
    X = random.integers(0, 4, size=(300, 2)).astype(float)
    y = CLASSES[random.integers(0, 2, 300)]
    leaking = np.where(random.random(300) < 0.9, y, "no")
    report = difficulty_report(X, y, models={"mine": leaking}, **FAST)
    assert "On equal rows with different labels they are right" in flag_of(report).message
    guess = np.full(300, "no")
    assert flag_of(difficulty_report(X, y, models={"mine": guess}, **FAST)) is None


def test_improvable_rows_are_those_that_others_get_right():
    X, y = two_classes(400)
    X[:, 0] += 4 * (y == "yes")
    y[:8] = np.where(y[:8] == "yes", "no", "yes")  # wrong labels
    right = np.where(X[:, 0] > 2.75, "yes", "no")
    mine = right.copy()
    mine[100:120] = np.where(right[100:120] == "yes", "no", "yes")
    report = difficulty_report(X, y, models={"mine": mine}, **FAST)
    found = report.headroom("mine")
    assert set(found.improvable) <= set(range(100, 120))
    assert len(found.improvable) >= 18
    assert (np.diff(report.labels.posterior[found.improvable]) <= 0).all()
    assert set(found.doubtful) == set(report.suspects) & set(np.flatnonzero(mine != y))
    assert len(found.doubtful) >= 5


def test_groups_widen_the_interval():
    X, y = two_classes(400)
    guess = np.where(X[:, 1] > 0, "yes", "no")
    groups = np.arange(400) // 8
    alone = difficulty_report(X, y, models={"mine": guess}, **FAST).headroom("mine")
    grouped = difficulty_report(X, y, models={"mine": guess}, groups=groups, **FAST)
    found = grouped.headroom("mine")
    assert found.error.high - found.error.low > 2 * (alone.error.high - alone.error.low)
    assert difficulty_report(
        X, y, models={"mine": guess}, groups=groups, cv=GroupKFold(), **FAST
    ).headroom("mine").error.value == pytest.approx(found.error.value)

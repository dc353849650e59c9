"""Classifiers that hold out whole groups, and the scores that all of them give."""

import numpy as np
import pytest
from problems import trials_of, two_gaussians

from smartsvm._core.points import Points
from smartsvm.held_out import boosting, network
from smartsvm.held_out.folds import folds_of_groups, group_folds
from smartsvm.held_out.mistakes import predictions
from smartsvm.held_out.registry import CLASSIFIERS, REGISTRY
from smartsvm.held_out.trials import Trials


def test_folds_are_of_whole_groups_and_about_equal():
    groups = np.random.default_rng(0).integers(0, 40, 1000)
    folds = group_folds(groups)
    for group in range(40):
        assert len(set(folds[groups == group])) == 1
    sizes = np.bincount(folds)
    assert len(sizes) == 5
    assert sizes.max() - sizes.min() < 50
    assert set(group_folds(np.array([0, 0, 1, 1, 1]))) == {0, 1}


def test_scores_are_of_the_mistakes():
    random = np.random.default_rng(0)
    y = random.integers(0, 4, 300)
    X = np.exp(random.normal(size=(300, 5)) + np.eye(4, 5)[y])
    for name, mistakes in trials_of(X, y).mistakes.items():
        scores = mistakes.scores(mistakes.best)
        assert scores.shape == (300, 4)
        assert scores.dtype == np.float32
        rows = np.array([5, 2, 77])
        np.testing.assert_array_equal(mistakes.scores(mistakes.best, rows), scores[rows])
        if name != "neighbors":  # those weigh votes by distance
            wrong = scores.argmax(axis=1) != y
            assert (wrong != mistakes.wrong[mistakes.best]).mean() < 0.05


def _always_runs(monkeypatch):
    """Boosting and the network run without a trial."""
    plan = boosting.Plan(boosting._QUICK, False)
    monkeypatch.setattr(boosting, "worthwhile_plan", lambda *_: plan)
    monkeypatch.setattr(network, "network_pays", lambda *_: True)


@pytest.mark.parametrize("name", [name for name in CLASSIFIERS if name != "neighbors"])
def test_predictions_do_not_see_the_labels_of_their_samples(name, monkeypatch):
    X, y = two_gaussians(200, 4, 3.0)
    _always_runs(monkeypatch)
    X = np.round(8 * X) if name == "categories" else X  # it needs many repeated values
    train = np.arange(200) % 4 > 0
    classifier = REGISTRY[name]
    work = {"seed": 0, "n_jobs": 1}
    (scores,) = predictions(classifier.predict, X, y, 2, train, classifier.settings[:1], **work)
    assert (scores.argmax(axis=1) != y[~train]).mean() < 0.15  # Bayes error .067
    other = np.where(train, y, 1 - y)
    (again,) = predictions(classifier.predict, X, other, 2, train, classifier.settings[:1], **work)
    np.testing.assert_array_equal(scores, again)


@pytest.mark.parametrize("name", [name for name in CLASSIFIERS if name != "neighbors"])
def test_a_class_without_training_samples_cannot_win(name, monkeypatch):
    X, y = two_gaussians(200, 4, 3.0)
    _always_runs(monkeypatch)
    X = np.round(8 * X) if name == "categories" else X  # it needs many repeated values
    train = np.arange(200) % 4 > 0
    codes = np.where(train, 2 * y, 1)  # class 1 only outside
    classifier = REGISTRY[name]
    (scores,) = predictions(
        classifier.predict, X, codes, 3, train, classifier.settings[:1], seed=0, n_jobs=1
    )
    assert np.isneginf(scores[:, 1]).all()
    assert (scores.argmax(axis=1) / 2 != y[~train]).mean() < 0.15
    (scores,) = predictions(
        classifier.predict,
        X,
        np.where(train, 2, codes),
        3,
        train,
        classifier.settings[:1],
        seed=0,
        n_jobs=1,
    )
    assert (scores.argmax(axis=1) == 2).all()


def test_every_classifier_is_held_out_by_group():
    random = np.random.default_rng(0)
    groups = np.repeat(np.arange(100), 3)
    y = random.integers(0, 2, 100)[groups]  # a label for each group, which its place gives away
    X = random.normal(size=(100, 5))[groups] + 0.01 * random.normal(size=(300, 5))
    alone = trials_of(X, y)
    trials = Trials(
        Points(X), y, None, CLASSIFIERS, folds=folds_of_groups(groups), seed=0, n_jobs=1
    )
    assert set(trials.mistakes) == set(alone.mistakes)
    assert alone.mistakes["forest"].errors.min() < 0.05
    for mistakes in trials.mistakes.values():
        assert mistakes.errors.min() > 0.25
        scores = mistakes.scores(mistakes.best)
        assert (scores.argmax(axis=1) != y).mean() > 0.25
    assert np.isfinite(trials.kernel_gain())

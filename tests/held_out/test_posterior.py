"""The combined posterior: calibrated, held out, and no worse than its best part."""

import numpy as np
import pytest
from problems import trials_of, two_gaussians

from smartsvm._core.points import Points
from smartsvm.held_out import posterior as module
from smartsvm.held_out import registry
from smartsvm.held_out.folds import folds_of_groups
from smartsvm.held_out.posterior import Posterior, combined_posterior, fit_weights, log_shares
from smartsvm.held_out.registry import CLASSIFIERS
from smartsvm.held_out.trials import Trials


def loss(posterior, y):
    return float(-np.log(posterior.of_labels(y)).mean())


def test_probabilities_add_up_and_are_calibrated():
    X, y = two_gaussians(3000, 3, 1.5)
    posterior = combined_posterior(trials_of(X, y), y, 2)
    shares = np.exp(posterior.log_probabilities)
    assert shares.dtype == np.float32
    assert shares.sum(axis=1) == pytest.approx(1, abs=1e-4)
    for low in (0.0, 0.25, 0.5, 0.75):
        inside = (shares[:, 1] >= low) & (shares[:, 1] < low + 0.25)
        assert shares[inside, 1].mean() == pytest.approx(y[inside].mean(), abs=0.05)
    assert (posterior.answers() != y).mean() == pytest.approx(0.227, abs=0.02)  # the Bayes error


def test_noise_gives_the_class_sizes():
    random = np.random.default_rng(0)
    y = (np.arange(400) % 20 == 0).astype(int)
    posterior = combined_posterior(trials_of(random.normal(size=(400, 3)), y), y, 2)
    assert (posterior.answers() == 0).all()
    # The entropy of one in twenty: a posterior that knew the labels would be below.
    assert loss(posterior, y) == pytest.approx(0.1985, abs=0.02)


@pytest.mark.parametrize("n", [30, 100])
def test_random_labels_are_not_learnt(n):
    losses = []
    for seed in range(20):
        random = np.random.default_rng(seed)
        X = random.normal(size=(n, 3))
        y = random.permutation(n) % 2
        losses.append(loss(combined_posterior(trials_of(X, y), y, 2), y))
    assert np.mean(losses) > np.log(2) - 0.01


def test_samples_outside_the_rows_are_predicted(monkeypatch):
    monkeypatch.setattr(registry, "LEAST_ROWS", 300)
    monkeypatch.setattr(registry, "MOST_ROWS", 300)
    random = np.random.default_rng(0)
    y = random.integers(0, 3, 900)
    X = np.exp(random.normal(size=(900, 4)) + 2 * np.eye(3, 4)[y])
    trials = trials_of(X, y)
    assert len(trials.unfitted) == 600
    assert set(trials.scored()) == set(trials.mistakes) >= {"ranks", "forest"}
    wrong = combined_posterior(trials, y, 3).answers() != y
    assert wrong[trials.unfitted].mean() == pytest.approx(wrong[trials.rows].mean(), abs=0.06)
    for name in trials.scored():
        scores = trials.scores(name, unfitted=True)
        assert scores.shape == (600, 3)
        assert (scores.argmax(axis=1) != y[trials.unfitted]).mean() < 0.4


def test_samples_beyond_the_rows_are_predicted_by_other_groups(monkeypatch):
    monkeypatch.setattr(registry, "LEAST_ROWS", 300)
    random = np.random.default_rng(0)
    groups = np.repeat(np.arange(150), 4)
    y = random.integers(0, 2, 150)[groups]
    X = random.normal(size=(150, 5))[groups] + 0.01 * random.normal(size=(600, 5))
    trials = Trials(
        Points(X), y, None, CLASSIFIERS, folds=folds_of_groups(groups), seed=0, n_jobs=1
    )
    posterior = combined_posterior(trials, y, 2, groups)
    wrong = posterior.answers() != y
    assert wrong[trials.unfitted].mean() > 0.35
    assert wrong[trials.rows].mean() > 0.35


def test_weights_maximise_the_likelihood_and_are_not_negative(monkeypatch):
    random = np.random.default_rng(0)
    codes = random.integers(0, 4, 800)
    useful = log_shares((2 * np.eye(4)[codes] + random.normal(size=(800, 4))).astype(np.float32))
    harmful = log_shares(-useful)
    parts = np.stack([useful, harmful])
    weights, without = fit_weights(parts, codes)
    assert weights[1] == 0
    assert weights[0] == pytest.approx(2, abs=0.3)  # the log odds of these Gaussians
    assert np.ptp(without, axis=0).max() < 0.1
    monkeypatch.setattr(module, "_MOST_NUMBERS", 1200)
    some, _ = fit_weights(parts, codes)
    assert some[0] == pytest.approx(2, abs=0.6)


def three_parts(n):
    random = np.random.default_rng(1)
    codes = random.integers(0, 3, n)
    scores = (a * np.eye(3)[codes] + random.normal(size=(n, 3)) for a in (0.5, 1.0, 2.0))
    return np.stack([log_shares(each.astype(np.float32)) for each in scores]), codes


def test_weights_of_a_fold_are_those_of_a_fit_without_it():
    parts, codes = three_parts(300)
    folds = np.arange(300) % 5
    _, without = fit_weights(parts, codes, folds)
    for fold in range(5):
        rest = folds != fold
        refit, _ = fit_weights(parts[:, rest], codes[rest])
        assert without[~rest] == pytest.approx(np.tile(refit, (60, 1)), abs=0.03)


def test_weights_of_a_sample_are_those_of_a_fit_without_it():
    parts, codes = three_parts(100)
    weights, without = fit_weights(parts, codes)
    for sample in range(0, 100, 7):
        rest = np.arange(100) != sample
        refit, _ = fit_weights(parts[:, rest], codes[rest])
        assert without[sample] - weights == pytest.approx(refit - weights, abs=0.02)


def test_the_order_of_the_samples_does_not_matter():
    parts, codes = three_parts(100)
    order = np.random.default_rng(0).permutation(100)
    _, without = fit_weights(parts, codes)
    _, shuffled = fit_weights(parts[:, order], codes[order])
    assert shuffled == pytest.approx(without[order], abs=1e-4)


def test_threads_compute_the_same_posterior_of_many_chunks():
    scores = np.random.default_rng(0).normal(size=(700, 300)).astype(np.float32)
    assert np.array_equal(log_shares(scores, 3), log_shares(scores))
    posterior = Posterior(log_shares(scores), {})
    assert posterior.of(np.arange(700)) is posterior
    rows = np.arange(700)[::-1]
    expected = posterior.log_probabilities[::-1]
    assert np.array_equal(posterior.of(rows).log_probabilities, expected)

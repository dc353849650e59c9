"""Held-out errors: the choice of a classifier, and its correction."""

import numpy as np
import pytest
from problems import trials_of, two_gaussians

from smartsvm.report.held_out_errors import _Halves, _selected_error, held_out_errors
from smartsvm.report.intervals import error_interval


def test_choosing_among_classifiers_of_pure_chance_has_no_bias():
    random = np.random.default_rng(0)
    errors, smallest = [], []
    for seed in range(60):
        wrong = random.random((25, 200)) < 0.5
        errors.append(_selected_error(wrong, _Halves(seed)))
        smallest.append(wrong.mean(axis=1).min())
    assert np.mean(smallest) < 0.44
    assert np.mean(errors) == pytest.approx(0.5, abs=0.015)


def test_a_clearly_better_setting_is_chosen():
    wrong = np.stack([np.arange(100) % 2 == 0, np.arange(100) % 10 == 0])
    assert _selected_error(wrong, _Halves(0)) == pytest.approx(0.1)
    assert _selected_error(wrong[:1], _Halves(0)) == 0.5


def test_the_best_of_many_is_corrected_for_the_choice():
    best, smallest, gains = [], [], []
    for seed in range(8):
        X, y = np.random.default_rng(seed).normal(size=(200, 4)), np.arange(200) % 2
        trials = trials_of(X, y, ("linear", "gaussians", "kernel"))
        held_out = held_out_errors(trials, 1.96, seed)
        best.append(held_out.best.value)
        smallest.append(min(each.errors.min() for each in trials.mistakes.values()))
        gains.append(held_out.gain)
    assert np.mean(smallest) + 0.01 < np.mean(best)
    assert max(best) <= 0.5  # the baseline
    assert np.count_nonzero(gains) <= 1


def test_the_gain_is_the_share_of_baseline_errors_avoided():
    X, y = two_gaussians(2000, 2, 2.0)
    held_out = held_out_errors(trials_of(X, y), 1.96, 0)
    baseline = 1 - np.bincount(y).max() / 2000
    assert held_out.gain == pytest.approx(1 - held_out.best.value / baseline)
    assert held_out.best.value == pytest.approx(0.159, abs=0.03)  # the Bayes error


def test_errors_of_votes_are_less_certain():
    X, y = two_gaussians(600, 3, 2.0)
    held_out = held_out_errors(trials_of(X, y, ("linear",)), 1.96, 0)
    assert held_out.of("linear").error == error_interval(
        held_out.of("linear").error.value, 600 / 1.1, 1.96
    )
    assert held_out.of("neighbors").error == error_interval(
        held_out.of("neighbors").error.value, 600 / 1.5, 1.96
    )
    assert held_out.classifier == "linear"
    assert held_out.n_independent == pytest.approx(600 / 1.1)


def test_no_classifier_is_worse_than_the_baseline():
    random = np.random.default_rng(5)
    X, y = random.normal(size=(120, 3)), np.arange(120) % 2
    held_out = held_out_errors(trials_of(X, y), 1.96, 0)
    assert held_out.best.value <= 0.5


def test_points_that_are_all_the_same():
    y = np.arange(60) % 3
    held_out = held_out_errors(trials_of(np.zeros((60, 2)), y), 1.96, 0)
    assert held_out.best.value >= 0.6
    assert held_out.of("gaussians") is None

"""Held-out errors: the choice of a classifier and its limit."""

import numpy as np
import pytest
from problems import trials_of, two_gaussians

from smartsvm.report.held_out_errors import _selected_error, held_out_errors


def test_choosing_among_classifiers_of_pure_chance_has_no_bias():
    random = np.random.default_rng(0)
    errors, smallest = [], []
    for seed in range(60):
        wrong = random.random((25, 200)) < 0.5
        errors.append(_selected_error(wrong, seed))
        smallest.append(wrong.mean(axis=1).min())
    assert np.mean(smallest) < 0.44
    assert np.mean(errors) == pytest.approx(0.5, abs=0.015)


def test_a_clearly_better_setting_is_chosen():
    wrong = np.stack([np.arange(100) % 2 == 0, np.arange(100) % 10 == 0])
    assert _selected_error(wrong, 0) == pytest.approx(0.1)
    assert _selected_error(wrong[:1], 0) == 0.5


def test_a_pattern_of_three_columns_is_not_known_from_what_little_was_learnt():
    X = np.random.default_rng(4).normal(size=(300, 10))
    X += np.random.default_rng(5).normal(size=(300, 1))
    y = (X[:, :3].prod(axis=1) > 0).astype(int)  # no label is uncertain
    held_out = held_out_errors(trials_of(X, y), 1.96, 0)
    assert held_out.best.value > 0.2
    assert held_out.known < 0.5
    flat = held_out_errors(trials_of(*two_gaussians(2000, 2, 2.0)), 1.96, 0)
    assert flat.known > 0.9


def test_a_classifier_of_fixed_form_needs_a_flexible_one_that_agrees():
    X = np.random.default_rng(1).normal(size=(1500, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    assert trials_of(X, y).confirmed("linear", 0.01) == 1.0  # others err less
    assert trials_of(X, y, classifiers=("gaussians",)).confirmed("neighbors", 0.01) == 0.0
    X, y = two_gaussians(600, 40, 3.0)
    trials = trials_of(X, y)
    assert trials.confirmed("linear", 1.0) <= trials.excess("kernel").known
    X[:, 2:] *= 5  # which says nothing to LDA and takes neighbours far away
    alone = trials_of(X, y, classifiers=("linear",))
    assert alone.confirmed("linear", 0.01) == 0.0


def test_a_classifier_of_fixed_form_sets_no_limit_that_a_flexible_one_will_pass():
    # Which side of a triangle is the longest: no label is uncertain, QDA settles above 0.
    corners = np.random.default_rng(0).normal(size=(2000, 3, 2))
    sides = corners - np.roll(corners, 1, axis=1)
    y = (sides**2).sum(axis=2).argmax(axis=1)
    held_out = held_out_errors(trials_of(corners.reshape(-1, 6), y), 1.96, 0)
    assert held_out.classifier == "gaussians"
    assert held_out.limit - 2 * held_out.limit_error < 0.01


def test_nothing_confirms_a_forest_that_sees_what_distances_do_not_show():
    random = np.random.default_rng(3)  # ages, which one class rounds to tens more often
    y = random.integers(0, 2, 2000)
    X = np.round(random.normal(45 + 6 * y[:, None], 14, size=(2000, 4)))
    X = np.where(random.random(X.shape) < 0.5 * y[:, None], 10 * np.round(X / 10), X)
    trials = trials_of(X, y)
    held_out = held_out_errors(trials, 1.96, 0)
    assert held_out.gain > 0.3
    assert trials.excess("forest").known > 0.3
    assert held_out.known == 0


def test_limit_of_lda_in_many_columns():
    errors, limits = [], []
    for seed in range(4):
        trials = trials_of(*two_gaussians(500, 50, 2.0, seed), classifiers=("linear",))
        held_out = held_out_errors(trials, 1.96, seed)
        errors.append(held_out.best.value)
        limits.append(held_out.limit)
        assert held_out.limit <= held_out.best.value
        assert held_out.limit_error > 0
    assert np.mean(errors) > 0.18
    assert np.mean(limits) == pytest.approx(0.159, abs=0.03)


def test_nothing_is_extrapolated_where_the_baseline_is_not_clearly_beaten():
    random = np.random.default_rng(3)
    X, y = random.normal(size=(300, 4)), np.arange(300) % 2
    held_out = held_out_errors(trials_of(X, y), 1.96, 0)
    assert (held_out.excess, held_out.gain) == (0, 0)
    assert held_out.limit == held_out.best.value


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

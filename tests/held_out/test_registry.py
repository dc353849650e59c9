"""The registry: which classifiers run on which rows, and what more samples would change."""

from dataclasses import replace

import numpy as np
import pytest
from problems import trials_of, two_gaussians

from smartsvm import difficulty_report
from smartsvm.held_out import registry
from smartsvm.held_out.mistakes import Mistakes
from smartsvm.held_out.registry import (
    ALL_ROWS,
    REGISTRY,
    HeldOutClassifier,
    _rate_and_known,
)


def test_all_classifiers_judge_all_samples_of_a_small_set():
    X, y = two_gaussians(300, 3, 2.0)
    trials = trials_of(X, y)
    assert list(trials.mistakes) == ["neighbors", "linear", "gaussians", "kernel", "forest"]
    for found in trials.mistakes.values():
        assert found.wrong.shape == (len(found.settings), 300)
        assert found.errors.min() < 0.25  # Bayes error .159


def test_ranks_are_tried_where_they_differ_from_values():
    X, y = two_gaussians(300, 3, 2.0)
    assert "ranks" not in trials_of(X, y).mistakes
    assert "ranks" not in trials_of((X > 1).astype(float), y).mistakes
    assert "ranks" not in trials_of(np.zeros_like(X), y).mistakes
    assert "ranks" not in trials_of(np.exp(2 * X), y, classifiers=("kernel",)).mistakes
    # Whatever rises as the column does has the same ranks.
    skewed, more = (trials_of(np.exp(a * X), y).mistakes for a in (2, 3))
    for name in ("ranks", "linear_ranks"):
        np.testing.assert_array_equal(skewed[name].wrong, more[name].wrong)


def test_lda_on_ranks_sees_ordered_classes_of_skewed_columns():
    random = np.random.default_rng(0)
    Z = random.normal(size=(1000, 8))
    y = np.digitize(Z.mean(axis=1) * np.sqrt(8), [-0.8, -0.2, 0.2, 0.8])
    X = np.exp(2 * Z)
    errors = {name: found.errors.min() for name, found in trials_of(X, y).mistakes.items()}
    best = min(error for name, error in errors.items() if name != "linear_ranks")
    assert errors["linear_ranks"] < best - 0.1
    report = difficulty_report(X, y, scale="none")
    assert report.held_out.classifier == "linear_ranks"
    assert "linear classifier (LDA) on ranks" in str(report)
    excess, standard_error, _ = trials_of(X, y).excess("linear_ranks")
    assert 0 <= excess < errors["linear_ranks"]
    assert standard_error > 0


def test_ranks_see_which_values_are_zero():
    random = np.random.default_rng(0)
    y = np.repeat([0, 1], 400)
    there = random.random((800, 12)) < np.where(y == 0, 0.15, 0.4)[:, None]
    X = np.where(there, np.exp(2 * random.normal(size=there.shape)), 0.0)
    errors = {name: found.errors.min() for name, found in trials_of(X, y).mistakes.items()}
    assert errors["ranks"] < errors["kernel"] - 0.05
    excess, standard_error, _ = trials_of(X, y).excess("ranks")
    assert 0 <= excess < errors["ranks"]
    assert standard_error > 0


def test_large_sets_are_judged_in_part(monkeypatch):
    monkeypatch.setattr(registry, "LEAST_ROWS", 100)
    monkeypatch.setattr(registry, "MOST_ROWS", 150)
    X, y = two_gaussians(600, 3, 2.0)
    trials = trials_of(X, y)
    assert len(trials.rows) == 150
    for name, found in trials.mistakes.items():
        assert found.wrong.shape[1] == (600 if name in ("neighbors", "linear") else 150)
        assert trials.on_rows(name).shape[1] == 150
    for name in ("neighbors", "linear"):
        excess, error, known = trials.excess(name)
        assert excess >= 0
        assert 0 <= known <= 1
        assert 0 < error < 0.1


def test_excess_is_the_rise_to_quarters_by_the_rate(monkeypatch):
    X, y = two_gaussians(400, 40, 3.0)
    trials = trials_of(X, y, ["linear"])
    lda = REGISTRY["linear"]
    monkeypatch.setitem(REGISTRY, "linear", replace(lda, rate=0.5))
    *slow, known = trials.excess("linear")
    assert slow[0] > 0
    monkeypatch.setitem(REGISTRY, "linear", replace(lda, rate=0.25))
    expected = [*(np.array(slow) / (np.sqrt(2) - 1)), known]
    assert trials_of(X, y, ["linear"]).excess("linear") == pytest.approx(expected)
    assert trials.excess("baseline") == (0, 0, 1)


@pytest.mark.parametrize(
    ("gain_of_parts", "known", "rate"),
    [(0.4, 1, 1.0), (0.36, 1, 1.0), (0.32, 0.5, 0.85), (0.28, 0, 0.7), (-0.1, 0, 0.7)],
)
def test_the_beginning_is_slow_for_parameters_and_unknown_for_others(gain_of_parts, known, rate):
    assert _rate_and_known(1.0, gain_of_parts, 0.4) == pytest.approx((rate, 1))
    assert _rate_and_known(0.5, gain_of_parts, 0.4) == pytest.approx((0.5, known))


def test_a_classifier_is_one_entry(monkeypatch):
    def guess_class_0(points, codes, n_classes, **work):
        return Mistakes(("only",), (codes != 0)[None])

    entry = HeldOutClassifier("zero", "class 0", 1.0, guess_class_0, ALL_ROWS)
    monkeypatch.setitem(REGISTRY, "zero", entry)
    monkeypatch.setattr(registry, "CLASSIFIERS", tuple(REGISTRY))
    X, y = two_gaussians(200, 3, 2.0)
    trials = trials_of(X, y, ["zero"])
    assert list(trials.mistakes) == ["neighbors", "zero"]
    assert trials.mistakes["zero"].errors.tolist() == [np.mean(y != 0)]
    assert trials.excess("zero") == (0, 0, 1)  # it learns nothing from more samples


def test_the_error_of_the_excess_is_its_spread_over_samples():
    found = [trials_of(*two_gaussians(300, 5, 2.0, seed), ["linear"]) for seed in range(40)]
    excesses, errors, _ = np.array([trials.excess("linear") for trials in found]).T
    # Excesses are cut at 0, which takes off up to half of their spread.
    assert 0.4 < excesses.std() / errors.mean() < 1.6


def test_too_few_samples_have_no_excess():
    X, y = two_gaussians(30, 2, 2.0)
    assert trials_of(X, y).excess("neighbors") == (0, 0, 1)

"""The report as an object: sound for any data, immutable, repeatable."""

import dataclasses
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import two_gaussians
from sklearn.datasets import load_digits, load_iris
from strategies import examples, point_sets

from smartsvm import DifficultyReport, difficulty_report
from smartsvm.report import samples


@examples(25)
@given(point_sets(least=8, most=40), st.integers(2, 4), st.integers(0, 100))
def test_any_finite_data_gives_a_sound_report(X, n_classes, seed):
    y = np.random.default_rng(seed).permutation(np.arange(len(X)) % n_classes)
    report = difficulty_report(X, y, target_accuracy=0.8)
    assert 0 <= report.trees.lower.low <= report.trees.lower.value <= report.trees.lower.high
    assert report.trees.lower.high <= report.errors.baseline.high
    assert report.trees.upper.low < report.trees.upper.high
    assert report.trees.lower.value <= report.trees.upper.value <= report.errors.baseline.value
    assert report.trees.upper.low <= report.trees.upper.value <= report.trees.upper.high
    assert 0 <= report.bayes_error.low <= report.bayes_error.value <= report.bayes_error.high <= 1
    assert report.bayes_error.low < report.bayes_error.high
    assert ((report.trees.sample_difficulty >= 0) & (report.trees.sample_difficulty <= 1)).all()
    assert max(map(len, str(report).splitlines())) <= 79
    report.to_json()


@pytest.fixture(scope="module")
def digits():
    return difficulty_report(*load_digits(return_X_y=True), target_accuracy=0.97)


def test_report_is_immutable_and_repeats_itself(digits):
    with pytest.raises(dataclasses.FrozenInstanceError):
        digits.bayes_error = 0
    for report in (digits, pickle.loads(pickle.dumps(digits))):
        for array in (
            report.trees.sample_difficulty,
            report.pairs.bounds.value,
            report.trees.cross_limit.values,
            report.classes.names,
        ):
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0
    X, y = load_iris(return_X_y=True)
    assert difficulty_report(X, y).to_dict() == difficulty_report(X, y).to_dict()
    assert pickle.loads(pickle.dumps(digits)).to_dict() == digits.to_dict()
    assert isinstance(digits, DifficultyReport)


def test_the_seed_is_in_the_report_and_repeats_it():
    X, y = two_gaussians(200, 2, 1.0)
    report = difficulty_report(X, y, random_state=np.random.RandomState(5))
    again = difficulty_report(X, y, random_state=report.settings.random_state)
    assert again.to_dict() == report.to_dict()


def test_the_caller_keeps_their_arrays():
    X, y = two_gaussians(100, 2, 1.0)
    X_before, y_before = X.copy(), y.copy()
    difficulty_report(X, y)
    X += 1  # still writable
    y += 0
    assert np.array_equal(X - 1, X_before) or np.allclose(X - 1, X_before)
    assert np.array_equal(y, y_before)


def test_progress_goes_to_standard_error(capsys):
    difficulty_report(*two_gaussians(100, 2, 1.0), verbose=1)
    said = capsys.readouterr()
    assert said.out == ""
    assert "nearest neighbours of 100 samples" in said.err
    difficulty_report(*two_gaussians(100, 2, 1.0))
    assert capsys.readouterr().err == ""


def test_a_subsample_is_stated():
    X, y = two_gaussians(3000, 2, 1.5)
    y = y + 0
    y[:30] = 2
    report = difficulty_report(X, y, subsample=600)
    assert report.data.n_samples == 600
    assert report.classes.counts.sum() == 600
    assert report.classes.counts[2] == 6
    assert np.array_equal(y[report.data.rows], report.labels.given)
    note = report.data.subsample
    assert note.n_given == 3000
    half_width = (report.trees.cross_share.high - report.trees.cross_share.low) / 2
    assert note.added_error == pytest.approx(half_width / 1.96 * np.sqrt(0.8), rel=0.01)
    assert "Only 600 of 3,000" in str(report)
    assert difficulty_report(X[:500], y[:500], subsample=10**6).data.subsample is None


def test_of_many_samples_a_stated_part_is_looked_at(monkeypatch):
    monkeypatch.setattr(samples, "MOST_SAMPLES", 300)
    X, y = two_gaussians(1000, 2, 1.5)
    report = difficulty_report(X, y)
    assert (report.data.n_samples, report.data.subsample.n_given) == (300, 1000)
    assert "Only 300 of 1,000" in str(report)
    assert report.bayes_error == difficulty_report(X, y, subsample=300).bayes_error
    assert difficulty_report(X, y, subsample=None).data.n_samples == 1000
    assert difficulty_report(X[:300], y[:300]).data.subsample is None

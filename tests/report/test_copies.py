"""Each case once: copies of rows do not answer for each other."""

import numpy as np
import pytest
from problems import two_gaussians

from smartsvm import difficulty_report
from smartsvm.report.copies import one_of_each


def test_the_first_of_each():
    X, y = two_gaussians(20)
    assert one_of_each(X, y, np.arange(20)) is None
    again = np.concatenate([np.arange(20), [3, 3, 7]])
    assert one_of_each(X[again], y[again], np.arange(23)).tolist() == list(range(20))
    other = y[again].copy()
    other[-1] = 1 - other[-1]  # the same row with another label is a case of its own
    assert one_of_each(X[again], other, np.arange(23)).tolist() == [*range(20), 22]


def test_rows_of_few_values_coincide_by_chance():
    random = np.random.default_rng(1)
    y = random.integers(0, 2, 300)
    X = random.integers(0, 3, size=(300, 4)).astype(float)
    assert one_of_each(X, y, np.arange(300)) is None


@pytest.mark.parametrize("jitter", [0.0, 1e-6])
def test_every_row_twice_says_what_every_row_once_says(jitter):
    X, y = two_gaussians(300)
    once = difficulty_report(X, y)
    again = np.repeat(X, 2, axis=0)
    again += jitter * np.random.default_rng(1).normal(size=again.shape)
    twice = difficulty_report(again, np.repeat(y, 2), target_accuracy=0.75)
    assert twice.reached.of("linear").error == pytest.approx(once.reached.of("linear").error)
    assert twice.bayes_error == pytest.approx(once.bayes_error, abs=0.02)
    assert twice.recall.balanced_error == pytest.approx(once.recall.balanced_error, abs=0.02)
    assert twice.verdict.answer == ("cannot tell" if jitter else once.judge(0.75).answer)


def test_the_truth_is_covered_although_every_row_is_there_twice():
    covered = []
    for seed in range(12):
        X, y = two_gaussians(100, seed=seed)  # Bayes error .227
        error = difficulty_report(np.repeat(X, 2, axis=0), np.repeat(y, 2)).bayes_error
        covered.append(error.low < 0.227 < error.high)
    assert np.mean(covered) > 0.8

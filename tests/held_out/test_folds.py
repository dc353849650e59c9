"""Folds of groups and of scikit-learn's splitters."""

import numpy as np
import pytest
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    RepeatedKFold,
    TimeSeriesSplit,
)

from smartsvm.held_out.folds import folds_by_number, folds_of_splitter, group_folds
from smartsvm.held_out.mistakes import grouped_mistakes, split_mistakes
from smartsvm.held_out.registry import REGISTRY


def problem(n=120, seed=0):
    random = np.random.default_rng(seed)
    codes = random.integers(0, 3, n)
    return random.normal(size=(n, 3)) + codes[:, None], codes, np.arange(n) // 6


def test_a_time_series_is_fitted_to_the_past():
    points, codes, _ = problem()
    folds = folds_of_splitter(TimeSeriesSplit(5), codes)
    assert folds.n_left_out == 20
    assert folds.judged.tolist() == list(range(20, 120))
    for training, held_out in folds.splits():
        assert np.flatnonzero(training).max() < np.flatnonzero(held_out).min()
    for name in ("linear", "gaussians", "kernel", "forest"):
        mistakes = split_mistakes(REGISTRY[name], points, codes, 3, folds, seed=0, n_jobs=1)
        assert mistakes.wrong.shape[1] == 100
        assert 0.1 < mistakes.errors.min() < 0.6
        # The last fold does not change what the first ones say.
        changed = codes.copy()
        changed[100:] = np.random.default_rng(1).permutation(codes[100:])
        again = split_mistakes(REGISTRY[name], points, changed, 3, folds, seed=0, n_jobs=1)
        np.testing.assert_array_equal(mistakes.wrong[:, :80], again.wrong[:, :80])
        np.testing.assert_array_equal(mistakes.scores(0)[:100], again.scores(0)[:100])


def test_group_folds_take_the_same_road():
    points, codes, groups = problem()
    folds = folds_of_splitter(GroupKFold(5), codes, groups)
    assert folds.n_left_out == 0
    for training, held_out in folds.splits():
        assert not set(groups[training]) & set(groups[held_out])
    ours = folds_by_number(group_folds(groups))
    work = {"seed": 0, "n_jobs": 1}
    for name in ("linear", "forest"):
        given = REGISTRY[name], points, codes, 3
        by_group = grouped_mistakes(*given, groups, **work)
        by_fold = split_mistakes(*given, ours, **work)
        np.testing.assert_array_equal(by_group.wrong, by_fold.wrong)


def test_a_sample_is_judged_once_and_rows_may_be_chosen():
    _, codes, _ = problem()
    folds = folds_of_splitter(RepeatedKFold(n_splits=4, n_repeats=3, random_state=0), codes)
    assert len(folds.training) == 4
    assert sorted(np.bincount(folds.numbers)) == [30] * 4
    some = folds.of(np.arange(0, 120, 2))
    np.testing.assert_array_equal(some.numbers, folds.numbers[::2])
    for training, held_out in some.splits():
        assert not (training & held_out).any()


def test_splitters_that_cannot_be_used_are_refused():
    _, codes, _ = problem()
    with pytest.raises(TypeError, match=r"cv must be a splitter of scikit-learn, .* got"):
        folds_of_splitter(5, codes)
    with pytest.raises(ValueError, match="cv must make at most 100 folds"):
        folds_of_splitter(LeaveOneOut(), codes)
    with pytest.raises(ValueError, match="cv must leave two classes or more"):
        folds_of_splitter(KFold(2), np.repeat([0, 1], 60))

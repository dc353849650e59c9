"""Folds of groups and of scikit-learn's splitters."""

import numpy as np
import pytest
from pandas import Series
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    RepeatedKFold,
    ShuffleSplit,
    TimeSeriesSplit,
)

from smartsvm._core.points import Points
from smartsvm.held_out.folds import folds_of_cv, folds_of_groups
from smartsvm.held_out.mistakes import split_mistakes
from smartsvm.held_out.registry import CLASSIFIERS, REGISTRY
from smartsvm.held_out.trials import Trials


def folds_of(cv, codes, groups=None, **rows):
    return folds_of_cv(cv, np.zeros((len(codes), 1)), codes, codes, groups, **rows)


ALL = np.arange(120)


class Splitter:
    """A splitter of somebody else."""

    def __init__(self, make):
        self.make = make

    def split(self, X, y=None, groups=None):
        return self.make(len(X))


def problem(n=120, seed=0):
    random = np.random.default_rng(seed)
    codes = random.integers(0, 3, n)
    return random.normal(size=(n, 3)) + codes[:, None], codes, np.arange(n) // 6


def test_a_time_series_is_fitted_to_the_past():
    points, codes, _ = problem()
    folds = folds_of(TimeSeriesSplit(5), codes)
    assert folds.held_out_rows.tolist() == list(range(20, 120))
    for training, held_out in folds.splits():
        assert np.flatnonzero(training).max() < np.flatnonzero(held_out).min()
    for name in ("neighbors", "linear", "gaussians", "kernel", "forest"):
        mistakes = split_mistakes(REGISTRY[name], points, codes, 3, folds, seed=0, n_jobs=1)
        assert mistakes.wrong.shape[1] == 100
        assert 0.1 < mistakes.errors.min() < 0.6
        # The last fold does not change what the first ones say.
        changed = codes.copy()
        changed[100:] = np.random.default_rng(1).permutation(codes[100:])
        again = split_mistakes(REGISTRY[name], points, changed, 3, folds, seed=0, n_jobs=1)
        np.testing.assert_array_equal(mistakes.wrong[:, :80], again.wrong[:, :80])
        np.testing.assert_array_equal(mistakes.scores(0)[:100], again.scores(0)[:100])


def test_a_grouped_splitter_is_the_same_as_groups():
    points, codes, groups = problem()
    folds = folds_of(GroupKFold(5), codes, groups)
    ours = folds_of_groups(groups)
    for training, held_out in folds.splits():
        assert not set(groups[training]) & set(groups[held_out])
    work = {"seed": 0, "n_jobs": 1}
    by_splitter = Trials(Points(points), codes, None, CLASSIFIERS, folds=folds, **work).mistakes
    by_group = Trials(Points(points), codes, None, CLASSIFIERS, folds=ours, **work).mistakes
    assert set(by_splitter) >= {"neighbors", "linear", "gaussians", "kernel", "forest"}
    for name in set(by_splitter) - {"neighbors"}:
        np.testing.assert_array_equal(by_splitter[name].wrong, by_group[name].wrong)
    # Neighbours of groups come from all other groups, not from four fifths of them.
    errors = [each["neighbors"].errors.min() for each in (by_splitter, by_group)]
    assert abs(errors[0] - errors[1]) < 0.1


def test_a_sample_is_judged_once_and_rows_may_be_chosen():
    _, codes, _ = problem()
    folds = folds_of(RepeatedKFold(n_splits=4, n_repeats=3, random_state=0), codes)
    assert len(folds.training) == 4
    assert sorted(np.bincount(folds.numbers)) == [30] * 4
    some = folds.of(np.arange(0, 120, 2))
    np.testing.assert_array_equal(some.numbers, folds.numbers[::2])
    for training, held_out in some.splits():
        assert not (training & held_out).any()


def test_numbers_of_rows_follow_a_subsample():
    _, codes, _ = problem()
    pairs = [(np.arange(60), np.arange(60, 90)), (np.arange(60, 120), np.arange(30))]
    whole = folds_of(iter(pairs), codes)
    assert np.flatnonzero(whole.numbers < 0).tolist() == [*range(30, 60), *range(90, 120)]
    rows = np.arange(1, 120, 3)
    some = folds_of(pairs, codes[rows], rows=rows, n_given=120)
    np.testing.assert_array_equal(some.numbers, whole.numbers[rows])
    np.testing.assert_array_equal(some.training, whole.training[:, rows])


def test_limited_classifiers_never_see_held_out_rows():
    random = np.random.default_rng(0)
    codes = random.integers(0, 2, 6000)
    points = random.normal(size=(6000, 2)) + 2 * codes[:, None]
    folds = folds_of(ShuffleSplit(1, test_size=200, random_state=0), codes)
    trials = Trials(
        Points(points), codes, None, ("linear", "kernel"), folds=folds, seed=0, n_jobs=1
    )
    assert len(trials.fitted) < 6000
    assert len(trials.rows) == 200
    assert not len(trials.unfitted)
    for name in ("neighbors", "linear", "kernel"):
        assert trials.mistakes[name].wrong.shape[1] == 200
        assert trials.mistakes[name].errors.min() < 0.15
        assert trials.scores(name).shape == (200, 2)


@pytest.mark.parametrize(
    ("cv", "error", "message"),
    [
        (5, TypeError, r"cv must be a splitter of scikit-learn, .* got 5"),
        ("kfold", TypeError, r"cv must be a splitter of scikit-learn, .* got 'kfold'"),
        (LeaveOneOut(), ValueError, r"cv must make at most 100 folds, got LeaveOneOut\(\)"),
        (GroupKFold(3), ValueError, r"cv=GroupKFold\(n_splits=3.*\) cannot split .*groups"),
        (KFold(500), ValueError, r"cv=KFold\(n_splits=500.*\) cannot split the 120 samples: "),
        (ShuffleSplit(1, test_size=3), ValueError, "cv must hold out at least 8 .* 3 of 120"),
        ([(1, 2, 3)], ValueError, r"cv must make pairs .* got \(1, 2, 3\) .* as number 0"),
        ([([0.5], [1])], ValueError, r"numbers of rows.* in its pairs .* dtype float64 in pair 0"),
        ([([0], [120])], ValueError, "numbers of rows from 0 to 119, got 120 to 120 in pair 0"),
        ([([True], [1])], ValueError, r"or masks of 120 values, .* shape \(1,\) and dtype bool"),
        (Splitter(lambda n: [(1, 2, 3)]), ValueError, r"make pairs .* got \(1, 2, 3\) .* number 0"),
        (Splitter(lambda n: [range(n)]), ValueError, "cv must make pairs .* as number 0"),
        (Splitter(lambda n: [([0], [n])]), ValueError, "rows from 0 to 119, got 120 to 120"),
        (Splitter(lambda n: [([-1], [0])]), ValueError, "rows from 0 to 119, got -1 to -1"),
        (Splitter(lambda n: [([0.5], [0])]), ValueError, "numbers of rows.* dtype float64"),
        (Splitter(lambda n: [([[0]], [0])]), ValueError, r"numbers of rows.* shape \(1, 1\)"),
        (Splitter(lambda n: [([True], [0])]), ValueError, r"masks of 120 values.* shape \(1,\)"),
        (Splitter(lambda n: None), ValueError, "cannot split the 120 samples: "),
        ([], ValueError, "cv must hold out at least 8 samples, got an iterable, .* 0 of 120"),
    ],
)
def test_splits_that_cannot_be_used_are_refused(cv, error, message):
    _, codes, _ = problem()
    with pytest.raises(error, match=message):
        folds_of(cv, codes)


@pytest.mark.parametrize(
    "as_rows", [list, tuple, np.array, Series, lambda rows: np.isin(ALL, rows)]
)
def test_splits_in_any_form(as_rows):
    _, codes, _ = problem()
    pairs = [(ALL[ALL % 3 - k != 0], ALL[ALL % 3 - k == 0]) for k in range(3)]
    expected = folds_of(pairs, codes)
    given = [tuple(map(as_rows, pair)) for pair in pairs]
    for cv in (given, Splitter(lambda n: given), Splitter(lambda n: map(list, given))):
        found = folds_of(cv, codes)
        assert np.array_equal(found.numbers, expected.numbers)
        assert np.array_equal(found.training, expected.training)
    rows = np.flatnonzero(ALL % 2)
    expected = folds_of(pairs, codes[rows], rows=rows, n_given=120)
    found = folds_of(given, codes[rows], rows=rows, n_given=120)
    assert np.array_equal(found.training, expected.training)


def test_classes_to_fit_to_and_to_hold_out_must_be_there():
    sorted_codes = np.repeat([0, 1], 60)
    with pytest.raises(ValueError, match=r"cv must leave two classes .* fold 0 of KFold"):
        folds_of(KFold(2), sorted_codes)
    early = np.arange(120) % 2
    early[:5] = 2
    with pytest.raises(ValueError, match=r"cv must hold out samples of every class, .* class 2"):
        folds_of(TimeSeriesSplit(3), early)

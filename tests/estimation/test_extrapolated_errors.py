"""The option `extrapolate` of the estimates."""

import numpy as np
import pytest

from smartsvm import multiclass_bayes_error, ovr_bayes_error, pairwise_bayes_error
from smartsvm.estimation.henze_penrose import bayes_error_bounds


def three_classes(n=900, d=8, seed=0):
    random = np.random.default_rng(seed)
    y = random.integers(0, 3, n)
    X = random.normal(size=(n, d))
    X[:, :2] += 2 * np.eye(3)[y][:, :2]
    return X, y


def test_bounds_are_those_of_the_limit():
    X, y = three_classes()
    plain, found = (
        multiclass_bayes_error(X, y, bias_correction=True, extrapolate=e) for e in (False, True)
    )
    assert plain.cross_limit is plain.cross_limit_error is None
    assert 0 < found.cross_limit < plain.cross_counts / 900
    assert found.cross_limit_error > 0
    guess = 1 - np.bincount(y).max() / 900
    expected = bayes_error_bounds(found.cross_limit * 900, 900, guess, n_classes=3)
    assert (found.value, found.lower, found.upper) == pytest.approx(expected)
    assert found.lower < plain.lower
    assert found.cross_counts == plain.cross_counts
    normalized = multiclass_bayes_error(
        X, y, bias_correction=True, extrapolate=True, normalize=True
    )
    assert normalized.value == pytest.approx(found.value / guess)


def test_pairs_and_classes():
    X, y = three_classes()
    X, y = np.vstack([X, 50 + np.eye(8)[:8]]), np.append(y, np.full(8, 3))  # a tiny class
    with pytest.warns(UserWarning, match="fewer than 10 samples"):
        pairs = pairwise_bayes_error(X, y, extrapolate=True, normalize=False)
    with pytest.warns(UserWarning, match="fewer than 10 samples"):
        plain = pairwise_bayes_error(X, y, normalize=False)
    assert np.array_equal(pairs.cross_limit, pairs.cross_limit.T, equal_nan=True)
    assert np.isnan(pairs.cross_limit[3]).all()
    assert np.array_equal(pairs.value[3], plain.value[3])
    alone = multiclass_bayes_error(X[y < 2], y[y < 2], extrapolate=True)
    assert pairs.cross_limit[0, 1] == pytest.approx(alone.cross_limit, abs=0.02)
    assert (pairs.lower <= pairs.upper).all()
    with pytest.warns(UserWarning, match="fewer than 10 samples"):
        classes = ovr_bayes_error(X, y, extrapolate=True)
    assert np.isnan(classes.cross_limit[3])
    assert np.isfinite(classes.cross_limit[:3]).all()
    assert (classes.lower <= classes.upper + 1e-12).all()
    # Every cross edge leaves two of them. Each limit is a fit of its own: they agree within errors.
    whole = multiclass_bayes_error(X[y < 3], y[y < 3], extrapolate=True)
    apart = classes.cross_limit[:3].sum() / 2 - whole.cross_limit
    assert abs(apart) < 2 * whole.cross_limit_error < 0.2


def test_refused_at_chance():
    random = np.random.default_rng(1)
    X = random.normal(size=(400, 6))
    y = random.integers(0, 2, 400)
    plain, found = (multiclass_bayes_error(X, y, extrapolate=e) for e in (False, True))
    assert np.isnan([found.cross_limit, found.cross_limit_error]).all()
    assert (found.value, found.lower, found.upper) == (plain.value, plain.lower, plain.upper)


def test_a_limit_that_says_nothing_gives_nan():
    random = np.random.default_rng(2)
    y = np.repeat([0, 1], 35)
    X = random.normal(size=(70, 40)) + 0.35 * y[:, None]
    pairs, classes = (
        estimate(X, y, extrapolate=True) for estimate in (pairwise_bayes_error, ovr_bayes_error)
    )
    assert pairs.cross_limit_error[0, 1] > 0.125
    for each in (pairs.value[0, 1], pairs.lower[0, 1], pairs.upper[0, 1], *classes.value):
        assert np.isnan(each)
    assert np.isfinite(pairwise_bayes_error(X, y).value).all()


def test_bad_options(tmp_path):
    X, y = three_classes(100)
    with pytest.raises(TypeError, match="extrapolate must be True or False, got 1"):
        multiclass_bayes_error(X, y, extrapolate=1)
    with pytest.raises(ValueError, match='method must be "tree" with extrapolate=True'):
        multiclass_bayes_error(X, y, extrapolate=True, method="pairwise")
    path = tmp_path / "points.npy"
    np.save(path, X)
    with pytest.raises(ValueError, match="extrapolate=True needs the points in memory"):
        multiclass_bayes_error(path, y, extrapolate=True, checkpoint=tmp_path / "done")

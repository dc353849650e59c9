"""Copies of samples, columns that number them, and the label in disguise."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris

from smartsvm import difficulty_report
from smartsvm.neighbors import nearest_neighbors
from smartsvm.report.copies import near_copies
from smartsvm.report.leaks import label_columns, numbering_columns


def share_of(X):
    return near_copies(X, nearest_neighbors(X, min(31, len(X) - 1)))[0]


@pytest.mark.parametrize("jitter", [0.0, 1e-6])
@pytest.mark.parametrize("n_copies", [2, 4, 10])
def test_copies_are_one_case(n_copies, jitter):
    random = np.random.default_rng(3)
    X = np.repeat(random.normal(size=(60, 3)), n_copies, axis=0)
    X += jitter * random.normal(size=X.shape)
    _, cases = near_copies(X, nearest_neighbors(X, 31))
    assert len(np.unique(cases)) == 60
    assert (cases.reshape(60, n_copies) == cases[::n_copies, None]).all()


def test_independent_samples_have_no_cases():
    X = np.random.default_rng(4).normal(size=(200, 3))
    assert near_copies(X, nearest_neighbors(X, 14)) == (0.0, None)


@pytest.mark.parametrize("n_features", [1, 2, 20])
@pytest.mark.parametrize("n_copies", [2, 3, 20])
def test_near_copies_are_seen(n_features, n_copies):
    random = np.random.default_rng(0)
    X = np.repeat(random.normal(size=(100, n_features)), n_copies, axis=0)
    assert share_of(X + 1e-6 * random.normal(size=X.shape)) > 0.9


def test_the_share_is_that_of_the_samples_with_a_copy():
    random = np.random.default_rng(1)
    X = random.normal(size=(950, 4))
    X = np.r_[X, X[:50] + 1e-7]
    assert share_of(X) == pytest.approx(0.1, abs=0.002)


@pytest.mark.parametrize("n_features", [1, 2, 10])
@pytest.mark.parametrize("kind", ["normal", "heavy", "clusters"])
def test_independent_samples_are_no_copies(n_features, kind):
    random = np.random.default_rng(2)
    X = random.normal(size=(2000, n_features))
    if kind == "heavy":
        X = random.standard_t(1.5, size=X.shape)
    elif kind == "clusters":
        X = X + 1000 * random.integers(0, 5, size=(2000, 1))
    assert share_of(X) < 0.005


def test_equal_rows_are_another_matter():
    random = np.random.default_rng(3)
    assert share_of(np.repeat(random.normal(size=(100, 3)), 2, axis=0)) < 0.01
    assert share_of(random.integers(0, 4, size=(500, 3)).astype(float)) == 0
    assert share_of(np.eye(6)[random.integers(0, 6, 500)]) == 0
    for X in (load_digits().data, load_iris().data):
        assert share_of(X) < 0.005


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("missing", [0, 30])
def test_numbers_of_samples_are_seen(shuffled, missing):
    random = np.random.default_rng(4)
    X = random.normal(size=(200, 3))
    X[:, 1] = 7 + (random.permutation(200) if shuffled else np.arange(200))
    X = np.delete(X, random.permutation(200)[:missing], axis=0)
    assert numbering_columns(X).tolist() == [1]
    assert numbering_columns((X - X.mean(axis=0)) / X.std(axis=0)).tolist() == [1]


def test_features_are_no_numbers():
    for X in (load_iris().data, load_digits().data):
        assert not numbering_columns(X).size
    assert not numbering_columns(np.arange(10.0).reshape(-1, 1)).size  # too few to say
    random = np.random.default_rng(0)
    assert not numbering_columns(random.permutation(100_000)[:500].reshape(-1, 1) * 1.0).size


def test_the_label_in_disguise_is_seen():
    random = np.random.default_rng(5)
    codes = np.arange(9000) % 3
    X = random.normal(size=(9000, 6))
    X[:, 1] = np.array([5.0, -1.0, 2.0])[codes]  # another code
    X[:, 3] = codes + 0.1 * random.random(9000)  # with noise
    X[:, 4] = 3 * random.integers(0, 4, 9000) + codes  # finer than the label
    X[:, 5] = codes
    X[8999, 5] = 0  # the last one differs, beyond the first look
    assert label_columns(X, codes).tolist() == [1, 3, 4]


def test_good_features_are_no_labels():
    for X, y in (load_iris(return_X_y=True), load_digits(return_X_y=True)):
        assert not label_columns(X, y).size
    codes = np.arange(40) % 2
    assert not label_columns(np.arange(40.0).reshape(-1, 1), codes).size  # distinct values
    assert not label_columns(np.arange(10.0).reshape(-1, 1), codes[:10]).size


def test_a_column_without_a_name_is_seen_on_the_page():
    points = np.column_stack([np.arange(150), load_iris().data])
    report = difficulty_report(points, load_iris().target, feature_names=["", *"abcd"])
    assert "(''): an id" in " ".join(str(report).split())

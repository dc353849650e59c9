"""What neighbours say about labels: posteriors, the number of wrong labels, suspects."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits
from sklearn.metrics import roc_auc_score

from smartsvm import sample_difficulty
from smartsvm.held_out.neighbors import nearest_neighbors
from smartsvm.label_errors import suspect_labels as module
from smartsvm.label_errors.suspect_labels import (
    count_wrong_labels,
    label_votes,
    rank_suspects,
    without_twins,
)


def flipped(y, share, seed, to_next=False):
    """Labels of which a share is wrong, and which."""
    random = np.random.default_rng(seed)
    n_classes = y.max() + 1
    wrong = random.permutation(len(y)) < share * len(y)
    step = 1 if to_next else random.integers(1, n_classes, len(y))
    return np.where(wrong, (y + step) % n_classes, y), wrong


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X, y, nearest_neighbors(X, 31)


@given(st.integers(10, 50), st.integers(1, 4), st.integers(2, 5), st.integers(0, 1000))
def test_votes_are_weighted_shares(n, d, n_classes, seed):
    random = np.random.default_rng(seed)
    X, codes = random.normal(size=(n, d)), random.permutation(np.arange(n) % n_classes)
    nearest = nearest_neighbors(X, 5)
    votes = label_votes(X, codes, n_classes, nearest)
    for i, near in enumerate(nearest):
        squared = ((X[near] - X[i]) ** 2).sum(axis=1)
        weights = np.exp(-2 * squared / squared.max())
        share = weights[codes[near] == codes[i]].sum() / weights.sum()
        prior = (codes == codes[i]).mean()
        assert votes.posterior[i] == pytest.approx(5 / 6 * share + prior / 6, abs=2e-3)
    assert ((votes.posterior > 0) & (votes.posterior < 1)).all()
    assert ((votes.margin >= -1) & (votes.margin <= 1)).all()
    assert np.array_equal(votes.suggested != codes, votes.margin < 0)


def test_blocks_change_nothing(digits, monkeypatch):
    X, y, nearest = digits
    whole = label_votes(X, y, 10, nearest)
    monkeypatch.setattr(module, "_BLOCK_NUMBERS", 9999)
    for found, expected in zip(label_votes(X, y, 10, nearest), whole, strict=True):
        assert np.array_equal(found, expected)


def test_a_doubtful_voter_weighs_less():
    # The last sample of class 0 lies between three of class 1, which lie among their own.
    X = np.r_[np.linspace(0, 1, 8), np.linspace(10, 11, 8), 10.51].reshape(-1, 1)
    codes = np.repeat([0, 1, 0], [8, 8, 1])
    near = nearest_neighbors(X, 4)
    votes = label_votes(X, codes, 2, near)
    beside = 12  # its nearest neighbour has the wrong label
    assert 16 in near[beside]
    plain = votes.posterior[beside] - (1 / 5) * (codes == 1).mean()
    assert votes.margin[beside] > 2 * plain / (4 / 5) - 1 + 0.1
    assert votes.suggested[16] == 1
    assert rank_suspects(votes, codes, 1).tolist() == [16]


@pytest.mark.parametrize("share", [0.05, 0.1, 0.2])
@pytest.mark.parametrize("to_next", [False, True])
def test_wrong_labels_are_counted_and_found(digits, share, to_next):
    X, y, nearest = digits
    labels, wrong = flipped(y, share, 3, to_next)
    votes = label_votes(X, labels, 10, nearest)
    assert roc_auc_score(wrong, -votes.margin) > 0.99
    number = count_wrong_labels(votes, labels)
    assert 0.7 * wrong.sum() < number < 1.3 * wrong.sum()
    suspects = rank_suspects(votes, labels, number)
    assert wrong[suspects].mean() > 0.8
    assert (votes.suggested[suspects] != labels[suspects]).all()
    right = votes.suggested[suspects] == y[suspects]
    assert right[wrong[suspects]].mean() > 0.95


def test_right_labels_are_left_alone(digits):
    X, y, nearest = digits
    assert count_wrong_labels(label_votes(X, y, 10, nearest), y) <= 5


def test_overlap_is_told_from_wrong_labels():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 3000)
    X = random.normal(size=(3000, 2)) + 2 * y[:, None]  # Bayes error .079
    votes = label_votes(X, y, 2, nearest_neighbors(X, 31))
    assert np.count_nonzero(votes.margin < 0) > 200
    assert count_wrong_labels(votes, y) < 60


@pytest.mark.parametrize(("n_classes", "d", "apart"), [(2, 2, 1.0), (3, 5, 1.5), (2, 2, 2.0)])
def test_few_are_accused_where_classes_overlap(n_classes, d, apart):
    random = np.random.default_rng(7)
    codes = random.integers(0, n_classes, 2000)
    X = random.normal(size=(2000, d)) + apart * np.eye(n_classes, d)[codes]
    votes = label_votes(X, codes, n_classes, nearest_neighbors(X, 31))
    disagree = np.count_nonzero(votes.suggested != codes)
    assert count_wrong_labels(votes, codes) < min(0.2 * disagree, 100)


def test_nobody_is_accused_where_all_classes_overlap_everywhere():
    random = np.random.default_rng(7)
    codes = random.integers(0, 9, 2000)
    X = random.normal(size=(2000, 3))
    X[:, :2] += np.stack([codes % 3, codes // 3], axis=1)
    votes = label_votes(X, codes, 9, nearest_neighbors(X, 31))
    assert np.count_nonzero(votes.suggested != codes) > 1000
    assert count_wrong_labels(votes, codes) == 0


def test_classes_that_cannot_be_told_apart_are_not_suggested_for_each_other():
    random = np.random.default_rng(8)
    codes = random.integers(0, 3, 900)
    X = random.normal(size=(900, 2)) + 8.0 * (codes == 2)[:, None]  # 0 and 1 are one
    votes = label_votes(X, codes, 3, nearest_neighbors(X, 31))
    assert count_wrong_labels(votes, codes) > 100
    twins = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1]], dtype=bool)
    assert count_wrong_labels(without_twins(votes, codes, twins), codes) == 0


def test_posteriors_are_calibrated():
    random = np.random.default_rng(1)
    y = random.integers(0, 2, 4000)
    X = random.normal(size=(4000, 2)) + 1.2 * y[:, None]
    _, posterior = sample_difficulty(X, y, return_posterior=True)
    first = np.where(y == 1, posterior, 1 - posterior)  # of class 1
    for low in np.arange(0, 1, 0.2):
        inside = (first >= low) & (first < low + 0.2)
        assert first[inside].mean() == pytest.approx(y[inside].mean(), abs=0.06)


def test_all_samples_in_one_place():
    X, codes = np.zeros((40, 3)), np.arange(40) % 2
    votes = label_votes(X, codes, 2, nearest_neighbors(X, 5))
    assert np.isfinite(votes.posterior).all()
    assert np.isfinite(votes.margin).all()

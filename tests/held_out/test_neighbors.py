"""Leave-one-out votes against the definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import NearestNeighbors

from smartsvm._core.points import Points
from smartsvm._mst.products import products
from smartsvm.held_out import neighbors
from smartsvm.held_out.neighbors import (
    ladder_for,
    leave_one_out,
    nearest_rows,
    neighbor_labels,
)


def by_definition(labels, codes, k):
    wrong = 0.0
    for i, own in enumerate(codes):
        votes = np.bincount(labels[:k, i], minlength=codes.max() + 1)
        winners = np.flatnonzero(votes == votes.max())
        wrong += 1 - (own in winners) / len(winners)
    return wrong / len(codes)


@given(st.integers(8, 60), st.integers(1, 12), st.integers(2, 5), st.integers(0, 1000))
def test_errors_are_those_of_the_votes(n, d, n_classes, seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d))
    codes = random.integers(0, n_classes, n)
    labels = neighbor_labels(Points(X), codes, 5)
    found = leave_one_out(labels, codes, n_classes, np.array([1, 3, 5]))
    for k, error in zip((1, 3, 5), found.errors, strict=True):
        assert error == pytest.approx(by_definition(labels, codes, k))


@pytest.mark.parametrize("n_features", [2, 8, 9, 20])  # both searches
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_neighbours_are_the_nearest_and_never_oneself(n_features, offset):
    X = np.random.default_rng(1).normal(size=(200, n_features)) + offset
    codes = np.arange(200)  # every label names its sample
    labels = neighbor_labels(Points(X), codes, 7)
    expected = NearestNeighbors(n_neighbors=7).fit(X - X.mean(axis=0)).kneighbors()[1]
    assert np.array_equal(labels.T, expected)


@pytest.mark.parametrize("n_features", [2, 12])
@pytest.mark.parametrize("size", [1, 3, 60])  # of a group; the last fills every list
def test_neighbours_are_of_other_groups(n_features, size, monkeypatch):
    monkeypatch.setattr(neighbors, "_DISTANCES", 1000)
    random = np.random.default_rng(5)
    groups = np.arange(240) // size
    X = random.normal(size=(240, n_features)) + 0.1 * groups[:, None]
    found = nearest_rows(Points(X), 7, groups=groups)
    squared = ((X[:, None] - X) ** 2).sum(axis=2)
    squared[groups[:, None] == groups] = np.inf
    assert np.array_equal(found, np.argsort(squared, axis=1)[:, :7])


def test_among_equals_outside_of_a_group_no_class_is_preferred():
    groups = np.repeat([0, 1], 300)
    codes = np.tile(np.repeat([0, 1], 150), 2)
    found = nearest_rows(Points(np.zeros((600, 2))), 5, groups=groups)
    assert (groups[found] != groups[:, None]).all()
    assert 0.3 < codes[found].mean() < 0.7


@pytest.mark.parametrize("n_features", [1, 12])
def test_copies_do_not_favour_the_first_rows(n_features):
    # 400 copies of one point, the first half of one class: a search that prefers low
    # rows would call every sample of the second half wrong.
    X = np.zeros((400, n_features))
    codes = np.repeat([0, 1], 200)
    labels = neighbor_labels(Points(X), codes, 5)
    error = leave_one_out(labels, codes, 2, np.array([5])).errors[0]
    assert 0.3 < error < 0.7
    for half in (labels[:, :200], labels[:, 200:]):
        assert 0.3 < half.mean() < 0.7


def test_no_sample_votes_for_itself_among_copies():
    X = np.repeat(np.arange(5.0), 2).reshape(-1, 1) * 10
    codes = np.tile([0, 1], 5)  # each point's only copy has the other label
    labels = neighbor_labels(Points(X), codes, 1)
    assert leave_one_out(labels, codes, 2, np.array([1])).errors[0] == 1


def test_ladder_grows_with_the_samples_and_stops():
    assert ladder_for(8).tolist() == [1]
    assert ladder_for(100).tolist() == [1, 3, 5, 9]
    assert ladder_for(1000)[-1] == ladder_for(10**7)[-1] == 31


@pytest.mark.parametrize("kind", ["normal", "tied", "copies", "offset"])
def test_lists_of_the_kernel_of_products_are_the_nearest(kind):
    random = np.random.default_rng(3)
    X = random.normal(size=(700, 12))
    if kind == "tied":
        X = random.integers(0, 2, size=(700, 12)).astype(float)
    elif kind == "copies":
        X = X[random.integers(0, 90, size=700)]
    elif kind == "offset":
        X = X + 1e6
    index = products.index(X, np.arange(len(X), dtype=np.uint32))
    squared = ((X[:, None] - X) ** 2).sum(axis=2)
    np.fill_diagonal(squared, np.inf)
    for n_threads in (1, 2):
        found = products.neighbor_rows(index, 7, 31, n_threads)
        assert all(len(set(row)) == 31 for row in found.tolist())
        lengths = np.take_along_axis(squared, found.astype(np.intp), axis=1)
        np.testing.assert_allclose(lengths, np.sort(squared, axis=1)[:, :31], rtol=1e-9)


def test_wrong_votes_are_counted_sample_by_sample():
    labels = np.array([[0, 1, 1], [0, 0, 1], [1, 1, 1]])
    found = leave_one_out(labels, np.array([0, 1, 0]), 2, np.array([1, 3]))
    assert found.wrong.tolist() == [[0, 0, 1], [0, 0, 1]]
    tied = leave_one_out(np.array([[0], [1], [2]]), np.array([1]), 3, np.array([3]))
    assert tied.wrong[0, 0] == pytest.approx(2 / 3)
    assert tied.errors[0] == pytest.approx(2 / 3)


def test_scores_are_logarithms_of_weighted_votes():
    random = np.random.default_rng(4)
    X = random.normal(size=(60, 10))
    codes = random.integers(0, 4, size=60)
    X[:12], codes[59] = X[0], 4  # copies, and the only sample of its class
    nearest = neighbors.nearest_rows(Points(X), 12)
    rows = np.array([0, 3, 30, 59])
    scores = neighbors.vote_scores(np.asfortranarray(X), codes, 6, nearest, 2, 0, rows)
    for i, found in zip(rows, scores, strict=True):
        squared = ((X[nearest[i]] - X[i]) ** 2).sum(axis=1)
        votes = np.exp(-2 * squared / (squared[8] if squared[8] > 0 else 1))
        others = np.bincount(np.delete(codes, i), minlength=6) / 59
        with np.errstate(divide="ignore"):
            expected = np.log(others + np.bincount(codes[nearest[i]], votes, minlength=6))
        np.testing.assert_allclose(found, expected, rtol=1e-4)

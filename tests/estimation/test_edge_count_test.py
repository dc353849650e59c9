"""Edges within classes: exact moments against all permutations, and the two parts."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartsvm import euclidean_mst
from smartsvm.estimation.edge_count_test import (
    count_within_classes,
    standardised_counts,
    tree_weights,
    within_moments,
)


def every_order(sizes):
    """All distinct orders of labels with the given class sizes, shape (n, orders)."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    return np.array(sorted(set(permutations(labels.tolist()))), dtype=np.uint8).T


def enumerated(edges, orders, n_classes):
    """Edges within each class, counted one class at a time."""
    ends = orders[edges]
    return np.stack([(ends == k).all(axis=1).sum(axis=0) for k in range(n_classes)], axis=1)


def edges_of(n, n_trees, d=4, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, d))
    return euclidean_mst(X, n_trees=n_trees).edges.reshape(-1, 2).astype(np.uint32)


@pytest.mark.parametrize("sizes", [(2, 2), (3, 4), (2, 6), (4, 4), (2, 2, 3), (2, 3, 3)])
@pytest.mark.parametrize("n_trees", [1, 2])
def test_moments_are_those_of_all_permutations(sizes, n_trees):
    edges = edges_of(sum(sizes), 1 if sum(sizes) < 6 else n_trees)
    orders = every_order(sizes)
    counts = count_within_classes(edges, orders, len(sizes))
    assert (counts == enumerated(edges, orders, len(sizes))).all()
    moments = within_moments(edges, sizes)
    assert moments.mean == pytest.approx(counts.mean(axis=0), abs=1e-9)
    assert moments.covariance == pytest.approx(np.cov(counts.T, bias=True), abs=1e-9)


@pytest.mark.parametrize("sizes", [(3, 5), (2, 3, 3)])
def test_moments_of_weighted_edges_are_those_of_all_permutations(sizes):
    edges = edges_of(8, 2)
    weights = np.repeat(tree_weights(2), 7)
    orders = every_order(sizes)
    ends = orders[edges]
    counts = np.stack([weights @ (ends == k).all(axis=1) for k in range(len(sizes))], axis=1)
    moments = within_moments(edges, sizes, weights)
    assert moments.mean == pytest.approx(counts.mean(axis=0), abs=1e-9)
    assert moments.covariance == pytest.approx(np.cov(counts.T, bias=True), abs=1e-9)


@given(st.integers(4, 7), st.data())
def test_moments_of_any_simple_graph(n, data):
    pairs = [(i, j) for i in range(n) for j in range(i)]
    chosen = data.draw(st.lists(st.sampled_from(pairs), min_size=1, unique=True))
    edges = np.array(chosen, dtype=np.uint32)
    cut = data.draw(st.integers(1, n - 1))
    orders = every_order((cut, n - cut))
    counts = count_within_classes(edges, orders, 2)
    moments = within_moments(edges, (cut, n - cut))
    assert moments.mean == pytest.approx(counts.mean(axis=0), abs=1e-9)
    assert moments.covariance == pytest.approx(np.cov(counts.T, bias=True), abs=1e-9)


@pytest.mark.parametrize("sizes", [(3, 5), (4, 4), (2, 3, 3)])
def test_parts_are_standardised_and_uncorrelated(sizes):
    edges = edges_of(8, 2)
    orders = every_order(sizes)
    counts = count_within_classes(edges, orders, len(sizes))
    parts = standardised_counts(counts, within_moments(edges, sizes), sizes)
    assert parts.rank == len(sizes)
    assert parts.shift.mean() == pytest.approx(0, abs=1e-9)
    assert parts.shift.var() == pytest.approx(1)
    # A sum of r squares of uncorrelated standardised variables has mean r.
    assert parts.scale.mean() == pytest.approx(len(sizes) - 1)
    assert parts.total.mean() == pytest.approx(len(sizes))


def test_two_samples_give_chen_and_friedmans_decomposition():
    edges = edges_of(8, 2)
    sizes = np.array([3, 5])
    orders = every_order(sizes)
    counts = count_within_classes(edges, orders, 2)
    parts = standardised_counts(counts, within_moments(edges, sizes), sizes)
    difference = counts[:, 0] - counts[:, 1]
    z = (difference - difference.mean()) / difference.std()
    assert parts.scale == pytest.approx(z**2, abs=1e-8)


def test_a_complete_graph_says_nothing():
    edges = np.array([(i, j) for i in range(8) for j in range(i)], dtype=np.uint32)
    orders = every_order((3, 5))
    counts = count_within_classes(edges, orders, 2)
    parts = standardised_counts(counts, within_moments(edges, (3, 5)), (3, 5))
    assert np.abs(parts.shift).max() < 1e-6
    assert parts.scale.max() < 1e-6


def test_equal_degrees_leave_one_direction():
    # On a cycle, edges within one class follow from those within the other.
    edges = np.array([(k, (k + 1) % 8) for k in range(8)], dtype=np.uint32)
    orders = every_order((4, 4))
    counts = count_within_classes(edges, orders, 2)
    parts = standardised_counts(counts, within_moments(edges, (4, 4)), (4, 4))
    assert parts.rank == 1
    assert parts.scale == pytest.approx(0, abs=1e-9)


def test_counts_of_many_classes_and_wrong_shapes():
    edges = edges_of(30, 3)
    codes = np.arange(30, dtype=np.uint16)[:, None] % 7
    counts = count_within_classes(edges, codes, 7)
    assert (counts == enumerated(edges, codes, 7)).all()
    assert count_within_classes(edges, codes[:, :0], 7).shape == (0, 7)

"""Equal rows: fractions against a count by hand, and the error of cells of known shares."""

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from strategies import examples

from smartsvm import difficulty_report
from smartsvm._core.points import Points
from smartsvm.report.equal_rows import _LARGE, EqualRows, equal_rows
from smartsvm.trees.in_memory.class_trees import SpanningForest


def forest_of(X, y):
    return SpanningForest(Points(X), y, n_trees=1, seed=0)


def by_hand(X, y, kept):
    """The fractions that need no random number."""
    cells, largest = defaultdict(Counter), Counter(y.tolist()).most_common()
    most = min(label for label, count in largest if count == largest[0][1])
    for row in kept:
        cells[tuple(X[row])][y[row]] += 1
    sizes = {cell: sum(labels.values()) for cell, labels in cells.items()}
    n, large = len(kept), [cell for cell in cells if sizes[cell] >= _LARGE]
    return {
        "in_large_cells": sum(sizes[cell] for cell in large) / n,
        "large_baseline": sum(sizes[cell] - cells[cell][most] for cell in large) / n,
        "in_small_cells": sum(size for size in sizes.values() if 1 < size < _LARGE) / n,
        "outvoted": sum(sizes[cell] - max(cells[cell].values()) for cell in cells) / n,
    }


@examples(60)
@given(
    st.integers(1, 3),
    st.integers(1, 4),
    st.integers(8, 90),
    st.integers(2, 4),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_fractions_are_those_of_a_count_by_hand(d, n_values, n, n_classes, part, seed):
    random = np.random.default_rng(seed)
    X = random.integers(0, n_values, size=(n, d)).astype(float)
    apart = random.random(n) < 0.3
    X[apart] = random.normal(size=(n, d))[apart]
    y = random.permutation(np.arange(n) % n_classes)
    kept = np.flatnonzero(random.random(n) < 0.7) if part else np.arange(n)
    kept = kept if len(kept) else np.arange(n)
    found = equal_rows(forest_of(X, y), kept if part else None)
    for name, expected in by_hand(X, y, kept).items():
        assert getattr(found, name) == pytest.approx(expected), name
    assert 0 <= found.large_error <= found.in_large_cells
    assert found.large_error_deviation >= 0


def test_rows_that_all_differ_prove_nothing():
    X = np.random.default_rng(0).normal(size=(50, 2))
    found = equal_rows(forest_of(X, np.arange(50) % 2))
    assert found == EqualRows(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("size", [20, 100])
def test_the_error_of_large_cells_is_that_of_their_shares(size):
    shares, away = np.array([0.4, 0.1, 0.25, 0.02, 0.3]), []
    for seed in range(20):
        random = np.random.default_rng(seed)
        cells = np.repeat(np.arange(5), size)
        y = (random.random(5 * size) < shares[cells]).astype(int)
        X = np.concatenate([np.eye(5)[cells], random.normal(size=(5 * size, 5)) + 9])
        y = np.concatenate([y, np.arange(5 * size) % 2])
        found = equal_rows(forest_of(X, y))
        assert found.in_large_cells == 0.5
        away.append((found.large_error - shares.mean() / 2) / found.large_error_deviation)
    assert np.mean(np.abs(away) < 1.96) >= 0.8
    assert np.abs(np.mean(away)) < 1


def default_record(n, share, seed):
    """Two Gaussian classes, and a record of defaults labelled 60/40; with the Bayes error."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, n)
    X = random.normal(size=(n, 5))
    X[:, 0] += 3 * y
    default = random.random(n) < share
    X[default] = 0.0
    y[default] = random.random(np.count_nonzero(default)) < 0.4
    return X, y, 0.4 * share + (1 - share) * norm.cdf(-1.5)


@pytest.mark.parametrize("share", [0.0, 0.05, 0.2, 0.5])
def test_a_default_record_is_covered(share):
    covered, errors = [], []
    for seed in range(4):
        X, y, truth = default_record(1000, share, seed)
        report = difficulty_report(X, y)
        covered.append(report.bayes_error.low <= truth <= report.bayes_error.high)
        errors.append(report.bayes_error.value - truth)
        n_default = np.count_nonzero((X == 0).all(axis=1))
        large = report.data.equal_rows.in_large_cells
        assert large == pytest.approx(n_default / 1000 if n_default >= _LARGE else 0.0)
    assert np.count_nonzero(covered) >= 3
    assert np.abs(np.mean(errors)) < 0.03


def test_contradicting_rows_are_never_below_what_they_prove():
    # Every row twice, in many values; a fifth of the pairs has two labels.
    for seed in range(4):
        random = np.random.default_rng(seed)
        X = np.repeat(random.normal(size=(300, 4)), 2, axis=0)
        y = np.repeat((X[::2, 0] > 0).astype(int), 2)
        y[::2][random.random(300) < 0.2] ^= 1
        report = difficulty_report(X, y)
        proven = report.data.equal_rows.outvoted
        assert proven > 0.05
        deviation = np.sqrt(proven * (1 - proven) / 600)
        assert report.bayes_error.high >= proven - deviation

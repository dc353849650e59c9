"""Mistakes of classifiers, and columns that use no label."""

import numpy as np
import pytest

from smartsvm.held_out.mistakes import Mistakes, wrong_answers
from smartsvm.held_out.standardised_columns import Columns, chunks_of


def test_only_the_single_winner_is_right():
    scores = np.array([[2.0, 1.0], [1.0, 1.0], [0.0, 3.0], [-np.inf, -np.inf]])
    assert wrong_answers(scores, np.array([0, 0, 0, 1])).tolist() == [False, True, True, True]


def test_errors_and_choice():
    found = Mistakes(("a", "b"), np.array([[1, 0, 0, 0], [0.5, 0.5, 0, 1]], dtype=np.float32))
    assert found.errors.tolist() == [0.25, 0.5]
    only = found.only([False, True])
    assert only.settings == ("b",)
    assert only.errors.tolist() == [0.5]


def test_columns_have_mean_0_and_variance_1():
    random = np.random.default_rng(0)
    X = random.standard_t(2, size=(500, 4)) * [1, 1e6, 1e-6, 1] + [0, 1e9, 0, 0]
    X[:, 3] = 7.0
    columns = Columns(X).block(slice(None))
    assert columns.mean(axis=0) == pytest.approx(0, abs=1e-9)
    assert columns.std(axis=0) == pytest.approx([1, 1, 1, 0], abs=1e-9)
    assert np.abs(columns).max() < 6


def test_chunks_cover_all_rows():
    for n_rows, width in ((10, 3), (100_000, 50), (3, 10**6)):
        rows = np.concatenate([np.arange(n_rows)[each] for each in chunks_of(n_rows, width)])
        assert np.array_equal(rows, np.arange(n_rows))

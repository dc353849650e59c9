"""Parts of a data set with its classes in proportion."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartsvm._core.sampling import (
    content_order,
    content_order_by_class,
    rows_of_classes,
    shuffled_by_class,
    stratified_rows,
)

class_sizes = st.lists(st.integers(1, 50), min_size=2, max_size=6)


def codes_of(counts, seed=0):
    return np.random.default_rng(seed).permutation(np.repeat(np.arange(len(counts)), counts))


@given(class_sizes, st.integers(1, 8), st.integers(0, 2**32))
def test_every_mth_row_has_the_classes_in_proportion(counts, m, seed):
    codes = codes_of(counts)
    rows = shuffled_by_class(codes, seed)
    assert np.array_equal(np.sort(rows), np.arange(len(codes)))
    for start in range(m):
        taken = np.bincount(codes[rows[start::m]], minlength=len(counts))
        assert (np.abs(taken - np.array(counts) / m) < 1).all()


@given(class_sizes, st.integers(0, 2**32))
def test_as_many_rows_of_each_class_as_are_wanted(counts, seed):
    codes = codes_of(counts)
    wanted = np.random.default_rng(seed).integers(0, np.array(counts) + 1)
    rows = rows_of_classes(codes, wanted, seed)
    assert np.array_equal(rows, np.unique(rows))
    assert np.array_equal(np.bincount(codes[rows], minlength=len(counts)), wanted)


@given(class_sizes, st.integers(0, 100))
def test_subsamples_keep_every_class(counts, extra):
    codes = codes_of(counts)
    wanted = max(8, len(counts)) + extra
    rows = stratified_rows(codes, wanted, 0)
    assert len(np.unique(rows)) == len(rows)
    assert set(codes[rows]) == set(range(len(counts)))
    if wanted < len(codes):
        assert abs(len(rows) - wanted) <= len(counts)
        taken = np.bincount(codes[rows])
        assert (np.abs(taken - np.array(counts) * wanted / len(codes)) <= len(counts)).all()


@pytest.mark.parametrize(
    "draw", [shuffled_by_class, lambda codes, seed: rows_of_classes(codes, np.full(3, 20), seed)]
)
def test_the_seed_decides(draw):
    codes = codes_of([40, 40, 40])
    assert np.array_equal(draw(codes, 1), draw(codes, 1))
    assert not np.array_equal(draw(codes, 1), draw(codes, 2))


@pytest.mark.parametrize("n_values", [3, 1000])  # few values: the first column does not decide
@given(st.integers(2, 60), st.integers(1, 12), st.integers(0, 2**32))
def test_an_order_by_content_ignores_the_order_of_rows(n_values, n, d, seed):
    random = np.random.default_rng(seed)
    points = random.integers(n_values, size=(n, d)) / 7
    shuffle = random.permutation(n)
    order = content_order(points)
    assert np.array_equal(np.sort(order), np.arange(n))
    assert np.array_equal(points[order], points[shuffle][content_order(points[shuffle])])


@given(st.booleans(), st.integers(2, 60), st.integers(1, 5), st.integers(0, 2**32))
def test_an_order_by_content_and_class_does_not_depend_on_names(repeats, n, n_classes, seed):
    random = np.random.default_rng(seed)
    points = random.normal(size=(n, 2))
    codes = random.integers(n_classes, size=n)
    points[:, 0] = np.floor(points[:, 0]) if repeats else points[:, 0]
    points[: n // 2, 1] = 0 if repeats else points[: n // 2, 1]
    shuffle, names = random.permutation(n), random.permutation(n_classes)
    order = content_order_by_class(points, codes)
    assert np.array_equal(np.sort(order), np.arange(n))
    assert np.count_nonzero(np.diff(codes[order])) == len(np.unique(codes)) - 1
    other = content_order_by_class(points[shuffle], names[codes][shuffle])
    assert np.array_equal(points[order], points[shuffle][other])
    # Rows that are equal in all columns follow by class, whatever its name.
    assert np.array_equal(names[codes[order]], names[codes][shuffle][other])


def test_an_order_by_content_is_not_sorted():
    points = np.arange(1000.0)[:, None]
    order = content_order(points)
    assert abs(np.corrcoef(order, np.arange(1000))[0, 1]) < 0.1

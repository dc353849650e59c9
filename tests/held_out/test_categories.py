"""Repeated values as categories."""

import numpy as np
import pytest

from smartsvm import difficulty_report, prepare_table
from smartsvm.held_out.boosting import boosting_held_out
from smartsvm.held_out.categories import (
    categories_leave_one_out,
    categories_predict,
    shares_of_values,
)


def wages(n=1200, n_values=120, seed=0):
    """Wages that act as categories, beside two columns of noise."""
    random = np.random.default_rng(seed)
    values, kinds = random.lognormal(2, 0.5, n_values), random.integers(0, 2, n_values)
    which = random.integers(0, n_values, n)
    codes = np.where(random.random(n) < 0.1, 1 - kinds[which], kinds[which])
    return np.column_stack([random.normal(size=n), values[which], random.normal(size=n)]), codes


def test_leaving_a_sample_out_equals_a_fit_without_it():
    points, codes = wages(400, 40)
    mistakes = categories_leave_one_out(points, codes, 2)
    for row in (0, 17, 399):
        train = np.arange(400) != row
        found = categories_predict(points, codes, 2, train, mistakes.settings)
        for number, refit in enumerate(found):
            own = mistakes.scores(number)[row]
            assert own[1] - own[0] == pytest.approx(refit[0, 1] - refit[0, 0], abs=0.02)


def test_random_labels_are_not_learnt():
    points, codes = wages()
    shuffled = np.random.default_rng(1).permutation(codes)
    assert categories_leave_one_out(points, codes, 2).errors.min() < 0.16
    assert categories_leave_one_out(points, shuffled, 2) is None


def test_columns_without_repeated_values_are_no_categories():
    points, codes = wages()
    assert categories_leave_one_out(points[:, [0, 2]], codes, 2) is None
    assert categories_predict(points[:, [0]], codes, 2, codes == 0, (1.0,)) is None


@pytest.mark.parametrize("columns", [[1], [0, 1, 2]])
def test_the_report_learns_a_number_that_acts_as_a_category(columns):
    points, codes = wages()
    report = difficulty_report(points[:, columns], codes)
    assert report.errors.held_out.best.value < 0.17
    assert report.bayes_error.low <= 0.1 <= report.bayes_error.high


def test_values_that_tell_nothing_give_no_classifier():
    """It would be the baseline; with classes of one size, its ties would all be mistakes."""
    days, codes = np.tile(np.arange(31.0), 70), np.repeat(np.arange(7), 310)
    assert categories_leave_one_out(days.reshape(-1, 1), codes, 7) is None


def shops(n, n_shops, seed=0):
    """Rows of shops whose customers buy or not, in nine of ten cases, beside a column of noise."""
    random = np.random.default_rng(seed)
    shop, habit = random.permutation(n) % n_shops, random.integers(0, 2, n_shops)
    codes = np.where(random.random(n) < 0.1, 1 - habit[shop], habit[shop])
    return np.column_stack([random.normal(size=n), shop]), codes


@pytest.mark.parametrize("n_classes", [2, 3])
def test_shares_of_a_value_are_those_of_earlier_rows(n_classes):
    random = np.random.default_rng(0)
    values, codes = random.integers(0, 20, 300), random.integers(0, n_classes, 300)
    train = random.random(300) < 0.8
    shares = shares_of_values(values[:, None], codes, n_classes, train)
    assert shares.shape == (300, 1 if n_classes == 2 else 3)
    all_of = np.bincount(codes[train], minlength=n_classes) / train.sum()
    for row in np.flatnonzero(~train)[:20]:
        same = train & (values == values[row])
        expected = (np.bincount(codes[same], minlength=n_classes) + 4 * all_of) / (same.sum() + 4)
        np.testing.assert_allclose(shares[row], expected[: shares.shape[1]])
    # Two training rows of different values trade their labels: neither reads its own.
    inside = np.flatnonzero(train)
    for first, second in zip(inside[:40], inside[40:80], strict=True):
        if values[first] != values[second]:
            changed = codes.copy()
            changed[[first, second]] = codes[[second, first]]
            after = shares_of_values(values[:, None], changed, n_classes, train)
            np.testing.assert_array_equal(after[[first, second]], shares[[first, second]])


@pytest.mark.parametrize("n", [800, 4000])
def test_boosting_reads_texts_by_value_and_learns_no_random_labels(n):
    points, codes = shops(n, n // 10)
    assert boosting_held_out(points, codes, 2, n_categories=1).errors[0] < 0.17
    shuffled = np.random.default_rng(1).permutation(codes)
    of_random = boosting_held_out(points, shuffled, 2, n_categories=1)
    assert of_random is None or of_random.errors[0] > 0.45


def test_a_report_reads_texts_of_many_values():
    points, codes = shops(1600, 300)
    texts = {"shop": [f"no. {shop:.0f} street" for shop in points[:, 1]]}
    table = {"x": points[:, 0], **texts}
    report = difficulty_report(prepare_table(table, codes))
    assert report.errors.held_out.best.value < 0.2
    assert report.bayes_error.low <= 0.1 <= report.bayes_error.high
    whole = difficulty_report(table, codes)
    assert whole.errors.held_out.best.value == report.errors.held_out.best.value
    assert "Used by boosting and naive Bayes only: shop (300 different texts)" in str(whole)
    assert "Find other columns" not in str(whole)
    new = difficulty_report(table, codes, groups="shop")
    assert new.errors.held_out.best.value > 0.4


def test_rows_of_two_texts_are_not_equal():
    """Equal rows prove an error, but not if a text beside the columns tells their classes."""
    points, codes = shops(1200, 150)
    few = (points[:, [0]] > 0) * 1.0
    alone = difficulty_report(few, codes)
    table = {"few": few[:, 0], "shop": [f"s{shop:.0f}" for shop in points[:, 1]]}
    report = difficulty_report(table, codes)
    assert alone.data.equal_rows.outvoted > 0.4 > 0.2 > report.data.equal_rows.outvoted
    assert report.bayes_error.high < 0.2
    dependence = report.data.dependence
    assert dependence.unit == "shop"
    assert dependence.error < 0.2 < 0.4 < dependence.new_error

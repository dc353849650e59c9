"""Repeated values as categories."""

import numpy as np
import pytest

from smartsvm import difficulty_report
from smartsvm.held_out.categories import categories_leave_one_out, categories_predict


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

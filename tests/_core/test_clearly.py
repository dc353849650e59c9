"""What counts as a clear difference, and the standard error of a paired one."""

import numpy as np
import pytest

from smartsvm._core.clearly import CLEAR, CLEAR_OF_MANY, is_clear, paired_difference


def test_a_difference_is_clear_above_its_standard_errors():
    assert is_clear(2.01, 1.0)
    assert not is_clear(2.0, 1.0)
    assert not is_clear(2.01, 1.0, CLEAR_OF_MANY)
    assert CLEAR < CLEAR_OF_MANY


def test_rows_that_both_get_wrong_cancel():
    random = np.random.default_rng(0)
    both = random.random(4000) < 0.4
    wrong, others = both | (random.random(4000) < 0.05), both.copy()
    mean, error = paired_difference(wrong, others)
    away = wrong.astype(float) - others
    assert mean == pytest.approx(away.mean())
    assert error == pytest.approx(np.sqrt(away.var() / 4000))
    assert error < 0.5 * np.sqrt(wrong.var() / 4000)
    assert is_clear(mean, error)
    assert not is_clear(*paired_difference(wrong, wrong))


def test_a_clear_difference_is_also_above_the_least_one():
    assert is_clear(0.03, 0.01)
    assert is_clear(0.03, 0.01, least=0.02)
    assert not is_clear(0.03, 0.01, least=0.03)
    assert not is_clear(0.03, 0.01, 3.0, least=0.02)


def test_a_negative_number_of_standard_errors_lets_the_difference_be_below_0():
    assert is_clear(-0.01, 0.01, -2.0)
    assert not is_clear(-0.03, 0.01, -2.0)

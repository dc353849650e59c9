"""Columns on a common scale."""

import numpy as np
import pytest

from smartsvm._core.column_scales import SCALES, scale_columns

X = np.random.default_rng(0).gamma(1.0, size=(101, 3)) * [1.0, 100.0, 1e-3]


def test_each_scale_does_what_it_says():
    assert scale_columns(X, "none") is X
    standard = scale_columns(X, "standard")
    assert standard.mean(axis=0) == pytest.approx(0, abs=1e-12)
    assert standard.std(axis=0) == pytest.approx(1)
    low, middle, high = np.quantile(scale_columns(X, "robust"), [0.25, 0.5, 0.75], axis=0)
    assert middle == pytest.approx(0, abs=1e-12)
    assert high - low == pytest.approx(1.349)
    unit = scale_columns(X, "minmax")
    assert (unit.min(axis=0).tolist(), unit.max(axis=0).tolist()) == ([0] * 3, [1] * 3)
    ranks = scale_columns(X, "ranks")
    np.testing.assert_array_equal(ranks.argsort(axis=0), X.argsort(axis=0))
    assert (ranks.min(), ranks.max()) == (1 / 101, 1.0)


@pytest.mark.parametrize("scale", SCALES[1:])
@pytest.mark.parametrize("power", [1000, -1000])
def test_columns_of_any_size_are_scaled(scale, power):
    expected = scale_columns(X, scale)
    np.testing.assert_array_equal(scale_columns(np.ldexp(X, power), scale), expected)
    assert expected.std() > 0.1


@pytest.mark.parametrize("scale", SCALES)
def test_constant_and_mostly_constant_columns(scale):
    columns = np.zeros((40, 2))
    columns[:3, 1] = 5.0
    scaled = scale_columns(columns, scale)
    assert np.isfinite(scaled).all()
    assert np.ptp(scaled[:, 0]) == 0
    assert np.ptp(scaled[:, 1]) > 0

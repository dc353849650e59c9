"""Points of any finite scale: the trees and distances are those of the points as they are."""

import warnings
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartsvm import bayes_error, difficulty_report, euclidean_mst
from smartsvm._core.safe_range import Scale, scale_for, scale_to_safe_range
from smartsvm._core.sources import open_source
from smartsvm.trees.out_of_core.memory_plan import BlockPlan
from smartsvm.trees.out_of_core.summary import run_in_threads, summarize

# Of twenty bits, so that no power of two of them loses a bit as a subnormal number.
Z = np.ldexp(np.round(np.ldexp(np.random.default_rng(0).normal(size=(400, 12)), 20)), -20)
Y = (np.random.default_rng(1).normal(size=400) + Z[:, 0] > 0).astype(int)
# One value of a whole column, and the power of two of the others beside it.
BESIDE = [(1.0, -1030), (1e200, -400), (1e300, -990), (1e300, 1000), (-1e308, -100), (1e150, -430)]


@pytest.mark.parametrize(("constant", "power"), BESIDE)
@pytest.mark.parametrize(
    "options",
    [
        {"algorithm": "prim"},
        {"algorithm": "kdtree", "n_jobs": 2},
        {"algorithm": "products", "n_jobs": 2},
        {"memory_limit": 250_000},
    ],
)
@pytest.mark.parametrize("d", [2, 12])
def test_constant_columns_change_nothing(constant, power, options, d):
    X = np.column_stack([np.full(len(Z), constant), np.ldexp(Z[:, :d], power)])
    found = euclidean_mst(X, n_trees=2, **options)
    expected = euclidean_mst(Z[:, :d], n_trees=2)
    np.testing.assert_array_equal(found.edges, expected.edges)
    np.testing.assert_array_equal(found.weights, np.ldexp(expected.weights, power))


@pytest.mark.parametrize(("constant", "size"), [(1.0, 1e-310), (1e200, 1e-120), (1e300, 1e-300)])
def test_errors_beside_a_constant_column(constant, size):
    # 1e-310 is subnormal: only some bits of the values are left.
    tolerance = 0.02 if size < 1e-307 else 0.0
    expected = bayes_error(Z, Y).value
    X = np.column_stack([Z * size, np.full(len(Z), constant)])
    assert bayes_error(X, Y).value == pytest.approx(expected, abs=tolerance)
    assert difficulty_report(X, Y).trees.upper.value > 0


def test_a_source_is_scaled_as_an_array():
    X = np.column_stack([np.full(len(Z), 1e300), np.ldexp(Z, -700)])
    source = open_source(X)
    run = partial(run_in_threads, source, 1 << 20, 1)
    summary = summarize(source, BlockPlan(1, len(X), 50, 1 << 20), run)
    scaled, exponent = scale_to_safe_range(X)
    assert summary.exponent == exponent
    np.testing.assert_array_equal(summary.sample, scaled[summary.sampled])


@given(
    st.lists(
        st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=3, max_size=3),
        min_size=1,
        max_size=6,
    )
)
def test_scaled_points_are_safe(rows):
    X = np.array(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of differences that are lost
        scaled, _ = scale_to_safe_range(X)
    assert np.isfinite(scaled).all()
    squares = (scaled[:, None] - scaled[None]) ** 2
    assert np.isfinite(squares.sum(axis=2)).all()
    if scaled is not X:
        # The largest difference is between 1/2 and 1, and columns of one value are zero.
        assert squares.max() <= 1
        assert squares.max() >= 0.25 or not squares.any()
        assert not scaled[:, X.min(axis=0) == X.max(axis=0)].any()


def test_all_columns_constant():
    scaled, exponent = scale_to_safe_range(np.full((4, 2), 1e300))
    assert not scaled.any()
    assert exponent == 0
    assert euclidean_mst(np.full((4, 2), 1e300)).weights.max() == 0


def test_the_widest_range_overflows():
    largest = np.finfo(float).max
    X = np.array([[-largest], [largest], [0.0]])
    scaled, exponent = scale_to_safe_range(X)
    assert exponent == 1025
    assert np.abs(np.ptp(scaled)) <= 1
    with pytest.warns(RuntimeWarning, match="overflow"):  # 2^1025 is no float
        assert np.isinf(euclidean_mst(X[:2]).weights).all()
    np.testing.assert_array_equal(euclidean_mst(X).weights, [[largest, largest]])


def test_values_outside_their_ranges_are_caught():
    scale = scale_for(np.array([0.0, 1.0]), np.array([1e-300, 1.0]))
    assert isinstance(scale, Scale)
    with pytest.raises(ValueError, match="X must not change while it is read"):
        scale.apply(np.array([[1e300, 1.0]]))


@pytest.mark.parametrize("outlier", [1e163, 1e170, 1e300, 1.7e308])
def test_points_without_any_distance_are_equal(outlier):
    # Distinct points at no distance would make every kernel compare all pairs.
    X = np.random.default_rng(0).normal(size=(300, 3))
    X[0, 0] = outlier
    with pytest.warns(RuntimeWarning, match="span more than"):
        scaled, _ = scale_to_safe_range(X)
    assert len(np.unique(scaled[1:], axis=0)) == 1
    with pytest.warns(RuntimeWarning, match="span more than"):
        weights = euclidean_mst(X).weights[0]
    assert (weights[:-1] == 0).all()
    assert weights[-1] == pytest.approx(outlier)

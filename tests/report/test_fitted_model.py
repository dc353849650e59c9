"""The stored model: what its file says, and the distributions that it gives."""

import json
import re
from datetime import date
from importlib import resources

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartsvm.report.equal_rows import EqualRows
from smartsvm.report.fitted_model import (
    ACCURACY,
    BALANCED,
    TARGETS,
    FittedError,
    design_rows,
    fitted_error,
    read_model,
    residuals_at,
)
from smartsvm.report.statistics import MEANINGS, within_limits

LEVELS = np.array(read_model()["targets"]["bayes_error"]["levels"])
RESIDUALS = np.array(read_model()["targets"]["bayes_error"]["residuals"][0][1:])
PARTS = ("share_of_baseline", "share_of_best", "log_scale_below", "log_scale_above")


@st.composite
def any_statistics(draw):
    """Any statistics, also far beyond their limits."""
    return {
        name: within_limits(name, draw(st.floats(-20, 20, allow_nan=False))) for name in MEANINGS
    }


def test_the_package_has_the_file_with_its_origin():
    file = resources.files("smartsvm.report").joinpath("fitted_model.json")
    stored = json.loads(file.read_text(encoding="utf-8"))
    assert stored == read_model()
    assert stored["command"].startswith("python -m benchmarks.report.fit_model")
    assert date.fromisoformat(stored["date"])
    assert re.fullmatch("[0-9a-f]{7,40}", stored["commit"])
    assert len(stored["families"]) == len(set(stored["families"])) > 100
    assert stored["families"] == sorted(stored["families"])
    assert stored["reports"] >= len(stored["families"])


def test_no_family_for_evaluation_is_in_the_model():
    problems = pytest.importorskip("benchmarks.problems")
    assert set(read_model()["families"]) <= set(problems.families("design"))


def test_names_are_those_of_the_statistics():
    model = read_model()
    assert list(model["statistics"]) == list(MEANINGS)
    assert set(model["targets"]) == set(TARGETS)
    for name, target in model["targets"].items():
        hidden = {"hidden"} if name in (ACCURACY, BALANCED) else set()
        assert set(target) == {*PARTS, *hidden, "levels", "residuals"}
        for part in (*PARTS, *hidden):
            assert list(target[part]) == ["constant", *MEANINGS]
    assert all(MEANINGS.values())


def test_quantiles_and_ranges_are_in_order():
    model = read_model()
    for least, most, mean, deviation in model["statistics"].values():
        assert least <= mean <= most
        assert deviation > 0
    for target in model["targets"].values():
        levels, sizes = target["levels"], [row[0] for row in target["residuals"]]
        assert (levels[0], levels[-1]) == (0, 1)
        assert (np.diff(levels) > 0).all()
        assert (np.diff(sizes) > 0).all()
        for _, *residuals in target["residuals"]:
            assert len(residuals) == len(levels)
            assert (np.diff(residuals) > 0).all()  # the chance has no jump
            assert residuals[0] < 0 < residuals[-1]


@given(any_statistics(), st.sampled_from(TARGETS), st.floats(0, 1), st.floats(1e-4, 1))
def test_chances_rise_without_a_jump(statistics, target, best, baseline):
    error = fitted_error(target, statistics, best, baseline)
    assert error.location >= 0
    chances = np.array([error.chance(each) for each in np.linspace(-1, 2, 301)])
    assert (np.diff(chances) >= 0).all()
    assert ((chances >= 0) & (chances <= 1)).all()
    for level in (0.001, 0.025, 0.3, 0.5, 0.9, 0.975):
        assert error.chance(error.quantile(level)) == pytest.approx(level, abs=1e-6)
    quantiles = [error.quantile(level) for level in np.linspace(0, 1, 51)]
    assert (np.diff(quantiles) >= 0).all()


@given(any_statistics(), st.integers(0, len(MEANINGS) - 1), st.floats(1, 1000))
def test_statistics_beyond_the_fit_count_as_its_outermost(statistics, number, beyond):
    name, ranges = list(MEANINGS)[number], read_model()["statistics"]
    _, most, *_ = ranges[name]
    at_end, outside = (
        design_rows(statistics | {name: value}, ranges) for value in (most, most + beyond)
    )
    np.testing.assert_array_equal(at_end, outside)
    assert at_end[-1] == 1
    assert len(at_end) == 2 * len(MEANINGS) + 1


@given(any_statistics(), st.floats(0.05, 0.4))
def test_cells_apart_shift_the_error_by_theirs(statistics, share):
    apart = EqualRows(share, share / 3, 0.01, share / 2, 0.0, 0.0)
    whole = fitted_error(ACCURACY, statistics, 0.3 + share / 3, 0.5 + share / 2, apart)
    rest = fitted_error(ACCURACY, statistics, 0.3, 0.5)
    assert whole.location == pytest.approx(rest.location + share / 3)
    # Their own uncertainty widens both ends.
    for level in (0.025, 0.975):
        ends = (each.quantile(level) - each.location for each in (whole, rest))
        wider, narrower = map(abs, ends)
        assert wider >= narrower * (1 - 1e-9)


def test_a_distribution_moves_down_but_not_its_location_below_0():
    error = FittedError.from_scales(0.2, 0.05, 0.1, RESIDUALS, LEVELS)
    down = error.less(0.05)
    assert down.location == pytest.approx(0.15)
    assert down.chance(0.1) == pytest.approx(error.chance(0.15))
    assert error.less(0.5).location == 0


def test_quantiles_lie_between_those_of_the_sizes():
    table = [[100, -3.0, 0.0, 2.0], [400, -1.0, 0.0, 1.0]]
    np.testing.assert_allclose(residuals_at(table, np.log(50)), [-3, 0, 2])
    np.testing.assert_allclose(residuals_at(table, np.log(200)), [-2, 0, 1.5])
    np.testing.assert_allclose(residuals_at(table, np.log(9000)), [-1, 0, 1])


@given(any_statistics(), st.floats(0.05, 1), st.floats(0.05, 1))
def test_fewer_samples_hide_more(statistics, best, baseline):
    few, many, in_a_plane = (
        fitted_error(
            ACCURACY,
            statistics | {"log_samples": np.log(n), "log_columns": np.log1p(d)},
            best,
            baseline,
        )
        for n, d in ((100, 5), (8000, 5), (100, 2))
    )
    assert 0 < many.hidden < few.hidden < 1 or min(few.location, many.location) == 0
    assert in_a_plane.hidden == 0


def test_hidden_structure_is_any_error_below_the_location():
    seen = FittedError(0.4, np.array([0.3, 0.4, 0.5]), np.array([0.0, 0.5, 1.0]))
    hidden = seen.with_hidden_structure(0.2)
    for error, expected in ((0.0, 0.0), (0.1, 0.05), (0.2, 0.1), (0.3, 0.15), (0.4, 0.6)):
        assert hidden.chance(error) == pytest.approx(expected)


def test_hidden_structure_can_be_left_out():
    seen = FittedError(0.3, np.array([0.1, 0.3, 0.4]), np.array([0.0, 0.5, 1.0]))
    assert seen.without_hidden_structure() is seen
    hidden = seen.with_hidden_structure(0.2)
    assert hidden.chance(0.1) > 0.05 > seen.chance(0.1)
    again = hidden.without_hidden_structure()
    assert again.hidden == 0
    for error in np.linspace(0, 0.5, 11):
        assert again.chance(error) == pytest.approx(seen.chance(error))

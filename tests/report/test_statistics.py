"""The statistics that the fitted model sees, from given measurements and from whole reports."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import two_gaussians

from smartsvm import difficulty_report
from smartsvm.estimation.extrapolation import CrossLimit
from smartsvm.report.equal_rows import EqualRows
from smartsvm.report.statistics import MEANINGS, statistics_of, within_limits

NONE_EQUAL = EqualRows(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
LIMIT = CrossLimit(0.2, 0.02, np.full(3, 0.2), np.full(3, 0.02), 0.5)
ERRORS = {"combined": 0.1, "neighbors": 0.14, "kernel": 0.12, "linear": 0.2, "forest": 0.11}


def statistics(best, baseline, apart=None, **changes):
    base = {
        "n_independent": 1000.0,
        "n_columns": 10,
        "n_classes": 2,
        "errors": ERRORS,
        "by_n_neighbors": ((1, 0.18), (5, 0.15), (15, 0.14), (31, 0.13)),
        "kernel_gain": 0.05,
        "shared_mistakes": (0.08, 0.12),
        "log_loss": 0.3,
        "tree_limit": LIMIT,
        "equal_rows": NONE_EQUAL,
    }
    return statistics_of(best, baseline, apart, **base | changes)


def test_every_statistic_is_what_its_meaning_says():
    found = statistics(0.1, 0.4)
    expected = {
        "log_samples": np.log(1000),
        "log_columns": np.log(11),
        "best": 0.25,
        "combined": 0.25,
        "log_loss": 0.3 / np.log(2),
        "kernel_gap": 0.05,
        "linear_gap": 0.25,
        "forest_gap": 0.025,
        "one_neighbor": 0.45,
        "kernel_gain": 0.125,
        "tree_limit": 0.4,
        "tree_limit_error": 0.04,
        "equal_rows": 0.0,
        "contradictions": 0.0,
        "no_gain": 0.0,
        "sampling_error": np.sqrt(0.1 * 0.9 / 1000) / 0.4,
        "both_wrong": 0.2,
        "half_wrong": 0.3,
    }
    assert list(found) == list(expected) == list(MEANINGS)
    assert found == pytest.approx(expected)


def test_a_classifier_that_did_not_run_counts_as_the_combination():
    found = statistics(0.1, 0.4, errors={"combined": 0.1, "neighbors": 0.14})
    assert found["kernel_gap"] == found["linear_gap"] == found["forest_gap"] == 0


@pytest.mark.parametrize(
    ("clarity", "expected"),
    [(-1.0, (1.0, 0.5)), (1.0, (1.0, 0.5)), (1.5, (0.7, 0.27)), (2.0, (0.4, 0.04))],
)
def test_an_unclear_limit_counts_as_chance_by_degrees(clarity, expected):
    found = statistics(0.1, 0.4, tree_limit=LIMIT._replace(clarity=clarity))
    assert (found["tree_limit"], found["tree_limit_error"]) == pytest.approx(expected)


def test_no_gain_goes_from_0_to_1_in_the_last_fifth():
    for best, expected in ((0.2, 0), (0.32, 0), (0.36, 0.5), (0.4, 1), (0.5, 1)):
        assert statistics(best, 0.4)["no_gain"] == pytest.approx(expected)


def test_large_cells_leave_errors_baseline_and_samples():
    apart = EqualRows(0.3, 0.06, 0.01, 0.1, 0.02, 0.08)
    found = statistics(0.1, 0.4, apart, equal_rows=apart)
    assert found["best"] == pytest.approx(0.04 / 0.3)
    assert found["linear_gap"] == pytest.approx(0.1 / 0.3)
    assert found["both_wrong"] == pytest.approx(0.02 / 0.3)
    assert found["half_wrong"] == pytest.approx(0.06 / 0.3)
    assert found["log_samples"] == pytest.approx(np.log(700))
    assert found["contradictions"] == pytest.approx(0.02 / 0.3)
    assert found["equal_rows"] == 0.02


@given(
    st.floats(1, 1e7),
    st.integers(1, 100_000),
    st.integers(2, 1000),
    st.floats(0, 1),
    st.floats(0, 1),
    st.floats(0, 700),
)
def test_any_measurements_give_finite_statistics_within_limits(n, d, k, best, baseline, loss):
    changes = {"n_independent": n, "n_columns": d, "n_classes": k, "log_loss": loss}
    for name, value in statistics(best, baseline, **changes).items():
        assert np.isfinite(value)
        assert value == within_limits(name, value)


def test_order_of_rows_and_names_of_classes_do_not_matter():
    # Folds and trees on parts of the rows are drawn by place: their statistics may move by as much
    # as another seed moves them. Counts of rows, neighbours and edges are not.
    counts = ("log_samples", "log_columns", "equal_rows", "contradictions")
    exact = (*counts, "one_neighbor")
    X, y = two_gaussians(250, 3, 1.5)
    once = difficulty_report(X, y)
    chances = []
    for seed in range(6):
        random = np.random.default_rng(seed)
        rows, names = random.permutation(250), random.permutation(["a", "b"])
        again = difficulty_report(X[rows], names[y[rows]])
        for name in exact:
            found, expected = (e.errors.statistics["bayes_error"][name] for e in (again, once))
            assert found == pytest.approx(expected), name
        chances.append([again.chance(target) for target in (0.7, 0.75, 0.8, 0.85)])
    # It moves most near the middle of the distribution, and hardly elsewhere.
    assert np.std(chances, axis=0).mean() < 0.1

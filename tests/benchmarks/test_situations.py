"""The scenarios of Wheat et al., and the estimators on them."""

import numpy as np
import pytest
from scipy.special import ndtr

from benchmarks.situations import run
from benchmarks.situations.estimators import ESTIMATORS, henze_penrose, kernel_density
from benchmarks.situations.scenarios import COLUMNS, Mixture, Situation, _error, situation


def test_the_bayes_error_of_two_equal_clusters_is_known():
    ends = Mixture(np.zeros((1, 2)), np.ones(1), 1.0), Mixture(np.ones((1, 2)), np.ones(1), 1.0)
    assert _error(ends, 1.5, 50_000) == pytest.approx(ndtr(-1.5 * 2**0.5 / 2), abs=0.003)


@pytest.mark.parametrize("scenario", COLUMNS)
def test_a_situation_has_the_error_that_is_asked_for(scenario):
    found = situation(scenario, 2, 0.2, np.random.default_rng(0))
    assert found.bayes_error == pytest.approx(0.2, abs=0.02)
    X, y = found.sample(np.random.default_rng(1), 30)
    assert X.shape == (60, 2)
    assert np.bincount(y).tolist() == [30, 30]


def test_estimators_see_that_far_classes_do_not_overlap():
    classes = [Mixture(np.full((1, 2), c), np.ones(1), 1.0) for c in (0, 1)]
    X, y = Situation(tuple(classes), 30.0, 0.0).sample(np.random.default_rng(0), 120)
    for estimator in ESTIMATORS.values():
        value, low, high = estimator(X, y)
        assert low <= value <= high <= 0.1
        assert value < 0.03


def test_trees_and_kernels_by_hand():
    X = np.array([[0.0], [1.0], [2.1], [3.3]])
    # Two of three edges, 0-1 and 2-3, join the classes.
    y = np.array([0, 1, 1, 0])
    value, low, high = henze_penrose(X, y)
    assert (low, high) == (0.5, 0.5)
    assert value == 0.5
    assert kernel_density(X, y)[0] == 0.75  # only the third point is closest to its own class


def test_the_tables_and_the_sentence():
    def record(estimator, columns, value, low, high):
        about = {"scenario": "gvg", "columns": columns, "size": 500, "number": 0, "truth": 0.2}
        return about | {"estimator": estimator, "value": value, "low": low, "high": high}

    records = [
        *(
            record("our trees", d, *ends)
            for d, ends in ((2, (0.2, 0.1, 0.3)), (9, (0.4, 0.3, 0.5)))
        ),
        *(record("the report", d, 0.21, 0.1, 0.3) for d in (2, 9)),
    ]
    tables = run.page_tables(records)
    (sentence,) = tables["when trees fail"]
    assert sentence.startswith("**With 9 columns or more the trees alone fail**")
    assert "100% of the simulations" in sentence
    assert "20.0 points" in sentence
    assert (
        "| gvg | 500 | the report | 2 | 0.010 | +0.010 | 0.000 | 1.00 | 0.200 |"
        in (tables["scenarios"])
    )
    assert "| 9 | our trees | 1 | 0.200 | +0.200 | 0.000 | 0.00 | 0.200 |" in tables["columns"]


def test_every_scenario_and_size_has_as_many_simulations():
    tasks = run.tasks(4)
    counts = {(task[0], task[2]) for task in tasks}
    assert len(tasks) == 4 * len(counts) == 4 * len(COLUMNS) * len(run.SIZES)
    assert {task[4] for task in tasks} == set(np.linspace(0.01, 0.49, 4))

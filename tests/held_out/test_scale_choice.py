"""The scale of the columns: which one is chosen, and that all ways to a report agree on it."""

import json

import numpy as np
import pytest
from problems import two_gaussians
from sklearn.datasets import load_wine

from smartsvm import difficulty_report
from smartsvm.__main__ import main
from smartsvm.held_out.scale_choice import choose_scale


def _two_columns(seed=0, n=400):
    random = np.random.default_rng(seed)
    return random, np.arange(n) % 2, random.normal(size=(n, 2))


def test_columns_of_one_size_are_taken_as_they_are():
    X, y = two_gaussians(300, 4, 2.0)
    assert choose_scale(X, y) == "none"
    assert choose_scale(X[:, :1], y) == "none"
    assert choose_scale(np.zeros_like(X), y) == "none"


@pytest.mark.filterwarnings("ignore:The nonzero differences")
@pytest.mark.parametrize("value", [1e300, -1e308, 1e160, 5e-324])
def test_one_value_far_from_all_others_is_no_crash(value):
    X, y = two_gaussians(150, 4, 2.0)
    X[0, 0] = value
    assert choose_scale(X, y) in ("none", "standard", "ranks")
    # Symmetric columns keep their mean of 0, and their small values, when they are standardised.
    X[1, 0] = -value
    assert choose_scale(X, y) in ("none", "standard", "ranks")
    assert difficulty_report(X, y).bayes_error.high > 0


def test_units_do_not_matter():
    X, y = two_gaussians(300, 4, 2.0)
    assert choose_scale(X * [1.0, 1e3, 1e-3, 1.0], y) == "standard"
    assert choose_scale(np.ldexp(X, [0, 0, 900, 0]), y) == "standard"


def test_a_large_column_that_matters_stays_large():
    _, y, X = _two_columns()
    X[:, 0] = 100 * (y + 0.3 * X[:, 0])
    noise = np.random.default_rng(1).normal(size=(400, 12))
    assert choose_scale(np.column_stack([X, noise]), y) == "none"


def test_the_scale_ignores_the_seed_and_the_order_of_rows():
    random = np.random.default_rng(0)
    y = np.arange(1500) % 2
    X = random.normal(size=(1500, 6)) + 0.8 * y[:, None] * (np.arange(6) < 2)
    X[:, 2:] *= 4  # three scales are about equally good
    orders = [random.permutation(1500) for _ in range(6)]
    found = {choose_scale(X[order], y[order], seed=seed) for seed, order in enumerate(orders)}
    assert len(found) == 1


def test_ranks_where_few_values_are_huge():
    random, y, _ = _two_columns()
    X = np.exp(4 * (random.normal(size=(400, 12)) + 0.4 * y[:, None]))
    assert choose_scale(X, y) == "ranks"


def test_the_scale_is_judged_on_other_groups():
    # A huge column names the patient, and all rows of a patient have one class.
    random, _, X = _two_columns()
    patient = np.repeat(np.arange(100), 4)
    y = (patient % 2).astype(int)
    X[:, 0] = y + 0.6 * X[:, 0]
    X[:, 1] = 1e3 * random.permutation(100)[patient] + X[:, 1]
    assert choose_scale(X, y) == "none"
    assert choose_scale(X, y, groups=patient) == "standard"
    assert choose_scale(X, y, groups=np.zeros(400, dtype=int)) == "standard"


def test_the_report_names_its_scale_and_does_not_depend_on_units():
    X, y = load_wine(return_X_y=True)
    chosen = difficulty_report(X, y, classifiers=())
    assert chosen.settings.scale == "standard"
    assert "13 columns (standardised)" in str(chosen)
    given = difficulty_report(X * np.ldexp(1.0, np.arange(13)), y, classifiers=(), scale="standard")
    assert given.bayes_error == chosen.bayes_error
    with pytest.raises(ValueError, match=r"scale must be one of \['auto', 'none', .*, got 'log'"):
        difficulty_report(X, y, scale="log")


def test_python_and_the_command_line_give_the_same_numbers(tmp_path, capsys):
    pandas = pytest.importorskip("pandas")
    X, y = load_wine(return_X_y=True)
    frame = pandas.DataFrame(X, columns=[f"c{k}" for k in range(13)]).assign(kind=y)
    frame.to_csv(tmp_path / "wine.csv", index=False)
    assert main(["report", str(tmp_path / "wine.csv"), "--target", "kind", "--json"]) == 0
    from_file = json.loads(capsys.readouterr().out)
    for report in (difficulty_report(X, y), difficulty_report(frame, "kind")):
        found = json.loads(report.to_json())
        for part in ("bayes_error", "errors", "trees", "settings", "classes"):
            assert found[part] == from_file[part]
        assert found["data"]["signal"] == from_file["data"]["signal"]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", [1.7e308, 1e155, 1e-160, 1e-310])
def test_columns_of_any_size_are_reported_on(size):
    _, y, X = _two_columns(n=60)
    X[:, 1] = size * np.linspace(-1, 1, 60)[np.random.default_rng(0).permutation(60)]
    assert difficulty_report(X, y, classifiers=()).settings.scale == "standard"

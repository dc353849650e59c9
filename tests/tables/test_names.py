"""Names of columns are no data: names like those that the library makes change nothing."""

import numpy as np
import pandas
import pytest

from smartsvm import difficulty_report, prepare_table

QUICK = {"n_trees": 1, "classifiers": ("neighbors", "linear")}


def customers(n=200):
    random = np.random.default_rng(0)
    return pandas.DataFrame(
        {
            "customer_id": random.permutation(n) + 10_000,
            "signed": pandas.date_range("2020-01-01", periods=n, freq="3D").astype(str),
            "age": random.normal(40, 9, n),
            "plan": random.choice(["basic", "pro"], n),
            "churn": random.integers(0, 2, n),
        }
    )


@pytest.mark.parametrize("with_gap", [False, True])
def test_a_target_may_be_named_or_given(with_gap):
    table = customers()
    if with_gap:
        table.loc[3, "age"] = np.nan
    named = difficulty_report(table, "churn", **QUICK)
    given = difficulty_report(table.drop(columns="churn"), table["churn"], **QUICK)
    assert named.to_json(samples=True) == given.to_json(samples=True)
    assert any("left out customer_id" in str(note) for note in named.data.preparation)
    numbers = table[["customer_id", "age", "churn"]]
    named = difficulty_report(numbers, "churn", **QUICK)
    given = difficulty_report(numbers.drop(columns="churn"), table["churn"], **QUICK)
    assert named.to_json(samples=True) == given.to_json(samples=True)
    assert named.data.n_features == 1 + with_gap


def test_a_column_named_like_a_mark_of_gaps_is_no_mark():
    random, sick = np.random.default_rng(0), np.arange(200) % 2
    table = pandas.DataFrame({"teeth": random.normal(size=200), "teeth missing": sick})
    report = difficulty_report(table, np.where(sick, "sick", "well"), **QUICK)
    (flag,) = (f for f in report.flags if f.code in ("telling_gaps", "label_columns"))
    assert flag.code == "label_columns"
    assert "teeth missing (no mistake)" in flag.message


def test_marks_are_told_from_columns_of_the_same_name():
    random, sick = np.random.default_rng(0), np.arange(200) % 2
    teeth = np.where(sick, np.nan, random.normal(size=200))
    table = pandas.DataFrame({"teeth": teeth, "teeth missing": random.normal(size=200)})
    report = difficulty_report(table, np.where(sick, "sick", "well"), **QUICK)
    (flag,) = (f for f in report.flags if f.code in ("telling_gaps", "label_columns"))
    assert flag.code == "telling_gaps"
    assert flag.message.startswith("teeth is empty for sick and filled for well.")


def test_a_number_named_like_a_category_stays_in_boosting():
    random, n = np.random.default_rng(0), 1500
    distance, shop = random.normal(size=n), random.integers(0, 60, n)
    y = np.where((np.abs(distance) < 0.6) ^ (random.random(n) < 0.1), "near", "far")
    errors = []
    for name in ("distance km", "shop=distance km"):
        table = pandas.DataFrame({name: distance, "shop": [f"s{k}" for k in shop]})
        report = difficulty_report(table, y, n_trees=1, classifiers=("neighbors", "boosting"))
        errors.append([each.error.value for each in report.errors.held_out.classifiers])
    assert errors[0] == errors[1]


def test_a_column_named_like_a_note_makes_no_note_of_its_own():
    random = np.random.default_rng(0)
    words = random.choice(["yes", "no", "perhaps 12"], 120)
    pages = []
    for name in ("left", "dropped", "counted", "left out", "used by", "encoded"):
        table = pandas.DataFrame({"x": random.normal(size=120), name: words})
        found = prepare_table(table, np.arange(120) % 2)
        assert str(found.notes[-1]) == "to change this: drop=[NAME], categorical='drop'"
        page = str(difficulty_report(table, np.arange(120) % 2, **QUICK))
        pages.append(page.index("How the table was read"))
        assert page.count(f"{name} (3)") == 1
        assert page.index(f"{name} (3)") > page.index("How the table was read")


@pytest.mark.parametrize("name", ["count", "n", "freq", "Freq", "n_obs"])
def test_a_table_of_counts_proves_itself(name):
    random = np.random.default_rng(0)
    y = np.arange(150) % 2
    table = pandas.DataFrame(
        {name: random.integers(1, 12, 150) + 5 * y, "x": random.normal(size=150)}
    )
    found = prepare_table(table, y, scale="none")
    assert found.X.columns.tolist() == [name, "x"]
    assert len(found.y) == 150
    few = pandas.DataFrame({name: random.integers(1, 12, 60), "z": np.repeat(np.arange(30), 2)})
    assert len(prepare_table(few, np.arange(60) % 2).y) == few[name].sum()

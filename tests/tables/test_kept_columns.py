"""No column that the table has is replaced by one that is made, and rounding is told."""

import warnings
from decimal import Decimal

import numpy as np
import pandas
import pytest

from smartsvm import prepare_table
from smartsvm.tables.reading import read_table

KINDS = list("ab") * 3


def test_marks_and_places_and_categories_have_names_of_their_own():
    frame = pandas.DataFrame(
        {
            "age": [1.5, 2.5, None, 4, 5, 7],
            "age missing": [10.0, 20, 31, 40, 50, 60],
            "e": [[1.5, 2], [3, 4.5], [5, 6.0], [7, 8], [9, 9.5], [1, 1.25]],
            "e[0]": [5.0, 6, 7, 9, 11, 12],
            "color": list("rrggrr"),
            "color=r": [0.5, 1, 2, 4, 3, 8],
            "the y": [0.25, 0.5, 2, 4, 3, 9],
        }
    )
    X = prepare_table(frame, KINDS, scale="none").X
    assert len(set(X.columns)) == X.shape[1] == 10
    for name in ("age missing", "e[0]", "color=r", "the y"):
        assert X[name].tolist() == frame[name].tolist()
    made = set(X.columns) - set(frame.columns)
    assert {name.partition(" (")[0] for name in made} >= {"age missing", "e[0]", "color=r"}
    first = next(name for name in made if name.startswith("e[0]"))
    assert X[first].tolist() == [1.5, 3, 5, 7, 9, 1]


def test_parts_of_dates_have_names_of_their_own():
    days = pandas.date_range("2020-01-01", periods=40, freq="17D")
    own = {"d month sin": np.arange(40) ** 0.5, "d weekday cos": np.arange(40) ** 0.25}
    labels = list("ab") * 20
    alone = prepare_table(pandas.DataFrame({"d": days}), labels, scale="none").X
    frame = pandas.DataFrame({"d": days, **own})
    found = prepare_table(frame, labels, scale="none")
    X = found.X
    assert len(set(X.columns)) == X.shape[1] == alone.shape[1] + len(own)
    for name, values in own.items():
        assert X[name].tolist() == values.tolist()
        made = next(each for each in X.columns if each.startswith(f"{name} ("))
        assert X[made].tolist() == alone[name].tolist()
    assert found.preparation.transform(frame).tolist() == X.to_numpy().tolist()


def test_two_sets_of_gaps_of_one_column_have_a_mark_each():
    lists = [[k**0.5, k**0.25, k**0.75, k**1.5] for k in range(2, 10)]
    lists[1][:2] = lists[4][2:] = [np.nan, np.nan]
    X = prepare_table(pandas.DataFrame({"e": lists}), list("ab") * 4, scale="none").X
    marks = X[[name for name in X.columns if name.startswith("e missing")]]
    assert marks.sum().tolist() == [1, 1]
    assert marks.to_numpy().argmax(axis=0).tolist() == [1, 4]


def test_a_given_time_replaces_no_column():
    frame = pandas.DataFrame({"the time": [0.5, 2, 1, 7, 4, 9], "x": [1.5, 2, 3, 7, 4, 9]})
    found = prepare_table(frame, KINDS, time=np.arange(6), scale="none")
    assert found.X["the time"].tolist() == frame["the time"].tolist()
    assert found.time.tolist() == [*range(6)]
    assert found.X.shape == (6, 2)
    named = prepare_table(frame, KINDS, time="the time", scale="none")
    assert named.time.tolist() == named.X["the time"].tolist() == frame["the time"].tolist()


def test_a_target_named_like_a_feature(tmp_path):
    X = np.random.default_rng(0).normal(size=(6, 3))
    np.savez(tmp_path / "d.npz", X=X, X1=np.array(KINDS))
    table = read_table(tmp_path / "d.npz", "X1")
    assert np.array_equal(table.X.to_numpy(), X)
    assert table.y.tolist() == KINDS


LARGE = 2**53 + 1


@pytest.mark.parametrize(
    "values",
    [
        [LARGE + 2 * i for i in range(6)],
        [2**70 + i for i in range(6)],
        [f"{2**70 + i}" for i in range(6)],
        [f"${LARGE + 2 * i}" for i in range(6)],
        [f"{LARGE + 2 * i:,} €" for i in range(6)],
        [f"{LARGE + 2 * i:,}" for i in range(6)],
        [Decimal(LARGE + 2 * i) for i in range(6)],
        [[LARGE + 2 * i, 3] for i in range(6)],
    ],
    ids=["64 bits", "70 bits", "words", "dollars", "euros", "commas", "decimal", "lists"],
)
def test_rounded_integers_are_told_in_every_form(values, tmp_path):
    frame = pandas.DataFrame({"big": values, "small": [1.5, 2, 3, 7, 4, 9]})
    with pytest.warns(RuntimeWarning, match=r"column 'big' holds integers beyond 2\^53"):
        prepare_table(frame, KINDS)
    if not isinstance(values[0], list):
        path = tmp_path / "t.csv"
        frame.assign(kind=KINDS).to_csv(path, index=False)
        with pytest.warns(RuntimeWarning, match=r"column 'big' holds integers beyond 2\^53"):
            read_table(path, "kind")


@pytest.mark.parametrize("values", [2**60 + np.arange(30) % 2, np.full(30, 2**60 + 1)])
def test_integers_that_round_to_one_number_are_constant_to_its_digits(values):
    frame = pandas.DataFrame({"big": values, "small": np.arange(30) % 7 / 2})
    with pytest.warns(RuntimeWarning, match=r"integers beyond 2\^53"):
        found = prepare_table(frame, np.arange(30) % 2)
    assert found.notes[0] == "left out big (constant to 16 digits)"


def test_other_large_numbers_are_not_told():
    frame = pandas.DataFrame({"a": ["1e300", "2.5e200", "$12", "7", "8", "9"], "b": range(6)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        X = prepare_table(frame, KINDS, keep=["b"], scale="none").X
    assert X["a"].tolist() == [1e300, 2.5e200, 12, 7, 8, 9]


def test_a_quick_look_at_text_changes_no_column():
    """Words without digits decide that a column is text; numbers among them are no numbers."""
    columns = {
        "text": ["a", "b", "a", "c", "7", "8"],
        "few": ["1.5", "2", "3", "4", "low", "6.5"],
        "flags": ["true", "false", "true", "true", "false", "TRUE"],
        "infinite": ["1", "2.5", "3", "inf", "4", "9"],
    }
    frame = pandas.DataFrame(columns)
    X = prepare_table(frame.drop(columns="infinite"), KINDS, scale="none").X
    assert [name for name in X.columns if name.startswith("text=")] == [
        "text=7",
        "text=8",
        "text=a",
        "text=b",
        "text=c",
    ]
    assert X["few"].tolist() == [1.5, 2, 3, 4, 3, 6.5]
    assert X["flags"].tolist() == [1, 0, 1, 1, 0, 1]
    with pytest.raises(ValueError, match="infinite values: infinite"):
        prepare_table(frame, KINDS)


def test_limits_are_numbers_without_their_sign():
    words = ["<1", "1.5", "2", "3+", "3+", "3+", "2.5", "<1", "> 9", "≥8", "4", "5"] * 10
    frame = pandas.DataFrame({"years": words})
    found = prepare_table(frame, list("ab") * 60, scale="none")
    assert found.X["years"].tolist() == [1, 1.5, 2, 3, 3, 3, 2.5, 1, 9, 8, 4, 5] * 10
    assert found.X.columns.tolist() == ["years"]
    assert found.notes[0] == "read '3+', '<1', '> 9', '≥8' as numbers without the sign: years"


def test_limits_and_marks_of_missing_values_in_one_column():
    words = ["0", "1", "2", "3+", "unknown"] * 12
    found = prepare_table(pandas.DataFrame({"n": words}), list("ab") * 30, scale="none")
    assert found.X["n"].tolist() == [0, 1, 2, 3, 1.5] * 12
    assert found.X["n missing"].tolist() == [0, 0, 0, 0, 1] * 12


@pytest.mark.parametrize(
    "words",
    [
        ["1", "1+", "2", "3", "4", "5"],
        ["<5", "5", "6", "7", "10+", "none at all"],
        ["1", "2", "3", "4", "5 or 6", "7"],
    ],
)
def test_values_that_are_no_numbers_are_categories(words):
    found = prepare_table(pandas.DataFrame({"n": words * 10}), list("ab") * 30, scale="none")
    assert found.X.columns.tolist() == [f"n={word}" for word in sorted(words)]
    assert found.X.sum().tolist() == [10] * 6


def test_few_typing_errors_are_missing():
    words = [str(k**0.5) for k in range(98)] + ["12a", "7b"]
    found = prepare_table(pandas.DataFrame({"n": words}), list("ab") * 50, scale="none")
    assert found.X.columns.tolist() == ["n", "n missing"]
    assert found.X["n missing"].sum() == 2


@pytest.mark.parametrize("n_rows", [60, 6000])
def test_short_and_long_columns_are_stripped_alike(n_rows):
    words = [" a ", "b", None, "NA", "?", float("nan"), "a", "b ", "a", "a"]
    frame = pandas.DataFrame({"w": words * (n_rows // 10), "x": np.arange(n_rows) ** 0.5})
    X = prepare_table(frame, ["k", "l"] * (n_rows // 2), scale="none").X
    assert X.columns.tolist() == ["x", "w missing", "w=a", "w=b"]
    assert X[["w missing", "w=a"]].sum().tolist() == [0.4 * n_rows, 0.8 * n_rows]

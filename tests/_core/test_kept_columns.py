"""No column that the table has is replaced by one that is made, and rounding is told."""

from decimal import Decimal

import numpy as np
import pandas
import pytest

from smartsvm import prepare_table
from smartsvm.commands.tables import read_table

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
    assert X[next(name for name in made if name.startswith("e[0]"))].tolist() == [
        1.5,
        3,
        5,
        7,
        9,
        1,
    ]


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


def test_other_large_numbers_are_not_told():
    frame = pandas.DataFrame({"a": ["1e300", "2.5e200", "$12", "7", "8", "9"], "b": range(6)})
    prepare_table(frame, KINDS, keep=["b"])


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
        "text=7", "text=8", "text=a", "text=b", "text=c",
    ]  # fmt: skip
    assert X["few"].tolist() == [1.5, 2, 3, 4, 3, 6.5]
    assert X["flags"].tolist() == [1, 0, 1, 1, 0, 1]
    with pytest.raises(ValueError, match="infinite values: infinite"):
        prepare_table(frame, KINDS)


@pytest.mark.parametrize("n_rows", [60, 6000])
def test_short_and_long_columns_are_stripped_alike(n_rows):
    words = [" a ", "b", None, "NA", "?", float("nan"), "a", "b ", "a", "a"]
    frame = pandas.DataFrame({"w": words * (n_rows // 10), "x": np.arange(n_rows) ** 0.5})
    X = prepare_table(frame, ["k", "l"] * (n_rows // 2), scale="none").X
    assert X.columns.tolist() == ["x", "w missing", "w=a", "w=b"]
    assert X[["w missing", "w=a"]].sum().tolist() == [0.4 * n_rows, 0.8 * n_rows]


def test_thousands_of_text_columns_take_one_call_of_pandas_each_at_most(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("takes minutes for thousands of columns")

    monkeypatch.setattr(pandas, "get_dummies", refuse)
    monkeypatch.setattr(pandas, "to_numeric", refuse)
    frame = pandas.DataFrame({f"c{i}": list("abab") * 5 for i in range(200)})
    X = prepare_table(frame, list("kl") * 10, scale="none").X
    assert X.shape == (20, 400)

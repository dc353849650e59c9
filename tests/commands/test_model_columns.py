"""Columns of a file that hold what a model predicts."""

import csv
import json

import numpy as np
import pytest
from table_files import write_csv

from smartsvm import difficulty_report
from smartsvm.__main__ import main


def columns(labels=("no", "yes")):
    """A table with a target, held-out predictions and probabilities, and a row without a label."""
    random = np.random.default_rng(0)
    codes = random.integers(0, 2, 120)
    x = random.normal(size=120) + 2 * codes
    chance = 1 / (1 + np.exp(2 - 2 * x))
    classes = np.array(labels)
    target = classes[codes].astype(object)
    target[5] = ""
    return {
        "x": x,
        "z": random.normal(size=120),
        "kind": target,
        "guess": classes[(chance > 0.5).astype(int)],
        f"p_{labels[0]}": 1 - chance,
        f"p_{labels[1]}": chance,
    }


def run(path, *options, capsys):
    assert main(["report", str(path), "--target", "kind", "--json", "--quiet", *options]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("labels", [("no", "yes"), (0, 1), ("01", "02"), (1.0, 2.0)])
def test_columns_are_read_as_labels_and_left_out(labels, tmp_path, capsys):
    table = columns(labels)
    path = write_csv(tmp_path / "t.csv", table)
    found = run(path, "--predicted", "guess", "--probabilities", "p_", capsys=capsys)
    assert found["data"]["n_features"] == 2
    assert found["data"]["n_samples"] == 119
    assert list(found["models"]) == ["guess", "p"]
    predicted, probable = found["models"].values()
    assert predicted["error"] == probable["error"]
    kept = np.arange(120) != 5
    wrong = table["guess"][kept] != np.array(table["kind"][kept].tolist())
    assert predicted["error"]["value"] == pytest.approx(wrong.mean())


def test_a_column_that_begins_like_a_model_can_be_left_out(tmp_path, capsys):
    path = write_csv(tmp_path / "t.csv", columns() | {"p_price": np.arange(120.0)})
    options = ["--target", "kind", "--probabilities", "p_"]
    assert main(["report", str(path), *options]) == 1
    assert "'p_price' ends with no class of y: leave it out with --drop 'p_price'" in (
        capsys.readouterr().err
    )
    found = run(path, "--probabilities", "p_", "--drop", "p_price", capsys=capsys)
    assert list(found["models"]) == ["p"]
    assert found["data"]["n_features"] == 4  # x, z and one for each value of guess


def test_the_report_is_that_of_python(tmp_path, capsys):
    table = columns()
    path = write_csv(tmp_path / "t.csv", table)
    found = run(path, "--predicted", "guess", "--scale", "none", capsys=capsys)
    kept = np.arange(120) != 5
    X = np.column_stack([table["x"], table["z"], table["p_no"], table["p_yes"]])[kept]
    y = table["kind"][kept].astype(str)
    models = {"guess": table["guess"][kept]}
    report = difficulty_report(X, y, models=models, scale="none")
    gain = report.headroom("guess").gain
    assert found["models"]["guess"]["gain"] == pytest.approx(gain._asdict())


def test_where_it_is_as_csv(tmp_path, capsys):
    path, out = write_csv(tmp_path / "t.csv", columns()), tmp_path / "where.csv"
    found = run(path, "--predicted", "guess", "--headroom", str(out), capsys=capsys)
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    where = found["models"]["guess"]["where"]
    assert [row["part"] for row in rows] == [row["part"] for row in where]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--predicted", "gues"), "no column 'gues' with predictions. Did you mean 'guess'?"),
        (("--predicted", "kind"), "--predicted kind is the target: name the column of what"),
        (("--predicted", "x"), "--predicted x must have the classes of y, 'no', 'yes', got"),
        (("--probabilities", "q"), "no column begins with 'q'."),
        (("--probabilities", "p"), "--probabilities p must have the classes of y"),
        (("--headroom", "w.csv"), "--headroom needs a model: --predicted or --probabilities."),
    ],
)
def test_refusals_name_the_option(options, message, tmp_path, capsys):
    path = write_csv(tmp_path / "t.csv", columns())
    assert main(["report", str(path), "--target", "kind", *options]) == 1
    assert message in capsys.readouterr().err

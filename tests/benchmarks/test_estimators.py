"""Estimators of the Bayes error on problems where it is known: records, table, page."""

import json
import sys

import numpy as np
import pytest

from benchmarks import page
from benchmarks.peers import environments
from benchmarks.problems import estimators, evaluate, problem


def constant(X, y):
    """An estimator without ends."""
    return 0.1


def wide(X, y):
    """An estimator with ends that contain every error."""
    return 0.3, 0.0, 1.0


def test_records_hold_the_truth_and_the_estimates():
    records = evaluate.evaluate({"one": constant, "two": wide}, ["shift", "rings"], 2, (100, 120))
    assert len(records) == 2 * 2 * 2 * 2
    first = records[0]
    assert (first["estimator"], first["family"], first["number"], first["size"]) == (
        "one",
        "shift",
        0,
        100,
    )
    assert first["truth"] == problem("shift", 0, 100).bayes_error()
    assert (first["value"], np.isnan(first["low"])) == (0.1, True)
    head, _, one, two = evaluate.table(records)
    assert "RMSE, n = 120" in head
    truths = np.array([each["truth"] for each in records if each["estimator"] == "one"])
    assert f"| {np.sqrt(np.mean((truths - 0.1) ** 2)):.3f} |" in one
    assert one.endswith("| – | – |")
    assert two.endswith("| 1.000 | 1.000 |")


def test_an_estimator_alone_is_named_by_its_function():
    (record,) = evaluate.evaluate(constant, ["shift"], 1, (100,))
    assert record["estimator"] == "constant"


def test_a_failed_estimate_does_not_count():
    base = {"estimator": "one", "size": 100, "truth": 0.2, "low": np.nan, "high": np.nan}
    records = [base | {"value": value} for value in (0.3, np.nan)]
    assert evaluate.table(records)[2] == "| one | 1 | 0.100 | 0.100 | 0.100 | – | – |"


def test_every_entry_gives_an_error_between_its_ends():
    records = evaluate.evaluate(estimators.OURS, ["shift"], 1, (100,))
    assert [each["estimator"] for each in records] == list(estimators.OURS)
    for each in records:
        low, high = (0, 1) if np.isnan(each["low"]) else (each["low"], each["high"])
        assert 0 <= low <= each["value"] <= high <= 1


def test_the_nearest_neighbour_inverts_the_bound():
    X, y = problem("rings", 0, 400).sample()
    value, low, error = estimators.nearest_neighbour(X, y)
    most = 1 - 1 / len(np.unique(y))
    assert value == low < error
    assert value * (2 - value / most) == pytest.approx(error)  # Cover and Hart's upper bound
    apart = np.repeat([0.0, 100.0], 20)[:, None] + np.arange(40)[:, None]
    assert estimators.nearest_neighbour(apart, np.repeat([0, 1], 20)) == (0, 0, 0)


def test_another_package_runs_in_its_own_process():
    sets = [problem("shift", number, 100).sample() for number in range(2)]
    found = estimators.Peer("ours_tree", sys.executable).many(sets)
    assert [len(each) for each in found] == [3, 3]
    assert all(low <= value <= high for value, low, high in found)
    missing = estimators.Peer("dataeval", "no-such-interpreter")
    with pytest.raises((RuntimeError, OSError)):
        missing(*sets[0])


def test_the_command_writes_the_page(monkeypatch, tmp_path):
    copy = tmp_path / "README.md"
    copy.write_text(evaluate.PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(evaluate, "RECORDS", tmp_path / "records" / "estimators.jsonl")
    monkeypatch.setattr(evaluate, "OURS", {"constant": constant})
    options = ["--families", "shift", "--draws", "1", "--sizes", "100", "--page"]
    monkeypatch.setattr(sys, "argv", ["evaluate", *options, str(copy)])
    evaluate.main()
    lines = page.read_table(copy, "estimators")
    assert lines == evaluate.table(evaluate.read(evaluate.RECORDS))
    assert lines[2].startswith("| constant | 1 |")


def test_the_page_shows_the_records_and_every_family():
    for name, lines in evaluate.page_tables(evaluate.read(evaluate.RECORDS)).items():
        assert page.read_table(evaluate.PAGE, name) == lines


def test_without_dataeval_the_others_run(monkeypatch, tmp_path, capsys):
    failed = environments.Environment(None, None, {}, "no matching distribution")
    monkeypatch.setattr(estimators, "make", lambda *_: failed)
    monkeypatch.setattr(evaluate, "OURS", {"constant": constant})
    options = ["--families", "shift", "--draws", "1", "--sizes", "100"]
    monkeypatch.setattr(sys, "argv", ["evaluate", *options, "--dataeval", str(tmp_path)])
    evaluate.main()
    printed = capsys.readouterr().out
    assert "dataeval does not take part" in printed
    assert "no matching distribution" in printed
    assert "| constant | 1 |" in printed
    assert "ber_" not in printed


def test_records_of_estimators_that_did_not_run_stay():
    def record(estimator, size, value=0.1):
        place = {"family": "shift", "number": 0, "size": size}
        return {"estimator": estimator, **place, "value": value}

    ours, theirs = next(iter(estimators.OURS)), next(iter(estimators.DATAEVAL))
    earlier = [record(theirs, 100), record(theirs, 400), record(ours, 100)]
    assert evaluate.merged(earlier, [record(ours, 100, 0.2)]) == [
        record(ours, 100, 0.2),
        record(theirs, 100),
    ]


def test_workers_give_the_same_records_in_the_same_order():
    both = {"one": constant, "two": wide}
    alone, spread = (
        evaluate.evaluate(both, ["shift", "rings"], 2, (100,), workers) for workers in (1, 2)
    )
    assert json.dumps(spread) == json.dumps(alone)
    assert [each["estimator"] for each in alone] == ["one"] * 4 + ["two"] * 4
    assert [(each["family"], each["number"]) for each in alone[:4]] == [
        ("shift", 0),
        ("shift", 1),
        ("rings", 0),
        ("rings", 1),
    ]

"""Predictions of the error with more rows: records and tables."""

import sys

import numpy as np
import pytest

from benchmarks import page
from benchmarks.problems import problem
from benchmarks.report import more_rows
from smartsvm import difficulty_report


def test_a_family_is_measured_with_more_rows_of_the_same_problem(monkeypatch):
    monkeypatch.setattr(more_rows, "FAMILY_SIZES", (60,))
    twice, ten_times = more_rows.look_at_family(("shift", 2))
    assert (twice["family"], twice["number"], twice["rows"]) == ("shift", 2, 60)
    assert (twice["times"], ten_times["times"]) == (2, 10)
    curve = difficulty_report(*problem("shift", 2, 60).sample()).errors.learning_curve
    for record, place in ((twice, 1), (ten_times, 2)):
        later = difficulty_report(*problem("shift", 2, record["times"] * 60).sample())
        expected = [curve.errors[0].value, *curve.errors[place], later.errors.held_out.best.value]
        numbers = [float(record[key]) for key in ("now", "later", "low", "high", "measured")]
        assert numbers == pytest.approx(expected, abs=1e-4)


def test_without_a_learning_curve_there_is_no_record(monkeypatch):
    monkeypatch.setattr(more_rows, "FAMILY_SIZES", (60,))
    assert difficulty_report(*problem("no signal", 0, 60).sample()).errors.learning_curve is None
    assert more_rows.look_at_family(("no signal", 0)) == []


def record(task):
    """Stands for a measurement: inside its interval in even problems."""
    family, number = task
    record = {"family": family, "number": number, "rows": 100, "times": 2}
    numbers = {"now": 0.3, "later": 0.2, "low": 0.1, "high": 0.25}
    measured = {"measured": 0.2 + 0.1 * (number % 2)}
    return [record | {key: f"{each:.4f}" for key, each in (numbers | measured).items()}]


def test_the_command_adds_the_table_of_families(monkeypatch, tmp_path):
    readme = more_rows.RECORDS.parents[1] / "README.md"
    copy = tmp_path / "README.md"
    copy.write_text(readme.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(more_rows, "FAMILY_RECORDS", tmp_path / "more_rows_families.csv")
    monkeypatch.setattr(more_rows, "look_at_family", record)
    options = ["--families", "shift", "rings", "--draws", "2", "--page", str(copy)]
    monkeypatch.setattr(sys, "argv", ["more_rows", *options])
    more_rows.main()
    head, _, *rows = page.read_table(copy, "more rows of families")
    assert head == "| rows | from | cases | coverage | width | error | error now | floor |"
    assert rows == [
        "| 2 × | 100 | 4 | 0.500 | 0.150 | 0.050 | 0.050 | 0.039 |",
        "| 2 × | all | 4 | 0.500 | 0.150 | 0.050 | 0.050 | 0.039 |",
    ]
    # The table of the paper's sets stays.
    assert page.read_table(copy, "more rows") == page.read_table(readme, "more rows")
    assert len(page.read_records(more_rows.FAMILY_RECORDS)) == 4
    assert np.isfinite([float(r["low"]) for r in page.read_records(more_rows.FAMILY_RECORDS)]).all()


def test_an_earlier_version_stands_beside_on_the_same_cases(monkeypatch, tmp_path):
    monkeypatch.setattr(more_rows, "FAMILY_RECORDS", tmp_path / "more_rows_families.csv")
    now = [each for number in range(3) for each in record(("shift", number))]
    before = [each | {"later": "0.3000"} for each in now[:2]]
    head, _, *rows = more_rows.family_table(now, before)
    assert rows[:2] == [
        "| 2 × | 100 | 2 | 0.500 | 0.150 | 0.050 | 0.050 | 0.039 |",
        "| 2 × | 100, before | 2 | 0.500 | 0.150 | 0.050 | 0.050 | 0.039 |",
    ]
    assert head.count("|") == rows[0].count("|")


def test_the_floor_is_the_error_when_the_factor_is_known():
    random = np.random.default_rng(0)
    now, later = (random.binomial(n, p, 20_000) / n for n, p in ((500, 0.3), (1000, 0.2)))
    known = {"now": 0.3, "measured": 0.2, "rows": 500, "times": 2}
    expected = np.abs(now * 0.2 / 0.3 - later).mean()
    assert more_rows.floor([known]) == pytest.approx(expected, rel=0.03)

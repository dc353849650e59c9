"""Predictions of the error with more rows: records and tables."""

import sys

import numpy as np
import pytest

from benchmarks import page
from benchmarks.problems import problem
from benchmarks.report import more_rows, power_law
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
    numbers = {"now": 0.4, "later": 0.2, "low": 0.1, "high": 0.25}
    measured = {"measured": 0.2 + 0.1 * (number % 2), "pow4": 0.5, "n_now": 100, "n_measured": 200}
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
    columns = "cases | coverage | width | error | as now | POW4 | floor | of the way"
    assert head == f"| rows | from | {columns} |"
    cells = "4 | 0.500 | 0.150 | 0.0500 | 0.1500 | 0.2500 | 0.0345 | 0.87"
    assert rows == [f"| 2 × | 100 | {cells} |", f"| 2 × | all | {cells} |"]
    # The table of the paper's sets stays.
    assert page.read_table(copy, "more rows") == page.read_table(readme, "more rows")
    assert len(page.read_records(more_rows.FAMILY_RECORDS)) == 4
    assert np.isfinite([float(r["low"]) for r in page.read_records(more_rows.FAMILY_RECORDS)]).all()


@pytest.mark.parametrize(("offset", "exponent"), [(0.1, 0.5), (0.0, 1.0), (0.25, 0.7)])
def test_a_power_law_goes_on(offset, exponent):
    sizes = np.array([100.0, 180, 320, 560, 1000])

    def error(n):
        return offset + (n + 20) ** -exponent

    curve = sizes, error(sizes)
    assert power_law.extrapolated(curve, 2000) == pytest.approx(error(2000), abs=1e-3)


def test_a_short_curve_ends_as_it_is():
    assert power_law.extrapolated(np.array([[10.0, 20, 40], [0.5, 0.4, 0.3]]), 80) == 0.3


def test_a_measured_curve_leaves_out_parts_of_one_class():
    y = np.repeat([0, 1], 100)
    sizes, errors = power_law.measured_curve(lambda X, y: 1 / len(y), np.zeros((200, 1)), y)
    assert sizes.tolist() == [112, 200]  # the classes come one after the other
    assert errors.tolist() == [1 / 112, 1 / 200]
    many = np.append(np.arange(180), np.arange(20))  # the first 112 rows are classes of one row
    assert power_law.measured_curve(lambda X, y: 0.5, np.zeros((200, 1)), many)[0].tolist() == [200]


def test_the_floor_is_the_error_when_the_factor_is_known():
    random = np.random.default_rng(0)
    now, later = (random.binomial(n, p, 20_000) / n for n, p in ((500, 0.3), (1000, 0.2)))
    known = {"now": 0.3, "measured": 0.2, "n_now": 500, "n_measured": 1000}
    expected = np.abs(now * 0.2 / 0.3 - later).mean()
    assert more_rows.floor([known]) == pytest.approx(expected, rel=0.03)

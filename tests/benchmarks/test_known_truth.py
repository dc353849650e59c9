"""The benchmarks of the interval for the Bayes error: charges and tables."""

import numpy as np
import pytest

from benchmarks.report import feebee, truth


def test_an_interval_covers_what_it_contains():
    base = {"truth": 0.2, "answers": "??????"}
    ends = [(0.2, 0.3), (0.1, 0.2), (0.2001, 0.3), (0.1, 0.1999)]
    assert truth.summary([base | {"bayes_error": [0.2, *each]} for each in ends])[1] == 0.5


def test_charges():
    record = {
        "most": 0.2,
        "least": 0.1,
        "found": {"a": [0.12, 0.18], "b": [0.25, 0.3], "c": [0.0, 0.05]},
    }
    assert feebee.charge(record, "a") == pytest.approx(0.06)
    assert feebee.charge(record, "b") == pytest.approx(0.05 + 40 * 0.05)
    assert feebee.charge(record, "c") == pytest.approx(0.05 + 40 * 0.05)


def test_known_errors_have_sources():
    assert set(feebee.KNOWN) == set(feebee.SETS)
    for each in feebee.KNOWN.values():
        assert 0 <= each["error"] < 1
        assert each["source"]


def test_records_become_tables(tmp_path):
    records = truth.look(("shift", 4, (100, 150)))
    for record in records:
        assert record["bayes_error"][1] <= record["bayes_error"][0] <= record["bayes_error"][2]
        assert len(record["answers"]) == len(record["chances"]) <= len(truth.OFFSETS)
        assert (np.diff(record["chances"]) >= 0).all()  # ever easier targets
    lines = truth.table(truth.by_size(records), "n")
    assert [line.split("|")[1].strip() for line in lines[2:]] == ["100", "all"]
    fixed = truth.reliability_table(records)[-1]
    assert fixed.split("|")[1:3] == [" accuracy, fixed ", f" {2 * len(truth.FIXED)} "]
    stated, possible = np.array([0.1, 0.25, 0.35]), np.array([True, True, False])
    assert truth.reliability(stated, possible) == [3, "0.100/1.000", "0.300/0.500", "–", "–", "–"]
    path = tmp_path / "records" / "truth.jsonl.gz"
    truth.write_records(path, [{"nothing": float("nan"), "shares": [0.123456]}])
    assert truth.read_records(path) == [{"nothing": None, "shares": [0.1235]}]


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_the_order_of_the_tasks(workers):
    assert truth.run(abs, range(-3, 3), workers) == [3, 2, 1, 0, 1, 2]
    assert truth.run(abs, range(-3, 3), workers, seconds=3600) == [3, 2, 1, 0, 1, 2]


def test_nothing_starts_once_the_time_is_over():
    assert truth.run(abs, range(-3, 3), 1, seconds=0) == []
    in_time = truth.run(abs, range(-3, 3), 2, seconds=0)
    assert set(in_time) <= {0, 1, 2, 3}

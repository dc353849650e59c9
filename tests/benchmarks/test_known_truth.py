"""The benchmarks of the interval for the Bayes error: problems, charges and tables."""

import json

import numpy as np
import pytest

from benchmarks.report import families, feebee, truth
from benchmarks.report.recipes import draw_labels


def test_the_split_leaves_no_family_in_both():
    groups = [
        families.DESIGN, families.ONCE, families.FRESH, families.LAST, families.ZEROS,
        families.OTHER_DESIGN, families.OTHER_ONCE,
    ]  # fmt: skip
    assert len(families.ALL) == sum(map(len, groups))
    assert len(families.problems(families.ALL)) >= 300


@pytest.mark.parametrize("family", families.ALL)
def test_labels_follow_the_probabilities(family):
    problem = families.problems([family])[3]
    X, chances = problem.draw(np.random.default_rng(0), 4000)
    assert np.isfinite(X).all()
    assert chances.min() >= 0
    assert chances.sum(axis=1) == pytest.approx(1)
    # Probabilities are calibrated by construction only if points are drawn from their mixture.
    labels = draw_labels(np.random.default_rng(1), chances)
    for k in range(chances.shape[1]):
        assert np.mean(labels == k) == pytest.approx(chances[:, k].mean(), abs=0.04)
    first, again = (problem.sample() for _ in range(2))
    assert np.array_equal(first[0], again[0])
    assert np.bincount(first[1]).min() >= 2


def test_truth_of_two_normal_classes():
    from scipy.special import ndtr

    shifts = [p for p in families.problems(["shift"]) if "K=2" in p.describe]
    for problem in shifts[:2]:
        apart = float(problem.describe.split("apart=")[1])
        assert problem.bayes_error() == pytest.approx(ndtr(-apart / 2), abs=0.004)


def test_charges():
    record = {"most": 0.2, "least": 0.1, "found": {"a": [0.12, 0.18], "b": [0.25, 0.3],
              "c": [0.0, 0.05]}}  # fmt: skip
    assert feebee.charge(record, "a") == pytest.approx(0.06)
    assert feebee.charge(record, "b") == pytest.approx(0.05 + 40 * 0.05)
    assert feebee.charge(record, "c") == pytest.approx(0.05 + 40 * 0.05)


def test_known_errors_have_sources():
    assert set(feebee.KNOWN) == set(feebee.SETS)
    for each in feebee.KNOWN.values():
        assert 0 <= each["error"] < 1
        assert each["source"]


def test_one_record_becomes_a_table(tmp_path):
    record = truth.look_by_name(("shift", 4))
    assert record["bayes_error"][1] <= record["bayes_error"][0] <= record["bayes_error"][2]
    assert len(record["answers"]) == truth.N_TARGETS
    lines = truth.table([record])
    names = [line.split("|")[1].strip() for line in lines[2:]]
    assert names == ["all", "design", "no label errors", "shift"]
    assert truth.table([record], by_family=False) == lines[:-1]
    path = tmp_path / "records" / "truth.jsonl"
    other = {"set": "digits", "nothing": float("nan"), "shares": [0.123456]}  # of another benchmark
    truth.write_records(path, [truth.brief(record), other])
    first, second = map(json.loads, path.read_text().splitlines())
    assert len(first["answers"]) == truth.N_TARGETS
    assert "allowed" not in first
    assert second == {"set": "digits", "nothing": None, "shares": [0.1235]}

"""The benchmark of the headroom: its truth, its tables and runs that are cut."""

import json
import time

import numpy as np
import pytest

from benchmarks.problems import problem
from benchmarks.report import headroom
from benchmarks.report.fit_model import read


def record(size, truth, gain, **others):
    return {
        "family": "shift",
        "number": 0,
        "size": size,
        "model": "logistic regression",
        "truth": truth,
        "truth_error": 0.001,
        "error": [0.2, 0.15, 0.25],
        "bayes_error": [0.15, 0.1, 0.2],
        "gain": gain,
        **others,
    }


def test_the_columns_of_the_table():
    records = [
        record(100, 0.1, [0.1, 0.05, 0.2]),
        record(100, 0.001, [0.01, 0.0, 0.02]),
        record(400, 0.001, [0.02, 0.01, 0.04]),  # misses
        record(400, 0.06, [0.001, 0.0, 0.006]),  # misses, and says that nothing is left
    ]
    first, second, everything = headroom.table(records, "size", headroom.SIZES)[2:]
    # The difference of the two intervals is 0 to 0.15.
    assert first == "| 100 | 2 | 1.000 | 0.085 | 0.57 | 1 | 1.000 | 1 | 0.000 |"
    assert second == "| 400 | 2 | 0.000 | 0.018 | 0.12 | 1 | 0.000 | 1 | 1.000 |"
    assert everything.startswith("| all | 4 | 0.500 |")


def test_a_run_that_was_cut_goes_on(tmp_path, monkeypatch):
    path, asked = tmp_path / "records.jsonl", []
    monkeypatch.setattr(headroom, "look", lambda task: asked.append(task[:3]) or [])
    path.write_text(json.dumps(record(100, 0.1, [0.1, 0.05, 0.2])) + '\n{"family": "sh')
    tasks = [("shift", 0, size, ["logistic regression"], np.inf) for size in (400, 100)]
    headroom.collect(path, tasks, workers=1)
    assert asked == [("shift", 0, 400)]
    assert [each["size"] for each in read(path)] == [100]


def test_no_problem_is_begun_when_time_is_over(monkeypatch):
    monkeypatch.setattr(headroom, "measure", lambda *task: pytest.fail("was begun"))
    assert headroom.look(("shift", 0, 100, [], time.time() - 1)) is None


def test_the_truth_is_the_mean_over_other_samples():
    names = ["logistic regression", "k nearest neighbours"]
    found = headroom.measure("shift", 0, 100, names)
    assert [each["model"] for each in found] == names
    this = problem("shift", 0, 100)
    fresh, chances = this.draw(np.random.default_rng([9]), 20_000)
    answers = [
        headroom.predicted(headroom.MODELS[names[0]], *this.another_sample(place), fresh)
        for place in range(100, 140)
    ]
    regret = [(chances.max(axis=1) - chances[np.arange(20_000), each]).mean() for each in answers]
    expected, exactness = np.mean(regret), np.std(regret) / 40**0.5
    allowed = 4 * np.hypot(exactness, found[0]["truth_error"]) + 0.005
    assert abs(found[0]["truth"] - expected) < allowed


def test_further_samples_differ_and_keep_the_numbers_of_classes():
    this = problem("shift", 0, 100)
    samples = [this.sample(), this.another_sample(0), this.another_sample(1)]
    assert len({float(X[0, 0]) for X, _ in samples}) == 3
    again, _ = this.another_sample(1)
    np.testing.assert_array_equal(again, samples[2][0])
    one_class = headroom.predicted(
        headroom.MODELS["logistic regression"], again, np.ones(100), again
    )
    assert (one_class == 1).all()

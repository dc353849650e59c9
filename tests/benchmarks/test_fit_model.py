"""The command that fits the model: a small part of it, from reports to a file that loads."""

import json

import numpy as np
import pytest

from benchmarks import problems
from benchmarks.page import read_table
from benchmarks.problems import families
from benchmarks.report import fingerprint, fit_model, fit_records
from smartsvm.report import fitted_model
from smartsvm.report.statistics import MEANINGS

PART = families("design")[:36:3]  # twelve families
SIZES = (100, 200)
NOTHING = {"classifiers": {}, "problems": []}


@pytest.fixture(scope="module")
def records():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(problems, "_TRUTH_DRAWS", 20_000)  # a standard error of 0.003 is enough here
        return [each for family in PART for each in fit_records.measure(family, 0, SIZES)]


def test_records_have_what_the_fit_needs(records):
    assert {each["family"] for each in records} == set(PART)
    for each in records:
        assert each["size"] in SIZES
        for target in (fitted_model.ACCURACY, fitted_model.BALANCED):
            assert 0 <= each[target]["truth"] <= 1
            assert len(each[target]["statistics"]) == len(MEANINGS)
        assert json.loads(json.dumps(each)) == each


@pytest.fixture(scope="module")
def part(records):
    """A model of three targets; there is no report with ten times the samples."""
    data = {target: fit_model.examples(records, target) for target in fitted_model.TARGETS[:3]}
    ranges = fit_model.ranges_of(data[fitted_model.ACCURACY])
    targets = {target: fit_model.fit(target, each, ranges)[0] for target, each in data.items()}
    return {"statistics": ranges, "targets": targets}


def test_a_refit_to_a_part_is_a_model_like_the_stored_one(records, part, tmp_path, monkeypatch):
    path = tmp_path / "model.json"
    fit_model.write(part, records, "command", {}, path)
    model = json.loads(path.read_text(encoding="utf-8"))
    stored = fitted_model.read_model()
    assert set(model) == set(stored)
    assert model["families"] == sorted(PART)
    assert model["reports"] == len(records)
    assert model["statistics"].keys() == stored["statistics"].keys()
    for target, parts in model["targets"].items():
        assert parts.keys() == stored["targets"][target].keys()
    for target in model["targets"]:
        source = target if target in (fitted_model.ACCURACY, fitted_model.BALANCED) else None
        known = [each[source or fitted_model.ACCURACY] for each in records]
        given = [
            (dict(zip(MEANINGS, k["statistics"], strict=True)), k["best"], k["baseline"])
            for k in known
        ]
        locations = []
        for each in (stored, model):
            monkeypatch.setattr(fitted_model, "read_model", lambda each=each: each)
            locations.append(
                [fitted_model.fitted_error(target, *one).location / one[2] for one in given]
            )
        # In units of the baseline. The best constant is 0.18 to 0.26 away.
        assert np.abs(np.subtract(*locations)).mean() < 0.14


def test_the_same_records_give_the_same_file(records, part, tmp_path):
    data = fit_model.examples(records, fitted_model.ACCURACY)
    again = fit_model.fit(fitted_model.ACCURACY, data, part["statistics"])[0]
    assert again == part["targets"][fitted_model.ACCURACY]
    texts = []
    for name in "ab":
        fit_model.write(part, records, "command", {}, tmp_path / name)
        lines = (tmp_path / name).read_text(encoding="utf-8").splitlines()
        texts.append([line for line in lines if '"date"' not in line])
    assert texts[0] == texts[1]


def test_the_fit_does_not_depend_on_the_order_of_the_records(records, part):
    data = fit_model.examples(records[::-1], fitted_model.ACCURACY)
    again = fit_model.fit_location(
        fit_model.design_rows(data["statistics"], part["statistics"]), data, slice(None)
    )
    stored = part["targets"][fitted_model.ACCURACY]
    for found, name in zip(again, ("share_of_baseline", "share_of_best"), strict=True):
        assert found[-1] == pytest.approx(stored[name]["constant"], abs=1e-9)


def test_quantiles_are_those_of_families_alike():
    # One family has a hundred examples, nine have one each: each of the ten weighs a tenth.
    away = np.concatenate([np.full(100, 2.0), np.arange(-4.0, 5.0)])
    family = np.array(["many"] * 100 + list("abcdefghi"))
    values = np.array(fit_model.quantiles(away, family, np.ones(109)))
    levels = np.array([0, *fit_model._LEVELS, 1])
    assert (np.diff(values) > 0).all()
    assert 0 < np.interp(0.5, levels, values) < 2.2  # 2 in most examples, but in few families


def test_collecting_goes_on_where_it_stopped(records, tmp_path, monkeypatch):
    monkeypatch.setattr(problems, "_TRUTH_DRAWS", 20_000)
    tasks = [(family, 0, (100, 200)) for family in PART[:3]]
    monkeypatch.setattr(fit_records, "tasks", lambda draws: iter(tasks))
    expected = [each for each in records if each["family"] in PART[:3]]
    path = tmp_path / "records.jsonl"
    # The file ends in half a line: the last record of the second family is not there.
    lines = [json.dumps(each) for each in expected[:4]]
    head = json.dumps({"fingerprint": NOTHING})
    path.write_text("\n".join([head, *lines])[:-20])
    monkeypatch.setattr(fit_records, "fingerprint", lambda: NOTHING)
    asked = []

    class Pool(fit_records.ProcessPoolExecutor):
        def submit(self, function, *task):
            asked.append(task)
            return super().submit(function, *task)

    monkeypatch.setattr(fit_records, "ProcessPoolExecutor", Pool)
    fit_records.collect(path, 1, 1)
    assert asked == [(PART[1], 0, (200,)), (PART[2], 0, (100, 200))]
    found = fit_records.read(path)
    assert {(each["family"], each["size"]) for each in found} == {
        (each["family"], each["size"]) for each in expected
    }
    assert len(found) == len(expected)
    fit_records.collect(path, 1, 1)
    assert len(asked) == 2  # nothing is left
    assert fit_records.read(path) == found


def test_records_of_other_classifiers_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "records.jsonl"
    before = {"classifiers": {"linear": {"settings": "(1,)"}}, "problems": []}
    monkeypatch.setattr(fit_records, "fingerprint", lambda: before)
    fit_records.check_fingerprint(path)
    fit_records.check_fingerprint(path)
    assert fit_records.fingerprint_of(path) == before
    after = {"classifiers": {}, "problems": before["problems"]}
    monkeypatch.setattr(fit_records, "fingerprint", lambda: after)
    with pytest.raises(ValueError, match="are of other classifiers:\n  classifier linear"):
        fit_records.check_fingerprint(path)


def test_a_changed_gate_shows_and_rounding_does_not():
    before = {"classifiers": {}, "problems": [["shift", 0, 100, *np.linspace(0, 1, len(MEANINGS))]]}
    after = json.loads(json.dumps(before))
    after["problems"][0][5] += fingerprint.TOLERANCE / 2
    assert fingerprint.differences(before, after) == []
    after["problems"][0][5] += fingerprint.TOLERANCE
    (line,) = fingerprint.differences(before, after)
    assert line.startswith("shift 0, 100 rows, best: ")


def test_the_stored_model_was_fitted_to_what_reports_measure():
    stored = fitted_model.read_model()["fingerprint"]
    assert fingerprint.differences(stored, fingerprint.fingerprint()) == []


def test_the_page_shows_the_largest_effects_of_the_stored_model():
    lines = fit_model.explain(fitted_model.read_model())
    assert lines
    assert read_table(fit_model.PAGE, "statistics") == lines

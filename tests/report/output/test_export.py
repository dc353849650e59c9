"""The report as plain data."""

import json
import sys
from dataclasses import fields

import numpy as np
import pytest
from sklearn.datasets import load_iris

from smartsvm import difficulty_report
from smartsvm.report.flags.flag import Flag

X, Y = load_iris(return_X_y=True)


def test_dictionary_layout_is_stable(report):
    found = report.to_dict()
    assert list(found) == [
        "format",
        "bayes_error",
        "verdict",
        "models",
        "errors",
        "data",
        "pairs",
        "classes",
        "suspects",
        "labels",
        "flags",
        "trees",
        "settings",
    ]
    assert found["format"] == 4
    settings = {"confidence": 0.95, "scale": "none", "random_state": 0, "priors": None}
    assert found["settings"] == settings
    interval = ["value", "low", "high"]
    assert list(found["bayes_error"]) == interval
    assert list(found["trees"]["lower"]) == interval
    held_out = found["errors"]["held_out"]
    assert list(held_out) == ["classifiers", "classifier", "best", "gain", "n_independent"]
    assert list(held_out["classifiers"][0]) == ["classifier", "error", "setting"]
    assert list(held_out["classifiers"][0]["error"]) == interval
    assert list(found["verdict"]) == [
        "answer",
        "chance",
        "target_accuracy",
        "target_metric",
        "error_low",
        "error_high",
        "classifier",
        "objections",
        "reason",
    ]
    assert list(found["pairs"]["hardest"][0]) == [
        "classes",
        "confused",
        "low",
        "high",
        "bound_value",
        "bound_lower",
        "bound_upper",
        "score",
        "inseparable",
    ]
    assert list(found["classes"]["hardest"][0]) == [
        "class",
        "n_samples",
        "recall",
        "low",
        "high",
        "mistaken_for",
        "bound_lower",
        "bound_upper",
    ]
    assert found["pairs"]["hardest"][0]["classes"] == ["versicolor", "virginica"]
    assert found["verdict"]["answer"] == "reachable"
    assert found["trees"]["sample_difficulty"] == report.trees.sample_difficulty.tolist()
    doc = type(report).to_dict.__doc__
    for section, content in found.items():
        assert f"``{section}``" in doc
        if section not in ("verdict", "models"):  # fields of `Verdict`, names of models
            for key in content if isinstance(content, dict) else ():
                assert f"``{key}``" in doc
    assert all(f"``{each.name}``" in doc for each in fields(Flag))


def test_all_numbers_are_pythons(report):
    # JSON would have an integer of numpy as text.
    random = np.random.default_rng(0)
    drifting = random.normal(size=(200, 2)), random.integers(0, 2, 200)
    with_time = difficulty_report(*drifting, time=np.arange(200), classifiers=["linear"])

    def kinds(thing):
        yield type(thing)
        if isinstance(thing, dict | list):
            for each in thing.values() if isinstance(thing, dict) else thing:
                yield from kinds(each)

    plain = {dict, list, str, int, float, bool, type(None)}
    for each in (report, with_time):
        assert set(kinds(each.to_dict())) <= plain
    assert {type(each) for each in report.bayes_error} == {float}


def test_groups_are_those_of_the_attributes(report):
    found = report.to_dict()
    for name in found.keys() - {"format"}:
        assert hasattr(report, name)
    extra = {"hardest", "merge_advice", "rows_needed"}
    for name in ("errors", "classes", "pairs", "labels", "trees", "data", "settings"):
        for key in found[name].keys() - extra:
            assert hasattr(getattr(report, name), key)


def test_a_report_has_a_dozen_attributes_at_most(report):
    own = {each.name for each in fields(report)}
    own |= {name for name, each in vars(type(report)).items() if isinstance(each, property)}
    assert len(own) <= 12
    assert own == report.to_dict().keys() - {"format"}


def test_json_says_the_same_as_the_dictionary(report):
    assert json.loads(report.to_json(samples=True)) == report.to_dict()
    assert "sample_difficulty" not in json.loads(report.to_json())["trees"]
    assert "\n" not in report.to_json(indent=None)


def test_json_has_no_nan():
    random = np.random.default_rng(3)
    noise = difficulty_report(random.normal(size=(200, 5)), random.integers(0, 3, 200))
    assert np.isnan(noise.trees.cross_limit.value)
    assert "NaN" not in noise.to_json()


def test_frames(report):
    pairs, classes, samples = (report.to_frame(w) for w in ("pairs", "classes", "samples"))
    assert len(pairs) == 3
    assert pairs["bound_value"].is_monotonic_decreasing
    assert pairs.loc[0, ["first", "second"]].tolist() == ["versicolor", "virginica"]
    assert len(classes) == 3
    assert classes["recall"].is_monotonic_increasing
    assert samples["sample_difficulty"].tolist() == report.trees.sample_difficulty.tolist()
    assert samples["suspect"].sum() == len(report.suspects)
    with pytest.raises(ValueError, match=r"which must be one of .* got 'rows'"):
        report.to_frame("rows")


def test_frames_without_pandas(report, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="needs pandas"):
        report.to_frame()

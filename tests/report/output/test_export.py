"""The report as plain data."""

import json
import sys

import pytest
from sklearn.datasets import load_iris

from smartsvm import difficulty_report

X, Y = load_iris(return_X_y=True)


def test_dictionary_layout_is_stable(report):
    found = report.to_dict()
    assert list(found) == [
        "format",
        "data",
        "settings",
        "bayes_error",
        "statistics",
        "trees",
        "held_out",
        "signal",
        "signal_columns",
        "merge",
        "pairs",
        "classes",
        "wrong_labels",
        "n_wrong_labels",
        "suspects",
        "ranking",
        "convergence",
        "learning_curve",
        "forward_in_time",
        "preparation",
        "flags",
        "verdict",
        "dependence",
        "headroom",
        "sample_difficulty",
        "label_posterior",
    ]
    assert found["format"] == 4
    assert found["settings"]["random_state"] == 0
    interval = ["value", "low", "high"]
    assert list(found["bayes_error"]) == interval
    assert list(found["trees"]) == ["lower", "upper", "cross_share", "cross_limit"]
    assert list(found["trees"]["lower"]) == interval
    assert list(found["trees"]["cross_limit"]) == ["value", "error", "dimension"]
    assert list(found["held_out"]) == [
        "classifier",
        "best",
        "gain",
        "classifiers",
        "neighbor_ladder",
        "baseline",
        "balanced_error",
        "balanced_classifier",
    ]
    assert list(found["held_out"]["classifiers"][0]) == ["classifier", "error", "setting"]
    assert list(found["held_out"]["classifiers"][0]["error"]) == interval
    assert list(found["verdict"]) == [
        "answer",
        "chance",
        "target_accuracy",
        "target_metric",
        "allowed_error",
        "bayes_error_low",
        "classifier",
        "reached_high",
        "objections",
        "reason",
    ]
    assert list(found["pairs"][0]) == [
        "classes",
        "confused",
        "low",
        "high",
        "error",
        "lower",
        "upper",
        "score",
        "inseparable",
    ]
    assert list(found["classes"][0]) == [
        "class",
        "n_samples",
        "error",
        "low",
        "high",
        "recall",
        "recall_low",
        "recall_high",
        "mistaken_for",
        "bound_lower",
        "bound_upper",
    ]
    assert found["pairs"][0]["classes"] == ["versicolor", "virginica"]
    assert found["verdict"]["answer"] == "reachable"
    assert found["sample_difficulty"] == report.sample_difficulty.tolist()
    doc = type(report).to_dict.__doc__
    for section in found:
        assert f"``{section}``" in doc
    for section in ("settings", "bayes_error", "trees", "held_out"):
        for key in found[section]:
            assert f"``{key}``" in doc


def test_json_says_the_same_as_the_dictionary(report):
    assert json.loads(report.to_json(samples=True)) == report.to_dict()
    assert "sample_difficulty" not in json.loads(report.to_json())
    assert "\n" not in report.to_json(indent=None)


def test_json_has_no_nan():
    small = difficulty_report(X[::15], Y[::15])  # too few for a curve
    assert len(small.curve.sizes) == 1
    assert "NaN" not in small.to_json()


def test_frames(report):
    pairs, classes, samples = (report.to_frame(w) for w in ("pairs", "classes", "samples"))
    assert len(pairs) == 3
    assert pairs["error"].is_monotonic_decreasing
    assert pairs.loc[0, ["first", "second"]].tolist() == ["versicolor", "virginica"]
    assert len(classes) == 3
    assert classes["error"].is_monotonic_decreasing
    assert samples["difficulty"].tolist() == report.sample_difficulty.tolist()
    assert samples["suspect"].sum() == len(report.suspects)
    with pytest.raises(ValueError, match=r"which must be one of .* got 'rows'"):
        report.to_frame("rows")


def test_frames_without_pandas(report, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="needs pandas"):
        report.to_frame()

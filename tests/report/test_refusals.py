"""What the report refuses: options and data that make no sense."""

import re

import numpy as np
import pytest
from sklearn.datasets import load_iris

from smartsvm import difficulty_report

X, Y = load_iris(return_X_y=True)


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"n_trees": 0}, ValueError, "n_trees must be at least 1, got 0"),
        ({"n_trees": "many"}, ValueError, "n_trees must be \"auto\" or .* got 'many'"),
        (
            {"target_accuracy": 970},
            ValueError,
            "target_accuracy must be a fraction from 0 to 1, or a percentage up to 100, got 970",
        ),
        ({"target_accuracy": "high"}, ValueError, "target_accuracy must be .* got 'high'"),
        ({"target_accuracy": True}, TypeError, "target_accuracy must be a fraction .* got True"),
        ({"target_metric": "f1"}, ValueError, r"target_metric must be one of \['accuracy', .*'f1'"),
        ({"confidence": 1.0}, ValueError, r"confidence must be .*, both excluded, got 1\.0"),
        ({"confidence": True}, TypeError, "confidence must be a number .* got True"),
        ({"subsample": 3}, ValueError, "subsample must be at least 8, got 3"),
        ({"subsample": "half"}, ValueError, "subsample must be \"auto\", None .* got 'half'"),
        ({"subsample": 0.5}, TypeError, r"subsample must be an integer .* got 0\.5"),
        ({"classifiers": ["svm"]}, ValueError, r"classifiers must .*'kernel'.* got \['svm'\]"),
        ({"classifiers": "linear"}, ValueError, "classifiers must be a sequence .* got 'linear'"),
        ({"classifiers": 5}, ValueError, "classifiers must be a sequence of names .* got 5"),
        ({"n_jobs": 0}, ValueError, "n_jobs must be None or an integer other than 0"),
        ({"n_jobs": 2.0}, TypeError, r"n_jobs must be None or an integer .* got 2\.0"),
        ({"feature_names": 5}, TypeError, r"feature_names must be a sequence of 4 names.* got 5"),
        ({"feature_names": set("abcd")}, TypeError, "feature_names must be a sequence of 4 names"),
        ({"row_names": dict.fromkeys(range(150))}, TypeError, "row_names must be a sequence of"),
        ({"row_names": iter("ab")}, TypeError, "row_names must be a sequence of 150 names"),
        ({"memory_limit": 1}, MemoryError, "memory_limit=1: raise the limit"),
        ({"groups": [None] * 150}, ValueError, "groups must have no missing"),
        ({"groups": [np.nan] * 150}, ValueError, "groups must name a group for every row"),
        ({"verbose": -1}, ValueError, "verbose must be at least 0, got -1"),
        ({"random_state": "x"}, TypeError, "random_state must be an integer"),
    ],
)
def test_bad_options(options, kind, message):
    with pytest.raises(kind, match=message):
        difficulty_report(X, Y, **options)


def test_the_limit_of_memory_is_one_of_the_whole_report():
    points = np.zeros((20_000, 10))
    with pytest.raises(MemoryError, match="subsample=") as raised:
        difficulty_report(points, np.arange(20_000) % 2, memory_limit="40 MiB")
    fits = int(re.search(r"subsample=(\d+)", str(raised.value))[1])
    assert 1000 < fits < 10_000


def test_bad_data():
    with pytest.raises(ValueError, match="X must have at least 8 rows, got 7"):
        difficulty_report(X[:7], np.arange(7) % 2)
    with pytest.raises(ValueError, match="at least 2 classes, got 1"):
        difficulty_report(X, np.zeros(len(X), int))
    broken = X.copy()
    broken[3, 1] = np.nan
    with pytest.raises(ValueError, match=r"X must be finite, got nan at \[3, 1\]"):
        difficulty_report(broken, Y)


def test_classifiers_may_come_one_by_one():
    given = difficulty_report(X, Y, classifiers=["linear"])
    one_by_one = difficulty_report(X, Y, classifiers=iter(["linear"]))
    assert given.errors.held_out.classifiers == one_by_one.errors.held_out.classifiers


def test_the_only_sample_of_a_class_says_nothing_from_below():
    X = np.random.default_rng(0).normal(size=(80, 4))
    lone = difficulty_report(X, np.arange(80))
    assert lone.bayes_error.low == 0
    assert lone.judge(0.5).answer == "unclear"
    assert lone.bayes_error.high > 0.9

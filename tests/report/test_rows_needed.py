"""How many rows a target takes."""

import json

import numpy as np
import pytest
from problems import two_gaussians
from sklearn.naive_bayes import GaussianNB

from smartsvm import difficulty_report
from smartsvm.report.rows_needed import RowsNeeded, limits, multiples

TARGETS = [0.5, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.99, 1.0]


@pytest.fixture(scope="module")
def report():
    X, y = two_gaussians(400, 12, 2.5, 0)
    coin = np.random.default_rng(1).integers(0, 2, len(y))
    models = {"bayes": GaussianNB(), "coin": coin}
    return difficulty_report(X, y, models=models, target_accuracy=0.88)


def test_a_curve_is_a_line_in_one_over_the_root():
    curves = np.array([[0.3, 0.1 + 0.2 * 0.5**0.5, 0.1 + 0.2 * 0.1**0.5, 0.1]])
    for allowed, expected in ((0.3, 1), (0.2, 4), (0.15, 16), (0.11, 400), (0.1, np.inf)):
        assert multiples(curves, allowed)[0] == pytest.approx(expected)
    assert multiples(curves, 0.4)[0] == 1
    assert multiples(curves, 0.09)[0] == np.inf


def test_limits_are_those_of_the_numbers_that_are_finite():
    numbers = np.append(np.arange(1.0, 42.0), np.full(41, np.inf))
    found, share = limits(numbers, 0.9)
    assert found == pytest.approx((21, 3, 39))
    assert share == 0.5
    assert limits(np.array([np.inf]), 0.9) == ((np.inf,) * 3, 0.0)


@pytest.mark.parametrize("model", [None, "bayes", "coin"])
def test_higher_targets_need_more_rows_and_have_smaller_chances(report, model):
    found = [report.rows_needed(each, model) for each in TARGETS]
    chances = [each.chance for each in found]
    assert chances == sorted(chances, reverse=True)
    for each in found:
        assert 400 <= each.low <= each.value <= each.high
    # Without the numbers of those targets that hardly any curve reaches.
    likely = [each for each in found if each.chance > 0.5]
    assert [each.value for each in likely] == sorted(each.value for each in likely)


def test_the_chance_is_that_of_the_verdict(report):
    for target in TARGETS:
        assert report.rows_needed(target).chance == report.chance(target)
        assert report.rows_needed(target, "coin").chance <= report.chance(target) + 1e-9


def test_what_is_reached_needs_no_more_rows(report):
    easy = report.rows_needed("60%")
    assert (easy.low, easy.value, easy.high, easy.present) == (400, 400, 400, 400)
    assert (
        easy.sentence()
        == "For an accuracy of 60%, the best classifier needs no more than these rows."
    )
    # The coin does not reach it, and is better than chance with no number of rows if it is one.
    coin = report.rows_needed(0.6, "coin")
    assert coin.value > 400
    assert coin.chance < 1


def test_more_rows_are_needed_than_a_larger_report_needs():
    X, y = two_gaussians(4000, 10, 3.0, 1)
    later = 1 - difficulty_report(X, y).errors.held_out.best.value
    few = difficulty_report(X[:200], y[:200]).rows_needed(later)
    assert few.low <= 4000 <= few.high


def test_where_nothing_is_learnt_only_the_baseline_can_do():
    X = np.random.default_rng(0).normal(size=(300, 3))
    report = difficulty_report(X, np.arange(300) % 2)
    assert report.rows_needed(0.3).value == 300
    needed = report.rows_needed(0.9)
    assert (needed.low, needed.value, needed.high) == (300, np.inf, np.inf)
    assert needed.chance == report.chance(0.9)


@pytest.mark.parametrize(
    ("numbers", "chance", "sentence"),
    [
        ((4012, 2300, 15_400), 0.98, "your model needs about 4,000 rows (2,300 to 15,000)."),
        (
            (4012, 400, 15_400),
            0.6,
            "your model needs about 4,000 rows (400 to 15,000), if any number suffices. The chance "
            "of that is about 60%.",
        ),
        ((4012, 2300, 1e9), 0.98, "your model needs about 4,000 rows (2,300 or more)."),
        ((1e9, 2300, 1e12), 0.98, "your model needs at least 2,300 rows."),
        ((1e9, 1e8, 1e12), 0.98, "your model needs at least 400,000 rows."),
        (
            (np.inf, 400, np.inf),
            0.3,
            "your model needs more than these rows, if any number suffices. The chance of that is "
            "about 30%.",
        ),
        ((400, 400, 400), 1.0, "your model needs no more than these rows."),
    ],
)
def test_sentences(numbers, chance, sentence):
    found = RowsNeeded(0.95, *numbers, chance, 400)
    assert found.sentence("your model") == f"For an accuracy of 95%, {sentence}"


def test_no_number_suffices():
    found = RowsNeeded(0.95, np.inf, np.inf, np.inf, 0.01, 400)
    assert found.sentence() == "No number of rows takes the best classifier to an accuracy of 95%."


def test_text_and_json_have_it_for_the_target(report):
    needed = report.rows_needed(0.88)
    text = " ".join(str(report).split())
    assert needed.sentence() in text
    assert report.rows_needed(0.88, "coin").sentence("your model coin") in text
    found = json.loads(report.to_json())
    assert found["errors"]["rows_needed"]["present"] == 400
    assert found["errors"]["rows_needed"]["low"] == pytest.approx(needed.low)
    assert found["models"]["coin"]["rows_needed"]["target_accuracy"] == 0.88
    assert found["models"]["coin"]["rows_needed"]["chance"] < 1


def test_there_is_none_for_a_balanced_accuracy_or_without_a_target():
    X, y = two_gaussians(60, 2, 2.0, 0)
    for options in ({}, {"target_accuracy": 0.8, "target_metric": "balanced_accuracy"}):
        report = difficulty_report(X, y, **options)
        assert report.to_dict()["errors"]["rows_needed"] is None
        assert "For an accuracy of" not in str(report)


def test_a_bad_target_or_model_is_named(report):
    with pytest.raises(ValueError, match="target_accuracy"):
        report.rows_needed(-1)
    with pytest.raises(ValueError, match="model"):
        report.rows_needed(0.9, "other")

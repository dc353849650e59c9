"""Chances and verdicts, from given numbers and from data."""

import numpy as np
import pytest
from problems import two_gaussians
from sklearn.datasets import load_digits

from smartsvm import difficulty_report
from smartsvm.presentation.wording import about
from smartsvm.report.bayes_error import BayesError, MeasuredError
from smartsvm.report.fitted_model import FittedError
from smartsvm.report.flags import Flag
from smartsvm.report.verdict import Grounds, _word, judge

LEVELS = np.array([0.0, 0.025, 0.5, 0.975, 1.0])
RESIDUALS = np.array([-4.0, -2.0, 0.0, 2.0, 4.0])
# 95% interval: 5% to 12%.
ERROR = BayesError(
    FittedError.from_scales(0.08, 0.015, 0.02, RESIDUALS, LEVELS),
    best=MeasuredError(0.1, 400),
    baseline=MeasuredError(0.5, 1000),
    proven_error=MeasuredError(0.0, 1000),
    most=0.5,
)


def grounds(flags=(), error=ERROR):
    return Grounds("accuracy", "kernel", error, 0.95, flags)


def test_five_answers():
    assert judge(0.879, grounds()).answer == "reachable"
    assert judge(0.895, grounds()).answer == "likely"
    assert judge(0.92, grounds()).answer == "unclear"
    assert judge(0.94, grounds()).answer == "unlikely"
    assert judge(0.951, grounds()).answer == "out of reach"


def test_what_it_rests_on():
    found = judge(0.87, grounds())
    assert found.classifier == "kernel"
    assert (found.error_low, found.error_high) == pytest.approx((0.05, 0.12))
    assert found.reason == (
        "The held-out error with a kernel ridge classifier is 10%, the best possible one at most "
        "12%; the target allows 13%."
    )
    forbidden = judge(0.96, grounds())
    assert forbidden.reason.startswith("The best possible error is between 5% and 12%")


def test_the_baseline_has_its_own_sentence():
    # The largest of two classes never errs on more than half.
    copies = Flag("copies", "", "", against_reached=True)
    for flags in ((), (copies,)):
        found = judge(0.45, grounds(flags))
        assert (found.answer, found.classifier) == ("reachable", "baseline")
        assert found.chance > 0.99
        assert found.error_high == pytest.approx(0.5, abs=0.002)
        assert found.reason == (
            "Always answering the largest class is enough: its error is at most 50%; the target "
            "allows 55%."
        )


def test_words_follow_the_chance():
    for target in np.linspace(0.85, 1, 301):
        found = judge(target, grounds())
        least, most = {
            "reachable": (0.975, 1),
            "likely": (0.745, 0.975),
            "unclear": (0.255, 0.745),
            "unlikely": (0.025, 0.255),
            "out of reach": (0, 0.025),
        }[found.answer]
        assert least <= found.chance <= most


def test_the_outer_words_are_those_of_the_interval():
    low, high = ERROR.interval(0.95)[1:]
    assert judge(1 - (low - 1e-6), grounds()).answer == "out of reach"
    assert judge(1 - (low + 1e-3), grounds()).answer == "unlikely"
    assert judge(1 - (high - 1e-3), grounds()).answer == "likely"
    assert judge(1 - (high + 1e-6), grounds()).answer == "reachable"


def test_the_word_fits_the_percentage_beside_it():
    for chance, word in [
        (0.98, "reachable"),
        (0.974, "likely"),
        (0.746, "likely"),
        (0.744, "unclear"),
        (0.254, "unlikely"),
        (0.026, "unlikely"),
        (0.025, "out of reach"),
    ]:
        assert _word(chance) == word


@pytest.mark.parametrize(
    ("kind", "targets"), [("product", [0.9]), ("stripes", [0.88]), ("parity", [0.9, 0.95, 0.99])]
)
def test_detail_that_no_classifier_sees_is_not_out_of_reach(kind, targets):
    answers = []
    for seed in range(8):
        random = np.random.default_rng(seed)
        X = random.normal(size=(400, 10))
        hidden = {
            "product": X[:, 0] * X[:, 1] * X[:, 2],
            "stripes": np.sin(20 * X[:, :5].sum(axis=1)),
            "parity": np.sign(X[:, :6]).prod(axis=1),
        }[kind]
        line, seen = np.sign(X[:, 9]), random.random(400) < 0.8
        y = (hidden + 0.8 * line * seen > 0).astype(int)
        # Where the line decides against a weak hidden part, it does so in 80% of the samples.
        bayes_error = 0.2 * np.mean((np.abs(hidden) < 0.8) & (np.sign(hidden) != line))
        assert bayes_error < 1 - max(targets)
        report = difficulty_report(X, y)
        answers.append([report.judge(target).answer for target in targets])
    # It is said below a chance of 2.5%, so it may be said wrongly now and then.
    for of_target in zip(*answers, strict=True):
        assert of_target.count("out of reach") <= 1


def test_doubts_about_the_low_end():
    doubt = Flag("dimension", "", "", against_bounds=True)
    doubted = judge(0.96, grounds((doubt,)))
    assert doubted.answer == "unclear"
    assert doubted.objections == ("dimension",)
    assert "in doubt" in doubted.reason
    assert judge(0.87, grounds((doubt,))).answer == "reachable"
    harmless = Flag("ties", "", "", against_bounds=False)
    assert judge(0.96, grounds((harmless,))).answer == "out of reach"


def test_doubts_about_held_out_errors():
    copies = Flag("near_copies", "", "", against_bounds=False, against_reached=True)
    doubted = judge(0.87, grounds((copies,)))
    assert doubted.answer == "unclear"
    assert doubted.objections == ("near_copies",)
    assert judge(0.96, grounds((copies,))).answer == "out of reach"
    assert judge(0.45, grounds((copies,))).answer == "reachable"  # the baseline needs no classifier


@pytest.mark.parametrize(
    ("chance", "words"),
    [(0.0, "less than 1%"), (0.151, "about 15%"), (0.98, "about 98%"), (1.0, "more than 99%")],
)
def test_chances_in_words(chance, words):
    assert about(chance) == words


def test_a_rare_class_needs_the_balanced_question():
    random = np.random.default_rng(0)
    y = (np.arange(1000) % 50 == 0).astype(int)
    report = difficulty_report(random.normal(size=(1000, 3)), y, target_accuracy=0.96)
    assert report.verdict.answer == "reachable"  # by always answering the large class
    balanced = report.judge(0.97, "balanced_accuracy")
    assert balanced.answer not in ("reachable", "likely")
    assert report.chance(0.97, "balanced_accuracy") == balanced.chance
    assert "balanced error" in balanced.reason
    assert report.judge(0.5, "balanced_accuracy").classifier == "baseline"


@pytest.fixture(scope="module")
def overlapping():
    """Bayes error .31; its interval is .25 to .31."""
    return difficulty_report(*two_gaussians(1500, 2, 1.0), target_accuracy=0.95)


def test_verdicts_of_data(overlapping):
    digits = difficulty_report(*load_digits(return_X_y=True), target_accuracy=0.97)
    assert digits.verdict.answer == "reachable"
    assert overlapping.verdict.answer == "out of reach"
    assert overlapping.judge(0.72).answer == "unclear"
    assert overlapping.judge(0.5).answer == "reachable"


def test_other_targets_can_be_asked_about_later(overlapping):
    report = overlapping
    assert report.judge(0.95) == report.verdict
    assert report.judge(0.5).answer == "reachable"
    for same in (95, "95%", " 95 % ", "0.95", "95"):
        assert report.judge(same) == report.verdict
        assert report.chance(same) == report.verdict.chance
    for wrong in (-1, 101, "101%", "high"):
        with pytest.raises(ValueError, match="target_accuracy must be a fraction from 0 to 1, or"):
            report.judge(wrong)

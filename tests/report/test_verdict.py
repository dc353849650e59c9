"""Chances and verdicts from given numbers."""

from types import SimpleNamespace

import numpy as np
import pytest

from smartsvm import Interval, difficulty_report
from smartsvm._core.wording import about
from smartsvm.estimation.extrapolation import CrossLimit
from smartsvm.report.flags import Flag
from smartsvm.report.intervals import ChanceShape, chance_below, doubt
from smartsvm.report.verdict import Grounds, _word, grounds_of, judge

HELD_OUT, BASELINE = Interval(0.1, 0.08, 0.12), Interval(0.5, 0.47, 0.53)
ERROR = Interval(0.08, 0.05, 0.12)
CLEAR = CrossLimit(0.2, 0.01, np.full(3, 0.2), np.full(3, 0.01), 0.5)
WORDS = ["out of reach", "unlikely", "unclear", "likely", "reachable"]


def grounds(flags=(), bayes_error=ERROR, doubt=0.0):
    return Grounds("accuracy", "kernel", HELD_OUT, BASELINE, bayes_error, doubt, 1000, flags)


def test_five_answers():
    assert judge(0.88, grounds()).answer == "reachable"
    assert judge(0.9, grounds()).answer == "likely"
    assert judge(0.92, grounds()).answer == "unclear"
    assert judge(0.935, grounds()).answer == "unlikely"
    assert judge(0.96, grounds()).answer == "out of reach"


def test_what_it_rests_on():
    found = judge(0.88, grounds())
    assert (found.classifier, found.reached_high, found.bayes_error_low) == ("kernel", 0.12, 0.05)
    assert found.reason == (
        "The held-out error with a kernel ridge classifier is 10%, the best possible one at most "
        "12%; the target allows 12%."
    )
    forbidden = judge(0.96, grounds())
    assert forbidden.reason.startswith("The best possible error is between 5% and 12%")


def test_the_baseline_has_its_own_sentence():
    found = judge(0.45, grounds())
    assert (found.answer, found.classifier, found.reached_high) == ("reachable", "baseline", 0.53)
    assert found.chance == 1
    assert found.reason == (
        "Always answering the largest class is enough: its error is at most 53%; the target "
        "allows 55%."
    )


@pytest.mark.parametrize("low", [0.0, 0.05])
@pytest.mark.parametrize("flags", [(), (Flag("a", "", "", True, True),)])
@pytest.mark.parametrize("doubt", [0.0, 0.3, 1.0])
def test_higher_targets_have_smaller_chances(low, flags, doubt):
    found = [
        judge(target, grounds(flags, Interval(0.08, low, 0.12), doubt))
        for target in np.linspace(0, 1, 101)
    ]
    chances = [each.chance for each in found]
    assert (np.diff(chances) <= 0).all()
    assert (np.diff([WORDS.index(each.answer) for each in found]) <= 0).all()


@pytest.mark.parametrize("doubt", [0.0, 0.3, 1.0])
def test_words_and_chances_agree(doubt):
    for target in np.linspace(0.85, 1, 61):
        found = judge(target, grounds(doubt=doubt))
        least, most = {
            "reachable": (0.95, 1), "likely": (0.75, 1), "unclear": (0.25, 0.75),
            "unlikely": (0.03, 0.25), "out of reach": (0, 0.03),
        }[found.answer]  # fmt: skip
        assert least <= round(found.chance, 2) <= most


def test_the_word_fits_the_percentage_beside_it():
    for chance, word in [
        (0.746, "likely"),
        (0.744, "unclear"),
        (0.254, "unlikely"),
        (0.03, "out of reach"),
    ]:
        assert _word(chance) == word


def test_the_chance_of_the_value_and_of_the_ends():
    def chance(*known):
        return chance_below(*known, ChanceShape())

    error = (0.08, 0.05, 0.12)
    assert chance(0.08, error, 0.0, 10**9) == pytest.approx(0.5)
    assert chance(0.05, error, 0.0, 10**9) == pytest.approx(0.0082, abs=1e-3)
    assert chance(0.12, error, 0.0, 10**9) == pytest.approx(0.9452, abs=1e-3)
    # With few samples, with doubt, or without a floor nothing is certain.
    assert chance(0.0, error, 0.0, 50) > 0.03
    assert chance(0.05, error, 0.2, 1000) > 0.03
    assert chance(0.05, error, 0.2, 1000) > chance(0.05, error, 0.2, 10**6)
    assert chance(0.0, (0.08, 0.0, 0.12), 0.5, 10**9) > 0.03
    # Without signal any error is as likely as another, and so is that there is nothing to learn.
    assert chance(0.03, (0.08, 0.0, 0.12), 1.0, 10**9) == pytest.approx(0.37)
    assert chance(0.11, (0.08, 0.0, 0.12), 1.0, 10**9) == 0.5


def test_what_was_hardly_learnt_leaves_doubt():
    assert doubt(0.0, CLEAR, 1.0) == 1
    weights = [doubt(gain, CLEAR, 1.0) for gain in (0.1, 0.3, 0.5, 0.9)]
    assert (np.diff(weights) < 0).all()
    assert weights[0] > 0.5
    assert weights[2] < 0.01
    assert doubt(0.5, CLEAR._replace(error=0.5), 1.0) > weights[2]
    # A limit that no flexible classifier confirms puts nothing out of reach.
    error = Interval(0.3, 0.25, 0.35)
    chances = [
        chance_below(0.2, error, doubt(0.6, CLEAR, known), 2000, ChanceShape())
        for known in (0.0, 1.0)
    ]
    assert chances[0] > 0.03 > chances[1]


def test_a_rare_class_may_be_learnt_though_the_largest_class_alone_errs_as_little():
    rare = Interval(0.05, 0.03, 0.07)
    report = SimpleNamespace(
        held_out=SimpleNamespace(best=rare, gain=0.0, known=1.0, classifier="baseline"),
        baseline=rare,
        bayes_error=Interval(0.05, 0.0, 0.07), cross_limit=CLEAR, classes=(0, 1), n_samples=400,
        recall=SimpleNamespace(balanced_error=Interval(0.2, 0.1, 0.3)), flags=(),
    )  # fmt: skip
    assert grounds_of(report, "accuracy").doubt == 1
    balanced = grounds_of(report, "balanced_accuracy")
    assert balanced.bayes_error == pytest.approx((0.2, 0.0, 0.3))
    assert balanced.doubt == doubt(0.6, CLEAR, 1.0) < 0.01
    assert judge(0.71, balanced).chance > 0.9
    # No error at all is rarer than no balanced error.
    assert judge(1.0, balanced).chance == pytest.approx(0.2065, abs=0.001)


@pytest.mark.parametrize("kind", ["product", "stripes", "parity"])
def test_detail_that_no_classifier_sees_is_not_out_of_reach(kind):
    random = np.random.default_rng(5)
    X = random.normal(size=(400, 10))
    hidden = {
        "product": X[:, 0] * X[:, 1] * X[:, 2],
        "stripes": np.sin(20 * X[:, :5].sum(axis=1)),
        "parity": np.sign(X[:, :6]).prod(axis=1),
    }[kind]
    # No label is uncertain, and a line tells half of the rest.
    y = (hidden + 0.8 * np.sign(X[:, 9]) * (random.random(400) < 0.8) > 0).astype(int)
    for target in (0.9, 0.95, 0.99):
        assert difficulty_report(X, y).judge(target).answer != "out of reach"


def test_doubts_about_the_low_end():
    doubt = Flag("dimension", "", "", against_bounds=True)
    doubted = judge(0.96, grounds((doubt,)))
    assert doubted.answer == "unclear"
    assert doubted.objections == ("dimension",)
    assert "in doubt" in doubted.reason
    assert judge(0.88, grounds((doubt,))).answer == "reachable"
    harmless = Flag("ties", "", "", against_bounds=False)
    assert judge(0.96, grounds((harmless,))).answer == "out of reach"


def test_doubts_about_held_out_errors():
    copies = Flag("near_copies", "", "", against_bounds=False, against_reached=True)
    doubted = judge(0.88, grounds((copies,)))
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
    report = difficulty_report(random.normal(size=(1000, 3)), y, target_accuracy=0.97)
    assert report.verdict.answer == "reachable"  # by always answering the large class
    balanced = report.judge(0.97, "balanced_accuracy")
    assert balanced.answer not in ("reachable", "likely")
    assert report.chance(0.97, "balanced_accuracy") == balanced.chance
    assert "balanced error" in balanced.reason
    assert report.judge(0.5, "balanced_accuracy").classifier == "baseline"

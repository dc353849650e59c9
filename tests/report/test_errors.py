"""The errors of a report: of chosen classifiers, of the best possible one, of noise."""

import numpy as np
import pytest
from problems import two_gaussians

from smartsvm import difficulty_report
from smartsvm.held_out import linear
from smartsvm.held_out.registry import CLASSIFIERS
from smartsvm.report.output.sentences import shown_errors


def codes_of(report):
    return {flag.code for flag in report.flags}


def test_classifiers_can_be_chosen():
    X, y = two_gaussians(200, 4, 2.0)
    report = difficulty_report(X, y, classifiers=["linear"])
    assert [each.classifier for each in report.errors.held_out.classifiers] == [
        "neighbors",
        "linear",
        "combined",
    ]
    alone = difficulty_report(X, y, classifiers=[])
    assert [each.classifier for each in alone.errors.held_out.classifiers] == [
        "neighbors",
        "combined",
    ]
    everything = [each.classifier for each in difficulty_report(X, y).errors.held_out.classifiers]
    assert {"neighbors", "linear", "gaussians", "kernel", "forest"} <= {*everything}
    assert everything == [name for name in (*CLASSIFIERS, "combined") if name in everything]


def test_too_many_columns_and_samples_for_lda(monkeypatch):
    monkeypatch.setattr(linear, "MOST_DIMENSIONS", 3)
    report = difficulty_report(*two_gaussians(200, 4, 2.0), target_accuracy=0.6)
    assert report.errors.held_out.of("linear") is None
    assert "LDA" not in str(report) + report.to_html()
    report.plot()


def test_the_page_and_the_choice_do_not_contradict_each_other():
    random = np.random.default_rng(16)
    X, y = random.normal(size=(300, 5)), random.integers(0, 2, 300)
    report = difficulty_report(X, y)
    row = report.errors.held_out.of(report.errors.held_out.classifier)
    assert row.error.value < report.errors.held_out.best.value  # the smallest of five, by chance
    words = " ".join(str(report).split())
    assert "is too low by chance: that of" in words
    assert shown_errors(report)[0].error == report.errors.held_out.best  # one number on a page
    # No classifier has learnt anything, whichever errs least.
    assert "What the classifiers use" not in " ".join(str(report).split())
    X, y = two_gaussians(400, 2, 9.0)
    assert "too low by chance" not in str(difficulty_report(X, y, classifiers=["linear"]))


def test_two_spheres_are_not_called_hopeless():
    missed = 0
    for seed in range(6):
        random = np.random.default_rng(seed)
        y = random.integers(0, 2, 2000)
        X = random.normal(size=(2000, 50)) * np.where(y, 1.25, 1.0)[:, None]  # Bayes error .133
        report = difficulty_report(X, y, target_accuracy=0.8)
        assert report.trees.lower.low > 2 * 0.133  # what the trees show
        assert report.bayes_error.high < 0.2
        assert report.verdict.answer == "reachable"
        assert report.errors.held_out.classifier in ("gaussians", "kernel", "combined")
        missed += not report.bayes_error.low < 0.133 < report.bayes_error.high
    assert missed <= 1  # of six intervals of 95%, two miss once in thirty


def test_one_column_among_many_is_found():
    X, y = two_gaussians(400, 500, 4.0)  # Bayes error .0228
    report = difficulty_report(X, y, target_accuracy=0.93)
    assert report.bayes_error.low < 0.0228 < report.bayes_error.high
    assert report.verdict.answer != "out of reach"


def test_separable_classes_are_within_reach_however_few():
    y = np.arange(150) % 3
    X = np.random.default_rng(0).normal(size=(150, 2)) + 100 * y[:, None]
    report = difficulty_report(X, y, target_accuracy=0.97)
    assert report.verdict.answer == "reachable"
    assert report.bayes_error.value == report.bayes_error.low == 0 < report.bayes_error.high < 0.03


def test_one_in_twenty_has_an_interval_with_a_width():
    random = np.random.default_rng(0)
    y = (random.random(400) < 0.05).astype(int)
    report = difficulty_report(random.normal(size=(400, 3)), y, target_accuracy=0.9)
    assert report.bayes_error.low < y.mean() < report.bayes_error.high
    assert report.bayes_error.high - report.bayes_error.low > 0.02
    assert report.verdict.answer == "reachable"
    assert report.verdict.reason.startswith("Always answering the largest class is enough")
    assert report.verdict.classifier == "baseline"


def test_nothing_but_chance_is_said_to_be_just_that():
    flagged = 0
    for seed in range(4):
        random = np.random.default_rng(seed)
        report = difficulty_report(
            random.normal(size=(500, 3)), np.arange(500) % 2, target_accuracy=0.7
        )
        # The warning never contradicts the signal test.
        flat = report.trees.cross_limit.refused and not report.data.signal.significant
        assert ("flat_at_chance" in codes_of(report)) == flat
        flagged += flat
        assert report.bayes_error.low < 0.3
        assert report.bayes_error.high == pytest.approx(0.5, abs=0.05)
        assert report.verdict.answer in ("unclear", "unlikely")
    assert flagged >= 2


@pytest.mark.parametrize("n", [100, 600])
def test_balanced_noise_reaches_the_baseline_and_no_more(n):
    covered, answers = [], []
    for seed in range(8):
        random = np.random.default_rng(seed)
        X, y = random.normal(size=(n, 4)), random.integers(0, 2, n)
        report = difficulty_report(X, y)
        covered.append(report.bayes_error.low <= 0.5 <= report.bayes_error.high)
        answers.append(report.judge(0.5 + 2 / np.sqrt(n)).answer)
        assert report.judge(0.45 - 1 / np.sqrt(n)).answer == "reachable"
    assert np.count_nonzero(covered) >= 7
    assert answers.count("reachable") == 0

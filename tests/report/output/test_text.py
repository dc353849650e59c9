"""The report as text."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from problems import two_gaussians
from sklearn.datasets import load_iris

from smartsvm import Interval, difficulty_report
from smartsvm.held_out.registry import words_of
from smartsvm.presentation.wording import percent
from smartsvm.report.dependence import Dependence
from smartsvm.report.flags import Flag
from smartsvm.report.output.next_steps import next_steps
from smartsvm.report.output.rows import pair_rows
from smartsvm.report.output.sentences import (
    columns_sentence,
    headline,
    more_rows_sentence,
    recall_sentence,
    signal_sentence,
)
from smartsvm.report.signal_columns import SignalColumns

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]


def with_errors(report, **changes):
    return replace(report, errors=replace(report.errors, **changes))


def with_columns(report, found):
    return replace(report, data=replace(report.data, signal_columns=found))


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0, "0%"),
        (0.00001, "0%"),
        (0.0001, "0.01%"),
        (0.0054, "0.54%"),
        (0.00999, "1%"),
        (0.03, "3%"),
        (0.1234, "12.3%"),
        (0.2, "20%"),
        (0.995, "99.5%"),
        (0.9999, "99.99%"),
        (1, "100%"),
    ],
)
def test_percentages(share, said):
    assert percent(share) == said


def test_page_answers_in_words(report):
    page = str(report)
    assert max(map(len, page.splitlines())) <= 78
    for part in (
        "150 samples, 4 columns (not scaled), 3 classes",
        "best possible classifier",
        "Target accuracy 90%: reachable (chance: ",
        "versicolor and virginica",
        "Can this be trusted?",
        "With 95% confidence",
        percent(report.trees.lower.value),
        percent(report.bayes_error.high),
        *(percent(each.error.high) for each in report.errors.held_out.classifiers),
        "linear classifier (LDA)",
        "at this sample size",
    ):
        assert part in page
    flat = " ".join(page.split())
    for flag in report.flags:
        assert flag.message in flat


@pytest.mark.usefixtures("no_drawings")
def test_page_survives_long_and_odd_labels():
    odd = np.array(["x" * 200, "<b>&", "ünïcode"], dtype=object)[Y]
    report = difficulty_report(X, odd)
    assert max(map(len, str(report).splitlines())) <= 78
    assert "<b>&" not in report.to_html()
    assert "&lt;b&gt;&amp;" in report.to_html()
    assert json.loads(report.to_json())["classes"]["names"][0] == "<b>&"


def test_the_headline_is_an_interval(report):
    best = report.errors.held_out._replace(best=Interval(0.022, 0.01, 0.05))
    report = with_errors(report, held_out=best)
    reached = f"2.2% is already reached by {words_of(best.classifier)}"
    for error, words in [
        ((0.02, 0.015, 0.025), f"errs about 2% of the time (1.5% to 2.5%); {reached}."),
        ((0.021, 0.006, 0.03), f"errs between 0.6% and 3% of the time; {reached}."),
        ((0.7, 0.6, 0.75), f"errs between 60% and 75% of the time; {reached}."),
        ((0.0, 0.0, 0.028), f"errs between 0% and 2.8% of the time; {reached}."),
        ((0.0, 0.0, 0.009), "hardly ever errs: at most 0.9% of the time."),
    ]:
        assert headline(replace(report, bayes_error=Interval(*error))).endswith(words)
    lost = with_errors(report, held_out=best._replace(gain=0.0))
    lost = replace(lost, bayes_error=Interval(0.66, 0.65, 0.67))
    assert "errs between 65% and 67%" in headline(lost)  # no number where nothing was learnt
    assert "no classifier clearly beats the baseline of 66.7%" in headline(lost)


def test_an_error_above_the_best_possible_is_not_reached(report):
    best = report.errors.held_out._replace(
        best=Interval(0.112, 0.101, 0.124), classifier="neighbors"
    )
    shown = replace(with_errors(report, held_out=best), bayes_error=Interval(0.08, 0.0, 0.106))
    assert headline(shown).endswith(
        "errs between 0% and 10.6% of the time; no classifier reaches that yet: the smallest "
        "held-out error is 11.2%, with k nearest neighbours."
    )
    equal = replace(shown, bayes_error=Interval(0.08, 0.0, 0.11199))  # 11.2% in words, too
    assert "11.2% is already reached" in headline(equal)


def test_a_rare_class_that_nothing_foresees_is_no_success(report):
    nothing = report.errors.held_out._replace(gain=0.0)
    rare = Interval(0.008, 0.007, 0.009)
    shown = with_errors(report, baseline=rare, held_out=nothing)
    shown = replace(shown, bayes_error=rare)
    assert headline(shown).endswith("but so does the baseline: 0.8%.")


def test_more_rows_are_a_sentence(report):
    now, twice, many = report.errors.learning_curve.errors
    sentence = more_rows_sentence(report)
    assert sentence.startswith("With twice the rows,")
    for error in (now.value, *twice, *many):
        assert percent(error) in sentence
    assert more_rows_sentence(with_errors(report, learning_curve=None)) is None
    held_out = report.errors.held_out._replace(best=Interval(0.0, 0.0, 0.02))
    assert more_rows_sentence(with_errors(report, held_out=held_out)) is None


def test_columns_have_names_if_they_are_known():
    frame = pytest.importorskip("pandas").DataFrame(X, columns=list("abcd")).assign(e=1.0)
    assert "Left out e (constant); to change this: keep=[NAME]." in str(
        difficulty_report(frame, NAMES)
    )
    assert "(number 4)" in str(difficulty_report(frame.to_numpy(), NAMES))
    named = difficulty_report(frame.to_numpy(), NAMES, feature_names=["v", "w", "x", "y", "z"])
    assert "(z)" in str(named)
    with pytest.raises(ValueError, match="feature_names must have one name for each of the 5"):
        difficulty_report(frame.to_numpy(), NAMES, feature_names=["only one"])
    with pytest.raises(ValueError, match="feature_names must be None for a table"):
        difficulty_report(frame, NAMES, feature_names=list("vwxyz"))


SHARED = "Yes: neighbours share a class more often than chance allows"


@pytest.mark.parametrize(
    ("p_value", "p_permutation", "p_combined", "sentence"),
    [
        (1e-30, 0.0089, None, f"{SHARED} (p < 0.01)."),
        (1e-30, 0.0089, 0.02, f"{SHARED} (p = 0.02)."),
        (0.03, None, None, f"{SHARED} (p = 0.03)."),
        (0.4, 0.41, 0.03, "Yes: the classes differ in where they lie or in how far they spread"),
        (0.4, 0.41, None, "Yes, but not between neighbours, which share a class no more often"),
        (0.04, 0.04, 0.3, "Yes, but not between neighbours, which share a class no more often"),
    ],
)
def test_the_signal_in_a_sentence(p_value, p_permutation, p_combined, sentence, report):
    test = replace(
        report.data.signal, p_value=p_value, p_permutation=p_permutation, p_combined=p_combined
    )
    report = replace(report, data=replace(report.data, signal=test))
    assert signal_sentence(report).startswith(sentence)
    if not test.significant:
        by_neighbors = report.errors.held_out._replace(classifier="neighbors")
        unsure = signal_sentence(with_errors(report, held_out=by_neighbors))
        assert unsure.startswith("Perhaps: k nearest neighbours clearly beats the baseline, but")
        nothing = with_errors(report, held_out=report.errors.held_out._replace(gain=0.0))
        assert signal_sentence(nothing).startswith("No sign of any: neighbours share a class no")


def test_numbers_have_commas_and_signs_no_space():
    X, y = two_gaussians(1500, 3, 1.0)
    page = str(difficulty_report(X, y, subsample=1200, target_accuracy=0.9))
    assert "1,200 samples, 3 columns (not scaled), 2 classes" in page
    assert "Only 1,200 of 1,500 samples" in page
    assert " %" not in page
    assert not re.search(r"\b1[25]00\b", page)


def test_columns_are_named_only_where_they_help(report):
    found = SignalColumns((2,), 0.045, 0.04, 0.003, 150, enough=True)
    sentence = columns_sentence(with_columns(report, found))
    assert sentence.startswith("Column 2 carries nearly all of the signal: with nothing else the")
    best = with_columns(report, found._replace(error=0.02))
    sentence = columns_sentence(best)
    assert sentence.startswith("Column 2 alone does better than all columns: with nothing else the")
    assert any(
        step.startswith("Try a model on column 2 alone: the other") for step in next_steps(best)
    )
    assert not any(step.startswith("Try") for step in next_steps(with_columns(report, found)))
    disguised = replace(best, flags=(Flag("label_columns", "the label", "column 2"),))
    assert not any(step.startswith("Try") for step in next_steps(disguised))
    one = found._replace(enough=False)
    unsure = columns_sentence(with_columns(report, one))
    assert unsure.startswith(
        "The signal is spread over the columns: with the best column alone (2)"
    )
    two = columns_sentence(with_columns(report, one._replace(columns=(2, 0))))
    assert "with the best 2 (2 and 0) quick classifiers" in two
    # A column that alone is no better than the baseline is not worth its name.
    spread = one._replace(error=report.errors.baseline.value - 0.001)
    said = columns_sentence(with_columns(report, spread))
    assert said == (
        "The signal is spread over the columns: on 150 samples, quick classifiers beat the "
        "baseline with all columns, not with the best few."
    )
    every = found._replace(columns=tuple(range(report.data.n_features)))
    sentence = columns_sentence(with_columns(report, every))
    assert sentence == f"All {report.data.n_features} columns carry some of the signal."
    baseline = report.errors.baseline.value
    useless = found._replace(error=baseline, full_error=baseline)
    assert columns_sentence(with_columns(report, useless)) is None


@pytest.mark.usefixtures("no_drawings")
def test_pairs_are_not_compared_if_all_get_one_label(report):
    answers = np.zeros_like(report.classes.confusion)
    answers[:, 1] = report.classes.counts
    shown = replace(report, classes=replace(report.classes, confusion=answers))
    for page in (str(shown), shown.to_html()):
        words = " ".join(page.split())
        assert "take every sample for versicolor" in words
        assert "setosa and virginica" not in words
    assert "take every sample" not in str(report)


def test_classes_that_are_all_small_are_not_listed():
    random, y = np.random.default_rng(0), np.arange(75) % 3
    page = str(difficulty_report(random.normal(size=(75, 2)) + 9 * np.eye(3, 2)[y], y))
    assert "Every class has fewer than 30 samples" in " ".join(page.split())


def test_pairs_are_in_the_order_of_their_numbers():
    random = np.random.default_rng(2)
    y = np.repeat([0, 1, 2], [400, 300, 20])
    X = random.normal(size=(720, 2)) + np.array([[0, 0], [2, 0], [0, 1]])[y]
    rows = pair_rows(difficulty_report(X, y))
    assert [row["confused"] for row in rows] == sorted((r["confused"] for r in rows), reverse=True)
    assert max(row["high"] for row in rows) <= 0.5


def test_errors_of_nothing_learnt_end_at_chance():
    random = np.random.default_rng(3)
    report = difficulty_report(random.normal(size=(80, 4)), np.arange(80) % 4)
    assert report.bayes_error.high <= 0.75
    assert report.merge_advice().groups == ()
    assert "merge" not in str(report)


def test_uneven_classes_need_another_target(report):
    hint = "set a target of balanced accuracy"
    assert hint not in str(report)
    assert hint in recall_sentence(with_errors(report, baseline=Interval(0.02, 0.01, 0.03)))


def test_long_names_of_classes_stay_apart():
    names = np.array([f"class number {i} of the long catalogue" for i in range(40)])
    y = np.arange(400) % 40
    page = str(
        difficulty_report(y[:, None] + np.random.default_rng(0).normal(size=(400, 2)), names[y])
    )
    pairs = page[page.index("Hardest pairs") : page.index("Recall of")].splitlines()
    pairs = [line.strip().split("  ")[0].split(" and ") for line in pairs if " and " in line]
    assert len(pairs) == 5
    assert all(first != second for first, second in pairs)
    recalls = page[page.index("Balanced error") : page.index("Possible label")].splitlines()
    named = [line.strip().split("  ")[0] for line in recalls if "..." in line and " to " in line]
    assert len({*named}) == len(named) == 5
    assert "These 5 of 40 classes have the lowest recall." in page


def test_names_with_commas_are_in_quotes():
    X, y = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % 3
    names = np.array(["Theft", "Theft, Loss", "Loss and Hacking"])
    page = " ".join(str(difficulty_report(X + y[:, None], names[y])).split())
    assert '"Loss and Hacking" and Theft' in page
    assert 'Theft and "Theft, Loss"' in page


def test_a_label_that_ends_with_a_stop_ends_the_sentence():
    random, y = np.random.default_rng(0), np.arange(600) % 2
    X = 6.0 * y[:, None] + random.normal(size=(600, 2))
    given = np.where(np.arange(600) < 12, 1 - y, y)
    page = str(difficulty_report(X, np.array(["5 a.m.", "5 p.m."])[given]))
    steps = " ".join(page[page.index("What to do next") : page.index("Errors")].split())
    assert ".m. If labels" in steps
    assert ".." not in steps


def test_no_columns_carry_a_signal_that_no_classifier_finds(report):
    found = SignalColumns((2,), 0.045, 0.04, 0.003, 150, enough=True)
    without = report.errors.held_out._replace(gain=0.0)
    nothing = with_errors(with_columns(report, found), held_out=without)
    assert columns_sentence(nothing) is None


def test_an_id_whose_rows_are_alike_carries_no_signal(report):
    found = SignalColumns(("child",), 0.045, 0.04, 0.003, 150, enough=True)
    alike = Dependence("child", 50, 3.0, 0.04, 0.3, 150)
    for dependence, is_named in ((None, True), (alike, False), (alike._replace(unit="x"), True)):
        of_data = with_columns(report, found)
        of_data = replace(of_data, data=replace(of_data.data, dependence=dependence))
        assert (columns_sentence(of_data) is not None) == is_named


def test_no_model_is_advised_where_the_largest_class_is_as_good():
    random = np.random.default_rng(0)
    X = np.r_[random.normal(size=(380, 2)), random.normal(size=(20, 2)) + 1.5]
    report = difficulty_report(X, np.arange(400) >= 380, target_accuracy=0.9)
    assert report.errors.held_out.classifier == "baseline"
    assert report.verdict.answer in ("reachable", "likely")
    assert "Train a model" not in str(report)
    assert "Set a target of balanced accuracy: no classifier clearly beats" in str(report)

"""Labels that may be wrong, and what the report calls the samples that have them."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from problems import two_gaussians
from sklearn.datasets import load_digits
from sklearn.metrics import roc_auc_score

from smartsvm import difficulty_report, sample_difficulty
from smartsvm.estimation.results import Interval
from smartsvm.presentation.wording import percent
from smartsvm.report.output.next_steps import next_steps


@pytest.fixture(scope="module")
def flipped():
    """Points, labels of which every twentieth is wrong, and which are."""
    X, y = load_digits(return_X_y=True)
    X, y = X[:900], y[:900].copy()
    wrong = np.zeros(900, dtype=bool)
    wrong[::20] = True
    y[wrong] = (y[wrong] + 3) % 10
    return X, y, wrong


@pytest.fixture(scope="module")
def report(flipped):
    return difficulty_report(*flipped[:2])


def test_about_as_many_are_listed_as_labels_are_wrong(flipped, report):
    _, y, wrong = flipped
    assert 0.7 * wrong.sum() < len(report.suspects) < 1.3 * wrong.sum()
    assert wrong[report.suspects].mean() > 0.75
    # No classifier foresees those: the page must not say that the best one hardly ever errs.
    assert report.bayes_error.value >= wrong.mean()
    assert (report.labels.suggested[report.suspects] != y[report.suspects]).all()
    words = " ".join(str(report).split())
    value, low, high = (round(900 * each) for each in report.labels.error_rate)
    assert f"About {value} of 900 labels ({low} to {high}) may be wrong" in words
    n_wrong = round(report.labels.error_chance[report.suspects].sum())
    number = len(report.suspects)
    assert f"{number} labels are listed; about {n_wrong} of them should be wrong." in words
    assert f"Check {report.labels.n_likely} labels, such as row" in words
    # The most probable first, as the page shows them.
    assert (np.diff(report.labels.error_chance[report.suspects]) <= 0).all()
    first = report.suspects[0]  # the number beside a suspect is the probability of the error
    assert "with the probability that the label is wrong: " in words
    chance = percent(report.labels.error_chance[first])
    row = f"row {first} {y[first]} {report.labels.suggested[first]} "
    assert any(" ".join(line.split()).startswith(row) for line in str(report).split("\n"))
    assert chance in words
    assert (report.labels.margin[report.suspects] < 0).all()
    assert report.labels.error_chance[report.suspects].mean() > 0.7
    assert np.array_equal(report.labels.ranking[: len(report.suspects)], report.suspects)
    assert report.labels.error_rate.low < 0.05 < report.labels.error_rate.high
    assert report.to_frame("samples")["margin"].tolist() == report.labels.margin.tolist()
    assert report.labels.posterior[wrong].mean() < 0.2 < report.labels.posterior[~wrong].mean()


@pytest.mark.usefixtures("no_drawings")
@pytest.mark.parametrize("seed", range(3))
def test_nobody_is_accused_without_signal(seed):
    random = np.random.default_rng(seed)
    report = difficulty_report(random.normal(size=(300, 4)), random.permutation(300) % 3)
    assert not report.data.signal.significant
    assert len(report.suspects) == 0
    for page in (str(report), report.to_html()):
        assert "wrong labels cannot be told from right ones" in " ".join(page.split())


@pytest.mark.parametrize("seed", [0, 4])
def test_an_unexplained_rare_class_is_not_called_mislabelled(seed):
    random, y = np.random.default_rng(seed), np.repeat([0, 1, 2], [56, 40, 9])
    X = random.normal(size=(105, 3))
    X[y == 1, 0] += 6
    X[y == 2, 0] += 6 * (random.random(9) < 0.4)  # anywhere among the others
    report = difficulty_report(X, y)
    assert report.data.signal.significant
    assert not (y[report.suspects] == 2).any()
    assert report.labels.error_chance[y == 2].max() < 0.5


@pytest.mark.usefixtures("no_drawings")
@pytest.mark.parametrize("seed", [3, 6])
def test_no_label_is_suspect_if_nothing_beats_the_baseline(seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(600, 3))
    y = (random.random(600) < np.where(X[:, 0] > 1.2, 0.45, 0.1)).astype(int)
    report = difficulty_report(X, y)
    assert report.data.signal.significant
    assert report.errors.held_out.best.high > report.errors.baseline.value
    assert len(report.suspects) == 0
    for page in (str(report), report.to_html()):
        assert "no classifier clearly beats the" in " ".join(page.split())


@pytest.mark.usefixtures("no_drawings")
def test_the_upper_limit_is_that_without_overlap():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 500)
    report = difficulty_report(random.normal(size=(500, 2)) + 1.5 * y[:, None], y)
    assert not len(report.suspects)
    n_contradicted = np.count_nonzero(report.labels.margin < 0)
    for page in (str(report), report.to_html()):
        words = " ".join(page.split())
        assert "mistakes look like overlap of the classes" in words.replace("&#x27;", "'")
        assert f"up to {n_contradicted} labels of 500 are wrong" in words
    rate = json.loads(report.to_json())["labels"]["error_rate"]
    assert (rate["low"], rate["high"]) == (0, n_contradicted / 500)


def test_facts_of_record_are_overlap(flipped):
    X, y, _ = flipped
    report = difficulty_report(X, y, overlap="all")
    assert len(report.suspects) == 0
    assert report.labels.error_rate == (0, 0, 0)
    assert "None is counted: all disagreement is overlap, as given." in " ".join(
        str(report).split()
    )
    assert "Check" not in str(report)


def test_what_is_known_of_the_overlap_is_used(flipped):
    X, y, wrong = flipped
    reports = [difficulty_report(X, y, overlap=each) for each in ("rare", 0.02)]
    for report, words in zip(reports, ("classes hardly overlap", "experts disagree"), strict=True):
        assert words in " ".join(str(report).split())
        assert wrong[report.suspects].mean() > 0.75
        assert report.labels.error_rate.low <= wrong.mean() <= report.labels.error_rate.high
    with pytest.raises(ValueError, match="overlap must be 'unknown', 'rare', 'all', a rate"):
        difficulty_report(X, y, overlap="none")


def test_a_long_list_asks_whether_the_classes_overlap(report):
    for number, asks in ((10, False), (30, True)):
        listed = replace(report, labels=replace(report.labels, n_suspects=number))
        assert ("So many may just as well be overlap" in " ".join(str(listed).split())) == asks


def test_labels_that_are_probably_right_are_no_advice(report):
    chance = np.full(900, 0.3)
    labels = replace(report.labels, error_chance=chance, n_suspects=3, n_likely=0)
    words = " ".join(str(replace(report, labels=labels)).split())
    assert "Check" not in words
    assert not any("label" in step for step in next_steps(replace(report, labels=labels)))
    assert "3 labels are listed; about 1 of them should be wrong." in words


def test_wrong_labels_stay_within_the_best_possible_error(report):
    assert len(report.suspects) <= 900 * report.bayes_error.high
    assert report.bayes_error.low <= report.bayes_error.value <= report.bayes_error.high


def test_no_suspect_stands_out_among_separate_classes():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(200, 2)), np.arange(200) % 2
    report = difficulty_report(X + 20 * y[:, None], y)
    assert not len(report.suspects)
    assert "None: the classifiers agree with every label." in str(report)


@pytest.mark.usefixtures("no_drawings")
@pytest.mark.parametrize("subsample", [None, 400])
def test_rows_are_called_as_in_the_data_frame(flipped, subsample):
    X, y, _ = flipped
    index = [f"case-{i}" for i in range(len(X))]
    report = difficulty_report(pd.DataFrame(X, index=index), y, subsample=subsample)
    assert report.data.row_names.tolist() == [index[row] for row in report.data.rows]
    first = report.suspects[0]
    assert f"\n  {index[report.data.rows[first]]} " in str(report)
    assert f">{index[report.data.rows[first]]}</td>" in report.to_html()
    found = json.loads(report.to_json())["suspects"][0]
    assert (found["row"], found["name"]) == (
        report.data.rows[first],
        index[report.data.rows[first]],
    )
    assert report.to_frame("samples")["name"].tolist() == report.data.row_names.tolist()


def test_rows_of_arrays_have_numbers_and_names_may_be_passed(flipped, report):
    X, y, _ = flipped
    assert np.array_equal(report.data.row_names, np.arange(900))
    assert f"\n  row {report.suspects[0]} " in str(report)
    numbered = difficulty_report(X, y, row_names=np.arange(900) + 5000)
    assert f"\n  row {5000 + report.suspects[0]} " in str(numbered)
    with pytest.raises(ValueError, match="row_names must have one name for each of the 900 rows"):
        difficulty_report(X, y, row_names=["a", "b"])


@pytest.mark.parametrize(
    ("index", "name"),
    [
        (pd.date_range("2026-01-01", periods=900, freq="D"), "2026-01-01"),
        (pd.MultiIndex.from_product([range(30), list("abcdefghijklmnopqrstuvwxyz1234")]), "(0, "),
    ],
    ids=["times", "levels"],
)
def test_any_index_can_be_said(flipped, index, name):
    X, y, wrong = flipped
    y = np.where(wrong & (np.arange(900) > 0), (y + 7) % 10, y)  # only row 0 is wrong
    report = difficulty_report(pd.DataFrame(X, index=index), y)
    assert report.labels.ranking[0] == 0
    assert f"  {name}" in str(report)
    report.to_json()


def test_disagreement_is_the_share_of_foreign_neighbours():
    X, y = two_gaussians(40, 2, 2.0)
    report = difficulty_report(X, y, scale="none", classifiers=())
    k = report.errors.by_n_neighbors[-1][0]
    nearest = ((X[:, None] - X) ** 2).sum(axis=2).argsort(axis=1)[:, 1 : k + 1]
    np.testing.assert_allclose(report.labels.disagreement, (y[nearest] != y[:, None]).mean(axis=1))


def test_flipped_labels_are_ranked_first():
    X, y = load_digits(return_X_y=True)
    random = np.random.default_rng(0)
    flipped = np.zeros(len(y), dtype=bool)
    flipped[random.choice(len(y), len(y) // 20, replace=False)] = True
    y = np.where(flipped, (y + random.integers(1, 10, len(y))) % 10, y)
    assert roc_auc_score(flipped, sample_difficulty(X, y)) >= 0.98
    report = difficulty_report(X, y)
    assert roc_auc_score(flipped, report.trees.sample_difficulty) >= 0.98
    assert flipped[report.suspects[:50]].mean() > 0.9
    assert flipped[report.suspects].sum() > 0.9 * flipped.sum()


def test_labels_that_do_not_stand_out_are_not_listed(report):
    rate = Interval(0.02, 0.0, 0.1)
    report = replace(report, labels=replace(report.labels, error_rate=rate, n_suspects=0))
    words = " ".join(str(report).split())
    assert "About 18 of 900 labels (0 to 90) may be wrong, but none stands out" in words
    assert "Check" not in words
    report = replace(report, labels=replace(report.labels, n_suspects=1, n_likely=1))
    words = " ".join(str(report).split())
    assert "About 18 of 900 labels (0 to 90) may be wrong" in words
    assert "1 label is listed; about 1 of them should be wrong." in words
    assert words.count(": labelled ") == 1  # the first thing to do


def test_page_and_list_agree_on_beating_the_baseline(report):
    """The interval of the smallest error may reach the baseline though a classifier beats it."""
    held_out = report.errors.held_out
    wide = held_out._replace(best=held_out.best._replace(high=0.99))
    report = replace(report, errors=replace(report.errors, held_out=wide))
    words = " ".join(str(report).split())
    assert held_out.gain > 0
    assert "Check " in words
    assert "no classifier clearly beats the baseline" not in words


@pytest.mark.usefixtures("no_drawings")
def test_suspects_are_rows_with_the_columns_that_speak_against_the_label():
    random = np.random.default_rng(0)
    table = pd.DataFrame({"size": random.normal(size=300), "noise": random.normal(size=300)})
    table["color"] = random.choice(["red", "blue"], 300)
    big = np.arange(300) % 2 == 1
    table.loc[big, "size"] += 8
    table.loc[big, "color"] = "blue"
    table["kind"] = np.where(big, "big", "small")
    table.loc[[7, 77, 177, 277], "kind"] = "small"
    report = difficulty_report(table, "kind", n_trees=1)
    found = {each.position: each for each in report.labels.rows}[7]
    (size, *_) = found.against
    assert size.column == "size"
    assert size.value == table.loc[7, "size"]
    assert size.usual_given < 2 < 6 < size.usual_suggested
    assert len(found.similar) == 2
    for row, values in found.similar:
        assert table.loc[row, "kind"] == "big"
        assert values[0] == table.loc[row, "size"]
    for page in (str(report), report.to_html()):
        assert "What speaks against the label of row" in " ".join(page.split())


def test_likely_errors_may_be_facts_of_record(report):
    for supports, begin in (("wrong labels", "Check "), ("either", "Ask whether the classes ")):
        labels = replace(report.labels, supports=supports)
        (step, *_) = next_steps(replace(report, labels=labels))
        assert step.startswith(begin)
        assert "facts of record" in step
        assert 'overlap="all"' in step


def test_equal_rows_are_shown_once_among_suspects():
    random = np.random.default_rng(0)
    X = np.repeat(random.normal(size=(200, 2)), 2, axis=0)
    y = np.repeat(np.arange(200) % 2, 2)
    X[y == 1] += 8
    y[[100, 101]] = 1 - y[100]
    rows = difficulty_report(X, y, n_trees=1, overlap="rare").labels.rows
    assert [each.position // 2 for each in rows] == [50]

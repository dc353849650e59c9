"""Errors of classes and pairs: numbers on one page that never contradict each other."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_wine
from sklearn.metrics import confusion_matrix

from smartsvm import difficulty_report
from smartsvm.held_out.posterior import Posterior, normalised
from smartsvm.report import confusions as module
from smartsvm.report.confusions import (
    Confusions,
    balanced_errors,
    class_recalls,
    count_confusions,
    pair_errors,
)
from smartsvm.report.intervals import error_interval


def one_in_twenty(n, separation, seed=0):
    random = np.random.default_rng(seed)
    y = (random.random(n) < 0.05).astype(int)
    return random.normal(size=(n, 2)) + separation * y[:, None], y


@pytest.fixture(scope="module", params=["digits", "wine", "rare"])
def report(request):
    X, y = {
        "digits": lambda: (each[:700] for each in load_digits(return_X_y=True)),
        "wine": lambda: load_wine(return_X_y=True),
        "rare": lambda: one_in_twenty(600, 2.0),
    }[request.param]()
    return difficulty_report(X, y)


def test_confusions_add_up_to_the_error(report):
    counts = report.classes.confusion.sum(axis=1)
    n = counts.sum()
    error = report.errors.held_out.of("combined").error.value
    assert error == pytest.approx(1 - report.classes.confusion.trace() / n)
    rows = report.to_dict()["pairs"]["hardest"]
    sizes = dict(zip(report.classes.names.tolist(), counts.tolist(), strict=True))
    weighted = [row["confused"] * sum(sizes[label] for label in row["classes"]) for row in rows]
    assert sum(weighted) / n == pytest.approx(error)
    classes = report.to_dict()["classes"]["hardest"]
    right = sum(row["recall"] * sizes[row["class"]] for row in classes)
    assert 1 - right / n == pytest.approx(error)


def test_a_class_that_is_found_completely_has_no_error(report):
    for row in report.to_dict()["classes"]["hardest"]:
        assert row["low"] <= row["recall"] <= row["high"]
        assert (row["mistaken_for"] is None) == (row["recall"] == 1)
    complete = np.flatnonzero(report.classes.recall.value == 1)
    assert not (report.classes.confusion - np.diag(report.classes.confusion.diagonal()))[
        complete
    ].any()


def test_pairs_of_two_classes_are_the_whole_problem():
    report = difficulty_report(*one_in_twenty(600, 2.0))
    (row,) = report.to_dict()["pairs"]["hardest"]
    assert row["confused"] == pytest.approx(report.errors.held_out.of("combined").error.value)
    assert row["low"] <= row["confused"] <= row["high"]


def test_counts(monkeypatch):
    random = np.random.default_rng(0)
    codes = random.integers(0, 4, 500)
    logs = normalised((2 * np.eye(4)[codes] + random.normal(size=(500, 4))).astype(np.float32))
    monkeypatch.setattr(module, "_BLOCK_NUMBERS", 200)
    found = count_confusions(Posterior(logs, {}), codes)
    assert np.array_equal(found.answers, confusion_matrix(codes, logs.argmax(axis=1)))
    weighted = (logs - np.log(np.bincount(codes))).argmax(axis=1)
    expected = [np.count_nonzero(weighted[codes == k] == k) for k in range(4)]
    assert found.balanced.tolist() == expected


def test_recalls_and_their_limits():
    confusions = Confusions(np.array([[800, 100], [20, 80]]), np.array([720, 90]))
    found = class_recalls(confusions, 1.96)
    assert found.value == pytest.approx([8 / 9, 0.8])
    balanced = balanced_errors(confusions, 1.96)
    assert balanced.error.value == pytest.approx((1 / 9 + 0.2) / 2)
    assert balanced.reweighted.value == pytest.approx(0.15)
    widths = found.high - found.low
    assert widths[1] > 2 * widths[0]
    interval = error_interval(0.8, 100 / 1.5, 1.96)
    assert (found.low[1], found.high[1]) == pytest.approx((interval.low, interval.high))


def test_the_interval_of_the_balanced_error_covers():
    covered, counts = [], np.array([570, 30])
    random = np.random.default_rng(0)
    for right in random.binomial(counts, [0.95, 0.7], size=(400, 2)):
        answers = np.array([[right[0], 570 - right[0]], [30 - right[1], right[1]]])
        error = balanced_errors(Confusions(answers, right), 1.96).error
        covered.append(error.low <= 0.175 <= error.high)
    assert 0.95 <= np.mean(covered) <= 1


def test_pairs_are_read_off_the_table_of_answers():
    answers = np.array([[90, 10, 0], [20, 70, 10], [0, 0, 100]])
    found = pair_errors(Confusions(answers, np.zeros(3)), 1.96)
    assert found.value[0, 1] == found.value[1, 0] == pytest.approx(30 / 200)
    interval = error_interval(30 / 200, 200 / 1.5, 1.96)
    assert (found.low[0, 1], found.high[0, 1]) == pytest.approx((interval.low, interval.high))
    assert found.value[0, 2] == 0
    assert np.isnan(found.value.diagonal()).all()


@pytest.mark.usefixtures("no_drawings")
@pytest.mark.parametrize("separation", [0.0, 1.0, 6.0])
def test_reports_of_rare_classes(separation):
    X, y = one_in_twenty(800, separation)
    report = difficulty_report(X, y)
    recall, error = report.classes.recall, report.errors.balanced
    assert error.low <= error.value < error.high
    assert error.value <= 1 - recall.value.mean() + 0.1
    if separation == 0:
        assert error.value > 0.4
    if separation == 6:
        assert recall.value.min() > 0.9
    frame = report.to_frame("classes").set_index("class")
    assert frame.loc[1, "recall"] == recall.value[1]
    assert frame.loc[1, "low"] == recall.low[1]
    assert report.to_dict()["errors"]["balanced"] == error._asdict()
    for page in (str(report), report.to_html()):
        assert "Recall of each class" in page
        assert "; chance: 50%." in " ".join(page.split())


def test_copies_have_the_posterior_of_their_case():
    X, y = (each[:500] for each in load_digits(return_X_y=True))
    X = X + np.random.default_rng(0).normal(size=X.shape)
    twice = np.concatenate([X, X[:100]])
    report = difficulty_report(twice, np.concatenate([y, y[:100]]))
    assert report.classes.confusion.sum() == 500
    assert np.array_equal(report.labels.posterior[:100], report.labels.posterior[500:])

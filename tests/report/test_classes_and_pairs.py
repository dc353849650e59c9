"""Classes and pairs of a report: hard ones, inseparable ones, and columns that tell them apart."""

import numpy as np

from smartsvm import difficulty_report


def test_no_signal_is_said():
    random = np.random.default_rng(1)
    report = difficulty_report(random.normal(size=(500, 3)), np.arange(500) % 2)
    assert report.data.signal.p_value > 0.05
    assert "No sign of any" in str(report)
    assert report.inseparable_pairs() == [(0, 1)]
    assert report.merge_advice().groups == ()
    assert "merge" not in str(report)
    assert report.data.signal_columns is None


def test_inseparable_classes_are_named():
    random = np.random.default_rng(2)
    X, y = random.normal(size=(900, 2)), np.arange(900) % 3
    X[y == 2] += 4  # 0 and 1 are the same
    report = difficulty_report(X, np.array(["cat", "dog", "newt"])[y])
    assert report.inseparable_pairs() == [("cat", "dog")]
    assert report.hardest_pairs(1) == [("cat", "dog")]
    assert report.hardest_classes(3)[-1] == "newt"
    assert "cat and dog: merge them" in " ".join(str(report).split())
    advice = report.merge_advice()
    assert advice.groups == (("cat", "dog"),)
    assert advice.merged_accuracy > 0.95 > 0.8 > advice.accuracy
    assert report.to_dict()["classes"]["merge_advice"]["groups"] == [["cat", "dog"]]
    assert report.pairs.hierarchy.node_classes(0)[1].tolist() == ["newt"]


def test_classes_of_one_sample_are_not_called_the_same():
    random = np.random.default_rng(3)
    X, y = random.normal(size=(60, 3)), np.r_[np.zeros(55, int), 1:6]
    X[y > 0] += 50 * np.eye(3)[y[y > 0] % 3]  # as far apart as can be
    report = difficulty_report(X, y)
    assert report.inseparable_pairs() == []
    assert "merge" not in str(report)
    assert "merge" not in report.to_html()
    assert np.isnan(report.pairs.scores).all()
    assert all(pair["score"] is None for pair in report.to_dict()["pairs"]["hardest"])


def test_a_column_that_does_better_alone_is_named():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(300, 60)), np.arange(300) % 2
    X[:, 4] = random.choice([-1, 1], 300) * (1 + 3 * y) + 0.3 * X[:, 4]  # no line separates these
    X[:, 5] += 1.0 * y
    report = difficulty_report(X, y, classifiers=["neighbors", "linear"])
    text = " ".join(str(report).split())
    assert "Column 4 alone does better than all columns: with nothing else the best" in text
    assert "- Try a model on column 4 alone: the other columns make classifiers err" in text


def test_the_columns_that_carry_the_signal_are_named():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(400, 6)), np.arange(400) % 2
    X[:, 4] += 6 * y
    report = difficulty_report(X, y, feature_names=list("abcdef"))
    assert report.data.signal_columns.columns == ("e",)
    assert "Column e carries nearly all of the signal" in " ".join(str(report).split())
    assert report.to_dict()["data"]["signal_columns"]["columns"] == ["e"]
    spread = difficulty_report(random.normal(size=(400, 20)) + 0.8 * y[:, None], y)
    assert "The signal is spread over the columns" in " ".join(str(spread).split())

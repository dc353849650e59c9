"""Columns that number the samples, the label in disguise, and constant ones."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris, load_wine

from smartsvm import difficulty_report, prepare_table
from smartsvm.report.flags import columns
from smartsvm.report.flags.columns import label_columns, numbering_columns


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("missing", [0, 30])
def test_numbers_of_samples_are_seen(shuffled, missing):
    random = np.random.default_rng(4)
    X = random.normal(size=(200, 3))
    X[:, 1] = 7 + (random.permutation(200) if shuffled else np.arange(200))
    X = np.delete(X, random.permutation(200)[:missing], axis=0)
    assert numbering_columns(X).tolist() == [1]
    assert numbering_columns((X - X.mean(axis=0)) / X.std(axis=0)).tolist() == [1]


def test_features_are_no_numbers():
    for X in (load_iris().data, load_digits().data):
        assert not numbering_columns(X).size
    assert not numbering_columns(np.arange(10.0).reshape(-1, 1)).size  # too few to say
    random = np.random.default_rng(0)
    assert not numbering_columns(random.permutation(100_000)[:500].reshape(-1, 1) * 1.0).size


def test_the_label_in_disguise_is_seen():
    random = np.random.default_rng(5)
    codes = np.arange(9000) % 3
    X = random.normal(size=(9000, 6))
    X[:, 1] = np.array([5.0, -1.0, 2.0])[codes]  # another code
    X[:, 3] = codes + 0.1 * random.random(9000)  # with noise
    X[:, 4] = 3 * random.integers(0, 4, 9000) + codes  # finer than the label
    X[:, 5] = codes
    X[-90:, 5] = 0  # the last ones differ, beyond the first look
    assert label_columns(X, codes, 18).tolist() == [1, 3, 4]


@pytest.mark.parametrize("n_classes", [300, 1000, 5000])
def test_columns_that_say_little_are_dismissed_at_first_sight(n_classes, monkeypatch):
    """Intervals of each of many classes would take far longer than all else in a report."""
    random = np.random.default_rng(0)
    X, codes = random.normal(size=(20_000, 3)), random.integers(0, n_classes, 20_000)
    X[:, 1] = codes
    looked = []
    real = columns._most_right
    monkeypatch.setattr(columns, "_most_right", lambda *given: looked.append(given) or real(*given))
    assert label_columns(X, codes, 18).tolist() == [1]
    assert len(looked) == 2  # at some rows of the one column that tells, then at all of them


def test_wrong_labels_and_filled_gaps_do_not_hide_the_label():
    random = np.random.default_rng(5)
    codes = np.arange(1500) % 2
    X = random.normal(size=(1500, 4))
    X[:, 0] = codes
    X[7, 0] = 1 - codes[7]
    X[:, 1] = 20 * codes + random.integers(0, 20, 1500)  # 0 to 19 or 20 to 39
    X[::50, 1] = np.median(X[:, 1])
    assert label_columns(X, codes, 3).tolist() == [0, 1]
    flags = difficulty_report(X[:, [0, 2]], codes).flags
    (flag,) = (flag for flag in flags if flag.code == "label_columns")
    assert "tells the class of 1,500 samples: column 0 (1 mistake). If it is" in flag.message
    rare = (np.arange(1500) < 3).astype(int)  # of these, none may be wrong
    zeros = difficulty_report(np.c_[np.arange(1500) % 7, np.zeros(1500)], rare).flags
    assert "label_columns" not in {flag.code for flag in zeros}


def test_what_nearly_tells_the_label_is_named_beside_what_tells_it():
    pandas = pytest.importorskip("pandas")
    random, y = np.random.default_rng(0), np.arange(900) % 3
    status = np.array(["active", "closed", "lost"])[y]
    near = np.where(random.random(900) < 0.01, "lost", status)
    table = pandas.DataFrame({"x": random.normal(size=900) + y, "status": status, "since": near})
    (flag,) = (f for f in difficulty_report(table, y).flags if f.code == "label_columns")
    assert flag.step.startswith("Remove status and since and run the report again, if they are")
    n_mistakes = np.count_nonzero(near != status)
    assert f"status (no mistake), since ({n_mistakes} mistakes)." in flag.message
    few = difficulty_report(table[["x", "since"]], y).flags
    (flag,) = (f for f in few if f.code == "few_errors")
    assert "such as since" in flag.message


def test_what_to_do_next_begins_with_the_label_in_disguise():
    random, y = np.random.default_rng(0), np.arange(300) % 2
    X = np.column_stack([random.normal(size=300), y])
    report = difficulty_report(X, y, feature_names=["size", "outcome"])
    text = " ".join(str(report).split())
    next_steps = text.partition("What to do next")[2].partition("Errors")[0]
    assert next_steps.strip().startswith("- Remove outcome and run the report again, if")


def test_all_columns_to_remove_are_named_as_in_the_table():
    pandas = pytest.importorskip("pandas")
    random, y = np.random.default_rng(0), np.arange(300) % 2
    fine = np.char.add(np.array(["A", "B"])[y], random.integers(1, 4, 300).astype(str))
    table = pandas.DataFrame(
        {"size": random.normal(size=300), "passed": np.array(["no", "yes"])[y], "grade": fine}
    )
    text = " ".join(str(difficulty_report(table, y, n_trees=1)).split())
    assert "- Remove passed and grade and run the report again, if they are known only" in text


def test_texts_that_refine_the_label_are_seen():
    random, y = np.random.default_rng(0), np.arange(300) % 3
    X = random.normal(size=(300, 2)) + 2 * np.eye(3, 2)[y]
    fine = np.char.add(np.array(["A", "B", "C"])[y], random.integers(1, 4, 300).astype(str))
    other = random.integers(0, 6, 300).astype(str)
    table = {"x": X[:, 0], "z": X[:, 1], "grade": fine, "other": other}
    flags = difficulty_report(table, y).flags
    (flag,) = (flag for flag in flags if flag.code == "label_columns")
    begin = "This column alone tells the class of 300 samples: grade (no mistake)."
    assert flag.message.startswith(begin)


def test_an_encoded_text_is_named_once():
    random, y = np.random.default_rng(0), np.arange(300) % 2
    table = {"x": random.normal(size=300), "word": np.array(["no", "yes"])[y]}
    flags = difficulty_report(table, y).flags
    (flag,) = (flag for flag in flags if flag.code == "label_columns")
    assert ": word (no mistake)." in flag.message


def test_few_samples_beside_the_largest_class_are_told_by_chance():
    X = np.c_[np.arange(500) // 2, np.random.default_rng(0).normal(size=500)]
    for n_first, n_flags in ((2, 0), (40, 1)):
        codes = [flag.code for flag in difficulty_report(X, np.arange(500) < n_first).flags]
        assert codes.count("label_columns") == n_flags


def test_good_features_are_no_labels():
    for X, y in (load_iris(return_X_y=True), load_digits(return_X_y=True)):
        assert not label_columns(X, y, 1).size
    codes = np.arange(40) % 2
    assert not label_columns(np.arange(40.0).reshape(-1, 1), codes, 0).size  # distinct values
    assert not label_columns(np.arange(10.0).reshape(-1, 1), codes[:10], 0).size


def test_a_column_without_a_name_is_seen_on_the_page():
    points = np.column_stack([np.arange(150), load_iris().data])
    report = difficulty_report(points, load_iris().target, feature_names=["", *"abcd"])
    assert "(''): an id" in " ".join(str(report).split())


def test_columns_are_flagged():
    X, y = load_wine(return_X_y=True)
    constant = np.column_stack([X, np.full(len(X), 3.0)])
    (flag,) = (f for f in difficulty_report(constant, y).flags if f.code == "constant_features")
    assert "1 of 14 columns" in flag.message
    assert "number 13" in flag.message


def test_texts_that_are_left_out_need_no_warning():
    random, y = np.random.default_rng(0), np.arange(300) % 2
    table = {"a": random.normal(size=300), "outcome": np.array(["no", "yes"])[y]}
    for categorical, n_flags in (("drop", 0), ("onehot", 1)):
        flags = difficulty_report(prepare_table(table, y, categorical=categorical)).flags
        assert sum(flag.code == "label_columns" for flag in flags) == n_flags


def test_a_number_that_is_named_like_a_time_is_no_id():
    random, y = np.random.default_rng(0), np.arange(300) % 2
    X = np.column_stack([random.normal(size=300) + y, 1700 + np.arange(300)])
    for name, n_flags in (("code", 1), ("year", 0), ("Date", 0)):
        flags = difficulty_report(X, y, feature_names=["size", name]).flags
        assert sum(flag.code == "numbering_columns" for flag in flags) == n_flags


def test_few_errors_raise_the_question_of_when_columns_are_known():
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    causes = random.random((2000, 3)) < 0.05  # one of them makes the label
    y = causes.any(axis=1).astype(int)
    table = pandas.DataFrame(causes.astype(int), columns=["fire", "flood", "theft"])
    table["load"] = random.normal(size=2000)
    report = difficulty_report(table, y)
    (flag,) = (flag for flag in report.flags if flag.code == "few_errors")
    assert "such as" in flag.step
    assert "theft" in flag.message
    noisy = np.where(random.random(2000) < 0.02, 1 - y, y)
    assert "few_errors" not in {flag.code for flag in difficulty_report(table, noisy).flags}


def test_one_column_that_is_the_label_is_named_alone():
    pandas = pytest.importorskip("pandas")
    random, y = np.random.default_rng(0), np.arange(600) % 2
    table = pandas.DataFrame({"x": random.normal(size=600), "known": 3 * y})
    codes = {flag.code for flag in difficulty_report(table, y).flags}
    assert "label_columns" in codes
    assert "few_errors" not in codes


def test_gaps_that_tell_a_class_are_named_by_their_column():
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    y = random.choice(["died", "lives"], 300, p=[0.6, 0.4])
    died = y == "died"
    table = pandas.DataFrame(random.normal(size=(300, 2)), columns=["a", "b"])
    table["cause"] = np.where(died, random.choice(["x", "y", "z"], 300), None)
    table["any gaps"] = np.where(random.random(300) < 0.3, np.nan, 1.5)
    flags = {flag.code: flag for flag in difficulty_report(table, y).flags}
    assert "cause is empty for lives and filled for died." in flags["telling_gaps"].message
    assert flags["telling_gaps"].step.startswith("Remove cause and run the report again")
    assert flags.keys() & {"label_columns", "few_errors", "constant_features"} == set()


def test_an_id_whose_rows_are_alike_is_not_taken_for_the_label():
    pandas = pytest.importorskip("pandas")
    random, y = np.random.default_rng(0), np.repeat(np.arange(60) % 2, 6)
    number = np.repeat(np.arange(60) + 30 * (np.arange(60) % 2 * 2 - 1), 6)  # each class apart
    centres = random.normal(size=(60, 4))
    X = np.repeat(centres, 6, axis=0) + random.normal(size=(360, 4))
    table = pandas.DataFrame(X, columns=list("abcd"))
    for name, n_flags in (("patient_id", 0), ("level", 1)):
        flags = [flag.code for flag in difficulty_report(table.assign(**{name: number}), y).flags]
        assert flags.count("label_columns") == n_flags

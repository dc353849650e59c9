"""Every label is its own class, or the call is refused with both named."""

import numpy as np
import pandas
import polars
import pytest

from smartsvm import (
    SmartSVM,
    confusion_rate,
    difficulty_report,
    pairwise_bayes_error,
    prepare_table,
)
from smartsvm._core.checked_labels import check_groups
from smartsvm._core.labels import as_labels
from smartsvm._core.sources import read_labels
from smartsvm.tables.reading import read_table

X = np.random.default_rng(0).normal(size=(60, 2))


def repeated(*labels):
    return [*labels] * (60 // len(labels))


def forms(labels):
    """A list, a tuple, an array of objects and a column of them."""
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return [labels, tuple(labels), array, pandas.Series(array)]


def calls():
    return [
        lambda y: pairwise_bayes_error(X, y, n_trees=1).classes.tolist(),
        lambda y: SmartSVM().fit(X, y).classes_.tolist(),
        lambda y: np.unique(prepare_table(pandas.DataFrame(X), y).y).tolist(),
    ]


@pytest.mark.parametrize("call", calls(), ids=["estimate", "classifier", "table"])
@pytest.mark.parametrize(
    "labels",
    [("a", "a\0", "b"), (5, 2**63, 2**63 + 1), (1, 2, 3), (False, True), ("1", "2"), (1.0, 2.0)],
)
def test_labels_stay_apart(labels, call):
    for y in forms(repeated(*labels)):
        assert call(y) == list(labels)


@pytest.mark.parametrize("call", calls(), ids=["estimate", "classifier", "table"])
@pytest.mark.parametrize(
    ("labels", "named"),
    [
        ((1, "1"), r"got 1 \(int\) and '1' \(str\)"),
        (("a", b"a"), r"got 'a' \(str\) and b'a' \(bytes\)|holds bytes, such as b'a'"),
        ((True, "True"), r"got True \(bool\) and 'True' \(str\)"),
        ((1.0, 2**53, 2**53 + 1), "got 9007199254740992 and 9007199254740993"),
    ],
)
def test_labels_that_would_become_one_are_refused(labels, named, call):
    for y in forms(repeated(*labels)):
        with pytest.raises((TypeError, ValueError), match=named):
            call(y)


@pytest.mark.parametrize("call", calls()[:2], ids=["estimate", "classifier"])
@pytest.mark.parametrize("missing", [None, float("nan"), np.nan, pandas.NA, pandas.NaT])
def test_missing_labels_are_refused(missing, call):
    for y in forms(repeated("a", "b", missing)):
        with pytest.raises(ValueError, match="y must have no missing labels, got 20 of them"):
            call(y)
    with pytest.raises(ValueError, match="no missing labels"):
        call(polars.Series(repeated("a", "b", None)))


def test_integers_of_more_than_64_bits():
    labels = [5, 2**64, 2**64 + 1]
    for y in forms(repeated(*labels)):
        assert pairwise_bayes_error(X, y, n_trees=1).classes.tolist() == labels
        with pytest.raises(ValueError, match=f"integers of 64 bits, got {2**64 + 1}"):
            SmartSVM().fit(X, y)


def test_equal_numbers_are_one_label():
    assert np.unique(as_labels([True, 1, 1.0, 2])).tolist() == [1, 2]
    assert as_labels([True, False]).dtype == bool
    assert as_labels([True, 2]).tolist() == [1, 2]
    report = difficulty_report(X, repeated(1, 1.0, 2, True), classifiers=())
    assert report.classes.names.tolist() == [1, 2]


def test_labels_that_are_compared_stay_apart():
    with pytest.raises(TypeError, match=r"got 1 \(int\) and '1' \(str\)"):
        confusion_rate([1, 1], ["1", "1"])
    assert confusion_rate(["a", "a\0"], ["a\0", "a\0"]).tolist() == [0.5, 0.5]


def test_groups_are_treated_as_labels():
    assert len(set(check_groups(repeated("a", "a\0", "b"), 60).tolist())) == 3
    with pytest.raises(TypeError, match=r"groups must hold .* got 1 \(int\) and '1' \(str\)"):
        check_groups(repeated(1, "1", "2"), 60)
    with pytest.raises(ValueError, match="groups must have no missing labels, got 20"):
        check_groups(repeated("a", "b", float("nan")), 60)
    frame = pandas.DataFrame(X).assign(kind=repeated(1, 2), patient=repeated("a", "b", "NA"))
    with pytest.raises(ValueError, match="'patient' must name the group of every sample"):
        prepare_table(frame, "kind", groups="patient")


def test_parts_of_labels_stay_apart(tmp_path):
    np.save(tmp_path / "a.npy", np.array([1, 2]))
    np.save(tmp_path / "b.npy", np.array(["1", "2"]))
    with pytest.raises(TypeError, match=r"got 1 \(int\) and '1' \(str\)"):
        pairwise_bayes_error(X[:4], tmp_path)
    np.save(tmp_path / "b.npy", np.array([2**63, 2**63 + 1], dtype=np.uint64))
    assert as_labels(read_labels(tmp_path)).tolist() == [1, 2, 2**63, 2**63 + 1]


def test_a_column_of_bytes_is_named(tmp_path):
    frame = pandas.DataFrame(X, columns=["a", "b"]).assign(kind=repeated(b"x", b"y"))
    frame.to_parquet(tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=r"t\.parquet: column 'kind' holds bytes, such as b'x'"):
        read_table(tmp_path / "t.parquet", "kind")
    frame = frame.assign(code=repeated(b"\xff\x00", b"\x01"), kind=repeated("x", "y"))
    frame.to_parquet(tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=r"t\.parquet: column 'code' holds bytes"):
        read_table(tmp_path / "t.parquet", "kind")


def test_mixed_labels_of_a_table_are_refused_in_python():
    frame = pandas.DataFrame(X).assign(kind=repeated(1, "1"))
    with pytest.raises(ValueError, match=r"column 'kind' must hold .* got 1 \(int\) and '1'"):
        prepare_table(frame, "kind")

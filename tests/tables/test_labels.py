"""Labels of text files: no two of them become one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartsvm import difficulty_report, prepare_table
from smartsvm.tables.reading import read_labels_as, read_table


@pytest.mark.parametrize(
    ("labels", "kind", "note"),
    [
        (["3", "-1", "20"], "i", None),
        (["1.0", "2.0"], "f", None),
        (["0.5", "1.25"], "f", None),  # continuous: an error follows
        (["0.50", "1.25"], "U", "labels are read as text: a number would not be written as '0.50'"),
        (["0.50", "0.5"], "U", "labels are read as text: a number would not be written as '0.50'"),
        (["1", "2.50"], "U", "labels are read as text: a number would not be written as '2.50'"),
        (["1", "1.5"], "U", "labels are read as text: some are whole numbers"),
        (["1e3", "1000"], "U", "labels are read as text: a number would not be written as '1e3'"),
        (["007", "7"], "U", "labels are read as text: a number would not be written as '007'"),
        (["007", "8"], "U", "labels are read as text: a number would not be written as '007'"),
        (["+1", "1"], "U", "labels are read as text: a number would not be written as '+1'"),
        (["1_0", "10"], "U", None),
        (["\u0661", "1"], "U", None),
        (
            ["9" * 30, "1"],
            "U",
            f"labels are read as text: a number would not be written as '{'9' * 30}'",
        ),
        (["inf", "1"], "U", None),
        (["cat", "7"], "U", None),
    ],
)
def test_labels_are_numbers_only_if_written_so(labels, kind, note):
    found, said = read_labels_as(np.array(labels * 3))
    assert found.dtype.kind == kind
    assert said == note
    assert len(set(found.tolist())) == len(labels)
    if kind == "U":
        assert found.tolist() == labels * 3


def test_a_continuous_target_is_read_as_numbers():
    found, said = read_labels_as(np.array(["0.50", "1.25", "7", "0.50"]))
    assert (found.tolist(), said) == ([0.5, 1.25, 7, 0.5], None)


words = st.one_of(
    st.integers().map(str),
    st.floats().map(repr),
    st.text(min_size=1, max_size=4),
    st.from_regex(r"[+-]?0?[0-9_]{1,4}(\.[0-9]{0,3})?", fullmatch=True),
)


@given(st.lists(words, min_size=1, max_size=6).filter(lambda all_: "\0" not in "".join(all_)))
def test_different_labels_stay_different(labels):
    found, _ = read_labels_as(np.array(labels))
    for i, first in enumerate(labels):
        for j, second in enumerate(labels):
            assert (first == second) == (found[i] == found[j])


def test_classes_of_a_file_are_not_merged(tmp_path):
    rows = "".join(f"{i},007\n{i + 0.5},7\n" for i in range(5))
    (tmp_path / "t.csv").write_text("a,kind\n" + rows)
    table = read_table(tmp_path / "t.csv", "kind")
    assert set(table.y.tolist()) == {"007", "7"}
    assert table.notes == ["labels are read as text: a number would not be written as '007'"]


LABELS = ["a", "b"] * 10


@pytest.mark.parametrize("given", [LABELS, tuple(LABELS), iter(LABELS), dict.fromkeys("x"), None])
def test_labels_are_a_value_for_each_row_or_a_name(given):
    table = {"x": np.arange(20.0) ** 2 % 7}
    if given is None or isinstance(given, dict):
        with pytest.raises((TypeError, ValueError), match="y must be the name of a column or a"):
            prepare_table(table, given)
        return
    assert prepare_table(table, given).y.tolist() == LABELS


def test_groups_and_times_may_be_iterators():
    table = {"x": np.arange(20.0) ** 2 % 7}
    found = prepare_table(table, LABELS, groups=iter(range(20)), time=iter(range(20)))
    assert found.groups.tolist() == found.time.tolist() == [*range(20)]


def test_a_report_reads_labels_that_are_an_iterator():
    table = {"x": np.arange(20.0) ** 2 % 7}
    quick = {"n_trees": 1, "classifiers": iter(["linear"])}
    assert difficulty_report(table, iter(LABELS), **quick).data.n_samples == 20
    assert difficulty_report(np.c_[table["x"]], iter(LABELS), n_trees=1).data.n_samples == 20

"""The warning of repeated rows is true of the table that was passed."""

from types import SimpleNamespace

import numpy as np
import pytest

from smartsvm import difficulty_report
from smartsvm.report.flags.rows import RepeatedRows
from smartsvm.report.repeats import Repeats

QUICK = {"n_trees": 1, "classifiers": ("neighbors", "linear")}


def repeated_flag(table, y):
    flags = difficulty_report(table, y, **QUICK).flags
    return next((flag for flag in flags if flag.code == "duplicates"), None)


def test_a_name_beside_the_columns_hides_no_repeats():
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    X = random.integers(0, 6, size=(400, 3))
    y = np.where(X[:, 0] + random.integers(0, 3, 400) > 3, "a", "b")
    table = pandas.DataFrame(X, columns=list("pqr")).assign(kind=y)
    bare = repeated_flag(table, "kind").message
    assert "equal an earlier one in all columns and the label." in bare
    named = repeated_flag(table.assign(name=[f"person {i}" for i in range(400)]), "kind").message
    assert "in all columns that are used (name left out) and the label." in named
    assert bare.split(" (")[0] == named.split(" (")[0]  # as many rows


def students(pandas):
    """A table like that of students' grades: most rows of 478 distinct ones occur twice."""
    random = np.random.default_rng(0)
    table = pandas.DataFrame({f"visits {j}": random.integers(0, 100, 478) for j in range(4)})
    for j, k in enumerate((2, 14, 3, 12, 2)):
        table[f"answer {j}"] = random.choice(list("abcdefghijklmn")[:k], 478)
    score = table["visits 0"] + table["visits 1"] + 30 * random.normal(size=478)
    table["grade"] = np.array(list("LMH"))[np.digitize(score, [70, 130])]
    return table


def test_the_errors_of_a_table_of_copies_are_those_of_its_distinct_rows():
    pandas = pytest.importorskip("pandas")
    once = students(pandas)
    copied = pandas.concat([once, once, once[:45]], ignore_index=True)
    copied = copied.sample(frac=1, random_state=0).reset_index(drop=True)
    copied["student"] = [f"id {i:05}" for i in range(len(copied))]  # it hides no copy
    alone = difficulty_report(once, "grade", **QUICK)
    report = difficulty_report(copied, "grade", **QUICK)
    repeats = report.data.repeats
    assert (repeats.n_repeats, repeats.n_distinct, repeats.as_copies) == (523, 478, True)
    assert repeats.other_error < 0.1  # every row has its copy
    of_one = alone.errors.held_out.best
    assert of_one.low < report.errors.held_out.best.value < of_one.high
    assert "each of the 478 distinct rows counts once" in " ".join(str(report).split())
    assert alone.data.repeats is None


def test_rows_that_coincide_by_chance_count_each():
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    table = pandas.DataFrame(random.integers(0, 4, size=(1000, 5)), columns=list("abcde"))
    table["kind"] = table["a"] + random.integers(0, 3, 1000) > 2
    repeats = difficulty_report(table, "kind", **QUICK).data.repeats
    assert repeats.n_repeats > 200
    assert not repeats.as_copies
    assert repeats.other_error > 0


def flag_of(**changed):
    """The flag on rows that are read as cases of their own."""
    found = {"n_repeats": 20, "n_distinct": 80, "as_copies": False}
    found |= {"error": 0.33, "other_error": 0.47} | changed
    (flag,) = RepeatedRows().flags(
        SimpleNamespace(data=SimpleNamespace(repeats=Repeats(**found))), None
    )
    return flag


def test_copies_that_halve_the_error_are_something_to_do():
    large = flag_of()
    assert "Remove repeated rows if they are copies" in large.step
    assert "then 47%" in large.step
    assert large.against_reached
    for other in (
        flag_of(other_error=0.36),
        flag_of(as_copies=True),
        flag_of(other_error=None),
        flag_of(baseline=0.33, other_baseline=0.5),  # the classes have other sizes there
    ):
        assert other.step is None
        assert not other.against_reached

"""The warning of repeated rows is true of the table that was passed."""

from types import SimpleNamespace

import numpy as np
import pytest

from smartsvm import difficulty_report
from smartsvm.report.flags.rows import RepeatedRows
from smartsvm.report.repeated_rows import RepeatedRows as Repeated

QUICK = {"n_trees": 1, "classifiers": ("neighbors", "linear")}


def repeated_flag(table, y):
    flags = difficulty_report(table, y, **QUICK).flags
    return next((flag for flag in flags if flag.code == "duplicates"), None)


def test_rows_that_differ_in_a_name_do_not_repeat_each_other():
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    X = random.integers(0, 6, size=(400, 3))
    y = np.where(X[:, 0] + random.integers(0, 3, 400) > 3, "a", "b")
    table = pandas.DataFrame(X, columns=list("pqr"))
    assert "repeat another row exactly" in repeated_flag(table.assign(kind=y), "kind").message
    named = table.assign(name=[f"person {i}" for i in range(400)], kind=y)
    assert repeated_flag(named, "kind") is None


def flag_of(are_copies=False, as_cases=0.33, as_copies=0.47, are_cells=False):
    """The flag on a report whose nearest neighbours err so."""
    repeated = Repeated(0.2, are_cells, 0.0, 100, are_copies, as_cases, as_copies)
    report = SimpleNamespace(data=SimpleNamespace(repeated_rows=repeated))
    (flag,) = RepeatedRows().flags(report, None)
    return flag


def test_copies_that_halve_the_error_are_something_to_do():
    large = flag_of()
    assert "Remove repeated rows if they are copies" in large.step
    assert large.against_reached
    for other in (flag_of(as_copies=0.36), flag_of(are_copies=True), flag_of(are_cells=True)):
        assert other.step is None
        assert not other.against_reached


def test_one_error_is_not_contrasted_with_itself():
    same = flag_of(are_copies=True, as_cases=0.058, as_copies=0.058)
    assert "k nearest neighbours err 5.8% either way." in same.message
    other = flag_of(are_copies=True, as_cases=0.058, as_copies=0.07)
    assert "err 7%. If they are cases of their own, that is 5.8%." in other.message

"""The warning of repeated rows is true of the table that was passed."""

import numpy as np
import pytest

from smartsvm import difficulty_report
from smartsvm.report.flags.rows import Repeated, RepeatedRows

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


def test_copies_that_halve_the_error_are_something_to_do():
    flag = RepeatedRows()
    large = Repeated(0.2, False, counted_error=0.33, once_error=0.47, in_large_cells=0.0)
    assert "Remove repeated rows if they are copies" in flag.step(large)
    assert flag.against(large) == ("reached",)
    for other in (
        large._replace(once_error=0.36),
        large._replace(only_once=True),
        large._replace(in_large_cells=0.9),
    ):
        assert flag.step(other) is None
        assert flag.against(other) == ()


def test_one_error_is_not_contrasted_with_itself():
    flaw = Repeated(0.1, True, counted_error=0.058, once_error=0.058, in_large_cells=0.0)
    assert "k nearest neighbours err 5.8% either way." in RepeatedRows().message(flaw)

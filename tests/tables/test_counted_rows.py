"""Tables with a row for each combination of values and the number of its samples."""

from itertools import product

import numpy as np
import pytest

from smartsvm import difficulty_report, prepare_table

ADMITTED = [  # of men and women in six departments
    *(512, 353, 120, 138, 53, 22),
    *(89, 17, 202, 131, 94, 24),
]
REJECTED = [*(313, 207, 205, 279, 138, 351), *(19, 8, 391, 244, 299, 317)]


def admissions(count="Freq"):
    import pandas

    frame = pandas.DataFrame(
        product(["Admitted", "Rejected"], ["Male", "Female"], "ABCDEF"),
        columns=["Admit", "Gender", "Dept"],
    )
    return frame.assign(**{count: [*ADMITTED, *REJECTED]})


@pytest.mark.parametrize("count", ["Freq", "n", "count", "Frequency"])
def test_each_row_counts_as_often_as_its_column_says(count):
    table = admissions(count)
    found = prepare_table(table, "Admit")
    assert f"counted each row as often as {count} says: 24 rows are 4,526 samples" in found.notes
    assert count not in found.X
    assert np.array_equal(np.bincount(found.rows), table[count])
    assert np.array_equal(found.y, table["Admit"].to_numpy()[found.rows])
    assert len(found.units["Dept"]) == len(found.y) == 4526
    new = found.preparation.transform(table[["Gender", "Dept", count]])
    assert new.shape == (24, 8)


def test_the_report_is_about_the_samples():
    table = admissions()
    cells = table.pivot_table("Freq", ["Gender", "Dept"], "Admit")
    error = 1 - cells.max(axis=1).sum() / 4526
    report = difficulty_report(table, "Admit", n_trees=1, classifiers=("neighbors", "linear"))
    assert report.data.n_samples == 4526
    assert report.bayes_error.low - 0.01 < error < report.bayes_error.high + 0.01
    assert report.data.dependence is None
    words = " ".join(str(report).split())
    assert "Counted each row as often as Freq says: 24 rows are 4,526 samples." in words
    shown = words[words.index("Possible label errors") :]
    assert shown.count("row 21:") <= 1


def test_other_columns_of_whole_numbers_are_no_counts():
    table = admissions()
    assert "Freq" in prepare_table(table, "Admit", keep=["Freq"]).X
    assert "size" in prepare_table(admissions("size"), "Admit").X
    twice = table.loc[[*range(24), *range(24)]].reset_index(drop=True)
    assert "Freq" in prepare_table(twice, "Admit").X
    random = np.random.default_rng(0)
    measured = table.assign(Freq=random.normal(size=24))
    assert "Freq" in prepare_table(measured, "Admit").X
    few = table.assign(age=random.normal(size=24))
    assert "Freq" in prepare_table(few, "Admit").X

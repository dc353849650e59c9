"""Dates as Excel stores them: numbers of days, in sheets and where they are pasted from sheets."""

import numpy as np
import pandas
import pytest

from smartsvm import prepare_table
from smartsvm.tables.reading import read_table

DAYS = [43831 + 7 * k % 400 for k in range(60)]  # from 2020-01-01 on


@pytest.mark.parametrize(
    "name", ["date", "order_date", "Date of order", "orderDate", "DateShipped"]
)
@pytest.mark.parametrize("factor", [1, 1.0, 1.0001], ids=["whole", "float", "with hours"])
def test_days_of_excel_are_dates_where_the_name_says_so(name, factor):
    table = pandas.DataFrame({name: np.multiply(DAYS, factor), "x": np.arange(60) % 7})
    found = prepare_table(table, np.arange(60) % 2, scale="none")
    notes = [note for note in found.notes if "dates of Excel, by their names" in note]
    assert notes[0].startswith(
        f"read numbers as the dates of Excel, by their names: {name} (2020-01-"
    )
    assert found.time_name == name
    assert found.time.tolist() == pytest.approx(np.multiply(DAYS, factor) - 25569)
    new = found.preparation.transform(table[:3])
    np.testing.assert_array_equal(new, found.X[:3])


@pytest.mark.parametrize("name", ["price", "update", "candidates", "paydate", "time", "seconds"])
def test_other_numbers_of_that_size_stay_numbers(name):
    table = pandas.DataFrame({name: DAYS, "x": np.arange(60) % 7})
    found = prepare_table(table, np.arange(60) % 2, scale="none")
    assert found.X[name].tolist() == DAYS
    table = pandas.DataFrame({"date": [*DAYS[:59], 12], "x": np.arange(60) % 7})
    assert prepare_table(table, np.arange(60) % 2, scale="none").X["date"].tolist()[0] == DAYS[0]


def test_numbers_of_a_sheet_that_may_be_dates_are_named(tmp_path):
    columns = {"shipped": DAYS, "salary": [30000 + 50 * k for k in range(60)]}
    columns |= {"area": [k / 7 + 43831 for k in range(60)], "y": ["a", "b"] * 30}
    pandas.DataFrame(columns).to_excel(tmp_path / "t.xlsx", index=False)
    found = read_table(tmp_path / "t.xlsx", "y")
    (note,) = [note for note in found.notes if "Excel" in note]
    assert note == (
        "the numbers of shipped are those that Excel stores for dates, here 2020-01-01 to "
        "2021-02-03: if they are dates, format the column as such"
    )
    assert found.X["shipped"].tolist() == DAYS
    frame = pandas.DataFrame(columns)
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert not any("Excel" in note for note in read_table(tmp_path / "t.csv", "y").notes)

"""Dates that are written in another way than the table's, or could be read in several."""

import datetime

import numpy as np
import pytest
from pandas import DataFrame, Series, Timestamp, date_range

from smartsvm import TablePreparation, prepare_table
from smartsvm.tables.hints import TableError

DAYS = date_range("2020-01-01", periods=60)
RANDOM = np.random.default_rng(0)


def fitted(column):
    return TablePreparation(scale="none").fit(DataFrame({"d": column}))


def days_of(preparation, values):
    return preparation.transform(DataFrame({"d": Series(values)}))[:, 0].tolist()


def read(words):
    table = DataFrame({"d": words, "x": RANDOM.normal(size=len(words))})
    labels = np.resize(["a", "b"], len(words))
    return prepare_table(table, labels, scale="none")


SECONDS = [(day - Timestamp(0)).total_seconds() for day in DAYS]
FITTED = {
    "timestamps": DAYS,
    "objects": Series(DAYS.date.tolist(), dtype=object),
    "texts": DAYS.strftime("%d.%m.%Y"),
    "epochs": SECONDS,
    "numbers": DAYS.strftime("%Y%m%d").astype(int),
}
NEW = {
    "timestamps": DAYS[12:15],
    "objects": Series(DAYS[12:15].date.tolist(), dtype=object),
    "with a gap": Series([DAYS[12], None, DAYS[14]]),
    "ISO": DAYS[12:15].strftime("%Y-%m-%d"),
    "dots": DAYS[12:15].strftime("%d.%m.%Y"),
    "words": DAYS[12:15].strftime("%d %B %Y"),
}


@pytest.mark.parametrize("new", NEW)
@pytest.mark.parametrize("table", FITTED)
def test_new_rows_may_be_written_in_another_way(table, new):
    found = days_of(fitted(FITTED[table]), NEW[new])
    assert found == ([12, 29.5, 14] if new == "with a gap" else [12, 13, 14])


@pytest.mark.parametrize("table", ["timestamps", "objects", "epochs", "numbers"])
def test_day_and_month_are_no_guess_in_new_rows(table):
    preparation = fitted(FITTED[table])
    assert days_of(preparation, ["13/01/2020", "01/13/2020", "01.02.2020"]) == [12, 12, 31]
    for word in ("01/02/2020", "01-02-2020", "19-08-12"):
        with pytest.raises(TableError, match=f"column 'd' holds '{word}', whose day and month"):
            days_of(preparation, ["2020-01-13", word])


@pytest.mark.parametrize("table", ["timestamps", "objects", "texts"])
def test_numbers_in_place_of_dates_are_refused(table):
    with pytest.raises(TableError, match=r"'d' holds numbers, such as 2\.02001e\+07.*to dates"):
        days_of(fitted(FITTED[table]), [20200113, 20200114])


def test_numbers_of_another_unit_are_refused():
    with pytest.raises(TableError, match=r"'d' holds .*, which is no date in seconds"):
        days_of(fitted(FITTED["epochs"]), [1000 * SECONDS[0]])


@pytest.mark.parametrize(
    "never",
    [
        datetime.date(9999, 12, 31),
        datetime.datetime(9999, 12, 31, 23, 59),
        np.datetime64("9999-12-31", "s"),
        "9999-12-31",
    ],
    ids=repr,
)
def test_the_year_9999_is_no_date(never):
    others = DAYS[:59].date.tolist()
    if isinstance(never, str):
        others = [str(day) for day in others]
    elif isinstance(never, np.datetime64):
        others = [np.datetime64(day, "s") for day in others]
    prepared = read([never, *others])
    assert prepared.X["d"].tolist() == [29, *range(59)]
    assert any("read 1 impossible date of d as missing, such as '9999" in n for n in prepared.notes)
    assert np.isnan(prepared.time[0])
    days = np.array([never, *others[:15]])
    if days.dtype.kind == "M":
        table = DataFrame({"x": np.arange(16) ** 0.5})
        assert np.isnan(prepare_table(table, ["a", "b"] * 8, time=days).time[0])


def test_dates_before_1677_are_dates():
    days = [datetime.datetime(1500, 1, 1), *DAYS[:39].to_pydatetime()]
    assert read(days).X["d"][:3].tolist() == [0, 189926, 189927]


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("spelling", ["%y-%m-%d", "%d-%m-%y", "%y/%m/%d", "%d.%m.%y"])
def test_a_year_of_two_digits_may_come_first(spelling, shuffled):
    days = date_range("2012-01-19", periods=60, freq="23D")
    days = days[RANDOM.permutation(60)] if shuffled else days
    prepared = read(days.strftime(spelling))
    assert (prepared.time == (days - Timestamp(0)).days).all()
    assert any(
        "day, month and year of d cannot be told apart: read as" in n for n in prepared.notes
    )


def test_a_year_that_no_day_can_be_comes_first_without_a_remark():
    days = date_range("1990-01-19", periods=60, freq="40D")
    prepared = read(days.strftime("%y-%m-%d"))
    assert (prepared.time == (days - Timestamp(0)).days).all()
    assert not any("apart" in note for note in prepared.notes)


def test_the_number_beside_a_month_is_a_day_or_a_year():
    months = date_range("2014-01-01", periods=40, freq="MS")
    prepared = read(months.strftime("%b %y"))
    assert (prepared.time == (months - Timestamp(0)).days).all()
    assert any("read as month and year, which puts the rows in order" in n for n in prepared.notes)
    days = DAYS[RANDOM.permutation(60)]
    notes = read(days.strftime("%b %d")).notes
    assert any("day and year of d cannot be told apart: read as month and day" in n for n in notes)
    for late in ("Dec 99", "Jan 00", "Feb 30"):
        prepared = read([*months.strftime("%b %y"), late, late])
        assert (prepared.time[:40] == (months - Timestamp(0)).days).all()
    assert not any("apart" in note for note in read(["Dec 6", *days.strftime("%b %d")]).notes)


def test_new_days_of_two_readings_are_refused_where_the_table_writes_the_year_first():
    fit_on = fitted(DAYS.astype(str))
    expected = days_of(fit_on, ["2020-01-13", "2020-01-13", "2020-02-01"])
    assert days_of(fit_on, ["13/01/2020", "1/13/2020", "1.2.2020"]) == expected
    for new in (["3/4/2020"], ["13/01/2020", "3/4/2020"], ["2020-01-05", "3-4-2020"]):
        with pytest.raises(TableError, match="whose day and month cannot be told apart"):
            days_of(fit_on, new)


def test_seconds_are_no_milliseconds():
    seconds = DAYS.astype("datetime64[s]").astype("int64").to_numpy()
    for unit, column in (("milliseconds", 1000 * seconds), ("microseconds", 10**6 * seconds)):
        with pytest.raises(TableError, match=f"which is no date in {unit} as it was fitted to"):
            days_of(fitted(column), seconds[:3])

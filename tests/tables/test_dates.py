"""Dates in all usual spellings become columns."""

import numpy as np
import pytest
from pandas import Series

from smartsvm import prepare_table
from smartsvm.tables.hints import TableError
from smartsvm.tables.time_column import as_times


def prepared(words, **options):
    import pandas

    n = len(words)
    table = pandas.DataFrame(
        {
            "x": np.random.default_rng(0).normal(size=n),
            "v": words,
            "kind": ["a", "b"] * (n // 2),
        }
    )
    return prepare_table(table, "kind", scale="none", **options)


def moments(n=40, start="2012-01-03T05:00:00", step=13 * 86400 + 3600):
    return np.datetime64(start, "s") + np.arange(n) * np.timedelta64(step, "s")


SPELLINGS = {
    "ISO": "%Y-%m-%d",
    "slashes": "%Y/%m/%d",
    "day first": "%d-%m-%Y",
    "dots": "%d.%m.%Y",
    "month first": "%m/%d/%Y",
    "two digits": "%m/%d/%y",
    "month and day": "%b %d %Y",
    "with a comma": "%B %d, %Y",
    "day and month": "%d %b %Y",
    "with hyphens": "%d-%b-%y",
    "with a weekday": "%a, %d %b %Y",
    "compact": "%Y%m%d",
    "with nothing between": "%d%b%Y",
    "year and name": "%Y-%b-%d",
    "week and weekday": "%G-W%V-%u",
}
WITH_TIME = {
    "ISO": "%Y-%m-%dT%H:%M:%S",
    "UTC": "%Y-%m-%dT%H:%M:%SZ",
    "an offset": "%Y-%m-%d %H:%M:%S+02:00",
    "minutes": "%m/%d/%Y %H:%M",
    "AM and PM": "%b %d %Y %I:%M:%S %p",
    "milliseconds": "%Y-%m-%d %H:%M:%S.250",
    "basic ISO": "%Y%m%dT%H%M%S",
    "digits": "%Y%m%d%H%M%S",
    "digits to the minute": "%Y%m%d%H%M",
    "a web server": "%d/%b/%Y:%H:%M:%S +0000",
    "the C library": "%a %b %d %H:%M:%S %Y",
    "an offset before the year": "%a %b %d %H:%M:%S +0000 %Y",
    "a named zone": "%Y-%m-%d %H:%M:%S EST",
    "an offset of hours": "%Y-%m-%d %H:%M:%S UTC+2",
}
MONTHS = {
    "ISO": "%Y-%m",
    "name": "%b %Y",
    "name and two digits": "%b-%y",
    "year first": "%Y-%b",
    "slash": "%m/%Y",
    "number": "%Y%m",
}


@pytest.mark.parametrize("form", SPELLINGS.values(), ids=SPELLINGS)
def test_spellings_of_a_day(form):
    times = moments()
    found = prepared([each.strftime(form) for each in times.tolist()])
    days = times.astype("M8[D]").astype(int)
    np.testing.assert_array_equal(found.X["v"], days - days[0])
    names = [f"v {part} {wave}" for part in ("month", "weekday") for wave in ("sin", "cos")]
    assert found.X.columns.tolist() == ["x", "v", *names]
    first, *_, last = times.astype("M8[D]")
    assert found.notes[0] == (
        f"read dates as columns: v ({first} to {last}: elapsed days, time of the year, weekday)"
    )
    assert found.time_name == "v"
    np.testing.assert_array_equal(found.time, days)


@pytest.mark.parametrize("form", WITH_TIME.values(), ids=WITH_TIME)
def test_spellings_of_a_time(form):
    times = moments()
    X = prepared([each.strftime(form) for each in times.tolist()]).X
    hours = (times - times.astype("M8[D]")).astype(int) / 86400
    np.testing.assert_allclose(X["v hour sin"], np.sin(2 * np.pi * hours), atol=1e-9)
    np.testing.assert_allclose(np.diff(X["v"]), 13 + 1 / 24)


@pytest.mark.parametrize("form", MONTHS.values(), ids=MONTHS)
def test_spellings_of_a_month(form):
    months = np.datetime64("2011-11") + np.arange(20)
    found = prepared([each.strftime(form) for each in months.tolist()])
    days = months.astype("M8[D]").astype(int)
    np.testing.assert_array_equal(found.X["v"], days - days[0])
    assert found.X.columns.tolist() == ["x", "v", "v month sin", "v month cos"]


@pytest.mark.parametrize("form", ["Q{} {}", "{1}-Q{0}", "{1}Q{0}", "q{0}/{1}", "{}Q{}", "{}q {}"])
def test_spellings_of_a_quarter(form):
    found = prepared([form.format(1 + k % 4, 2001 + k // 4) for k in range(20)])
    assert found.X["v"].tolist()[:3] == [0, 90, 181]
    assert found.time_name == "v"


@pytest.mark.parametrize("form", ["{}Q{:02}", "Q{}'{:02}", "q{} {:02}"])
def test_quarters_of_years_with_two_digits(form):
    found = prepared([form.format(1 + k % 4, (k // 4 + 97) % 100) for k in range(20)])
    assert found.X["v"].tolist()[:3] == [0, 90, 181]
    assert "1997-01-01 to 2001-10-01" in found.notes[0]


@pytest.mark.parametrize("form", ["%B %-d", "%-d %b", "%d-%b"])
def test_dates_without_a_year(form):
    days = np.datetime64("2000-02-20") + 10 * np.arange(30)
    words = [each.strftime(form.replace("%-d", str(each.day))) for each in days.tolist()]
    found = prepared(words)
    np.testing.assert_array_equal(found.X["v"], 10 * np.arange(30))
    assert found.X.columns.tolist() == ["x", "v", "v month sin", "v month cos"]
    assert "v (February 20 to December 6: " in found.notes[0]
    assert found.time_name == "v"
    # Perhaps of several years, unless the rows are in order.
    assert prepared([*words[15:], *words[:15]]).time_name is None
    new = found.preparation.transform({"x": [0.0, 0.0], "v": ["March 1", "May 2011"]})
    np.testing.assert_array_equal(new[:, 1], [10.0, np.median(10 * np.arange(30))])


def test_weeks_begin_on_monday():
    found = prepared([f"2012-W{1 + k:02}" for k in range(20)])
    assert found.X["v"].tolist() == [7 * k for k in range(20)]
    assert "2012-01-02 to 2012-05-14" in found.notes[0]


def test_seconds_with_fractions_are_dates_under_a_name_of_time():
    seconds = moments().astype("i8") + 0.25
    found = as_times(Series(seconds), "timestamp")
    np.testing.assert_allclose(found, seconds / 86400)
    np.testing.assert_array_equal(as_times(Series(seconds), "price"), seconds)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_epochs(unit):
    times = moments()
    found = prepared(times.astype(f"M8[{unit}]").astype("i8"))
    np.testing.assert_allclose(found.X["v"], (times - times[0]).astype(int) / 86400, atol=1e-6)
    assert found.notes[0].startswith("read dates as columns: v (2012-01-03 to")


def test_numbers_that_are_no_dates():
    random = np.random.default_rng(0)
    for numbers in (
        2000 + np.arange(40) % 25,  # years stay numbers
        random.integers(10**9, 10**10, 40),  # telephone numbers
        random.integers(19000000, 20990000, 40),
        200000 + random.integers(0, 9999, 40),
        np.repeat(np.arange(201101, 201121), 2),
        random.normal(1.5e9, 1e8, 40),
    ):
        found = prepared(numbers)
        assert found.time is None
        assert found.X["v"].tolist() == numbers.tolist()


@pytest.mark.parametrize(
    "words",
    [
        ["2003-04", "2004-05", "2005-06", "2006-07"],  # seasons
        ["1995-1998", "1999-2002", "2003-2004", "2005-2006"],
        ["10-20-30", "11-44-32", "12-51-45", "9-32-55"],
        ["1.2.3", "1.3.0", "2.0.1", "2.1.9"],
        ["1/1000", "2/1000", "3/1000", "5/1000"],
    ],
)
def test_words_that_are_no_dates(words):
    found = prepared(words * 10)
    assert found.time is None
    assert f"v={words[0]}" in found.X


def test_a_date_that_orders_the_samples_is_no_id():
    import pandas

    from smartsvm import difficulty_report

    days = pandas.date_range("2026-01-01", periods=60)
    table = pandas.DataFrame({"day": days.strftime("%Y-%m-%d"), "kind": ["a", "b", "b"] * 20})
    found = prepare_table(table, "kind")
    assert found.X.columns[0] == "day"
    assert not any(note.startswith("left out") for note in found.notes)
    report = difficulty_report(table, "kind", classifiers=["neighbors"])
    assert "numbering_columns" not in [flag.code for flag in report.flags]
    assert report.errors.forward_in_time.time == "day"


def test_what_elapsed_time_tells_makes_no_further_column():
    weekly = prepared([str(day) for day in moments(start="2012-01-02T00:00:00", step=7 * 86400)])
    assert weekly.X.columns.tolist() == ["x", "v", "v month sin", "v month cos"]
    monthly = prepared([f"{2000 + k // 12}-{k % 12 + 1:02}-01" for k in range(40)])
    assert monthly.X.columns.tolist() == ["x", "v", "v month sin", "v month cos"]
    hours = prepared([str(each) for each in moments(step=600)])
    assert hours.X.columns.tolist() == ["x", "v", "v hour sin", "v hour cos"]


def test_december_is_next_to_january():
    words = [f"{2000 + k // 4}-{month}-15" for k in range(10) for month in ("01", "04", "07", "12")]
    season = prepared(words).X[["v month sin", "v month cos"]].to_numpy()[:4]
    january, april, july, december = season
    assert np.linalg.norm(january - december) < np.linalg.norm(january - april)
    assert np.linalg.norm(january - april) < np.linalg.norm(january - july)


def test_day_and_month_that_cannot_be_told_apart():
    shuffled = np.random.default_rng(0).permutation(12) + 1
    pairs = [(a, b) for a in shuffled for b in (5, 2, 11, 8)]
    for mark, order in (("/", "month/day/year"), (".", "day/month/year")):
        notes = prepared([f"{a}{mark}{b}{mark}2012" for a, b in pairs]).notes
        assert notes[1] == f"day and month of v cannot be told apart: read as {order}"
    told = prepared([f"{a}/{b}/2012" for a, b in [*pairs[1:], (13, 1)]])
    assert not any("told apart" in note for note in told.notes)
    days = {pair: k for k, pair in enumerate([*pairs[1:], (13, 1)])}
    assert told.X["v"].iloc[days[13, 1]] - told.X["v"].iloc[days[12, 2]] == -30
    ordered = prepared([f"{day}/{month}/2012" for month in (1, 2, 3, 4) for day in range(1, 13)])
    assert ordered.notes[1] == (
        "day and month of v cannot be told apart: read as day/month/year, which puts the rows in "
        "order"
    )


def test_impossible_dates_and_other_words_are_missing():
    words = [str(each)[:10] for each in moments()]
    words[3], words[5] = "2012-02-30", "2012-13-01"
    found = prepared(words)
    assert found.notes[1] == "read 2 impossible dates of v as missing, such as '2012-02-30'"
    assert found.X["v missing"].tolist() == [float(k in (3, 5)) for k in range(40)]
    words[3] = words[5] = "9999-12-31"
    assert prepared(words).notes[1] == (
        "read 1 impossible date of v as missing, such as '9999-12-31'"
    )
    words[3] = words[5] = "unknown"
    assert prepared(words).notes[1] == (
        "read 1 value that is no date of v as missing, such as 'unknown'"
    )
    words[5] = "none yet"
    assert "read 2 values that are no dates of v as missing" in prepared(words).notes[1]
    words = [f"{1 + k % 12}/{-9 if k % 4 else 3}/19{40 + k % 8}" for k in range(48)]
    words[:30] = [f"{1 + k % 12}/3/19{50 + k % 8}" for k in range(30)]
    found = prepared(words)
    assert "v looks like dates, but" in found.notes[0]
    assert found.time is None


def test_time_zones_that_differ():
    times = [str(each) for each in moments()]
    zones = ["+01:00", "-05:00"] * 20
    found = prepared([word + zone for word, zone in zip(times, zones, strict=True)])
    assert found.notes[1] == "time zones differ in v (-05:00, +01:00): hours are those of UTC"
    steps = np.diff(found.X["v"]) - (13 + 1 / 24)
    np.testing.assert_allclose(steps, [0.25, -0.25] * 19 + [0.25], atol=1e-9)
    named = prepared(
        [f"{word} {zone}" for word, zone in zip(times, ["EST", "EDT"] * 20, strict=True)]
    )
    assert named.notes[1] == "time zones differ in v (-05:00, -04:00): hours are those of UTC"
    some = prepared([word + "Z" * (k % 2) for k, word in enumerate(times)])
    assert some.notes[1] == (
        "time zones differ in v (+00:00, none, read as UTC): hours are those of UTC"
    )


def test_dates_of_data_frames():
    import datetime

    import pandas

    times = pandas.Series(moments())
    wanted = prepared(times).X
    for other in (
        times.dt.tz_localize("Europe/Amsterdam"),
        times.astype(object),
        times.astype(str),
    ):
        pandas.testing.assert_frame_equal(prepared(other).X, wanted)
    days = prepared([datetime.date(2020, 1, 1) + datetime.timedelta(k * 17) for k in range(40)])
    assert days.X["v"].tolist() == [17 * k for k in range(40)]


def test_times_and_durations_with_colons_are_numbers():
    found = prepared([f"{k % 24}:{30 * (k % 2):02}" for k in range(40)])
    assert found.X["v"].tolist() == [k % 24 + 0.5 * (k % 2) for k in range(40)]
    assert found.notes[0] == "read times or durations as numbers: v"


def test_durations_in_hours_and_minutes_are_numbers():
    found = prepared(["2h 50m", "5h", "45 min", "1 hour, 30 minutes"] * 5)
    assert np.allclose(found.X["v"], [2 + 5 / 6, 5, 0.75, 1.5] * 5)
    lengths = prepared([f"{k} m" for k in range(20)])  # perhaps metres
    assert "v" not in lengths.X


def test_hours_of_two_halves_of_a_day_are_numbers_up_to_24():
    words = ["12:00 AM", "1:30 am", "12:15 PM", "10:30 p.m."] * 5
    assert prepared(words).X["v"].tolist() == [0, 1.5, 12.25, 22.5] * 5


def test_a_few_odd_words_do_not_hide_times():
    words = [f"{k % 24}:{k % 60:02}" for k in range(120)]
    words[7], words[9] = "9.12", "about noon"
    found = prepared(words)
    assert found.X["v"].iloc[:2].tolist() == [0, 1 + 1 / 60]
    assert "read '9.12', 'about noon' of v as missing: no time" in found.notes
    assert "v" not in prepared(["1:10", "2:20"] + ["old", "new", "used", "sold"] * 10).X


def test_minutes_and_seconds_are_not_called_a_time_of_the_day():
    found = prepared([f"{4 + k}:{15 * (k % 4):02}" for k in range(120)])
    assert found.X["v"].tolist() == [4 + k + 0.25 * (k % 4) for k in range(120)]
    assert "day" not in found.notes[0]
    ratios = prepared([f"{k % 3}:{90 + k % 2}" for k in range(40)])  # no minute has 90 seconds
    assert "v" not in ratios.X
    assert "v=0:90" in ratios.X


def test_new_rows_are_read_as_the_first_ones_were():
    words = [f"{day}/{month}/2012" for month in (1, 2, 3, 4) for day in range(1, 13)]
    found = prepared(words)
    import pandas

    new = pandas.DataFrame({"x": [0.0, 0.0, 0.0], "v": ["2/3/2012", "5/2/2013", "no date"]})
    X = found.preparation.transform(new)
    place = found.X.columns.get_loc("v")
    assert X[:2, place].tolist() == [61, 401]
    assert X[2, place] == found.X["v"].median()


@pytest.mark.parametrize(
    "years",
    [range(1939, 2014), [1969, 2020], [2015, 2016], range(1920, 2010), range(1940, 2040)],
    ids=["comics", "two ends", "two years", "a long life", "a hundred years"],
)
def test_two_digits_of_a_year_are_of_one_stretch_of_years(years):
    import pandas

    days = pandas.Series(f"{month} 5, {year}" for year in years for month in ("Mar", "Sep"))
    short = pandas.Series(
        f"5-{month}-{year % 100:02}" for year in years for month in ("Mar", "Sep")
    )
    np.testing.assert_array_equal(as_times(short, "seen"), as_times(days, "seen"))


def test_two_digits_among_whole_years_are_none_after_them():
    words = [f"{1 + k % 28}/{1 + k % 12}/{1900 + k}" for k in range(100)]
    days = as_times(Series([*words, "Oct-45", "Oct 1945"]), "seen")
    assert days[-2] == days[-1]


def test_two_digits_in_new_rows_may_go_on_before_and_after():
    words = [f"{1 + k % 28}-Mar-{15 + k // 28}" for k in range(60)]
    found = prepared(words)
    new = found.preparation.transform({"x": [0.0] * 3, "v": ["1-Mar-12", "1-Mar-15", "1-Mar-24"]})
    np.testing.assert_array_equal(new[:, 1], [-1095.0, 0.0, 3288.0])


def test_the_time_is_named_or_the_first_date():
    import pandas

    days = [str(each)[:10] for each in moments()]
    born = [f"19{50 + k}-01-{k % 28 + 1:02}" for k in range(40)]
    year = np.arange(40) // 4 + 1990
    table = pandas.DataFrame({"birth_date": born, "seen": days, "year": year, "word": ["a"] * 40})
    labels = ["a", "b"] * 20
    assert prepare_table(table, labels).time_name == "seen"
    found = prepare_table(table, labels, time="year")
    assert (found.time_name, found.time.tolist()) == ("year", year.tolist())
    assert prepare_table(table, labels, time=np.arange(40)).time.tolist() == [*range(40)]
    with pytest.raises(TableError, match="'word' must hold dates or numbers to order by, got 'a'"):
        prepare_table(table, labels, time="word")
    with pytest.raises(TableError, match=r"no column 'yaer' to order samples by\. Did you mean"):
        prepare_table(table, labels, time="yaer")


def test_years_with_months_and_days_are_times():
    import pandas

    random = np.random.default_rng(0)
    days = pandas.Series(pandas.date_range("2019-11-20", periods=60))
    order = random.permutation(60)
    table = pandas.DataFrame({"Year": days.dt.year, "month": days.dt.month, "day": days.dt.day})
    table = table.assign(kind=["a", "b"] * 30).iloc[order]
    found = prepare_table(table, "kind", scale="none")
    assert found.time_name == "Year"
    np.testing.assert_array_equal(np.argsort(found.time), np.argsort(order))
    found = prepare_table(table.assign(Year=2020), "kind")
    assert found.time_name == "month"
    table["when"] = days.astype(str)
    assert prepare_table(table, "kind").time_name == "when"
    for year, name in ((1990 + np.arange(60) // 4, "year"), (1990 + np.arange(60) % 9, None)):
        found = prepare_table({"year": year, "x": random.normal(size=60)}, ["a", "b"] * 30)
        assert found.time_name == name
    table = pandas.DataFrame({"year built": 1940 + np.arange(60), "kind": ["a", "b"] * 30})
    assert prepare_table(table, "kind").time_name is None

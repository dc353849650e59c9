"""Labels that drift along time, and errors of training on the past."""

import numpy as np
import pytest

from smartsvm import difficulty_report
from smartsvm.estimation.results import Interval
from smartsvm.report.forward_in_time import ForwardInTime, forward_in_time


def problem(n=600, turn=0.0, seed=0):
    """Two classes whose boundary turns by `turn` full circles along time."""
    random = np.random.default_rng(seed)
    X, time = random.normal(size=(n, 2)), np.arange(n) / n
    angle = 2 * np.pi * turn * time
    return X, (X[:, 0] * np.cos(angle) + X[:, 1] * np.sin(angle) > 0).astype(int), time


def test_a_boundary_that_turns_costs_errors_forward_in_time():
    X, y, time = problem(turn=0.5)
    found = forward_in_time(X, y, time, seed=0)
    assert found.loses
    assert found.error.value > found.shuffled.value + 0.05
    assert found.error.low < found.error.value < found.error.high


def test_a_change_near_the_end_is_seen():
    X, y, time = problem()
    y = np.where(time > 0.85, 1 - y, y)
    assert forward_in_time(np.c_[X, 9 * time], y, time, seed=0).loses


def test_nothing_turns():
    losses = 0
    for seed in range(10):
        X, y, time = problem(seed=seed)
        found = forward_in_time(X, y, time, seed=seed)
        losses += found.loses
        assert found.error.value < 0.15
    assert losses <= 2


def test_shuffled_errors_are_those_of_the_panel():
    random = np.random.default_rng(0)
    y = random.integers(0, 3, 600)
    X = random.normal(size=(600, 4)) + np.eye(3, 4)[y] * 3
    y[5] = 3  # the only sample of its class
    report = difficulty_report(X, y, time=np.arange(600))
    found = report.errors.forward_in_time
    panel = report.errors.held_out.of(found.classifier).error
    assert found.shuffled.low <= panel.high
    assert found.shuffled.high >= panel.low


def test_fractions_that_change_are_drift():
    random = np.random.default_rng(0)
    n = 900
    X, time = random.normal(size=(n, 2)), np.arange(n)
    changing = (random.random(n) < np.linspace(0.1, 0.6, n)).astype(int)
    found = forward_in_time(X, changing, time, seed=0)
    assert found.drifts
    assert (found.first_share > 0.5, found.last_share < 0.6) == (True, True)
    alarms = sum(
        forward_in_time(X[:90], random.integers(0, 2, 90), time[:90], seed=k).drifts
        for k in range(20)
    )
    assert alarms <= 2


def test_a_class_of_the_middle_is_the_one_that_changes():
    random = np.random.default_rng(0)
    n = 900
    rare = random.random(n) < np.where(np.arange(n) // 300 == 1, 0.4, 0.1)
    y = np.where(rare, 2, np.arange(n) % 2)
    found = forward_in_time(random.normal(size=(n, 2)), y, np.arange(n), seed=0)
    assert (found.drifts, found.changing) == (True, 2)
    assert found.middle_share > 2 * max(found.first_share, found.last_share)
    assert "of the first third of the samples, " in found.sentence()


def test_seasons_are_no_drift():
    n = 1200
    time = np.arange(n)
    season = np.sin(2 * np.pi * time / 100) > 0
    X = np.random.default_rng(0).normal(size=(n, 2))
    assert not forward_in_time(X, season.astype(int), time, seed=0).drifts


def test_equal_times_stay_together_and_few_are_too_few():
    X, y, _ = problem(120)
    assert forward_in_time(X, y, np.zeros(120), seed=0) is None
    assert forward_in_time(X[:50], y[:50], np.arange(50.0), seed=0) is None
    halves = forward_in_time(X, y, np.repeat([1.0, 2.0], 60), seed=0)
    assert halves.n_tested == 60
    unknown = np.where(np.arange(120) % 2, np.nan, np.arange(120))
    assert forward_in_time(X, y, unknown, seed=0).n_tested == 30


def test_the_order_of_rows_does_not_matter():
    X, y, time = problem(turn=0.5)
    order = np.random.default_rng(1).permutation(len(y))
    assert forward_in_time(X[order], y[order], time[order], seed=0) == forward_in_time(
        X, y, time, seed=0
    )


@pytest.mark.usefixtures("no_drawings")
@pytest.mark.parametrize("dates", [False, True])
def test_the_report_has_a_section(dates):
    X, y, time = problem(300, turn=0.5)
    if dates:
        time = np.datetime64("2020-01-01") + np.arange(300).astype("m8[D]")
    report = difficulty_report(X, y, time=time, classifiers=["neighbors"])
    text, page = str(report), report.to_html()
    for output in (text, page):
        assert "Does it hold forward in time?" in output
    assert " trained on the past, the error on later samples is " in page
    assert report.to_dict()["errors"]["forward_in_time"]["error"]["value"] > 0.1
    assert report.flags[0].code == "drift"
    without = difficulty_report(X, y, classifiers=["neighbors"])
    assert without.errors.forward_in_time is None
    assert without.to_dict()["errors"]["forward_in_time"] is None
    assert "forward in time" not in str(without)


def test_times_are_checked():
    X, y, time = problem(100)
    with pytest.raises(ValueError, match="time must have one name for each of the 100 rows"):
        difficulty_report(X, y, time=time[:50])


def test_rows_of_the_classes_by_turns_are_as_hard_at_any_time():
    random, n = np.random.default_rng(0), 400
    X, y = random.normal(size=(n, 2)), np.arange(n) % 2
    found = forward_in_time(X, y, np.arange(n) // 2 * 1.0, seed=0)
    assert 0.35 < found.shuffled.value < 0.65  # every other row has the other class
    assert not found.loses


def test_later_samples_that_are_clearly_easier_are_no_harder():
    error, shuffled = Interval(0.1, 0.05, 0.15), Interval(0.4, 0.35, 0.45)
    shares = (0.5, 0.5, 0.5)
    found = ForwardInTime("day", "a", error, "b", shuffled, 0.02, 200, 0.5, "x", *shares)
    assert found.sentence().endswith("Later samples are no harder.")
    assert "; with your model b trained on as many samples of any time, " in found.sentence()
    assert "show no clear trend along day" in found.sentence()
    assert "x changes most and makes up 50% of the first third" in found.sentence()


def test_a_class_that_falls_over_few_years_drifts_also_in_a_sorted_table():
    random = np.random.default_rng(0)
    years = np.sort(random.integers(2010, 2020, 800)).astype(float)
    y = (random.random(800) < np.interp(years, [2010, 2019], [0.8, 0.004])).astype(int)
    order = np.lexsort((y, years))
    found = forward_in_time(random.normal(size=(800, 2)), y[order], years[order], seed=0)
    assert found.drifts
    assert abs(found.first_share - found.last_share) > 0.3  # of either class


@pytest.mark.parametrize(("last", "words"), [(0.004, "may drift"), (0.79, "no clear trend")])
def test_a_large_change_is_never_called_no_trend(last, words):
    error = Interval(0.1, 0.05, 0.15)
    found = ForwardInTime("year", "a", error, "a", error, 0.02, 200, 0.038, "x", 0.8, 0.5, last)
    found = found._replace(middle_share=0.8 if last > 0.5 else 0.5)
    assert words in found.sentence()
    assert "makes up 80% of the first third of the samples, " in found.sentence()
    assert "(p = 0.038)" in found.sentence()


def test_years_that_vary_without_a_trend_are_no_drift():
    alarms = 0
    for seed in range(40):
        random = np.random.default_rng(seed)
        years = np.repeat(np.arange(12.0), 30)
        y = (random.random(360) < random.uniform(0.2, 0.8, 12)[years.astype(int)]).astype(int)
        alarms += forward_in_time(np.zeros((360, 1)), y, years, seed=seed).drifts
    assert alarms <= 3  # each with a chance of 1%


def test_empty_columns_of_the_time_cost_nothing_later(monkeypatch):
    # Other classifiers may ignore the seasons.
    monkeypatch.setattr("smartsvm.report.forward_in_time._TRIED", ("linear",))
    # Along a year that has not ended, a line through its seasons says nothing about later days.
    random, n = np.random.default_rng(1), 120
    y, days = random.integers(0, 2, n), np.arange(n) * 3.0
    angle = 2 * np.pi * days / 365
    season = np.column_stack([days / 100, np.sin(angle), np.cos(angle)])
    X = np.column_stack([random.normal(size=n) + 2 * y, season])
    found = forward_in_time(X, y, days, [1, 2, 3], seed=0)
    assert found.error.value < forward_in_time(X, y, days, seed=0).error.value - 0.05
    assert not found.loses


def test_a_classifier_of_times_alone_does_not_foresee():
    # Labels come in runs, which the time of neighbours tells, and follow a column but for noise.
    random = np.random.default_rng(0)
    y = np.repeat(random.integers(0, 2, 30), 20)
    days = np.arange(600.0)
    X = np.column_stack([random.normal(size=600) + 5 * y, days / 5])
    found = forward_in_time(X, y, days, [1], seed=0)
    assert found.shuffled.value < 0.02
    assert found.error.value < 0.03


def dated(n=120, **others):
    """A table with the date of an order, in no order of rows, and other dates."""
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    table = pandas.DataFrame({"a": random.normal(size=n), "kind": np.arange(n) % 2})
    days = pandas.to_timedelta(random.permutation(n) + 5, "D")
    for name, filled in {**others, "opened_at": 1.0}.items():
        date = pandas.Series(pandas.Timestamp("2020-01-01") + days)
        table[name] = date.where(random.random(n) < filled)
        days = days - pandas.to_timedelta(1, "D")
    return table


@pytest.mark.parametrize(
    ("others", "named"),
    [
        ({"closed_at": 1.0}, ("opened_at", ("closed_at",))),
        ({"DateofTermination": 1.0, "LastReview_Date": 1.0}, ("opened_at", None)),
        ({"graded": 0.7}, ("opened_at", ("graded",))),
        ({"ordered": 1.0}, ("ordered", ("opened_at",))),
    ],
)
def test_of_several_dates_the_one_of_the_event_is_the_axis(others, named):
    report = difficulty_report(dated(**others), "kind", classifiers=["neighbors"])
    found = report.errors.forward_in_time
    assert found.time == named[0]
    assert found.others == (named[1] or ("DateofTermination", "LastReview_Date"))
    text = " ".join(str(report).split())
    assert f"{found.time} is taken for the time of a row" in text
    assert f'pass time="{found.others[0]}"' in text


def test_a_date_that_most_rows_lack_is_no_axis():
    table = dated(date_of_refusal=0.3).drop(columns="opened_at")
    report = difficulty_report(table, "kind", classifiers=["neighbors"])
    assert report.errors.forward_in_time is None


def test_of_a_wide_table_fewer_rows_are_seen():
    n, random = 2600, np.random.default_rng(0)
    y, time = np.arange(n) % 2, np.arange(float(n))
    noise = random.normal(size=(n, 300)).astype(np.float32)
    assert forward_in_time(noise[:, :2], y, time, seed=0).n_tested == n // 2
    assert forward_in_time(noise, y, time, seed=0).n_tested == 1000

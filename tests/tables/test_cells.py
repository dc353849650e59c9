"""What a cell may hold, when a preparation is fitted and in new rows."""

import datetime
from fractions import Fraction

import numpy as np
import pytest
from pandas import DataFrame, Series, date_range

from smartsvm import TablePreparation, difficulty_report, prepare_table
from smartsvm.tables.hints import TableError

N = 40
Y = np.repeat(["a", "b"], N // 2)
NUMBERS = np.random.default_rng(0).normal(size=N)
OTHER = {
    "lists": ([1, 2], "holds lists, such as .*1, 2.*make a column of each place"),
    "bytes": (b"1", "holds bytes, such as b'1'.*decode them"),
    "complex": (1j, "holds complex numbers"),
    "sets": ({1}, "holds sets, such as {1}.*a column of 0 and 1 for each value"),
    "fractions": (Fraction(1, 2), r"holds fractions, such as Fraction\(1, 2\).*convert them"),
    "frames": (DataFrame({"a": [1]}), r"holds .*\(DataFrame\), which is no single value"),
    "rows of an array": (np.void(b"12"), "holds records, such as"),
    "records": ({"a": 1}, "holds records, such as {'a': 1}.*a column of each field"),
}
COLUMNS = {
    "numbers": NUMBERS,
    "words": np.where(NUMBERS > 0, "up", "down"),
    "dates": date_range("2020-01-01", periods=N),
    "texts of dates": date_range("2020-01-01", periods=N).astype(str),
    "times": [f"{k % 24}:30" for k in range(N)],
}


@pytest.mark.parametrize("case", OTHER)
@pytest.mark.parametrize("column", COLUMNS)
def test_new_rows_of_another_kind_are_refused(column, case):
    value, message = OTHER[case]
    fitted = TablePreparation().fit(DataFrame({"v": COLUMNS[column], "x": NUMBERS}))
    for values in ([value] * 3, [value, None, value]):
        new = DataFrame({"v": Series(values), "x": NUMBERS[:3]})
        with pytest.raises(TableError, match=f"column 'v' {message}"):
            fitted.transform(new)


@pytest.mark.parametrize("case", [*OTHER][1:])
def test_they_are_refused_in_the_table_itself(case):
    value, message = OTHER[case]
    for values in ([value] * N, [1.5, *[value] * (N - 1)], [*["word"] * (N - 1), value]):
        with pytest.raises(TableError, match=f"column 'v' {message}"):
            prepare_table(DataFrame({"v": Series(values, dtype=object), "x": NUMBERS}), Y)


def test_lists_beside_other_values_are_refused():
    for values in ([1.5, *[[1, 2]] * (N - 1)], [*[[1, 2]] * (N - 1), 1.5]):
        with pytest.raises(TableError, match=r"'v' (holds lists|must hold lists of numbers)"):
            prepare_table(DataFrame({"v": Series(values), "x": NUMBERS}), Y)


def test_dates_in_place_of_numbers_are_refused():
    fitted = TablePreparation().fit(DataFrame({"v": NUMBERS}))
    with pytest.raises(TableError, match="column 'v' holds dates, where it was fitted to numbers"):
        fitted.transform(DataFrame({"v": date_range("2020", periods=3)}))


@pytest.mark.parametrize("labels", [[("a", 1), ("b", 2)], [["a"], ["b"]], [{"a"}, {"b"}]], ids=str)
def test_labels_hold_one_value(labels):
    y, table = labels * (N // 2), DataFrame({"x": NUMBERS})
    for given in (Series(y), y):
        with pytest.raises((TypeError, ValueError), match=r"holds (lists|sets)"):
            prepare_table(table, given)
        with pytest.raises((TypeError, ValueError), match=r"y must (hold labels|be one-dim)"):
            difficulty_report(NUMBERS[:, None], given)
    with pytest.raises(TableError, match=r"column 'kind' holds (lists|sets)"):
        prepare_table(table.assign(kind=y), "kind")


@pytest.mark.parametrize("kind", [">f8", ">f4", ">i4", ">u2", ">i8", "f2", "longdouble"])
def test_numbers_of_any_width_and_byte_order(kind):
    values = (100 * NUMBERS).astype(kind) if kind != ">u2" else (100 + 9 * NUMBERS).astype(kind)
    expected = prepare_table(DataFrame({"v": values.astype(float), "x": NUMBERS}), Y)
    found = prepare_table(DataFrame({"v": values, "x": NUMBERS}), Y)
    assert np.allclose(found.X, expected.X, rtol=1e-9)
    new = np.column_stack([values, values])
    model = TablePreparation(scale="none").fit(new)
    assert np.allclose(model.transform(new), new.astype(float), rtol=1e-9)


def test_values_that_no_scale_can_hold_are_refused():
    for scale in ("standard", "robust", "minmax"):
        fitted = TablePreparation(scale=scale).fit(DataFrame({"v": 1e-300 * NUMBERS}))
        with pytest.raises(TableError, match=r"column 'v' holds 1e\+300, too far"):
            fitted.transform(DataFrame({"v": [1e-300, 1e300]}))
    assert np.isfinite(TablePreparation().fit_transform(DataFrame({"v": 1e307 * NUMBERS}))).all()


@pytest.mark.parametrize(
    ("time", "problem"),
    [
        (3, r"got 3 \(int\)"),
        ("day", r"got 'day' \(str\)"),
        (np.arange(N)[:, None], r"got shape \(40, 1\)"),
        (DataFrame({"t": np.arange(N)}), r"got shape \(40, 1\)"),
    ],
)
def test_times_are_one_value_for_each_row(time, problem):
    X = np.column_stack([NUMBERS, NUMBERS**2])
    with pytest.raises(ValueError, match="time must be one-dimensional, .*" + problem):
        difficulty_report(X, Y, time=time)
    if np.ndim(time):
        with pytest.raises(ValueError, match="time must be one-dimensional.* " + problem):
            prepare_table(DataFrame(X), Y, time=time)


def test_times_may_be_a_list_of_dates():
    days = [datetime.date(2020, 1, 1) + datetime.timedelta(days=k) for k in range(N)]
    assert prepare_table(DataFrame({"x": NUMBERS}), Y, time=days).time.tolist() == [
        18262 + k for k in range(N)
    ]


def test_decimal_is_a_mark():
    with pytest.raises(ValueError, match=r"decimal must be one of \['auto', '\.', ','\]"):
        TablePreparation(decimal="; drop table").fit(DataFrame({"v": NUMBERS}))

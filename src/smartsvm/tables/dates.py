"""Dates in all usual spellings, as columns: elapsed days, time of the year, weekday and hour."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

import numpy as np

from smartsvm.presentation.wording import counted
from smartsvm.tables.clock_times import FEW_ODD, MOST_ODD
from smartsvm.tables.date_words import (
    ALONE,
    AS_SPELT,
    AS_WRITTEN,
    MOST_DAYS,
    ORDERS,
    Reading,
    Spellings,
    common_zone,
    days_of,
    in_zone,
    moment_of,
    parts_of,
    possible_orders,
)
from smartsvm.tables.hints import TableError

PARTS = ("month", "weekday", "hour")
# Whole numbers in this range, times a unit, are dates from September 2001 to March 2030. With a
# name that says so, they may begin in 1973. Ten-digit numbers of other kinds exceed the range.
_EPOCH_LEAST, _EPOCH_NAMED, _EPOCH_MOST = 1e9, 1e8, 1.9e9
_EPOCH_UNITS = {"seconds": 1, "milliseconds": 10**3, "microseconds": 10**6, "nanoseconds": 10**9}
# Excel counts days from the end of 1899: its numbers for 1970, and for 1980 to 2040.
_OF_EXCEL, _EXCEL_ZERO, _EXCEL_LEAST, _EXCEL_MOST = "days of Excel", 25569, 29221, 51501
_LEAST_SPAN = 60  # seconds between the first and the last epoch
# Dates written as 201201, 20120131, 201201312359 or 20120131235959 begin with these years.
_COMPACT = re.compile(
    r"(?P<year>(?:19|20)\d\d)(?P<month>\d\d)"
    r"(?:(?P<day>\d\d)(?:(?P<hour>\d\d)(?P<minute>\d\d)(?P<second>\d\d)?)?)?"
)
_LEAST_DISTINCT = 3  # of numbers that are read as dates
_LEAST_MONTHS = 6  # of numbers such as 201201: one in eight of any numbers looks like a month
_OF_NUMBERS = Reading(zone=AS_WRITTEN)
_OF_EPOCHS = Reading(zone=UTC)
_HALF_A_YEAR = 183
_HALF_A_WEEK = 3.5  # in days


@dataclass(frozen=True)
class DateColumn:
    """How a column is read as dates, and which columns are made of it."""

    # "text", "compact", a unit of _EPOCH_UNITS or _OF_EXCEL; "stored" for dates of a data frame.
    kind: str
    reading: Reading = AS_SPELT
    zero: float = 0.0  # the first date, in days since 1970
    parts: tuple = ()  # of PARTS, those that vary
    span: str = "empty"  # the first and the last date

    def times(self, values):
        """Days since 1970 of a column as it was given, NaN where there is no date."""
        if values.dtype.kind == "M":
            return _stored_days(values, self.reading)
        if values.dtype.kind in "biuf":
            return self._days_of_numbers(values)
        if self.kind == "text":
            return self._days_of_text(values)
        stored = values.map(is_stored).to_numpy(dtype=bool)
        numbers = _as_floats(values.mask(stored))
        days = self._days_of_numbers(type(values)(numbers, name=values.name))
        days[stored] = _stored_days(values[stored], self.reading)
        words = ~stored & np.isnan(numbers)
        days[words] = _certain_days(values[words], self.reading.zone)
        return days

    def _days_of_text(self, values):
        """Dates as they were fitted; those of another order of parts only if that is certain."""
        if self.reading.order is not None:
            return _text_days(values, self.reading)[0]
        others = values.map(_has_order).to_numpy(dtype=bool)
        days = _text_days(values.mask(others), self.reading)[0]
        days[others] = _certain_days(values[others], self.reading.zone)
        return days

    def _days_of_numbers(self, values):
        numbers = _as_floats(values)
        present = numbers[~np.isnan(numbers)]
        if self.kind in ("text", "stored"):
            if not len(present):
                return numbers
            raise TableError(
                f"column {values.name!r} holds numbers, such as {present[0]:g}, where it was "
                "fitted to dates."
            )
        days = _number_days(numbers, self.kind)
        odd = np.abs(days) > MOST_DAYS
        if self.kind in _EPOCH_UNITS:  # seconds look like January 1970 among milliseconds
            odd |= (numbers > 0) & (numbers < _EPOCH_NAMED * _EPOCH_UNITS[self.kind])
        if odd.any():
            raise TableError(
                f"column {values.name!r} holds {numbers[odd][0]:g}, which is no date in "
                f"{self.kind} as it was fitted to."
            )
        return days

    def columns(self, name, values):
        """The columns that are made of a date, by what follows their name."""
        days = self.times(values)
        found = {"": days - self.zero}
        for part in self.parts:
            angle = 2 * np.pi * _cycle(days, part)
            found |= {f" {part} sin": np.sin(angle), f" {part} cos": np.cos(angle)}
        return found


def stored_dates(name, values):
    """How to read a column of date objects, and remarks."""
    if values.dtype.kind == "M":
        zones, zone = set(), getattr(values.dt, "tz", None) or AS_WRITTEN
    else:
        zones = {_utc_offset(each) for each in values.dropna()}
        zone = common_zone(zones)
    reading = Reading(zone=zone)
    days = _stored_days(values, reading)
    never = values[np.isnan(days) & values.notna().to_numpy()]
    remarks = []
    if len(never):
        what = counted(never.nunique(), "impossible date")
        remarks.append(f"read {what} of {name} as missing, such as {str(never.iloc[0])!r}")
    if len(zones) > 1:
        remarks.append(_about_zones(name, zones))
    return _with_parts(DateColumn("stored", reading), days), remarks


def text_dates(name, words):
    """How to read text as dates, and remarks; None if they are none."""
    present = words.dropna()
    if not len(present) or parts_of(present.iloc[0]) is None:
        return None, []
    days, seen = _text_days(words, AS_SPELT)
    n_bad = len(seen.odd) + len(seen.impossible)
    n_distinct = len(seen.moments)
    if seen.is_season or 2 * n_bad >= n_distinct:
        return None, []
    bad = [*seen.impossible, *seen.odd]
    if n_bad > max(MOST_ODD * n_distinct, FEW_ODD):
        some = f"{n_bad:,} of {n_distinct:,} different values are none, such as {bad[0]!r}"
        return None, [f"{name} looks like dates, but {some}: read as text"]
    remarks = []
    if seen.others:
        why = ""
        for reading in seen.others if not in_order(days) else []:
            other = _text_days(words, reading)
            if in_order(other[0]):
                (days, seen), why = other, ", which puts the rows in order"
                break
        remarks.append(f"{_about_order(name, seen)}{why}")
    if n_bad:
        if seen.impossible:
            what = counted(n_bad, "impossible date")
        else:
            odd = "value that is no date" if n_bad == 1 else "values that are no dates"
            what = f"{n_bad:,} {odd}"
        remarks.append(f"read {what} of {name} as missing, such as {bad[0]!r}")
    if len(seen.zones) > 1:
        remarks.append(_about_zones(name, seen.zones))
    return _with_parts(DateColumn("text", seen.reading), days), remarks


def number_dates(numbers, *, is_named=False):
    """How to read numbers as dates: epochs and 20120131; None if they are none.

    `is_named` is whether the name of the column says that they are.
    """
    present = numbers[~np.isnan(numbers)]
    whole = (present == np.floor(present)).all()
    if len(present) < _LEAST_DISTINCT or not (whole or is_named):
        return None
    low = present.min()
    high = present.max()
    if whole and _are_compact(present, low, high):
        return _with_parts(DateColumn("compact", _OF_NUMBERS), _number_days(present, "compact"))
    least = _EPOCH_NAMED if is_named else _EPOCH_LEAST
    for unit, factor in _EPOCH_UNITS.items():
        inside = least * factor <= low and high < _EPOCH_MOST * factor
        if (
            inside
            and high - low >= _LEAST_SPAN * factor
            and len(np.unique(present)) >= _LEAST_DISTINCT
        ):
            return _with_parts(DateColumn(unit, _OF_EPOCHS), _number_days(present, unit))
    return None


def days_of_excel(numbers):
    """How to read numbers as the days that Excel stores for dates; None if they are none."""
    present = numbers[~np.isnan(numbers)]
    if not len(present) or not ((present >= _EXCEL_LEAST) & (present < _EXCEL_MOST)).all():
        return None
    if len(np.unique(present)) < _LEAST_DISTINCT:
        return None
    return _with_parts(DateColumn(_OF_EXCEL, _OF_NUMBERS), _number_days(present, _OF_EXCEL))


def _are_compact(numbers, low, high):
    """Whether all numbers are dates of one length, such as 20120131."""
    if not all(_COMPACT.fullmatch(f"{number:.0f}") for number in (low, high)):
        return False
    distinct = np.unique(numbers)
    months = high < 10**6
    enough = len(distinct) >= (_LEAST_MONTHS if months else _LEAST_DISTINCT)
    of_one_length = len(f"{low:.0f}") == len(f"{high:.0f}")
    return enough and of_one_length and not np.isnan(_number_days(distinct, "compact")).any()


def in_order(days):
    """Whether days rise or fall throughout, gaps aside."""
    steps = np.diff(days[~np.isnan(days)])
    return bool((steps >= 0).all() or (steps <= 0).all())


def _with_parts(column, days):
    """The parts of dates that vary and that elapsed time does not tell already."""
    days = days[~np.isnan(days)]
    if not len(days):
        return column
    moments = _moments(days)
    of_month = np.unique(moments.astype("M8[D]") - moments.astype("M8[M]").astype("M8[D]"))
    months = np.unique(moments.astype("M8[M]").astype(int) % 12)
    varies = {
        "month": np.ptp(days) > _HALF_A_YEAR and len(months) > 1,
        # The first of every month: its weekday is chance.
        "weekday": not column.reading.yearless
        and np.ptp(days) > _HALF_A_WEEK
        and len(of_month) > 1
        and len(np.unique(_weekday(days))) > 1,
        "hour": len(np.unique(np.round(days % 1, 6))) > 1,
    }
    parts = tuple(part for part in PARTS if varies[part])
    ends = _moments(np.array([days.min(), days.max()])).astype("M8[D]").tolist()
    span = " to ".join(
        f"{day:%B} {day.day}" if column.reading.yearless else f"{day}" for day in ends
    )
    return replace(column, zero=float(days.min()), parts=parts, span=span)


def _cycle(days, part):
    """The place of dates in a year, a week or a day, from 0 to 1."""
    if part == "hour":
        return days % 1
    if part == "weekday":
        return _weekday(days) / 7
    moments = _moments(days)
    year = moments.astype("M8[Y]")
    start, end = year.astype("M8[s]"), (year + np.timedelta64(1, "Y")).astype("M8[s]")
    return (moments - start) / (end - start)


def _weekday(days):
    return (np.floor(days) + 3) % 7  # 1970 began on a Thursday


def _moments(days):
    """Days since 1970 as moments; NaN as no time."""
    seconds = np.round(np.where(np.isnan(days), 0, days) * 86400).astype("i8").astype("M8[s]")
    return np.where(np.isnan(days), np.datetime64("NaT", "s"), seconds)


def is_stored(value):
    """Whether a value is a date object; a timestamp is one, too."""
    return isinstance(value, date | np.datetime64) and value == value


def _stored_days(values, reading):
    """Days since 1970 of date objects, by the clock of a zone."""
    if values.dtype.kind == "M":
        if getattr(values.dt, "tz", None) is not None:
            times = values if reading.zone == AS_WRITTEN else values.dt.tz_convert(reading.zone)
            values = times.dt.tz_localize(None)
        moments = values.to_numpy(dtype="M8[us]")
        days = np.where(np.isnat(moments), np.nan, moments.astype("i8") / 86400e6)
    else:
        days = np.array([_stored_day(each, reading) for each in values.tolist()], dtype=float)
    return np.where(days >= MOST_DAYS, np.nan, days)  # the year 9999 stands for no date


def _stored_day(value, reading):
    if not is_stored(value):
        return np.nan
    if isinstance(value, np.datetime64):
        value = value.astype("M8[us]").item()
    if not isinstance(value, datetime):
        return float((value - date(1970, 1, 1)).days)
    return days_of(in_zone(value.replace(tzinfo=None), _utc_offset(value), reading.zone))


def _has_order(value):
    """Whether a value is a word such as 3/4/2020."""
    parts = parts_of(value.strip()) if isinstance(value, str) else None
    return parts is not None and parts.get("one") is not None


def _utc_offset(value):
    """Minutes east of UTC of a date object; None for none."""
    offset = value.utcoffset() if isinstance(value, datetime) else None
    return None if offset is None else round(offset.total_seconds() / 60)


def _certain_days(words, zone):
    """Days since 1970 of words beside other dates; those of two readings are refused."""
    days = []
    for word in words:
        parts = parts_of(str(word).strip())
        orders = [] if parts is None else possible_orders(parts)
        if len(orders) > 1 and parts["mark"] != ".":
            raise TableError(
                f"column {words.name!r} holds {word!r}, whose day and month cannot be told apart, "
                "also not by the dates that it was fitted to: write the year first, or convert the "
                "column to dates."
            )
        seen = Spellings([str(word).strip()], ALONE._replace(order=next(iter(orders), None)))
        (moment,) = seen.moments
        days.append(np.nan if moment is None else days_of(in_zone(*moment, zone)))
    return np.array(days, dtype=float)


def _text_days(words, reading):
    """Days since 1970 of text, and how its distinct words were read."""
    import pandas

    codes, distinct = pandas.factorize(words)
    seen = Spellings([str(word).strip() for word in distinct], reading)
    zone = seen.reading.zone
    days = [np.nan if each is None else days_of(in_zone(*each, zone)) for each in seen.moments]
    return np.array([*days, np.nan])[codes], seen  # the code of a missing value is -1


def _number_days(numbers, kind):
    """Days since 1970 of epochs, of days of Excel or of numbers such as 20120131."""
    if kind == _OF_EXCEL:
        return numbers - _EXCEL_ZERO
    if kind != "compact":
        return numbers / (86400 * _EPOCH_UNITS[kind])
    days = {}
    for number in np.unique(numbers[~np.isnan(numbers)]).tolist():
        match = _COMPACT.fullmatch(f"{number:.0f}")
        with suppress(ValueError):
            if match is not None:
                days[number] = days_of(moment_of(match.groupdict(), AS_SPELT))
    return np.array([days.get(number, np.nan) for number in numbers.tolist()])


def _as_floats(values):
    import pandas

    numbers = pandas.to_numeric(values, errors="coerce")
    return numbers.to_numpy(dtype=float, na_value=np.nan, copy=True)


def _about_order(name, seen):
    """A remark on a choice between readings that all values allow."""
    if seen.orders[1:]:
        apart = "day, month and year" if "ymd" in seen.orders else "day and month"
        return f"{apart} of {name} cannot be told apart: read as {ORDERS[seen.reading.order]}"
    return f"day and year of {name} cannot be told apart: read as month and {seen.reading.number}"


def _zone_name(zone):
    if zone is None:
        return "none, read as UTC"
    return f"{'-' if zone < 0 else '+'}{abs(zone) // 60:02}:{abs(zone) % 60:02}"


def _about_zones(name, zones):
    names = [_zone_name(zone) for zone in sorted(zones, key=_zone_order)]
    return f"time zones differ in {name} ({', '.join(names)}): hours are those of UTC"


def _zone_order(zone):
    return (zone is None, zone or 0)

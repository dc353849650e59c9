"""Dates in all usual spellings, as columns: elapsed days, time of the year, weekday and hour."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from smartsvm.presentation.wording import counted
from smartsvm.tables.clock_times import FEW_ODD, MOST_ODD, hour_of_day

PARTS = ("month", "weekday", "hour")
_MONTHS = (
    "jan(?:uary)?",
    "feb(?:ruary)?",
    "mar(?:ch)?",
    "apr(?:il)?",
    "may",
    "june?",
    "july?",
    "aug(?:ust)?",
    "sept?(?:ember)?",
    "oct(?:ober)?",
    "nov(?:ember)?",
    "dec(?:ember)?",
)
_NAME = rf"(?P<name>{'|'.join(_MONTHS)})\.?"
_WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,? +)?"
_DAY = r"(?P<day>\d\d?)(?:st|nd|rd|th)?"
_ZONES = {"z": 0, "utc": 0, "gmt": 0, "cet": 60, "cest": 120}
# Hours west of UTC in winter; those of RFC 5322.
for _letter, _hours in {"e": 5, "c": 6, "m": 7, "p": 8}.items():
    _ZONES |= {f"{_letter}st": -60 * _hours, f"{_letter}dt": -60 * (_hours - 1)}
_ZONE = rf"(?P<zone>(?:utc|gmt)?[+-]\d\d?(?::?\d\d)?|{'|'.join(_ZONES)})"
_CLOCK_TIME = r"(?P<hour>\d\d?):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,]\d+)?)?"
_TIME = rf"(?:[t ,:]+{_CLOCK_TIME} ?(?P<half>[ap]\.?m\.?)? ?{_ZONE}?)?"
_OFFSET = re.compile(r"([+-])([\d:]+)")
_YEAR = r"(?P<year>\d{4})"
_GAP = r"(?:, ?|[ /-])"
_DAYS = (
    rf"{_YEAR}(?P<mark>[-/.])(?P<month>\d\d?)(?P=mark)(?P<day>\d\d?)",
    r"(?P<one>\d\d?)(?P<mark>[-/.])(?P<two>\d\d?)(?P=mark)(?P<year>\d{4}|\d\d)",
    rf"{_WEEKDAY}{_NAME}[ -]{_DAY},?[ -]+{_YEAR}",
    rf"{_WEEKDAY}{_DAY}\.?[ /-]?{_NAME},?[ /-]?(?P<year>\d{{4}}|\d\d)",
    rf"{_YEAR}{_GAP}{_NAME}(?:[ /-]{_DAY})?",
    rf"{_YEAR}[-/](?P<month>\d\d)",
    r"(?P<month>\d\d?)[-/](?P<year>(?:1[5-9]|20)\d\d)",
    rf"{_NAME}{_GAP}{_YEAR}",
    rf"{_NAME}[-'](?P<year>\d\d)",
    rf"{_YEAR}{_GAP}?q(?P<quarter>[1-4])",
    rf"q(?P<quarter>[1-4]){_GAP}?'?(?P<year>\d{{4}}|\d\d)",
    rf"(?P<quarter>[1-4])q{_GAP}?'?(?P<year>\d{{4}}|\d\d)",
    rf"{_NAME} {_DAY}",
    rf"{_DAY}[ -]{_NAME}",
    rf"{_YEAR}-?w(?P<week>\d\d)(?:-?(?P<weekday>[1-7]))?",
)
_MOMENTS = (
    *(day + _TIME for day in _DAYS),
    rf"{_WEEKDAY}{_NAME} +{_DAY} {_CLOCK_TIME} (?:{_ZONE} )?{_YEAR}",
    rf"{_YEAR}(?P<month>\d\d)(?P<day>\d\d)t(?P<hour>\d\d)(?P<minute>\d\d)(?P<second>\d\d)?{_ZONE}?",
)
_PATTERNS = tuple(re.compile(moment, re.IGNORECASE) for moment in _MOMENTS)
_NAMES = tuple(re.compile(name, re.IGNORECASE) for name in _MONTHS)
_NEVER = 9999  # 9999-12-31 stands for no date
_ANY_YEAR = 2000  # of dates such as September 3; it has a February 29
# The latest year of a table that two digits may mean: plans and contracts lie in the future.
_LAST_YEAR = 2039
_LONG = 10  # years without a date, from which on a stretch of them may divide the centuries
# Whole numbers in this range, times a unit, are dates from September 2001 to March 2030. With a
# name that says so, they may begin in 1973. Ten-digit numbers of other kinds exceed the range.
_EPOCH_LEAST, _EPOCH_NAMED, _EPOCH_MOST = 1e9, 1e8, 1.9e9
_EPOCH_UNITS = {"seconds": 1, "milliseconds": 10**3, "microseconds": 10**6, "nanoseconds": 10**9}
_TIME_NAME = re.compile(
    r"(?i)(.*[\W_])?(date|time|datetime|timestamp|epoch|ts|created|updated|year|month|week|day|"
    r"quarter|yr|at)([\W_].*)?|.*(Date|Time|Timestamp)|time.*|date.*"
)
_BIRTH_NAME = re.compile(r"(?i)(.*[\W_])?(dob|birth.*|born)([\W_].*)?")
_LEAST_SPAN = 60  # seconds between the first and the last epoch
# Dates written as 201201, 20120131, 201201312359 or 20120131235959 begin with these years.
_COMPACT = re.compile(
    r"(?P<year>(?:19|20)\d\d)(?P<month>\d\d)"
    r"(?:(?P<day>\d\d)(?:(?P<hour>\d\d)(?P<minute>\d\d)(?P<second>\d\d)?)?)?"
)
_LEAST_DISTINCT = 3  # of numbers that are read as dates
_LEAST_MONTHS = 6  # of numbers such as 201201: one in eight of any numbers looks like a month
_HALF_A_YEAR = 183
_HALF_A_WEEK = 3.5  # in days


class Reading(NamedTuple):
    """What the dates of a column have in common; None where their spelling has to tell."""

    day_first: bool | None = None  # in dates such as 1/2/2012
    first_year: int | None = None  # of the hundred years that two digits can mean
    yearless: bool | None = None  # dates such as September 3, all of one year
    in_utc: bool | None = None  # several time zones: the hours are those of UTC


_AS_SPELT = Reading()


class _Spellings:
    """The distinct words of a column as moments, with what was seen on the way."""

    def __init__(self, words, reading):
        self.impossible, self.odd, self.zones = [], [], set()
        self.is_season, self.marks, self.firsts, self.seconds = True, set(), [], []
        matches = [_matched(word) for word in words]
        for match in filter(None, matches):
            parts = match.groupdict()
            if parts.get("one"):
                self.marks.add(parts["mark"])
                self.firsts.append(int(parts["one"]))
                self.seconds.append(int(parts["two"]))
            self.is_season &= parts.get("day") is None and _is_season(parts)
        seen = Reading(self._is_day_first(), _first_year(matches), _is_yearless(matches))
        self.reading = _completed(reading, seen)
        self.moments = [
            self._moment(word, match) for word, match in zip(words, matches, strict=True)
        ]
        self.reading = _completed(self.reading, Reading(in_utc=len(self.zones) > 1))

    @property
    def ambiguous(self):
        """Whether both readings of 1/2/2012 are possible for every value."""
        return bool(self.firsts) and max(self.firsts) < 13 and max(self.seconds) < 13

    def _is_day_first(self):
        """Whether the day comes first: what more values allow, or else the habit."""
        if not self.firsts:
            return None
        day, month = sum(v > 12 for v in self.firsts), sum(v > 12 for v in self.seconds)
        return day > month if day != month else "/" not in self.marks

    def _moment(self, word, match):
        if match is None or _has_year(match) == self.reading.yearless:
            self.odd.append(word)
            return None
        parts = match.groupdict()
        try:
            moment = _moment(parts, self.reading)
        except ValueError:
            self.impossible.append(word)
            return None
        zone = parts.get("zone")
        offset = _offset(zone)
        if parts["hour"] is not None:
            self.zones.add(None if zone is None else offset)
        return moment, offset


@dataclass(frozen=True)
class DateColumn:
    """How a column is read as dates, and which columns are made of it."""

    kind: str  # "text", "compact" or a unit of _EPOCH_UNITS; "stored" for dates of a data frame
    reading: Reading = _AS_SPELT
    zero: float = 0.0  # the first date, in days since 1970
    parts: tuple = ()  # of PARTS, those that vary
    span: str = "empty"  # the first and the last date

    def times(self, values):
        """Days since 1970 of a column as it was given, NaN where there is no date."""
        if self.kind == "stored":
            return _stored_days(values)
        if self.kind == "text":
            return _text_days(values, self.reading)[0]
        return _number_days(_as_floats(values), self.kind)

    def columns(self, name, values):
        """The columns that are made of a date."""
        days = self.times(values)
        found = {name: days - self.zero}
        for part in self.parts:
            angle = 2 * np.pi * _cycle(days, part)
            found |= {f"{name} {part} sin": np.sin(angle), f"{name} {part} cos": np.cos(angle)}
        return found


def stored_dates(values):
    """How to read a column of date objects."""
    return _with_parts(DateColumn("stored"), _stored_days(values))


def text_dates(name, words):
    """How to read text as dates, and remarks; None if they are none."""
    present = words.dropna()
    if not len(present) or _matched(present.iloc[0]) is None:
        return None, []
    days, seen = _text_days(words, _AS_SPELT)
    n_bad = len(seen.odd) + len(seen.impossible)
    n_distinct = len(seen.moments)
    if seen.is_season or 2 * n_bad >= n_distinct:
        return None, []
    bad = [*seen.impossible, *seen.odd]
    if n_bad > max(MOST_ODD * n_distinct, FEW_ODD):
        some = f"{n_bad:,} of {n_distinct:,} different values are none, such as {bad[0]!r}"
        return None, [f"{name} looks like dates, but {some}: read as text"]
    remarks = []
    if seen.ambiguous:
        why = ""
        other = _text_days(words, Reading(day_first=not seen.reading.day_first))
        if in_order(other[0]) and not in_order(days):
            (days, seen), why = other, ", which puts the rows in order"
        order = "day/month/year" if seen.reading.day_first else "month/day/year"
        remarks.append(f"day and month of {name} cannot be told apart: read as {order}{why}")
    if n_bad:
        if seen.impossible:
            what = counted(n_bad, "impossible date")
        else:
            odd = "value that is no date" if n_bad == 1 else "values that are no dates"
            what = f"{n_bad:,} {odd}"
        remarks.append(f"read {what} of {name} as missing, such as {bad[0]!r}")
    if seen.reading.in_utc:
        zones = [_zone_name(zone) for zone in sorted(seen.zones, key=_zone_order)]
        remarks.append(f"time zones differ in {name} ({', '.join(zones)}): hours are those of UTC")
    return _with_parts(DateColumn("text", seen.reading), days), remarks


def number_dates(name, numbers):
    """How to read numbers as dates: epochs and 20120131; None if they are none."""
    present = numbers[~np.isnan(numbers)]
    whole = (present == np.floor(present)).all()
    if len(present) < _LEAST_DISTINCT or not (whole or is_time_name(name)):
        return None
    low = present.min()
    high = present.max()
    if whole and _are_compact(present, low, high):
        return _with_parts(DateColumn("compact"), _number_days(present, "compact"))
    least = _EPOCH_NAMED if is_time_name(name) else _EPOCH_LEAST
    for unit, factor in _EPOCH_UNITS.items():
        inside = least * factor <= low and high < _EPOCH_MOST * factor
        if (
            inside
            and high - low >= _LEAST_SPAN * factor
            and len(np.unique(present)) >= _LEAST_DISTINCT
        ):
            return _with_parts(DateColumn(unit), _number_days(present, unit))
    return None


def _are_compact(numbers, low, high):
    """Whether all numbers are dates of one length, such as 20120131."""
    if not all(_COMPACT.fullmatch(f"{number:.0f}") for number in (low, high)):
        return False
    distinct = np.unique(numbers)
    months = high < 10**6
    enough = len(distinct) >= (_LEAST_MONTHS if months else _LEAST_DISTINCT)
    of_one_length = len(f"{low:.0f}") == len(f"{high:.0f}")
    return enough and of_one_length and not np.isnan(_number_days(distinct, "compact")).any()


def is_time_name(name):
    """Whether a column is named like a time."""
    return _TIME_NAME.fullmatch(name) is not None


def is_birth_name(name):
    """Whether a column is named like a date of birth, along which no data were collected."""
    return _BIRTH_NAME.fullmatch(name) is not None


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
    start, end = year.astype("M8[s]"), (year + 1).astype("M8[s]")
    return (moments - start) / (end - start)


def _weekday(days):
    return (np.floor(days) + 3) % 7  # 1970 began on a Thursday


def _moments(days):
    """Days since 1970 as moments; NaN as no time."""
    seconds = np.round(np.where(np.isnan(days), 0, days) * 86400).astype("i8").astype("M8[s]")
    return np.where(np.isnan(days), np.datetime64("NaT"), seconds)


def _stored_days(values):
    """Days since 1970 of date objects, by the clock of their own time zone."""
    import pandas

    try:
        times = pandas.to_datetime(values)
    except (ValueError, TypeError):  # several time zones
        times = pandas.to_datetime(values, utc=True, errors="coerce")
    if times.dt.tz is not None:
        times = times.dt.tz_localize(None)
    seconds = times.to_numpy(dtype="M8[us]")
    return np.where(np.isnat(seconds), np.nan, seconds.astype("i8") / 86400e6)


def _text_days(words, reading):
    """Days since 1970 of text, and how its distinct words were read."""
    import pandas

    codes, distinct = pandas.factorize(words)
    seen = _Spellings([str(word).strip() for word in distinct], reading)
    to_utc = 1 / 1440 if seen.reading.in_utc else 0
    days = [
        np.nan if each is None else _days_of(each[0]) - each[1] * to_utc for each in seen.moments
    ]
    return np.array([*days, np.nan])[codes], seen  # the code of a missing value is -1


def _number_days(numbers, kind):
    """Days since 1970 of epochs or of numbers such as 20120131."""
    if kind != "compact":
        return numbers / (86400 * _EPOCH_UNITS[kind])
    days = {}
    for number in np.unique(numbers[~np.isnan(numbers)]).tolist():
        match = _COMPACT.fullmatch(f"{number:.0f}")
        with suppress(ValueError):
            if match is not None:
                days[number] = _days_of(_moment(match.groupdict(), _AS_SPELT))
    return np.array([days.get(number, np.nan) for number in numbers.tolist()])


def _as_floats(values):
    import pandas

    return pandas.to_numeric(values, errors="coerce").to_numpy(dtype=float, na_value=np.nan)


def _matched(word):
    return next(filter(None, (pattern.fullmatch(word) for pattern in _PATTERNS)), None)


def _is_season(parts):
    """Whether 2003-04 may be a season: two years in a row."""
    month = parts.get("month")
    return month is not None and parts.get("year") and int(month) == (int(parts["year"]) + 1) % 100


def _has_year(match):
    return "year" in match.re.groupindex


def _is_yearless(matches):
    return not any(match is not None and _has_year(match) for match in matches)


def _first_year(matches):
    """The first of the hundred years that two digits mean.

    The hundred years end in the middle of the latest long stretch of years without a date, or else
    of the longest one, so that new rows may lie before and after the dates of the table. Where most
    years have four digits, two digits mean none after the last of these.
    """
    found = {match["year"] for match in matches if match is not None and _has_year(match)}
    years = sorted(int(year) for year in found if len(year) == 2)
    whole = [int(year) for year in found if len(year) == 4 and int(year) != _NEVER]
    if not years:
        return None
    latest = max(whole) if len(whole) > len(years) else _LAST_YEAR
    # Of every year: the years until the next one, and the latest time that it is by `latest`.
    stretches = [
        (after - year, latest - (latest - year) % 100)
        for year, after in pairwise([*years, years[0] + 100])
    ]
    stretch, last = max(stretches, key=lambda each: (min(each[0], _LONG), each[1]))
    return last + stretch // 2 - 99


def _completed(reading, seen):
    """A reading with what was seen where it says nothing."""
    return Reading(*(b if a is None else a for a, b in zip(reading, seen, strict=True)))


def _moment(parts, reading):
    """The moment of a match, by the clock of its own zone; ValueError if there is none."""
    year = int(parts.get("year") or _ANY_YEAR)
    if year == _NEVER:
        raise ValueError("never")
    if len(parts.get("year") or "2000") == 2:
        year = reading.first_year + (year - reading.first_year) % 100
    time = [int(parts.get(name) or 0) for name in ("hour", "minute", "second")]
    time[0] = hour_of_day(time[0], parts.get("half"))
    later = time[:2] == [24, 0]  # midnight at the end of a day
    if later:
        time[0] = 0
    if parts.get("week"):
        day = datetime.fromisocalendar(year, int(parts["week"]), int(parts["weekday"] or 1))
    else:
        day = datetime(year, *_month_and_day(parts, reading.day_first))
    moment = day + timedelta(days=later)
    return moment.replace(hour=time[0], minute=time[1], second=time[2])


def _month_and_day(parts, day_first):
    if parts.get("one"):
        one, two = int(parts["one"]), int(parts["two"])
        return (two, one) if day_first else (one, two)
    if parts.get("name"):
        month = next(k for k, name in enumerate(_NAMES, 1) if name.fullmatch(parts["name"]))
    elif parts.get("quarter"):
        month = 3 * int(parts["quarter"]) - 2
    else:
        month = int(parts["month"])
    return month, int(parts.get("day") or 1)


def _days_of(moment):
    return (moment - datetime(1970, 1, 1)) / timedelta(days=1)


def _offset(zone):
    """Minutes east of UTC."""
    if zone is None or zone.lower() in _ZONES:
        return 0 if zone is None else _ZONES[zone.lower()]
    sign, digits = _OFFSET.search(zone).groups()
    digits = digits.replace(":", "")
    hours, minutes = (digits, "") if len(digits) < 3 else (digits[:-2], digits[-2:])
    return (int(hours) * 60 + int(minutes or 0)) * (-1 if sign == "-" else 1)


def _zone_name(zone):
    if zone is None:
        return "none, read as UTC"
    return f"{'-' if zone < 0 else '+'}{abs(zone) // 60:02}:{abs(zone) % 60:02}"


def _zone_order(zone):
    return (zone is None, zone or 0)

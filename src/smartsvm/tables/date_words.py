"""Words as dates: their parts, the order of the parts, and what two digits mean."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from itertools import pairwise
from typing import NamedTuple

from smartsvm.tables.clock_times import hour_of_day

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
    r"(?P<one>\d\d?)(?P<mark>[-/.])(?P<two>\d\d?)(?P=mark)(?P<three>\d{4}|\d\d)",
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
    rf"{_NAME} (?P<number>\d\d)",
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
MOST_DAYS = (datetime(_NEVER, 1, 1) - datetime(1970, 1, 1)).days
_ANY_YEAR = 2000  # of dates such as September 3; it has a February 29
# The latest year of a table that two digits may mean: plans and contracts lie in the future.
_LAST_YEAR = 2039
_LONG = 10  # years without a date, from which on a stretch of them may divide the centuries


class Reading(NamedTuple):
    """What the dates of a column have in common; None where their spelling has to tell."""

    order: str | None = None  # of ORDERS, in dates such as 1/2/2012 and 19-08-12
    number: str | None = None  # "day" or "year", in dates such as Dec 16
    first_year: int | None = None  # of the hundred years that two digits can mean
    yearless: bool | None = None  # dates such as September 3, all of one year
    zone: tzinfo | str | None = None  # whose clock tells the hours, or AS_WRITTEN


AS_WRITTEN = "as written"  # of dates without a zone
AS_SPELT = Reading()
ORDERS = {
    "dmy": "day/month/year",
    "mdy": "month/day/year",
    "ymd": "year/month/day",
}
# Of words that are no part of a table; None where only their spelling can tell.
ALONE = Reading(number="year", first_year=_LAST_YEAR - 99, yearless=False, zone=AS_WRITTEN)


class Spellings:
    """The distinct words of a column as moments, with what was seen on the way."""

    def __init__(self, words, reading):
        self.impossible, self.odd, self.zones = [], [], set()
        found = [parts_of(word) for word in words]
        spelt = [parts for parts in found if parts is not None]
        self.is_season = all(not parts.get("day") and _is_season(parts) for parts in spelt)
        self.orders, self.numbers = _orders(spelt), _numbers(spelt)
        self.reading = _completed(
            reading, Reading(next(iter(self.orders), None), next(iter(self.numbers), None))
        )
        spelt = [_resolved(parts, self.reading) for parts in spelt]
        seen = Reading(first_year=_first_year(spelt), yearless=not any(map(_has_year, spelt)))
        self.reading = _completed(self.reading, seen)
        self.moments = [self._moment(word, parts) for word, parts in zip(words, found, strict=True)]
        self.reading = _completed(self.reading, Reading(zone=common_zone(self.zones)))

    @property
    def others(self):
        """Other readings that as many words allow as this one, each with what differs."""
        found = [Reading(order=order) for order in self.orders[1:]]
        return found + [Reading(number=number) for number in self.numbers[1:]]

    def _moment(self, word, parts):
        parts = parts and _resolved(parts, self.reading)
        if parts is None or _has_year(parts) == self.reading.yearless:
            self.odd.append(word)
            return None
        try:
            moment = moment_of(parts, self.reading)
        except ValueError:
            self.impossible.append(word)
            return None
        offset = _offset(parts.get("zone"))
        if parts["hour"] is not None:
            self.zones.add(offset)
        return moment, offset


def parts_of(word):
    """The parts of a word that is spelt like a date, or None."""
    match = next(filter(None, (pattern.fullmatch(word) for pattern in _PATTERNS)), None)
    return None if match is None else match.groupdict()


def _resolved(parts, reading):
    """Parts that say which of them is the year, the month and the day."""
    if parts.get("one"):
        names = {"d": "day", "m": "month", "y": "year"}
        numbers = (parts[place] for place in ("one", "two", "three"))
        order = reading.order
        return parts | {names[k]: v for k, v in zip(order, numbers, strict=True)}
    if parts.get("number"):
        return parts | {reading.number: parts["number"]}
    return parts


def possible_orders(parts):
    """The orders in which three numbers are a date, by habit where several are."""
    if not parts.get("one"):
        return []
    habit = ["mdy", "dmy"] if parts["mark"] == "/" else ["dmy", "mdy"]
    if len(parts["one"]) == len(parts["three"]) == 2:
        habit.append("ymd")
    readings = (Reading(order=order, first_year=2000) for order in habit)
    return [each.order for each in readings if _is_possible(_resolved(parts, each), each)]


def _is_possible(parts, reading):
    try:
        moment_of(parts, reading)
    except ValueError:
        return False
    return True


def _orders(spelt):
    """The orders that most of some dates allow, the likeliest first."""
    dates = [parts for parts in spelt if parts.get("one")]
    counts = Counter(order for parts in dates for order in possible_orders(parts))
    if not counts:
        return ["dmy"] if dates else []
    most = [order for order, count in counts.items() if count == max(counts.values())]
    is_slashed = any(parts["mark"] == "/" for parts in dates)
    # Where both are possible, the dates of one table have fewer years than days.
    n_years = {order: len({_resolved(p, Reading(order))["year"] for p in dates}) for order in most}
    by_habit = ["mdy", "dmy", "ymd"] if is_slashed else ["dmy", "mdy", "ymd"]
    return sorted(most, key=lambda order: (n_years[order], by_habit.index(order)))


def _numbers(spelt):
    """What 16 can be in dates such as Dec 16, the likelier first."""
    numbers = [parts for parts in spelt if parts.get("number")]
    if not numbers:
        return []
    if any(parts.get("name") and parts.get("day") and not parts.get("year") for parts in spelt):
        return ["day"]  # beside Dec 6
    day = Reading(number="day")
    is_day = all(_is_possible(_resolved(parts, day), day) for parts in numbers)
    if any(map(_has_year, spelt)):
        return ["year"]
    return ["day", "year"] if is_day else ["year"]


def _is_season(parts):
    """Whether 2003-04 may be a season: two years in a row."""
    month = parts.get("month")
    return month is not None and parts.get("year") and int(month) == (int(parts["year"]) + 1) % 100


def _has_year(parts):
    return parts.get("year") is not None


def _first_year(spelt):
    """The first of the hundred years that two digits mean.

    The hundred years end in the middle of the latest long stretch of years without a date, or else
    of the longest one, so that new rows may lie before and after the dates of the table. Where most
    years have four digits, two digits mean none after the last of these.
    """
    found = {parts["year"] for parts in spelt if _has_year(parts)}
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


def moment_of(parts, reading):
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
        day = datetime(year, *_month_and_day(parts))
    moment = day + timedelta(days=later)
    return moment.replace(hour=time[0], minute=time[1], second=time[2])


def _month_and_day(parts):
    if parts.get("name"):
        month = next(k for k, name in enumerate(_NAMES, 1) if name.fullmatch(parts["name"]))
    elif parts.get("quarter"):
        month = 3 * int(parts["quarter"]) - 2
    else:
        month = int(parts["month"])
    return month, int(parts.get("day") or 1)


def common_zone(offsets):
    """The zone of dates with these offsets: their own, UTC of several, AS_WRITTEN of none."""
    if len(offsets) > 1:
        return UTC
    (offset,) = offsets or {None}
    return AS_WRITTEN if offset is None else timezone(timedelta(minutes=offset))


def in_zone(moment, offset, zone):
    """A moment with an offset of minutes, if it has one, by the clock of a zone."""
    if offset is None or zone == AS_WRITTEN:
        return moment
    own = timezone(timedelta(minutes=offset))
    try:
        return moment.replace(tzinfo=own).astimezone(zone).replace(tzinfo=None)
    except OverflowError:  # in the first year
        return moment


def days_of(moment):
    """Days since 1970."""
    return (moment - datetime(1970, 1, 1)) / timedelta(days=1)


def _offset(zone):
    """Minutes east of UTC, None for no zone."""
    if zone is None or zone.lower() in _ZONES:
        return None if zone is None else _ZONES[zone.lower()]
    sign, digits = _OFFSET.search(zone).groups()
    digits = digits.replace(":", "")
    hours, minutes = (digits, "") if len(digits) < 3 else (digits[:-2], digits[-2:])
    return (int(hours) * 60 + int(minutes or 0)) * (-1 if sign == "-" else 1)

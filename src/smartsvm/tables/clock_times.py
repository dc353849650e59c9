"""Times of the day and durations, such as 18:57 or 2h 50m, as numbers."""

from __future__ import annotations

import re

import numpy as np

_CLOCK = re.compile(
    r"(?P<first>\d{1,3}):(?P<second>[0-5]\d)(?::(?P<third>[0-5]\d)(?:[.,]\d+)?)?"
    r"(?: ?(?P<half>[ap])\.?m\.?)?",
    re.IGNORECASE,
)
# Durations such as 2h 50m, 1 hr 5 min or 45 minutes.
_DURATION = re.compile(
    r"(?:(?P<hours>\d{1,4}(?:\.\d+)?) ?(?:h|hrs?|hours?))?[ ,]*"
    r"(?:(?P<minutes>\d{1,4}(?:\.\d+)?) ?(?:m|mins?|minutes?))?",
    re.IGNORECASE,
)
FEW_ODD = 3  # distinct values that may be so in any column
MOST_ODD = 0.05  # of the distinct values may be no date or time, or an impossible one


def clock_numbers(words):
    """Times or durations such as 18:57 or 2h 50m, in units of the first part; NaN for other words.

    A time of the day cannot be told from minutes and seconds, so nothing is made of the hour.
    """
    numbers = {word: _clock_number(word) for word in words.dropna().unique()}
    return words.map(numbers).astype(float).to_numpy()


def odd_clock_words(words):
    """The words that are no times or durations, or None if too many are none."""
    distinct = words.dropna().unique()
    odd = [word for word in distinct if np.isnan(_clock_number(word))]
    few = max(MOST_ODD * len(distinct), FEW_ODD)
    # Metres and minutes are both m: some value must have hours.
    if 2 * len(odd) >= len(distinct) or len(odd) > few or not any(map(_has_hours, distinct)):
        return None
    return odd


def _clock_number(word):
    match = _CLOCK.fullmatch(word)
    if match:
        hour = hour_of_day(int(match["first"]), match["half"])
        return hour + int(match["second"]) / 60 + int(match["third"] or 0) / 3600
    match = _DURATION.fullmatch(word)
    if match and (match["hours"] or match["minutes"]):
        return float(match["hours"] or 0) + float(match["minutes"] or 0) / 60
    return np.nan


def _has_hours(word):
    match = _DURATION.fullmatch(word)
    return bool(_CLOCK.fullmatch(word) or (match and match["hours"]))


def hour_of_day(hour, half):
    """The hour of a day of 24, from one that may be of its first or second half."""
    return hour % 12 + 12 * (half[0] in "pP") if half else hour

"""A few values of a column far outside all others: mistakes in typing, units, codes for no answer.

Ordinary heavy tails, such as incomes and counts, are none: on a scale that is linear in the middle
and logarithmic outside, a tail may grow with the number of values as it does from the nearest tenth
of them to the hundredth.
"""

import numpy as np

from smartsvm.presentation.wording import counted, listed
from smartsvm.tables.name_hints import UNIT, has_hint
from smartsvm.tables.records import FAR, NUMBER, Note, in_note

_LEAST_VALUES, _LEAST_DISTINCT = 100, 10
_MOST_COLUMNS = 100  # in a table of more, values are measured by machines, and none was typed
_MOST_ROWS = 3
_MOST_SHARE = 0.005
# Powers of ten of the number of values that a tail is longer than it should be, and steps of the
# tail for such a power that lie between it and the others.
_MARGIN, _GAP = 4.0, 2.0
_LEAST_STEP = 0.5  # of the distance from the median to the nearest tenth
_MOST_NEGATIVE = 0.001  # of the rows, in a column of positive numbers
_NINES = tuple(float("9" * n) for n in (2, 3, 4, 5))
_LOOKED_AT = 4000
_MOST_SHOWN = 4


def notes_on_far_values(read):
    """A note for each column of numbers with a few values far outside all others."""
    numbers = [column for column in read if column.kind == NUMBER and not column.suffix]
    if len(numbers) > _MOST_COLUMNS:
        return
    for column in numbers:
        values = column.values[np.isfinite(column.values)]
        if len(values) < _LEAST_VALUES or has_hint(column.source, UNIT):
            continue
        what = [_in_words(*found) for found in far_values(values)]
        if what:
            text = f"{in_note(column.source)} holds {listed(what, 4, ' and ')}"
            yield Note(FAR, text, (column.source,))


def far_values(values):
    """Triples: values far outside the others, in how many rows they are, and what is so."""
    if len(values) > 2 * _LOOKED_AT and not _may_be_far(values):
        return []
    distinct, counts = np.unique(values, return_counts=True)
    if len(distinct) < _LEAST_DISTINCT:
        return []
    code = _code(distinct, counts)
    if code is not None:
        place, what = code
        return [(distinct[[place]], int(counts[place]), what)]
    found = []
    for sign in (1, -1):
        far = _beyond(values, sign)
        if far.any():
            end = (sign * values[~far]).max() * sign
            which = ("above", "at most") if sign > 0 else ("below", "at least")
            what = f"far {which[0]} all others, which are {which[1]} {_shown(end)}"
            found.append((np.unique(values[far]), int(far.sum()), what))
    negative = _few_negative(values)
    if negative.any() and not (found and found[-1][0][0] < 0):
        low, quarter = np.quantile(values, [0.01, 0.25])
        # As large as the others: the sign was typed by mistake.
        if low > 0 and (-values[negative] >= quarter).all():
            what = "where nearly all others are above 0"
            found.append((np.unique(values[negative]), int(negative.sum()), what))
    return found


def _may_be_far(values):
    """Whether some values may be far outside the others, from a part of many values."""
    ends = values.min(), values.max()
    if any(abs(end) in _NINES for end in ends) or _few_negative(values).any():
        return True
    some = np.append(values[:: len(values) // _LOOKED_AT], ends)
    return any(_beyond(some, sign, _MARGIN - 1).any() for sign in (1, -1))


def _few_negative(values):
    negative = values < 0
    few = negative.sum() <= max(_MOST_ROWS, _MOST_NEGATIVE * len(values))
    return negative if few else np.zeros(len(values), dtype=bool)


def _in_words(far, n_rows, what):
    shown = listed([_shown(value) for value in far.tolist()], _MOST_SHOWN, " and ")
    return f"{shown} ({counted(n_rows, 'row')}), {what}"


def _shown(value):
    return f"{value:,.0f}" if value == round(value) else f"{value:,.4g}"


def _code(distinct, counts):
    """The place of a value of nines beyond the range of all others, and what is so; or None."""
    for place, others in ((0, distinct[1:]), (-1, distinct[:-1])):
        gap = abs(distinct[place] - others[place])
        if abs(distinct[place]) in _NINES and counts[place] > 1 and gap > np.ptp(others):
            ends = f"{_shown(others[0])} to {_shown(others[-1])}"
            return place, f"far from all others, which are {ends}: perhaps a code for no answer"
    return None


def _beyond(values, sign, margin=_MARGIN):
    """Which values are far beyond the tail of the others on one side, if they are a few."""
    none = np.zeros(len(values), dtype=bool)
    low, median, high = np.quantile(values, [0.25, 0.5, 0.75])
    if high == low:
        return none
    scales = [np.arcsinh(sign * (values - median) / (0.5 * (high - low)))]
    if values.min() > 0:
        scales.append(sign * np.log(values))
    masks = [_beyond_tail(scaled, margin) for scaled in scales]
    # Large values of a skewed column are ordinary by their logarithms, small ones show only there.
    far = np.logical_and.reduce(masks) if sign > 0 else np.logical_or.reduce(masks)
    return far if far.sum() <= max(_MOST_ROWS, _MOST_SHARE * len(values)) else none


def _beyond_tail(scaled, margin):
    middle, tenth, hundredth = np.quantile(scaled, [0.5, 0.9, 0.99])
    step = max(hundredth - tenth, _LEAST_STEP * (tenth - middle))
    limit = hundredth + step * (np.log10(len(scaled)) - 2 + margin)
    far = scaled > limit
    if step > 0 and far.any() and scaled[far].min() - scaled[~far].max() >= _GAP * step:
        return far
    return np.zeros(len(scaled), dtype=bool)

"""Names of classes where room is short: cut so that they stay distinct, in natural order."""

from __future__ import annotations

import re

from smartsvm._core.display_names import display_width, fitting, shown

ELLIPSIS = "…"
_DIGITS = re.compile(r"(\d+)")


def natural_key(name):
    """Sorts c2 before c10: runs of digits count as numbers."""
    parts = _DIGITS.split(str(name))
    # Odd parts are digits; zeros in front decide last, so that 7 and 007 differ.
    return tuple(int(part) if place % 2 else part for place, part in enumerate(parts)), str(name)


def natural_order(labels):
    """Positions of labels in the order in which people read them: numbers by value."""
    labels = list(labels)
    if all(isinstance(label, str) for label in labels):
        return sorted(range(len(labels)), key=lambda place: natural_key(labels[place]))
    return list(range(len(labels)))  # numbers and dates are sorted already


def shorten_distinct(names, width, text_width=display_width):
    """Names of at most a width, each different from the others if it was so before."""
    names = [shown(name) for name in names]
    short = [_cut_middle(name, width, text_width) for name in names]
    for group in _alike(names, short):
        for place in group:
            others = [names[other] for other in group]
            short[place] = _cut_common(names[place], others, width, text_width)
    for group in _alike(names, short):
        for number, place in enumerate(group, start=1):
            mark = f"{ELLIPSIS}{number}"
            short[place] = fitting(names[place], width - len(mark), text_width) + mark
    return short


def _alike(names, short):
    """Groups of positions whose different names became one."""
    groups = {}
    for place, text in enumerate(short):
        groups.setdefault(text, []).append(place)
    return [group for group in groups.values() if len({names[place] for place in group}) > 1]


def _cut_middle(name, width, text_width):
    if text_width(name) <= width:
        return name
    tail = (width - 1) // 2
    head = fitting(name, width - 1 - tail, text_width)
    return head + ELLIPSIS + _tail(name, tail, text_width)


def _cut_common(name, group, width, text_width):
    """The beginning in a few letters, then from where the names begin to differ."""
    first, last = min(group), max(group)  # what these two share all share
    start = next(
        (place for place, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]),
        min(len(first), len(last)),
    )
    if start < 4:
        return _cut_middle(name, width, text_width)
    lead = fitting(name, width // 3, text_width) + ELLIPSIS
    return lead + _cut_middle(name[start:], width - text_width(lead), text_width)


def _tail(name, width, text_width):
    return fitting(name[::-1], width, text_width)[::-1]

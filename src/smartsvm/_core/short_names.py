"""Shorten class names so that they stay distinct, and sort them in natural order."""

from __future__ import annotations

import re

from smartsvm._core.display_names import display_width, fitting, shorten, shown

ELLIPSIS = "…"
_DIGITS = re.compile(r"(\d+)")


def natural_key(name):
    """Sort key that puts c2 before c10: runs of digits compare as numbers."""
    parts = _DIGITS.split(str(name))
    # Odd parts are digits. The name itself comes last, so that 7 and 007 differ.
    return tuple(int(part) if place % 2 else part for place, part in enumerate(parts)), str(name)


def natural_order(labels):
    """Positions of labels in natural order."""
    labels = list(labels)
    if all(isinstance(label, str) for label in labels):
        return sorted(range(len(labels)), key=lambda place: natural_key(labels[place]))
    return list(range(len(labels)))  # numbers and dates are already sorted


def shorten_distinct(names, width, text_width=display_width):
    """Names of at most `width`; distinct names stay distinct."""
    names = [shown(name) for name in names]
    short = [shorten(name, width, ELLIPSIS, text_width) for name in names]
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
    """Groups of positions whose names differ but were shortened to the same text."""
    groups = {}
    for place, text in enumerate(short):
        groups.setdefault(text, []).append(place)
    return [group for group in groups.values() if len({names[place] for place in group}) > 1]


def _cut_common(name, group, width, text_width):
    """The first letters, then the name from where the group begins to differ."""
    first, last = min(group), max(group)  # all names share the prefix of these two
    start = next(
        (place for place, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]),
        min(len(first), len(last)),
    )
    if start < 4:
        return shorten(name, width, ELLIPSIS, text_width)
    lead = fitting(name, width // 3, text_width) + ELLIPSIS
    return lead + shorten(name[start:], width - text_width(lead), ELLIPSIS, text_width)

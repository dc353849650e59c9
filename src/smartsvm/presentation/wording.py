"""How sentences and representations write numbers."""

from dataclasses import fields

import numpy as np


def percent(share):
    """A fraction as a percentage, with the digits that tell it from 0 and 1."""
    value = 100 * share
    if value < 0.005:
        return "0%"
    text = f"{value:.2f}" if value < 1 or 99 < value < 100 else f"{value:.1f}"
    return text.removesuffix("0").removesuffix(".").removesuffix(".0") + "%"


def points(share):
    """A fraction as a number of percentage points."""
    return percent(share).removesuffix("%")


def counted(number, thing):
    """A number of things: "1 sample", "1,797 samples"."""
    return f"{number:,} {thing}{'s' * (number != 1)}"


def listed(names, most=8, last=", "):
    """Names in a sentence, `last` before the last one, and how many more than `most` there are."""
    names = [name or "''" for name in names]
    if len(names) > most + 1:  # "1 more" takes as much room as a name
        names = [*names[:most], f"{len(names) - most:,} more"]
        last = " and "
    return last.join(filter(None, [", ".join(names[:-1]), names[-1]]))


def about(chance):
    """A chance in words: "about 15%"."""
    if chance < 0.005 or chance > 0.995:
        return "less than 1%" if chance < 0.5 else "more than 99%"
    return f"about {100 * chance:.0f}%"


def rounded_repr(result):
    """A named tuple or data class with three significant digits."""
    names = getattr(result, "_fields", None) or [field.name for field in fields(result)]
    parts = (f"{name}={_rounded(getattr(result, name))}" for name in names)
    return f"{type(result).__name__}({', '.join(parts)})"


def _rounded(value):
    if isinstance(value, np.ndarray):
        return np.array_repr(value, precision=3)
    return f"{value:.3g}" if isinstance(value, float) else repr(value)

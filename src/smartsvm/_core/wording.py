"""How sentences of a report write numbers."""

from __future__ import annotations


def percent(share):
    """A fraction as a percentage, with the digits that tell it from 0 and 1."""
    value = 100 * share
    if value < 0.005:
        return "0%"
    text = f"{value:.2f}" if value < 1 or 99 < value < 100 else f"{value:.1f}"
    return text.removesuffix("0").removesuffix(".").removesuffix(".0") + "%"


def counted(number, thing):
    """A number of things: "1 sample", "1,797 samples"."""
    return f"{number:,} {thing}{'s' * (number != 1)}"


def about(chance):
    """A chance in words: "about 15%"."""
    if chance < 0.005 or chance > 0.995:
        return "less than 1%" if chance < 0.5 else "more than 99%"
    return f"about {100 * chance:.0f}%"

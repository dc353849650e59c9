"""Shortened names fit, stay distinct, and stand in the order in which people read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartsvm.presentation.display_names import (
    display_width,
    natural_order,
    shorten_distinct,
    shown,
)


@given(
    st.lists(st.text(min_size=1, max_size=60), min_size=1, max_size=30, unique=True),
    st.integers(8, 24),
)
def test_names_fit_and_differ(names, width):
    short = shorten_distinct(names, width)
    assert all(display_width(text) <= width for text in short)
    shown_names = [shown(name) for name in names]
    kept = [display_width(name) <= width for name in shown_names]
    if "…" not in "".join(names):
        assert len(set(short)) == len(set(shown_names))
        assert all(
            text == name for text, name, fits in zip(short, shown_names, kept, strict=True) if fits
        )


def test_what_tells_names_apart_is_kept():
    names = [f"{'a long beginning that all share, ' * 2}{end}" for end in ("north", "south")]
    assert [text[-5:] for text in shorten_distinct(names, 20)] == ["north", "south"]
    middle = ["x" * 40 + letter + "y" * 40 for letter in "AB"]
    assert [("A" in text, "B" in text) for text in shorten_distinct(middle, 20)] == [
        (True, False),
        (False, True),
    ]


def test_a_difference_in_the_middle_shows_where_there_is_little_room():
    answer = "It's important to be honest, kind{} and loyal."
    short = shorten_distinct([answer.format(""), answer.format(",")], 13, dots="...")
    assert short == ["... and lo...", "..., and l..."]
    short = shorten_distinct([answer.format(""), answer.format(",")], 17, dots="...")
    assert short == ["... and loyal.", "..., and loyal."]


def test_numbers_stay_whole():
    names = [f"class number {i} of a long catalogue" for i in (20, 21)]
    assert all(
        str(i) in text for i, text in zip((20, 21), shorten_distinct(names, 20), strict=True)
    )


def test_wide_letters_count_twice():
    (short,) = shorten_distinct(["漢字" * 20], 12)
    assert display_width(short) <= 12


@pytest.mark.parametrize(
    ("given_labels", "ordered"),
    [
        (["c1", "c10", "c2"], ["c1", "c2", "c10"]),
        (["a 2 b 10", "a 2 b 9", "a"], ["a", "a 2 b 9", "a 2 b 10"]),
        (["07", "7", "1"], ["1", "07", "7"]),
        ([1, 2, 10], [1, 2, 10]),
    ],
)
def test_natural_order(given_labels, ordered):
    assert [given_labels[place] for place in natural_order(given_labels)] == ordered

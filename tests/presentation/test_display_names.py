"""Names are shown without doing anything: on terminals, on pages, in figures."""

import json
import re
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from sklearn.datasets import load_iris

from smartsvm import (
    HierarchyDisplay,
    PairwiseErrorDisplay,
    class_hierarchy,
    difficulty_report,
)
from smartsvm.plotting.fonts import families_for, figure_text, readers_fonts
from smartsvm.presentation.display_names import (
    display_width,
    json_escaped,
    one_line,
    padded,
    shorten,
    shown,
    wrap,
)

X, Y = load_iris(return_X_y=True)
# Red text, a forged line, the 8-bit form of an escape, and writing from right to left.
NASTY = ["\x1b[31mred\x1b[0m", "fine\n! forged: no", "\x9b2Jcleared", "\u202eabc", "\r99 %"]
DRIVING = {"Cc", "Cf", "Cs", "Zl", "Zp"}


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def nasty_report():
    return difficulty_report(X, np.array(NASTY)[Y])


def drives(text):
    """Whether a text of several lines holds anything that a terminal would obey."""
    return any(unicodedata.category(char) in DRIVING for char in text.replace("\n", ""))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("plain", "plain"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("two\nlines", "two\\nlines"),
        ("\u2028", "\\u2028"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
        ("Müller, 汉字", "Müller, 汉字"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        (3.5, "3.5"),
        (np.str_("\t"), "\\t"),
    ],
)
def test_what_is_invisible_is_written_out(name, text):
    assert shown(name) == text


@given(st.text(st.characters(codec=None)))
def test_shown_names_are_one_line_and_can_be_printed(name):
    text = shown(name)
    assert len(text.splitlines()) <= 1
    text.encode()
    assert shown(text) == text


def test_messages_of_several_lines_become_one():
    assert one_line("first\n  second \x1b[1m") == "first second \\x1b[1m"


@given(st.text(st.characters(codec=None)))
def test_escaped_json_means_the_same(text):
    written = json_escaped(json.dumps({"name": text}, indent=2, ensure_ascii=False))
    assert json.loads(written) == {"name": text}
    assert not drives(written.replace("\u200c", "").replace("\u200d", ""))


def test_names_keep_their_ends():
    assert shorten("short", 12) == "short"
    assert shorten("patients of group 17", 12) == "patie...p 17"
    for width in range(5, 25):
        assert len(shorten("patients of group 17", width)) == min(width, 20)


@given(st.text(st.characters(codec=None)), st.integers(5, 30))
def test_shortened_names_fit_and_hold_whole_escapes(name, width):
    text = shorten(name, width)
    assert display_width(text) <= width
    if text != shown(name):
        head, tail = text.split("...", 1) if "..." not in name else (None, None)
        assert head is None or (shown(name).startswith(head) and shown(name).endswith(tail))


def test_wide_characters_take_two_columns():
    assert display_width("汉字") == 4
    assert display_width("e\u0301") == 1
    assert padded("汉字", 6) == "汉字  "
    assert padded("abcd", 6) == "abcd  "
    assert shorten("汉字汉字汉字", 9) == "汉...字"


def test_wrapped_lines_are_no_wider_than_the_terminal():
    text = "汉字 and abc " * 20
    lines = wrap(text, 30, indent=2, hanging=4)
    assert max(map(display_width, lines)) <= 30
    assert " ".join(lines).split() == text.split()
    assert lines[0].startswith("  汉")
    assert all(line.startswith("    ") for line in lines[1:])


def test_a_hostile_name_drives_no_terminal(nasty_report):
    for text in (str(nasty_report), nasty_report.to_json(), nasty_report.to_html()):
        assert not drives(text)
    assert json.loads(nasty_report.to_json())["classes"]["names"] == sorted(NASTY[:3])
    assert not any(line.lstrip().startswith("! forged") for line in str(nasty_report).split("\n"))


def test_hostile_columns_drive_no_terminal():
    constant = np.column_stack([X, np.ones(len(X))])
    names = [*NASTY[:4], "\x1b]0;title\x07"]
    report = difficulty_report(constant, Y, feature_names=names)
    assert "\\x1b]0;title\\x07" in str(report)
    assert not drives(str(report))


def test_hierarchies_of_hostile_names():
    hierarchy = class_hierarchy([[0, 0.1], [0.1, 0]], classes=NASTY[:2])
    assert not drives(str(hierarchy))
    assert len(str(hierarchy).splitlines()) == 3


def test_columns_of_the_page_align_with_wide_names():
    names = np.array(["汉字汉字", "setosa", "ভাষা"])[Y]
    page = str(difficulty_report(X, names))
    section = page.split("Hardest pairs")[1].split("\n\n")[0].splitlines()[1:4]
    starts = {display_width(line[: line.index("0.")]) for line in section if "0." in line}
    assert len(starts) == 1


MATHTEXT = [r"$\frac{1}$", "$x", "a $ and a $", r"\$5", "plain"]


def test_names_in_figures_are_no_formulas():
    figure = Figure()
    for name in MATHTEXT:
        text = figure.text(0, 0, figure_text(name))
        figure.canvas.draw()  # a broken formula raises here
        assert text._preprocess_math(text.get_text())[0].replace("\\$", "$") == name.replace(
            "\\$", "$"
        )


@pytest.mark.parametrize("names", [MATHTEXT[:3], ["汉字", "漢字", "\U0001f600"], NASTY[:3]])
def test_any_name_can_be_drawn(names):
    # Warnings are errors here: a missing glyph would fail.
    labels = np.array(names)[Y]
    errors = np.full((3, 3), 0.1)
    PairwiseErrorDisplay(errors, classes=names).plot().figure_.canvas.draw()
    HierarchyDisplay(class_hierarchy(errors, classes=names)).plot().figure_.canvas.draw()
    report = difficulty_report(X, labels)
    report.plot().canvas.draw()
    assert report.to_html().startswith("<!DOCTYPE html>")


def test_glyphs_that_no_font_has_are_written_as_escapes():
    assert figure_text("é") == "é"
    assert figure_text("\u0378") == "\\u0378"  # no character has that number
    assert len(families_for(["é\u0378"])) == len(families_for([""]))


def test_glyphs_that_another_font_has_are_drawn_with_it():
    name = "⌕ 7"  # not in DejaVu, but in STIX, which matplotlib brings along
    assert figure_text(name) == name
    first, *others = families_for([name])
    assert first == families_for([""])[0]
    assert len(others) == 1
    PairwiseErrorDisplay([[0, 0.1], [0.1, 0]], classes=[name, "b"]).plot().figure_.canvas.draw()


def test_pages_leave_it_to_the_reader_which_fonts_there_are():
    with readers_fonts():
        assert figure_text("汉字 $") == r"汉字 \$"
    labels = np.array(["汉字汉字", "漢字漢字", "\u0378"])[Y]
    page = difficulty_report(X, labels).to_html()
    assert re.search("<text[^>]*>漢字漢字</text>", page)

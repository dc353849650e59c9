"""The report as text, HTML, data and figure."""

import csv
import io
import json
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from urllib.parse import unquote

import numpy as np
import pytest
from layout import assert_readable
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex
from sklearn.datasets import load_iris

from smartsvm import Interval, difficulty_report
from smartsvm._core.wording import percent
from smartsvm.report.output.text import headline

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]


@pytest.fixture(scope="module")
def report():
    return difficulty_report(X, NAMES, target_accuracy=0.9)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0, "0 %"),
        (0.00001, "0 %"),
        (0.0001, "0.01 %"),
        (0.0054, "0.54 %"),
        (0.00999, "1 %"),
        (0.03, "3 %"),
        (0.1234, "12.3 %"),
        (0.2, "20 %"),
        (0.995, "99.5 %"),
        (0.9999, "99.99 %"),
        (1, "100 %"),
    ],
)
def test_percentages(share, said):
    assert percent(share) == said


def test_page_answers_in_words(report):
    page = str(report)
    assert max(map(len, page.splitlines())) <= 79
    for part in (
        "150 samples, 4 columns, 3 classes",
        "best possible classifier",
        "Target accuracy 90 %: REACHABLE",
        "versicolor and virginica",
        "Can this be trusted?",
        "is one for the truth",
        percent(report.lower.value),
        percent(report.bayes_error.high),
        *(percent(each.error.high) for each in report.held_out.classifiers),
        "by a straight-line classifier",
        "at this sample size",
        "5 simple classifiers were tried",
    ):
        assert part in page
    flat = " ".join(page.split())
    for flag in report.flags:
        assert flag.message in flat


def test_page_survives_long_and_odd_labels():
    odd = np.array(["x" * 200, "<b>&", "ünïcode"], dtype=object)[Y]
    report = difficulty_report(X, odd)
    assert max(map(len, str(report).splitlines())) <= 79
    assert "<b>&" not in report.to_html()
    assert "&lt;b&gt;&amp;" in report.to_html()
    assert json.loads(report.to_json())["data"]["classes"][0] == "<b>&"


class _Tags(HTMLParser):
    """Collects tags and checks that each is closed where it should be."""

    def __init__(self):
        super().__init__()
        self.open, self.text, self.drawings = [], [], 0

    def handle_starttag(self, tag, attrs):
        self.drawings += tag == "svg"
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def test_html_is_well_formed_and_complete(report):
    for html, drawings in ((report._repr_html_(), 0), (report.to_html(), 1)):
        tags = _Tags()
        tags.feed(html)
        assert tags.open == []
        assert tags.drawings == drawings
        text = " ".join(tags.text)
        for part in ("How hard is this problem?", "reachable", "versicolor and virginica"):
            assert part in text
        assert "http" not in html  # nothing is fetched from anywhere
        assert html.count("<script") == drawings  # a notebook gets none


def test_drawing_of_the_page_is_text_that_can_be_read_aloud(report):
    html = report.to_html()
    drawing = html[html.index("<svg") : html.index("</svg>")]
    assert "Which pairs are hard to tell apart?</text>" in drawing
    words = re.search('role="img" aria-label="([^"]*)"', drawing)[1]
    assert "Hardest pairs: versicolor and virginica" in words


def test_page_lists_all_samples_and_saves_them():
    wrong = NAMES.copy()
    wrong[:15] = "virginica"  # among the setosas, which nothing else resembles
    report = difficulty_report(X, wrong)
    assert len(report.suspects) > 10
    html = report.to_html()
    table = html[html.index("Looks like") :]
    assert table[: table.index("</table>")].count("<tr>") == len(report.suspects)
    address = re.search('href="data:text/csv;charset=utf-8,([^"]*)"', html)[1]
    lines = list(csv.DictReader(io.StringIO(unquote(address).removeprefix("\ufeff"))))
    assert [int(line["row"]) for line in lines] == report.rows[report.suspects].tolist()
    assert "data:" not in report._repr_html_()


def test_html_without_matplotlib_has_no_figure(report, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert "<svg" not in report.to_html()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"install smartsvm2\[plot\]"):
        report.plot()


def test_dictionary_layout_is_stable(report):
    found = report.to_dict()
    assert list(found) == [
        "format", "data", "settings", "bayes_error", "trees", "held_out", "signal", "pairs",
        "classes", "n_wrong_labels", "suspects", "convergence", "flags", "verdict",
        "sample_difficulty", "label_posterior",
    ]  # fmt: skip
    assert found["format"] == 3
    assert found["settings"]["random_state"] == 0
    interval = ["value", "low", "high"]
    assert list(found["bayes_error"]) == interval
    assert list(found["trees"]) == ["lower", "upper", "cross_share", "cross_limit"]
    assert list(found["trees"]["lower"]) == interval
    assert list(found["trees"]["cross_limit"]) == ["value", "error", "dimension"]
    assert list(found["held_out"]) == [
        "classifier", "best", "excess", "limit", "limit_error", "gain", "known", "classifiers",
        "neighbor_ladder", "baseline", "balanced_error", "balanced_classifier",
    ]  # fmt: skip
    assert list(found["held_out"]["classifiers"][0]) == ["classifier", "error", "setting"]
    assert list(found["held_out"]["classifiers"][0]["error"]) == interval
    assert list(found["verdict"]) == [
        "answer", "target_accuracy", "allowed_error", "bayes_error_low", "classifier",
        "reached_high", "objections", "rows_needed", "reason",
    ]  # fmt: skip
    assert list(found["pairs"][0]) == [
        "classes", "error", "lower", "upper", "score", "inseparable",
    ]  # fmt: skip
    assert list(found["classes"][0]) == [
        "class", "n_samples", "error", "low", "high", "bound_lower", "bound_upper",
        "recall", "recall_low", "recall_high",
    ]  # fmt: skip
    assert found["pairs"][0]["classes"] == ["versicolor", "virginica"]
    assert found["verdict"]["answer"] == "reachable"
    assert found["sample_difficulty"] == report.sample_difficulty.tolist()
    doc = type(report).to_dict.__doc__
    for section in found:
        assert f"``{section}``" in doc
    for section in ("settings", "bayes_error", "trees", "held_out"):
        for key in found[section]:
            assert f"``{key}``" in doc


def test_json_says_the_same_as_the_dictionary(report):
    assert json.loads(report.to_json(samples=True)) == report.to_dict()
    assert "sample_difficulty" not in json.loads(report.to_json())
    assert "\n" not in report.to_json(indent=None)


def test_json_has_no_nan():
    small = difficulty_report(X[::15], Y[::15])  # too few for a curve
    assert np.isnan(small.curve.fall)
    assert "NaN" not in small.to_json()


def test_frames(report):
    pairs, classes, samples = (report.to_frame(w) for w in ("pairs", "classes", "samples"))
    assert len(pairs) == 3
    assert pairs["error"].is_monotonic_decreasing
    assert pairs.loc[0, ["first", "second"]].tolist() == ["versicolor", "virginica"]
    assert len(classes) == 3
    assert classes["error"].is_monotonic_decreasing
    assert samples["difficulty"].tolist() == report.sample_difficulty.tolist()
    assert samples["suspect"].sum() == len(report.suspects)
    with pytest.raises(ValueError, match=r"which must be one of .* got 'rows'"):
        report.to_frame("rows")


def test_frames_without_pandas(report, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="needs pandas"):
        report.to_frame()


def test_figure_shows_the_numbers(report):
    figure = report.plot()
    errors, curve, pairs, classes = figure.axes[:4]
    positions = [line.get_xdata()[0] for line in errors.lines if len(line.get_xdata()) == 1]
    for value in (
        report.lower.value, report.upper.value, report.bayes_error.value,
        *(each.error.value for each in report.held_out.classifiers),
    ):  # fmt: skip
        assert any(x == pytest.approx(value) for x in positions)
    dashed = [line for line in errors.lines if line.get_linestyle() == "--"]
    assert dashed[0].get_xdata()[0] == pytest.approx(0.1)
    assert curve.lines[0].get_ydata().tolist() == report.curve.cross_shares.tolist()
    order = report.hierarchy.leaf_order()
    assert [t.get_text() for t in pairs.get_xticklabels()] == report.classes[order].tolist()
    assert [bar.get_width() for bar in classes.patches] == sorted(
        report.by_class.value.tolist(), reverse=True
    )


def test_figure_says_what_is_not_known():
    random = np.random.default_rng(4)
    nothing = difficulty_report(random.normal(size=(500, 3)), np.arange(500) % 2)
    assert nothing.cross_limit.refused
    errors, curve = nothing.plot().axes[:2]
    assert "no better than chance" in curve.get_title(loc="left")
    assert percent(nothing.bayes_error.high) in errors.get_title(loc="left")


def test_figure_does_not_call_trees_settled_that_a_rule_refutes():
    random = np.random.default_rng(4)
    y = np.arange(500) % 2
    points = random.normal(size=(500, 200))
    points[:, 0] += 4 * y
    report = difficulty_report(points, y)
    assert [flag.code for flag in report.flags] == ["dimension"]
    curve = report.plot().axes[1]
    assert curve.get_title(loc="left").endswith("Yes: classifiers err less already")


def test_figures_of_two_and_of_many_classes():
    two = difficulty_report(X[50:], NAMES[50:]).plot()
    assert "Which samples are hard?" in two.axes[2].get_title(loc="left")
    assert len(two.axes[3].lines[0].get_xdata()) == len(
        difficulty_report(X[50:], NAMES[50:]).neighbor_ladder
    )
    random = np.random.default_rng(0)
    y = np.arange(700) % 70
    many = difficulty_report(random.normal(size=(700, 2)) + y[:, None], y, n_trees=1).plot()
    assert len(many.axes[2].patches) == len(many.axes[3].patches) == 15


def test_plotting_leaves_no_figure_open_behind_a_page(report):
    report.to_html()
    assert plt.get_fignums() == []


def test_the_headline_is_an_interval():
    report = difficulty_report(X, NAMES)
    said = headline(replace(report, bayes_error=Interval(0.021, 0.006, 0.03)))
    assert "about 2.1 % of the time (0.6 % to 3 %)" in said
    said = headline(replace(report, bayes_error=Interval(0.0, 0.0, 0.03)))
    assert "hardly ever be wrong (0 % to 3 % of the time)" in said


@pytest.mark.parametrize("n_classes", [2, 10, 40])
def test_nothing_in_the_figure_overlaps_or_leaves_the_page(n_classes):
    random = np.random.default_rng(0)
    y = np.arange(20 * n_classes) % n_classes
    names = np.array([f"a class with a long name {k:02d}" for k in range(n_classes)])[y]
    report = difficulty_report(
        random.normal(size=(len(y), 2)) + 2 * y[:, None], names, n_trees=1, target_accuracy=0.95
    )
    assert max(map(len, str(report).splitlines())) <= 78
    assert_readable(report.plot())


def test_columns_have_names_if_they_are_known():
    frame = pytest.importorskip("pandas").DataFrame(X, columns=list("abcd")).assign(e=1.0)
    assert "(e)" in str(difficulty_report(frame, NAMES))
    assert "(number 4)" in str(difficulty_report(frame.to_numpy(), NAMES))
    named = difficulty_report(frame.to_numpy(), NAMES, feature_names=["v", "w", "x", "y", "z"])
    assert "(z)" in str(named)
    with pytest.raises(ValueError, match="feature_names must have one name for each of the 5"):
        difficulty_report(frame, NAMES, feature_names=["only one"])


def test_figure_follows_a_dark_style(report):
    with plt.style.context("dark_background"):
        figure = report.plot()
        lines = [line for ax in figure.axes[:2] for line in ax.lines]
        colours = {to_hex(line.get_color()) for line in lines if line.get_linestyle() != ":"}
        assert colours == {"#ffffff"}
        assert not {to_hex(bar.get_facecolor()) for bar in figure.axes[3].patches} & {"#ffffff"}


def test_no_line_of_the_page_ends_before_a_percent_sign(report):
    assert not any(line.strip().startswith("%") for line in str(report).splitlines())
    text = re.sub(
        r"<style>.*?</style>|<svg.*?</svg>|<script>.*?</script>|<t[dh].*?</t[dh]>|<a.*?>",
        "",
        report.to_html(),
        flags=re.DOTALL,
    )
    assert re.search(r"\d\u00a0%", text)
    assert not re.search(r"\d %", text)

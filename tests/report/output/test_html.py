"""The report as a web page."""

import csv
import io
import re
import sys
from html.parser import HTMLParser
from urllib.parse import unquote

import numpy as np
import pytest
from matplotlib import pyplot as plt
from sklearn.datasets import load_iris

from smartsvm import difficulty_report

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]


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
    assert "Which pairs are hard to separate?</text>" in drawing
    words = re.search('role="img" aria-label="([^"]*)"', drawing)[1]
    assert "Hardest pairs: versicolor and virginica" in words


def test_page_lists_all_samples_and_saves_them():
    wrong = NAMES.copy()
    wrong[:15] = "virginica"  # among the setosas, which nothing else resembles
    report = difficulty_report(X, wrong)
    ranked = report.label_ranking[report.label_margin[report.label_ranking] < 0]
    assert len(ranked) > 10
    html = report.to_html()
    table = html[html.index("Looks like") :]
    assert table[: table.index("</table>")].count("<tr>") == len(ranked)
    address = re.search('href="data:text/csv;charset=utf-8,([^"]*)"', html)[1]
    lines = list(csv.DictReader(io.StringIO(unquote(address).removeprefix("\ufeff"))))
    assert [int(line["row"]) for line in lines] == report.rows[ranked].tolist()
    assert "data:" not in report._repr_html_()


def test_html_without_matplotlib_has_no_figure(report, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert "<svg" not in report.to_html()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"install smartsvm2\[plot\]"):
        report.plot()


def test_plotting_leaves_no_figure_open_behind_a_page(report):
    report.to_html()
    assert plt.get_fignums() == []

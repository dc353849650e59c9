"""The report as a web page."""

import csv
import io
import re
import sys
from dataclasses import replace
from datetime import date
from html.parser import HTMLParser
from types import SimpleNamespace
from urllib.parse import unquote

import numpy as np
import pytest
from matplotlib import pyplot as plt
from sklearn.datasets import load_iris

from smartsvm import __version__, difficulty_report
from smartsvm.report.dependence import Dependence
from smartsvm.report.flags.rows import DependentRows
from smartsvm.report.output.next_steps import next_steps

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
    for html, drawings in ((report._repr_html_(), 0), (report.to_html(), 4)):
        tags = _Tags()
        tags.feed(html)
        assert tags.open == []
        assert tags.drawings == drawings
        text = " ".join(tags.text)
        for part in ("How hard is this problem?", "reachable", "versicolor and virginica"):
            assert part in text
        assert "http" not in html  # nothing is fetched from anywhere
        assert html.count("<script") == (drawings > 0)  # a notebook gets none


def test_drawing_of_the_page_is_text_that_can_be_read_aloud(report):
    html = report.to_html()
    drawing = html[html.index("<figure") : html.index("</figure>")]
    assert "The best possible error" in drawing  # one picture on top, the others with the details
    assert "Which pairs are hard to separate?</text>" not in drawing
    assert "Which pairs are hard to separate?</text>" in html[html.index("<h3>Details") :]
    words = re.search('role="img" aria-label="([^"]*)"', drawing)[1]
    assert "Hardest pairs: versicolor and virginica" in words


@pytest.mark.usefixtures("no_drawings")
def test_page_lists_all_samples_and_saves_them():
    wrong = NAMES.copy()
    wrong[:15] = "virginica"  # among the setosas, which nothing else resembles
    report = difficulty_report(X, wrong)
    ranked = report.labels.ranking[report.labels.margin[report.labels.ranking] < 0]
    assert len(ranked) > 10
    html = report.to_html()
    table = html[html.index("Looks like") :]
    assert table[: table.index("</table>")].count("<tr>") == len(ranked)
    address = re.search('href="data:text/csv;charset=utf-8,([^"]*)"', html)[1]
    lines = list(csv.DictReader(io.StringIO(unquote(address).removeprefix("\ufeff"))))
    assert [int(line["row"]) for line in lines] == report.data.rows[ranked].tolist()
    assert "data:" not in report._repr_html_()


def test_html_without_matplotlib_has_no_figure(report, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert "<svg" not in report.to_html()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"install smartsvm2\[plot\]"):
        report.plot()


def test_plotting_leaves_no_figure_open_behind_a_page(report):
    before = plt.get_fignums()  # perhaps those of other tests
    report.to_html()
    assert plt.get_fignums() == before


def test_title_and_facts_stand_on_top(report):
    page = report.to_html(title="a <b> & c.csv")
    assert "<title>a &lt;b&gt; &amp; c.csv: how hard is this problem?</title>" in page
    heading = page[page.index("<h2>") : page.index("<figure")]
    facts = ("a &lt;b&gt; &amp; c.csv", "150 samples", date.today().isoformat(), __version__)
    for fact in (*facts, "95% intervals", "seed 0", 'class="verdict good"'):
        assert fact in heading


def test_the_order_of_the_page(report):
    page = report.to_html()
    titles = (
        "Errors",
        "Hardest pairs",
        "Recall",
        "Possible label errors",
        "Can this be trusted?",
        "Details",
    )
    first = "<h2>", 'class="lead"', 'class="verdict', "<figure", "<h3>What to do next"
    parts = (*first, *(f"<h3>{title}" for title in titles))
    places = [page.index(part, page.index("<main")) for part in parts]
    assert places == sorted(places)
    assert "<details><summary><h3>Details" in page


def test_figure_and_table_have_the_same_names_in_the_same_order(report):
    page = report.to_html()
    named = re.findall(r"<td[^>]*>([^<]*)</td>", page[page.index("<h3>Errors") :])
    table = [name for name in named if any(c.isalpha() for c in name) and " to " not in name]
    first = table[: table.index("baseline")]
    drawn = re.findall(r">([^<]*)</text>", page[page.index("<svg") : page.index("</svg>")])
    assert [name for name in drawn if name in first] == first


@pytest.mark.usefixtures("no_drawings")
def test_rows_that_are_alike_are_the_first_thing_to_do(report):
    found = Dependence("id", 30, 5.0, 0.02, 0.2, 150)

    def flag_of(found):
        (flag,) = DependentRows().flags(
            SimpleNamespace(data=SimpleNamespace(dependence=found)), SimpleNamespace(columns=None)
        )
        return flag

    flag = flag_of(found)
    shown = replace(report, flags=(*report.flags, flag))
    step = next(next_steps(shown))
    errors = "quick classifiers then err 20%, not 2%."
    assert step == f'Use groups="id" if id will be new in later rows: {errors}'
    assert flag_of(found._replace(unit="price", is_named=False)).step is None
    page = shown.to_html().replace("&quot;", '"')
    assert page.index(step) < page.index("<h3>Errors</h3>") < page.index(flag.message)
    assert page.count(flag.message) == 1  # the step does not repeat the warning
    assert flag_of(found._replace(unit=None)).step.startswith(
        "Name the column that says which rows belong"
    )


def test_next_steps():
    random = np.random.default_rng(0)
    labels = np.arange(300) % 3
    apart = 9 * np.eye(3)[labels] + random.normal(size=(300, 3))
    wrong = random.choice(300, 15, replace=False)
    labels[wrong] = (labels[wrong] + random.integers(1, 3, size=15)) % 3
    report = difficulty_report(apart, labels, target_accuracy=0.5)
    steps = " ".join(next_steps(report))
    assert re.search(r"Check 1\d labels, such as row \d+: labelled \d, looks like \d", steps)
    assert "Train a model. One that errs clearly more often than the best single" in steps
    for page in (str(report), report.to_html()):
        assert re.search("carry (nearly all|some) of the signal", " ".join(page.split()))
    noise = difficulty_report(random.normal(size=(200, 2)), random.integers(0, 2, 200))
    assert "Find other columns: nothing about the classes shows" in " ".join(next_steps(noise))
    assert "carr" not in str(noise)
    assert noise.to_html().count("<svg") == 3  # no empty place for a curve
    overlap = random.normal(size=(600, 1))
    labels = (overlap[:, 0] + random.normal(size=600) > 0).astype(int)
    hard = difficulty_report(overlap, labels, target_accuracy=0.95)
    for answer, hope in (("unlikely", "hardly"), ("out of reach", "not")):
        steps = next_steps(replace(hard, verdict=replace(hard.verdict, answer=answer)))
        assert f"apart, or lower the target: a larger model will {hope} help." in " ".join(steps)


@pytest.mark.usefixtures("no_drawings")
def test_a_long_table_says_how_many_rows_there_are():
    random = np.random.default_rng(0)
    y = np.arange(600) % 60
    page = difficulty_report(y[:, None] + random.normal(size=(600, 2)), y).to_html()
    assert 'data-first="10" data-total="1770"' in page
    # On paper, too: only the search field and the button are hidden there.
    printed = page.split("@media print")[1]
    assert ".tools>:not(span),.smartsvm a[download],.smartsvm .copy{display:none}" in printed
    pairs = page[page.index("<h3>Hardest pairs") :]
    assert pairs[: pairs.index("</table>")].count("<tr>") == 1 + 1000


@pytest.mark.usefixtures("no_drawings")
def test_a_phone_shows_a_title_beside_every_number(report):
    page = report.to_html()
    cells = re.findall("<td[^>]*>", page[page.index("<h3>Recall of each class") :])
    assert all("data-title=" in cell for cell in cells[:5])
    assert "data-title" not in page[page.index("<h3>Errors") : page.index("<h3>Which columns")]


@pytest.mark.usefixtures("no_drawings")
def test_very_long_names_leave_room_for_numbers():
    random = np.random.default_rng(0)
    y = np.arange(60) % 2
    names = np.array(["L" * 2000 + "a", "L" * 2000 + "b"])[y]
    report = difficulty_report(y[:, None] + random.normal(size=(60, 2)), names)
    page = report.to_html()
    body = page[page.index("<h3>Hardest pairs") : page.index("data:text/csv")]
    assert "L" * 60 not in body
    assert "Lb</td>" in body


@pytest.mark.usefixtures("no_drawings")
def test_a_chance_that_nobody_knows_is_not_shown_as_zero(report):
    column = "Chance that it is wrong"
    labels = report.labels
    unknown = replace(labels, error_chance=np.zeros_like(labels.error_chance), n_suspects=0)
    assert column not in replace(report, labels=unknown).to_html()
    known = replace(labels, error_chance=np.full_like(labels.error_chance, 0.3), n_suspects=1)
    assert column in replace(report, labels=known).to_html()

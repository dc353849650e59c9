"""The report's page in a real browser, where one is installed: what its script does.

The browser starts once for each page, and each test reads what it found there.
"""

import json
import re
import shutil
import subprocess
from html import escape, unescape

import numpy as np
import pytest
from sklearn.datasets import load_digits

from smartsvm import difficulty_report

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("chrome")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed"),
]

WIDTHS = (390, 1280)
NAMES = ("big", "letter", "of 13 letters", "longer than half a phone is wide, or so")

# First cells of the shown rows of each table.
ROWS = """
const rows = () => [...document.querySelectorAll("table[data-first]")].map(table =>
  [...table.tBodies[0].rows].filter(row => !row.hidden).map(row => row.cells[0].textContent));
"""


def browse(page, folder, script):
    """What a script leaves in `found`, as the browser runs it at the end of a page."""
    file = folder / "page.html"
    script = f"<script>{script}</script>"
    file.write_text(page.replace("</body>", script + "</body>"), encoding="utf-8")
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    done = subprocess.run(
        [*command, file.as_uri()], capture_output=True, text=True, check=True, timeout=600
    )
    return json.loads(unescape(re.search(r"<title>(.*?)</title>", done.stdout, re.DOTALL)[1]))


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """The tables as they come, after some clicks, and the section that was folded."""
    X, y = load_digits(return_X_y=True)
    random = np.random.default_rng(0)
    wrong = random.choice(len(y), size=60, replace=False)
    y = y.copy()
    y[wrong] = (y[wrong] + random.integers(1, 10, size=60)) % 10
    page = difficulty_report(X, np.array([f"c{10 * k}" for k in range(10)])[y]).to_html()
    script = """
        const found = {first: rows()};
        const summary = [...document.querySelectorAll("summary")].find(
          each => each.textContent.startsWith("Possible label errors"));
        const section = summary.parentElement, table = section.querySelector("table");
        const link = section.querySelector("a[download]");
        const height = () => section.getBoundingClientRect().height;
        found.heights = [height()];
        for (let click = 0; click < 2; ++click) { summary.click(); found.heights.push(height()); }
        const saved = decodeURIComponent(link.href.slice(link.href.indexOf(",") + 1));
        found.saved = [saved.trim().split("\\n").length - 1, link.download];
        found.samples = table.tBodies[0].rows.length;
        const [, , classes] = document.querySelectorAll("table[data-first]");
        classes.querySelector("th button").click();
        const tools = document.querySelectorAll(".tools");
        tools[1].querySelector("button").click();
        const search = tools[2].querySelector("input");
        search.value = "c90";
        search.oninput();
        found.after = rows();
        document.title = JSON.stringify(found);
    """
    return browse(page, tmp_path_factory.mktemp("digits"), ROWS + script)


def test_tables_show_their_first_rows(seen):
    assert [len(table) for table in seen["first"]] == [10, 10, 10, 10]


def test_tables_sort_search_and_open(seen):
    columns, pairs, classes, samples = seen["after"]
    assert len(columns) == 10
    assert len(pairs) == 45
    assert classes == [f"c{10 * k}" for k in range(10)]
    assert len(samples) > 0
    assert samples != seen["first"][3]


def test_sections_fold(seen):
    before, folded, opened = seen["heights"]
    assert before > 100
    assert folded < 60
    assert opened == before


def test_samples_are_saved(seen):
    assert seen["saved"] == [seen["samples"], "label-errors.csv"]


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """For names of each length and pages of each width: cells, what is too wide, broken numbers."""
    random = np.random.default_rng(0)
    y = np.arange(300) % 4
    X = random.normal(size=(300, 2)) + 1.5 * np.stack([y // 2, y % 2], axis=1)
    frames = []
    for name in NAMES:
        labels = np.array([f"{name}{k}" for k in range(4)])[y]
        page = escape(difficulty_report(X, labels, target_accuracy=0.9).to_html(), quote=True)
        # A browser without a window is never narrower than 500: the pages stand in frames, and
        # need no scroll bars there, which a phone would lay over the page.
        frames += [
            f"<iframe width={width} height=9000 srcdoc='{page}'></iframe>" for width in WIDTHS
        ]
    script = """
        onload = () => {
          document.title = JSON.stringify([...document.querySelectorAll("iframe")].map(frame => {
            const page = frame.contentDocument;
            const cells = [...page.querySelectorAll("td.number, td.fixed")];
            const lines = cell => {
              const range = page.createRange();
              range.selectNodeContents(cell);
              return new Set([...range.getClientRects()].map(box => box.top)).size;
            };
            const broken = cells.filter(cell => cell.textContent && lines(cell) > 1);
            const over = Math.max(...[...page.querySelectorAll(":root, .wide")].map(
              each => each.scrollWidth - each.clientWidth));
            return [cells.length, over, broken.length];
          }));
        };
    """
    whole = f"<html><head><title></title></head><body>{''.join(frames)}</body></html>"
    found = iter(browse(whole, tmp_path_factory.mktemp("frames"), script))
    return {(name, width): next(found) for name in NAMES for width in WIDTHS}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", NAMES)
def test_nothing_sticks_out_and_no_number_breaks(name, width, measured):
    n_cells, over, broken = measured[name, width]
    assert n_cells > 30
    assert (over, broken) == (0, 0)

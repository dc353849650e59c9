"""The report's page in a real browser, where one is installed: what its script does."""

import re
import shutil
import subprocess
from html import escape

import numpy as np
import pytest
from sklearn.datasets import load_digits

from smartsvm import difficulty_report

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("chrome")
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")


@pytest.fixture(scope="module")
def page():
    X, y = load_digits(return_X_y=True)
    random = np.random.default_rng(0)
    wrong = random.choice(len(y), size=60, replace=False)
    y = y.copy()
    y[wrong] = (y[wrong] + random.integers(1, 10, size=60)) % 10
    return difficulty_report(X, np.array([f"c{10 * k}" for k in range(10)])[y]).to_html()


def browse(page, tmp_path, script):
    """The page as the browser has it, after a script has run in it."""
    file = tmp_path / "page.html"
    file.write_text(page.replace("</body>", f"<script>{script}</script></body>"), encoding="utf-8")
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    done = subprocess.run(
        [*command, file.as_uri()], capture_output=True, text=True, check=True, timeout=600
    )
    return done.stdout


def rows_after(page, tmp_path, script):
    """First cells of the shown rows of each table, after a script has run in the page."""
    seen = browse(page, tmp_path, script)
    tables = re.findall(r"<table[^>]* data-first.*?</table>", seen, re.DOTALL)
    return [re.findall(r"<tr><td[^>]*>([^<]*)", table) for table in tables]


def test_tables_show_their_first_rows(page, tmp_path):
    pairs, classes, found, samples = rows_after(page, tmp_path, "")
    assert [len(pairs), len(classes), len(found), len(samples)] == [10, 10, 10, 10]


def test_tables_sort_search_and_open(page, tmp_path):
    script = """
        const [pairs, classes, found, samples] = document.querySelectorAll("table[data-first]");
        classes.querySelector("th button").click();
        const tools = document.querySelectorAll(".tools");
        tools[0].querySelector("button").click();
        const search = tools[1].querySelector("input");
        search.value = "c90";
        search.oninput();
    """
    pairs, classes, _, samples = rows_after(page, tmp_path, script)
    assert len(pairs) == 45
    assert classes == [f"c{10 * k}" for k in range(10)]
    assert len(samples) > 0


def test_sections_fold_and_samples_are_saved(page, tmp_path):
    script = """
        const summary = [...document.querySelectorAll("summary")].find(
          each => each.textContent.startsWith("Samples to look at"));
        const section = summary.parentElement, table = section.querySelector("table");
        const link = section.querySelector("a[download]");
        const height = () => section.getBoundingClientRect().height;
        const before = height();
        summary.click();
        const folded = height();
        summary.click();
        const saved = decodeURIComponent(link.href.slice(link.href.indexOf(",") + 1));
        document.title = [before > 100, folded < 60, height() === before,
          saved.trim().split("\\n").length - 1 === table.tBodies[0].rows.length,
          link.download].join(" ");
    """
    seen = browse(page, tmp_path, script)
    said = re.search(r"<title>(.*?)</title>", seen)[1]
    assert said == "true true true true samples-to-look-at.csv"


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize(
    "name", ["letter", "of 13 letters", "longer than half a phone is wide, or so"]
)
def test_nothing_sticks_out_and_no_number_breaks(name, width, tmp_path):
    random = np.random.default_rng(0)
    y = np.arange(300) % 4
    names = np.array([f"{name}{k}" for k in range(4)])
    X = random.normal(size=(300, 2)) + 1.5 * np.stack([y // 2, y % 2], axis=1)
    page = difficulty_report(X, names[y], target_accuracy=0.9).to_html()
    # A browser without a window is never narrower than 500: the page stands in a frame, and
    # needs no scroll bar there, which a phone would lay over the page.
    frame = f"<iframe width={width} height=9000 srcdoc='{escape(page, quote=True)}'></iframe>"
    script = """
        const frame = document.querySelector("iframe");
        frame.onload = () => {
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
          document.title = [cells.length, over, broken.length].join(" ");
        };
    """
    seen = browse(
        f"<html><head><title></title></head><body>{frame}</body></html>", tmp_path, script
    )
    n_cells, over, broken = map(int, re.search(r"<title>(.*?)</title>", seen)[1].split())
    assert n_cells > 30
    assert (over, broken) == (0, 0)

"""The report's page in a real browser, where one is installed: what its script does."""

import re
import shutil
import subprocess

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


def rows_after(page, tmp_path, script):
    """First cells of the shown rows of each table, after a script has run in the page."""
    file = tmp_path / "page.html"
    file.write_text(page.replace("</body>", f"<script>{script}</script></body>"), encoding="utf-8")
    done = subprocess.run(
        [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", file.as_uri()],
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
    tables = re.findall(r"<table data-first.*?</table>", done.stdout, re.DOTALL)
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

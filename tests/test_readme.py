"""The README: its code runs where its install line leads, its numbers stand in the records."""

import doctest
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
# A block of Python, and the output if a plain block follows it at once.
BLOCKS = re.findall(r"```python\n(.*?)```\n(?:\n```\n(.*?)```)?", README, re.DOTALL)
PROSE = re.sub(r"```.*?```", "", README, flags=re.DOTALL)
NOT_INSTALLED = ("polars", "dask", "distributed")
NUMBER = re.compile(r"(?<![\w.])\d*[.,]?\d+(?:,\d{3})*(?![\w.]*\w)")

# Code, addresses, versions and years.
NO_MEASUREMENT = re.compile(
    r"`[^`]*`|\]\([^)]*\)|arXiv:\S+|Python [\d.]+|\b(?:19|20)\d\d\b|BSD-\d|K − 1|\)/2|95 ?%"
)

# Runs blocks in one namespace, without what `pip install 'smartsvm2[plot,table]'` does not bring.
RUNNER = """
import contextlib, importlib.abc, io, json, sys, warnings

class Absent(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {absent!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Absent())
warnings.simplefilter("error")
import matplotlib
matplotlib.use("agg")
names, printed = {{}}, []
for code in json.load(sys.stdin):
    with contextlib.redirect_stdout(io.StringIO()) as output:
        exec(code, names)
    printed.append(output.getvalue())
json.dump(printed, sys.stdout)
"""


def test_every_block_runs_and_prints_what_it_says(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", RUNNER.format(absent=NOT_INSTALLED)],
        input=json.dumps([code for code, _ in BLOCKS]),
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    checker = doctest.OutputChecker()
    for (code, wanted), printed in zip(BLOCKS, json.loads(done.stdout), strict=True):
        if wanted:
            assert checker.check_output(wanted, printed, doctest.ELLIPSIS), f"{code}\n{printed}"
    assert len(BLOCKS) >= 3


def paragraphs_with_numbers():
    for paragraph in re.split(r"\n\s*\n(?!\|)", PROSE):  # a table belongs to what is said above it
        words = NO_MEASUREMENT.sub("", paragraph)
        found = NUMBER.findall(words)
        if found:
            yield paragraph, found


def test_every_number_stands_in_a_page_that_its_paragraph_links():
    checked = 0
    for paragraph, numbers in paragraphs_with_numbers():
        links = re.findall(r"\]\((benchmarks/[\w/.-]+\.md)\)", paragraph)
        assert links, f"numbers without a record: {numbers} in\n{paragraph}"
        records = "\n".join((ROOT / link).read_text(encoding="utf-8") for link in links)
        for number in numbers:
            alike = {number, number.removeprefix("0"), f"0{number}"}
            assert any(
                re.search(rf"(?<![\d.]){re.escape(text)}(?!\d)", records) for text in alike
            ), f"{number} is not in {links}"
            checked += 1
        # A row of a table is a row of the record: its numbers stand side by side there, too.
        for row in filter(NUMBER.search, re.findall(r"^\|.*", paragraph, re.MULTILINE)):
            wanted = set(NUMBER.findall(row))
            assert any(wanted <= set(NUMBER.findall(line)) for line in records.splitlines()), row
    assert checked > 3


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)#]+)\)", README))
def test_links_lead_somewhere(link):
    assert "://" in link or (ROOT / link).exists()


def test_the_readme_is_short():
    assert len(README.splitlines()) < 173
    first_screen = "\n".join(README.splitlines()[:45])
    for part in ("![", "pip install", "```python"):
        assert part in first_screen

"""The README: its code runs where its install line leads, its numbers stand in the records."""

import importlib.util
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
PROSE = re.sub(r"```.*?```|<!-- filled in.*?<!-- end -->", "", README, flags=re.DOTALL)
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
    for (code, wanted), printed in zip(BLOCKS, json.loads(done.stdout), strict=True):
        assert prints(wanted, printed), f"{code}\n{printed}"
    assert BLOCKS


def prints(wanted, printed):
    """Whether a text is what the README has, up to its dots."""
    words, others = wanted.split(), printed.split()
    if words and words[-1] == "...":
        words, others = words[:-1], others[: len(words) - 1]
    return not words or (
        len(words) == len(others) and all(map(same_but_for_one_sample, words, others))
    )


def same_but_for_one_sample(word, other):
    """Whether words are the same; percentages within one sample of 1,797 and their last digit.

    Rounding may decide such a sample, on another processor otherwise.
    """
    shares = [re.fullmatch(r"\(?(\d+(?:\.(\d+))?)%[).,]*", each) for each in (word, other)]
    if word == other or not all(shares):
        return word == other
    digit = 0.1 ** max(1, *(len(share[2] or "") for share in shares))
    return abs(float(shares[0][1]) - float(shares[1][1])) < 100 / 1797 + 1.001 * digit


def test_texts_are_compared_word_by_word():
    assert prints("held out 2.8%  (2.1% to 3%)\n...\n", "held out 2.9% (2% to 3.1%)\nmore")
    for other in ("held out 2.8% (2.1% to 3%)", "held in 2.8% (2.1% to 4%)", "held out 3.1% (2.1%"):
        assert not prints("held out 2.8% (2.1% to 4%)", other)


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
    assert checked


def test_tables_are_filled_in_from_the_records():
    spec = importlib.util.spec_from_file_location("refresh", ROOT / "docs" / "refresh_readme.py")
    refresh = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(refresh)
    tables = refresh.tables()
    assert list(tables) == re.findall(r"<!-- filled in: (\w+) -->", README)
    for name, table in tables.items():
        assert f"<!-- filled in: {name} -->\n{table}\n<!-- end -->" in README


BENCHMARKS = ROOT / "docs" / "benchmarks.md"


def test_benchmark_numbers_of_the_site_stand_in_its_pages():
    sections = BENCHMARKS.read_text(encoding="utf-8").split("\n## ")
    sections = [section for section in sections if "{include}" in section]
    assert sections
    for section in sections:
        page = re.search(r"\{include\} (\S+)", section)[1]
        record = (BENCHMARKS.parent / page).read_text(encoding="utf-8")
        prose = re.sub(r"```.*?```|`[^`]*`", "", section, flags=re.DOTALL)
        for fact in re.findall(r"\b\d{4}-\d\d-\d\d\b|\b\d[\d,.]*\d\b|\b[0-9a-f]{7}\b", prose):
            assert fact in record, f"{fact} is not in {page}"


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)#]+)\)", README))
def test_links_lead_somewhere(link):
    assert "://" in link or (ROOT / link).exists()


def test_the_first_screen_shows_how_to_begin():
    first_screen = "\n".join(README.splitlines()[:45])
    for part in ("![", "pip install", "```python"):
        assert part in first_screen

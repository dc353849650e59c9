"""One list of sections: every output says all of it, in one order."""

import re

import numpy as np
import pytest

from smartsvm import difficulty_report
from smartsvm.report.output import blocks, html, markdown, sections, text
from smartsvm.report.output.names import joined


@pytest.fixture(scope="module")
def full():
    """A report that has something to say in every section."""
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    y = random.permutation(np.repeat([0, 1, 2], [140, 136, 24]))
    table = pandas.DataFrame(random.normal(size=(300, 3)) + 2 * np.eye(3)[y], columns=list("abc"))
    table["ended"] = np.where((y == 0) & (random.random(300) < 0.9), "yes", None)
    table.loc[y == 0, "ended"] = table.loc[y == 0, "ended"].mask(random.random(140) < 0.05, "no")
    table["day"] = pandas.date_range("2026-01-01", periods=300).astype(str)
    table["kind"] = np.array(["x", "y", "z"])[y]
    guess = np.where(random.random(300) < 0.7, table["kind"], "x")
    return difficulty_report(
        table, "kind", target_accuracy=0.5, models={"mine": guess}, classifiers=["linear"]
    )


def blocks_of(report):
    return [block for part in sections.document_of(report).parts for block in part.blocks]


def test_every_section_has_something_to_say(full):
    parts = sections.document_of(full).parts
    assert [part.title for part in parts] == [section.title for section in sections.SECTIONS]


@pytest.mark.parametrize("output", [text, html, markdown])
def test_every_output_renders_every_kind_of_block(output, full):
    assert {*map(type, blocks_of(full))} == {*blocks.BLOCKS} == output._BLOCKS.keys()


def test_every_output_has_the_first_rows_of_every_table(full):
    tables = [block for block in blocks_of(full) if isinstance(block, blocks.Table)]
    assert len(tables) == 8 + 3  # of suspects
    markdown_page = markdown.page(sections.document_of(full)).replace("\\", "")
    page, words = full.to_html(), str(full)
    for table in tables:
        row = table.rows(1)[0]
        for cell in row:
            cell_text = joined(cell.text)
            assert f">{cell_text}</td>" in page
            assert f" {cell_text} |" in markdown_page
            assert cell_text in words or not table.first


def test_markdown_has_no_markup_of_the_user():
    y = np.array(["<b>x</b>", "a|b", "_c_"])[np.arange(150) % 3]
    X = np.random.default_rng(0).normal(size=(150, 2)) + np.arange(150)[:, None] % 3
    page = markdown.page(sections.document_of(difficulty_report(X, y, classifiers=["linear"])))
    assert "<b>" not in page
    rows = [line for line in page.split("\n") if line.startswith("|")]
    columns = [len(re.findall(r"(?<!\\)\|", row)) for row in rows]
    assert {4, 6} <= {*columns} <= {4, 5, 6}


def test_text_and_page_have_the_same_titles_in_the_same_order(full):
    titles = [section.title for section in sections.SECTIONS if section.title]
    lines = str(full).split("\n")
    assert [line for line in lines if line in titles] == titles
    for page in (full.to_html(), full._repr_html_()):
        assert re.findall("<h3>(.*?)</h3>", page) == titles


def test_all_outputs_have_the_same_sentences(full):
    words = " ".join(str(full).replace("\n  - ", " ").split())
    page = full.to_html().replace("&#x27;", "'").replace("&quot;", '"').replace("&lt;", "<")
    as_markdown = markdown.page(sections.document_of(full)).replace("\\", "")
    for block in blocks_of(full):
        sentences = ()
        if isinstance(block, blocks.Lead | blocks.Sentence):
            sentences = (block.text,)
        elif isinstance(block, blocks.Items):
            sentences = block.texts
        for each in sentences:
            assert " ".join(each.split()) in words
            assert each in page
            assert each in as_markdown


def test_the_dictionary_is_that_of_the_sections(full):
    keys = ["format"]
    for section in sections.SECTIONS:
        keys += section.data(full, False) if section.data is not None else ()
    assert list(full.to_dict()) == keys

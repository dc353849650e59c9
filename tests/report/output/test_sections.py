"""One list of sections: every output says all of it, in one order."""

import re

import numpy as np
import pytest

from smartsvm import difficulty_report
from smartsvm.report.output import html, sections, text


@pytest.fixture(scope="module")
def full():
    """A report that has something to say in every section."""
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    y = np.arange(300) % 3
    table = pandas.DataFrame(random.normal(size=(300, 3)) + 2 * np.eye(3)[y], columns=list("abc"))
    table["day"] = pandas.date_range("2026-01-01", periods=300).astype(str)
    table["kind"] = np.array(["x", "y", "z"])[y]
    guess = np.where(random.random(300) < 0.7, table["kind"], "x")
    return difficulty_report(
        table, "kind", target_accuracy=0.5, models={"mine": guess}, classifiers=["linear"]
    )


def test_every_section_has_something_to_say(full):
    assert [section for section, _ in sections.sections_of(full)] == list(sections.SECTIONS)


@pytest.mark.parametrize("output", [text, html])
def test_every_output_renders_every_kind_of_block_and_table(output, full):
    kinds = {type(block) for _, blocks in sections.sections_of(full) for block in blocks}
    assert kinds == {*sections.BLOCKS} == output._BLOCKS.keys()
    tables = {
        block.kind
        for _, blocks in sections.sections_of(full)
        for block in blocks
        if isinstance(block, sections.Table)
    }
    assert tables == output._TABLES.keys()


def test_text_and_page_have_the_same_titles_in_the_same_order(full):
    titles = [section.title for section in sections.SECTIONS if section.title]
    lines = str(full).split("\n")
    assert [line for line in lines if line in titles] == titles
    for page in (full.to_html(), full._repr_html_()):
        assert re.findall("<h3>(.*?)</h3>", page) == titles


def test_text_and_page_have_the_same_sentences(full):
    words = " ".join(str(full).replace("\n  - ", " ").split())
    page = full.to_html().replace("&#x27;", "'").replace("&lt;", "<")
    for _, blocks in sections.sections_of(full):
        for block in blocks:
            if isinstance(block, sections.Lead | sections.Sentence):
                assert " ".join(block.text.split()) in words
                assert block.text in page
            if isinstance(block, sections.Items):
                assert all(" ".join(each.split()) in words for each in block.texts)
                assert all(each in page for each in block.texts)


def test_the_dictionary_is_that_of_the_sections(full):
    keys = ["format"]
    for section in sections.SECTIONS:
        keys += section.data(full, False) if section.data is not None else ()
    assert list(full.to_dict()) == keys

"""The site's code runs: every block of a page, every example of the gallery."""

import importlib.util
import re
import runpy
import sys
from pathlib import Path
from unittest.mock import MagicMock

import numpy as np
import pytest
from matplotlib import pyplot as plt

import smartsvm
from benchmarks.scaling import model
from smartsvm.held_out.registry import CLASSIFIERS

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = [path for path in sorted(DOCS.rglob("*.md")) if "_generated" not in path.parts]
GALLERY = sorted((DOCS / "gallery").glob("plot_*.py"))
# A block of the directive `run`: its options, and its code.
BLOCK = re.compile(r"^```\{run\}\n((?::[^\n]*\n)*)(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def figures():
    """The open figures: none before, none afterwards."""
    plt.close("all")
    yield plt.get_fignums
    plt.close("all")


def extension(name):
    """An extension of the site, which is no package."""
    spec = importlib.util.spec_from_file_location(name, DOCS / "_ext" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def run_code():
    return extension("run_code")


@pytest.mark.slow  # `make docs` runs them, too
@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if BLOCK.search(page.read_text())],
    ids=lambda page: str(page.relative_to(DOCS).with_suffix("")),
)
def test_blocks_of_a_page_run(page, run_code, figures):
    session = run_code.Session()
    try:
        for options, code in BLOCK.findall(page.read_text()):
            (session.shell if ":shell:" in options else session.python)(code)
            if ":figure:" in options:
                assert figures(), f"nothing was drawn by\n{code}"
                assert len(options.split(":figure:")[1].split()) > 3, "a picture needs a text"
                plt.close("all")
    finally:
        session.close()


def test_the_recipe_for_a_tracker_records_the_estimate(monkeypatch, figures):
    random = np.random.default_rng(0)
    report = smartsvm.difficulty_report(random.normal(size=(60, 2)), random.integers(0, 2, 60))
    recipes = (DOCS / "guide" / "recipes.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(import wandb\n.*?)```", recipes, re.DOTALL)[1]
    monkeypatch.setitem(sys.modules, "wandb", module := MagicMock())
    exec(code, {"report": report})
    assert f"'bayes_error', {report.bayes_error.value!r}" in str(module.mock_calls)


@pytest.mark.slow
@pytest.mark.parametrize("example", GALLERY, ids=lambda path: path.stem)
def test_example_runs_and_draws(example, tmp_path, monkeypatch, figures):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(example))
    assert figures()


def test_examples_on_the_front_page_exist():
    front = (DOCS / "index.md").read_text()
    linked = re.findall(r"_generated/gallery/(plot_\w+)", front)
    assert linked
    assert {path.stem for path in GALLERY} >= set(linked)


def test_every_public_name_is_in_the_gallery():
    """Called, or named by a role: what its page of the reference then links."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in GALLERY)
    unused = [n for n in smartsvm.__all__ if not re.search(rf"\b{n}\(|`~smartsvm\.{n}`", text)]
    assert unused == []


def test_every_page_of_the_guide_is_linked():
    for folder in ("guide", "start"):
        index = (DOCS / folder / "index.md").read_text()
        for page in (DOCS / folder).glob("*.md"):
            if page.stem != "index":
                assert re.search(rf"^{page.stem}$", index, re.MULTILINE), page


def test_pages_name_only_lists_that_exist():
    lists = runpy.run_path(str(DOCS / "conf.py"))["myst_substitutions"]
    used = {name for page in PAGES for name in re.findall(r"{{ (\w+) }}", page.read_text("utf-8"))}
    assert used == set(lists) == {"classifiers"}
    assert lists["classifiers"].count("\n- `") == len(CLASSIFIERS) - 1


def test_pages_import_no_private_module():
    private = re.compile(r"^\s*(from|import) smartsvm\.", re.MULTILINE)
    for page in [*PAGES, *GALLERY]:
        assert not private.search(page.read_text(encoding="utf-8")), page


@pytest.fixture(scope="module")
def notebook():
    return extension("notebook")


def outputs(stored, kind):
    """The printed text of a notebook, or other data of a kind."""
    found = [output for cell in stored["cells"] for output in cell.get("outputs", ())]
    if kind == "text":
        return "".join("".join(output.get("text", ())) for output in found)
    return [output["data"][kind] for output in found if kind in output.get("data", ())]


def test_the_notebook_ships_with_outputs_of_its_code(notebook):
    stored = notebook.read()
    counts = [cell["execution_count"] for cell in notebook.code_cells(stored)]
    assert counts == list(range(1, len(counts) + 1))
    assert stored["metadata"]["executed"] == notebook.digest(stored), "docs/refresh_readme.py"
    assert outputs(stored, "text")
    assert "How hard is this problem?" in outputs(stored, "text/html")[0]
    assert outputs(stored, "image/png")
    said = outputs(stored, "text") + "".join(outputs(stored, "text/html"))
    assert not re.search(r"site-packages|/home/|/tmp/|/Users/|[A-Z]:\\|\.py\b", said)


@pytest.mark.slow
def test_the_notebook_says_what_it_said(notebook, tmp_path, monkeypatch, figures):
    """Up to numbers that rounding may decide on another processor."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(plt, "show", lambda: None)
    stored = outputs(notebook.read(), "text")
    fresh = outputs(notebook.execute(notebook.read()), "text")
    assert re.sub(r"[\d.]+", "#", fresh) == re.sub(r"[\d.]+", "#", stored)
    percentages = [list(map(float, re.findall(r"([\d.]+)%", text))) for text in (fresh, stored)]
    np.testing.assert_allclose(*percentages, atol=1)


def test_tables_of_the_cost_model_are_what_it_prints(capsys):
    model.main()
    printed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    page = (DOCS / "guide" / "scaling.md").read_text(encoding="utf-8")
    assert [line for line in page.splitlines() if line.startswith("|")] == printed


def test_links_that_lead_nowhere_are_found(tmp_path):
    (tmp_path / "below").mkdir()
    (tmp_path / "picture.png").write_bytes(b"")
    (tmp_path / "index.html").write_text(
        '<p id="here"><a href="#here"></a><a href="below/page.html#there"></a><a href="#"></a>'
        '<img src="picture.png"><a href="https://example.org/none"></a>'
    )
    page = tmp_path / "below" / "page.html"
    page.write_text('<h1 id="there"></h1><a href="../index.html#here"></a>')
    broken_links = extension("internal_links").broken_links
    assert broken_links(tmp_path) == []
    page.write_text('<a href="../index.html#gone"></a><img src="none.png"><a href="../../x"></a>')
    assert broken_links(tmp_path) == [
        "below/page.html: ../../x",
        "below/page.html: ../index.html#gone",
        "below/page.html: none.png",
        "index.html: below/page.html#there",
    ]

"""Whatever options are given, a command works or says in a sentence why not."""

import contextlib
import io
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples
from table_files import iris_columns, write_csv

from smartsvm.__main__ import main

WORDS = ["kind", "a", "b", "nothing", "", "-", "0", "a\x1b[31m", "0.5", "1e400", "-1", "nan", "é"]
OF_BOTH = {
    "--groups": WORDS,
    "--time": WORDS,
    "--drop": WORDS,
    "--keep": WORDS,
    "--scale": ["auto", "none", "ranks", "log"],
    "--categorical": ["onehot", "drop", "refuse", "no"],
    "--missing": ["auto", "drop", "refuse", "no"],
    "--encoding": ["auto", "utf-8", "latin-1", "utf-16", "rot13", "nothing", "", "\0"],
    "--decimal": ["auto", ".", ",", "; drop table"],
    "--unpack-limit": ["1", "0", "none", "nan", "-1", "1e-9"],
    "--target-accuracy": ["0.9", "90", "90%", "nan", "101", "x", "-1"],
    "--target-metric": ["accuracy", "balanced_accuracy", "f1"],
    "--confidence": ["0.9", "0", "1", "nan", "x"],
    "--trees": ["auto", "1", "3", "0", "99999", "x"],
    "--subsample": ["auto", "all", "40", "3", "0", "x"],
    "--jobs": ["1", "2", "0", "x", "9" * 40],
    "--device": ["cpu", "cuda:99", "tpu", ""],
    "--seed": ["0", "7", "-1", "x", "9" * 40],
}
OF_REPORT = {
    "--predicted": WORDS,
    "--probabilities": ["", "a", "nothing"],
    "--html": ["page.html", "iris.csv", "missing/page.html", ".", ""],
    "--figure": ["page.txt", "", "missing/page.png"],
    "--suspects": ["list.csv", "iris.csv", "page.html"],
    "--headroom": ["headroom.csv", "."],
}
OF_COMPARE = {"--id": WORDS, "--html": ["page.html", "iris.csv", "."]}


def option_lists(values):
    pairs = [st.tuples(st.just(name), st.sampled_from(given)) for name, given in values.items()]
    return st.lists(st.one_of(pairs), max_size=4, unique_by=lambda pair: pair[0])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("any")
    columns = {name: values[::3] for name, values in iris_columns().items()}
    write_csv(place / "iris.csv", columns)
    write_csv(place / "other.csv", {name: values[::-1] for name, values in columns.items()})
    return place


def run(words):
    """The exit code of a command, what it prints and what it says."""
    out, said = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
        try:
            code = main(words)
        except SystemExit as end:  # of argparse
            code = end.code
    return code, out.getvalue(), said.getvalue()


def assert_works_or_explains(words):
    code, out, said = run(words)
    assert code in (0, 1, 2), words
    assert "Traceback" not in said
    assert "\x1b" not in said + out
    if code == 0:
        assert out.strip()
    else:
        line = said.strip().splitlines()[-1]
        assert line.startswith("smartsvm"), said
        assert len(line.split()) > 3, said


@examples(25)
@given(options=option_lists(OF_BOTH | OF_REPORT), target=st.just("kind") | st.sampled_from(WORDS))
def test_report(folder, monkeypatch_module, options, target):
    words = [word for pair in options for word in pair]
    quick = ["--classifier", "linear", "--quiet"]
    assert_works_or_explains(["report", "iris.csv", "--target", target, *words, *quick])


@examples(25)
@given(
    options=option_lists(OF_BOTH | OF_COMPARE),
    second=st.sampled_from(["iris.csv", "other.csv", "nothing.csv", "."]),
)
def test_compare(folder, monkeypatch_module, options, second):
    words = [word for pair in options for word in pair]
    quick = ["--classifier", "linear", "--quiet"]
    assert_works_or_explains(["compare", "iris.csv", second, "--target", "kind", *words, *quick])


@pytest.fixture(scope="module")
def monkeypatch_module(folder):
    with pytest.MonkeyPatch.context() as patch, (folder / "empty").open("w+") as empty:
        patch.chdir(folder)
        patch.setattr(sys, "stdin", empty)
        yield

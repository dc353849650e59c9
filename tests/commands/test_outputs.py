"""Outputs of a command are neither its input nor each other, by whatever name."""

import io
import os
import sys
from types import SimpleNamespace

import pytest
from matplotlib import pyplot as plt
from table_files import iris_columns, write_csv

from smartsvm.__main__ import main
from smartsvm.commands import report as report_command
from smartsvm.report.output.formats import FORMATS


@pytest.fixture
def iris(tmp_path, monkeypatch):
    """A folder with the same file under many names; no report may be computed."""

    def refuse(*_, **__):
        raise AssertionError("a report is computed")

    monkeypatch.setattr(report_command, "make_report", refuse)
    monkeypatch.chdir(tmp_path)
    path = write_csv(tmp_path / "iris.csv", iris_columns())
    os.link(path, tmp_path / "hard.csv")
    (tmp_path / "soft.csv").symlink_to("iris.csv")
    (tmp_path / "folder").symlink_to(tmp_path)
    return path


@pytest.mark.parametrize("option", ["--html", "--suspects", "--figure"])
@pytest.mark.parametrize(
    "name",
    ["iris.csv", "./iris.csv", "folder/iris.csv", "folder/./iris.csv", "hard.csv", "soft.csv"],
)
def test_an_input_is_not_overwritten(option, name, iris, capsys):
    before = iris.read_bytes()
    assert main(["report", "iris.csv", "--target", "kind", option, name]) == 1
    assert f"{option} must not be a file that is read, got '{name}'" in capsys.readouterr().err
    assert main(["report", "soft.csv", "--target", "kind", option, "iris.csv"]) == 1
    assert iris.read_bytes() == before


def test_a_redirected_input_is_not_overwritten(iris, monkeypatch, capsys):
    with open(iris, "rb") as file:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(file))
        assert main(["report", "-", "--target", "kind", "--suspects", "hard.csv"]) == 1
    assert "--suspects must not be a file that is read" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("one", "other"),
    [("new", "new"), ("new", "folder/new"), ("old", "twin"), ("old", "link"), ("later", "new")],
)
def test_two_outputs_are_two_files(one, other, iris, capsys):
    folder = iris.parent
    (folder / "old").write_text("")
    os.link(folder / "old", folder / "twin")
    (folder / "link").symlink_to("old")
    (folder / "later").symlink_to("new")
    options = ["--html", one, "--suspects", other]
    assert main(["report", "iris.csv", "--target", "kind", *options]) == 1
    said = f"--html and --suspects must be two files, got '{one}' and '{other}'"
    assert said in capsys.readouterr().err


def test_the_file_of_standard_output_is_no_other_output(iris, monkeypatch, capsys):
    with open(iris.parent / "out.html", "w") as file:
        monkeypatch.setattr("sys.stdout", SimpleNamespace(fileno=file.fileno, flush=file.flush))
        assert main(["report", "iris.csv", "--target", "kind", "--html", "out.html"]) == 1
    assert "--html must not be the file of standard output" in capsys.readouterr().err


def test_standard_input_is_read_once(capsys):
    assert main(["compare", "-", "-", "--target", "kind"]) == 1
    assert "first and second must not both be -" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [["report", "{}", "--target", "kind"], ["compare", "{}", "{}", "--target", "kind"], ["demo"]],
)
def test_a_closed_standard_output_is_an_error(command, iris_csv, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdout", None)
    assert main([word.format(iris_csv) for word in command]) == 1
    assert "standard output is closed" in capsys.readouterr().err


def test_notes_that_cannot_be_written_do_not_lose_the_report(iris_csv, monkeypatch, capsys):
    class Full(io.StringIO):
        def write(self, text):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(sys, "stderr", Full())
    assert main(["report", str(iris_csv), "--target", "kind", "--verbose"]) == 0
    assert "HOW HARD IS THIS PROBLEM?" in capsys.readouterr().out


def test_a_report_is_written_in_every_format_by_its_suffix(iris_csv, tmp_path, capsys):
    names = [f"r{suffix}" for suffix in FORMATS]
    wanted = [word for name in names for word in ("--output", str(tmp_path / name))]
    options = ["report", str(iris_csv), "--target", "kind", "--classifier", "linear"]
    assert main([*options, *wanted]) == 0
    assert capsys.readouterr().out.startswith("HOW HARD IS THIS PROBLEM?")
    plt.close("all")
    begins = {name: (tmp_path / name).read_bytes()[:60] for name in names}
    assert begins["r.md"].startswith(b"# iris.csv: how hard is this problem?")
    assert begins["r.txt"].startswith(b"IRIS.CSV: HOW HARD IS THIS PROBLEM?")
    assert b"<!DOCTYPE html>" in begins["r.html"]
    assert begins["r.png"].startswith(b"\x89PNG")
    assert begins["r.pdf"].startswith(b"%PDF")
    assert begins["r.csv"].startswith(b"row,name,label")


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (["r.docx"], "--output must end in one of .html, .json"),
        (["r"], "--output must end in one of .html, .json"),
        (["r.md", "r.md"], "must be two files"),
        (["iris.csv"], "--output must not be a file that is read"),
        (["folder/none/r.md"], "there is no folder"),
    ],
)
def test_places_of_output_are_checked_before_the_work(iris, files, words, capsys):
    wanted = [word for file in files for word in ("--output", file)]
    assert main(["report", "iris.csv", "--target", "kind", *wanted]) == 1
    assert words in capsys.readouterr().err

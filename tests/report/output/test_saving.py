"""What people try first with a report: save it, plot a part of it, get a table, look at it."""

import csv
import json
import re

import pytest
from sklearn.datasets import load_iris

from smartsvm import difficulty_report


@pytest.fixture(scope="module")
def report():
    return difficulty_report(*load_iris(return_X_y=True), classifiers=["linear"])


@pytest.mark.parametrize(
    ("suffix", "begins"),
    [
        (".html", b"<!DOCTYPE html>"),
        (".json", b"{"),
        (".csv", b"row,name,label"),
        (".txt", b"HOW "),
        (".md", b"# How hard is this problem?\n\n150 samples, 4 columns"),
        (".PNG", b"\x89PNG"),
        (".svg", b"<?xml"),
        (".pdf", b"%PDF"),
    ],
)
def test_the_name_of_a_file_says_how_to_save(suffix, begins, report, tmp_path):
    from matplotlib import pyplot as plt

    report.save(tmp_path / f"r{suffix}")
    assert (tmp_path / f"r{suffix}").read_bytes().startswith(begins)
    plt.close("all")


def test_saved_files_hold_all_samples(report, tmp_path):
    report.save(str(tmp_path / "r.csv"))
    with (tmp_path / "r.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["row"]) for row in rows] == list(range(150))
    report.save(tmp_path / "r.json")
    assert len(json.loads((tmp_path / "r.json").read_text())["labels"]["posterior"]) == 150
    with pytest.raises(ValueError, match=r"path must end in one of \.html, .*, got 'r\.xlsx'"):
        report.save("r.xlsx")


def test_a_page_is_returned_and_written(report, tmp_path):
    page = report.to_html(tmp_path / "r.html", title="irises & co")
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == page


@pytest.mark.parametrize(
    "which", ["errors", "convergence", "pairs", "classes", "samples", "neighbors"]
)
def test_one_panel(which, report):
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2)
    assert report.plot(which, ax=axes[1]) is figure
    assert axes[1].get_title(loc="left")
    assert not axes[0].has_data()
    assert len(report.plot(which, figsize=(5, 3)).axes) >= 1
    plt.close("all")


def test_the_size_of_the_figure(report):
    from matplotlib import pyplot as plt

    assert report.plot(figsize=(9, 6)).get_size_inches().tolist() == [9, 6]
    with pytest.raises(ValueError, match=r"which must be one of \['errors', .*\], got 'pear'"):
        report.plot("pear")
    with pytest.raises(ValueError, match=r"which must be one of .* to draw into ax, got None"):
        report.plot(ax=plt.gca())
    plt.close("all")


def test_frames_of_classifiers_flags_and_suspects(report):
    found = report.to_frame("classifiers")
    assert found.columns.tolist() == ["classifier", "setting", "error", "low", "high"]
    assert found["error"].is_monotonic_increasing
    assert set(found["classifier"]) == {
        each.classifier for each in report.errors.held_out.classifiers
    }
    assert report.to_frame("flags")["code"].tolist() == [flag.code for flag in report.flags]
    assert report.to_frame("suspects")["row"].tolist() == report.data.rows[report.suspects].tolist()


def test_representations_are_rounded(report):
    for thing in (
        report.bayes_error,
        report.data.signal,
        report.pairs.bounds,
        report.judge(0.95),
        report,
    ):
        assert not re.search(r"\.\d{9}", repr(thing)), repr(thing)
    assert repr(report.bayes_error).startswith("Interval(value=0.0")

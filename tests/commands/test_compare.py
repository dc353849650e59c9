"""Two versions of a data set side by side."""

import csv
import json
from dataclasses import replace

import numpy as np
import pytest
from table_files import iris_columns, write_csv

from smartsvm import Interval, difficulty_report
from smartsvm.__main__ import main
from smartsvm.commands.compare import comparison, difference
from smartsvm.comparison import entries
from smartsvm.report.intervals import error_interval
from smartsvm.report.output.formats import FORMATS


def blobs(distance, n=400, wrong=0.0):
    random = np.random.default_rng(0)
    y = np.arange(n) % 3
    X = random.normal(size=(n, 2)) + distance * np.column_stack([y, y**2])
    flipped = random.random(n) < wrong
    y = np.where(flipped, (y + 1) % 3, y)
    return X, np.array(["a", "b", "c"])[y]


def write(file, X, y):
    with file.open("w", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(["first", "second", "label"])
        writer.writerows([*row, label] for row, label in zip(X, y, strict=True))
    return str(file)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [(0.25, 0.0, " lower ("), (0.0, 0.25, " higher ("), (0, 0, "is 0 points")],
)
def test_judgement(before, after, said):
    first, second = (difficulty_report(*blobs(4, wrong=share)) for share in (before, after))
    page = comparison(first, second)
    sentences = [line for line in page.splitlines() if "error of the second is" in line]
    assert len(sentences) == 2
    assert all(said in line and "(95% interval: " in line for line in sentences)
    assert ("more than chance explains" in page) == (before != after)
    assert ("this may be chance" in page) == (before == after)


def test_difference_of_two_errors_in_words():
    report = difficulty_report(*blobs(4))
    first, second = (
        replace(report, bayes_error=each)
        for each in (Interval(0.2, 0.16, 0.23), Interval(0.15, 0.12, 0.19))
    )
    assert difference(first.bayes_error, second.bayes_error) == pytest.approx(
        (-0.05, -0.0924, 0.0066), abs=1e-4
    )
    page = " ".join(comparison(first, second).split())
    assert "is 5 points lower (95% interval: 9.2 lower to 0.66 higher): this may be" in page
    second = replace(report, bayes_error=Interval(0.4, 0.36, 0.43))
    page = " ".join(comparison(first, second).split())
    assert "is 20 points higher (95% interval: 15 to 25 higher): more than chance" in page


def test_intervals_of_differences_contain_the_truth():
    random, truths = np.random.default_rng(0), np.array([0.1, 0.16])
    inside = []
    for _ in range(400):
        shares = random.binomial(300, truths) / 300
        low, high = difference(*(error_interval(share, 300, 1.96) for share in shares))[1:]
        inside.append(low <= np.diff(truths)[0] <= high)
    assert 0.92 < np.mean(inside) < 0.98


def test_command(tmp_path, capsys):
    files = [
        write(tmp_path / "before.csv", *blobs(3, wrong=0.3)),
        write(tmp_path / "after.csv", *blobs(3)),
    ]
    options = ["--target", "label", "--target-accuracy", "0.9", "--quiet"]
    assert main(["compare", *files, *options]) == 0
    page = capsys.readouterr().out
    for part in (
        "before.csv",
        "after.csv",
        "target 90%",
        "lower (95% interval",
        "Pairs that changed most",
    ):
        assert part in page
    assert main(["compare", *files, *options, "--json"]) == 0
    both = json.loads(capsys.readouterr().out)
    assert both["first"]["data"]["n_samples"] == both["second"]["data"]["n_samples"] == 400
    low, high = (both["difference"]["held_out_error"][side] for side in ("low", "high"))
    assert low < high < 0
    assert main(["compare", files[0], str(tmp_path / "none.csv"), *options]) == 1


def test_other_classes_are_no_error():
    X, y = blobs(3)
    other = np.char.add("new ", y)
    page = comparison(difficulty_report(X, y), difficulty_report(X, other))
    assert "fewer than two classes in common" in page


def write_with_ids(file, X, y, ids):
    with file.open("w", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(["case", *(f"column {k}" for k in range(X.shape[1])), "label"])
        writer.writerows(
            [name, *row, label] for name, row, label in zip(ids, X.tolist(), y, strict=True)
        )
    return str(file)


QUICK = ["--target", "label", "--classifier", "neighbors", "--classifier", "linear", "--quiet"]


def test_files_with_the_same_labels_are_paired(tmp_path, capsys):
    X, y = blobs(3, n=120)
    files = [
        write(tmp_path / "given.csv", X, y),
        write(tmp_path / "noisy.csv", X + np.random.default_rng(1).normal(size=X.shape) * 9, y),
        write(tmp_path / "copy.csv", X, y),
    ]
    page = tmp_path / "page.html"
    assert main(["compare", *files, *QUICK, "--html", str(page)]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "WHICH REPRESENTATION IS BEST? 120 rows, 3 representations" in text
    assert "cannot be told from each other; noisy.csv is worse." in text
    assert "noisy.csv is worse" in page.read_text(encoding="utf-8")
    assert main(["compare", *files, *QUICK, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["paired"] is True
    assert sorted(found["best"]) == ["copy.csv", "given.csv"]
    assert len(found["pairs"]) == 3


def test_rows_are_matched_by_id(tmp_path, capsys):
    X, y = blobs(3, n=120)
    order = np.random.default_rng(2).permutation(120)
    ids = np.array([f"c{k}" for k in range(120)])
    files = [
        write_with_ids(tmp_path / "first.csv", X, y, ids),
        write_with_ids(tmp_path / "second.csv", X[order], y[order], ids[order]),
    ]
    assert main(["compare", *files, *QUICK, "--id", "case"]) == 0
    assert "No representation can be told from the others." in capsys.readouterr().out
    short = write_with_ids(tmp_path / "short.csv", X[:99], y[:99], ids[:99])
    assert main(["compare", files[0], short, *QUICK, "--id", "case"]) == 1
    assert (
        "--id case must be the same in all representations, got 21 only in"
        in capsys.readouterr().err
    )
    assert main(["compare", *files, *QUICK, "--id", "person"]) == 1
    assert "no column 'person' to match rows by." in capsys.readouterr().err


def test_an_empty_id_is_named(tmp_path, capsys):
    columns = iris_columns()
    files = []
    for name in ("a.csv", "b.csv"):
        ids = ["", *(f"r{k}" for k in range(1, 150))]
        files.append(str(write_csv(tmp_path / name, columns | {"id": ids})))
    assert main(["compare", *files, "--target", "kind", "--id", "id"]) == 1
    assert "column 'id' must name the id of every sample." in capsys.readouterr().err
    assert main(["compare", *files, "--target", "kind", "--id", "kind"]) == 1
    assert "'kind' is the target: there is no other to match rows by" in capsys.readouterr().err
    assert main(["compare", files[0], "-", *QUICK, "--id", "case"]) == 1
    assert "--id needs files: - is standard input" in capsys.readouterr().err


def test_rows_that_do_not_match(tmp_path, capsys):
    X, y = blobs(3, n=120)
    files = [
        write(tmp_path / "first.csv", X, y),
        write(tmp_path / "second.csv", X[:90], y[:90]),
        write(tmp_path / "third.csv", X, y),
    ]
    assert main(["compare", *files[:2], *QUICK]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "The rows of the two files do not match by position" in text
    assert main(["compare", *files, *QUICK]) == 1
    error = capsys.readouterr().err
    assert "must have the same rows" in error
    assert "second.csv (90)" in error
    assert main(["compare", *files[:2], *QUICK, "--html", str(tmp_path / "page.html")]) == 1
    assert "--html needs files whose rows match" in capsys.readouterr().err
    assert main(["compare", *files[:2], *QUICK, "--output", str(tmp_path / "page.md")]) == 1
    assert "--output needs files whose rows match" in capsys.readouterr().err


def test_a_comparison_is_written_in_every_format_by_its_suffix(tmp_path, capsys):
    X, y = blobs(3, n=120)
    files = [
        write(tmp_path / "a.csv", X, y),
        write(tmp_path / "b.csv", np.random.default_rng(1).normal(size=X.shape), y),
    ]
    places = [tmp_path / f"out{suffix}" for suffix in FORMATS]
    wanted = [word for place in places for word in ("--output", str(place))]
    assert main(["compare", *files, *QUICK, *wanted]) == 0
    text = capsys.readouterr().out
    found = {place.suffix: place.read_bytes() for place in places}
    assert found[".txt"].decode() == text
    assert json.loads(found[".json"])["best"] == ["a.csv"]
    assert found[".csv"].count(b"\n") == 3
    assert found[".md"].startswith(b"# Which representation is best?")
    assert found[".png"].startswith(b"\x89PNG")
    assert main(["compare", *files, *QUICK, "--output", "out.docx"]) == 1
    assert "--output must end in one of .html" in capsys.readouterr().err


def test_files_are_prepared_once(tmp_path, monkeypatch, capsys):
    X, y = blobs(3, n=120)
    files = [
        write(tmp_path / "a.csv", X, y),
        write(tmp_path / "b.csv", np.random.default_rng(1).normal(size=X.shape), y),
    ]
    monkeypatch.setattr(entries, "TablePreparation", None)
    assert main(["compare", *files, *QUICK]) == 0
    assert "a.csv is best" in capsys.readouterr().out


def versions(folder, kinds):
    """Files with the same rows in other orders, by their suffixes."""
    import pandas

    X, y = blobs(2, n=60)
    ids = 1000 + np.arange(60) * 7 % 60
    table = pandas.DataFrame(X, columns=["p", "q"]).assign(kind=y, id=ids)
    files = []
    for number, kind in enumerate(kinds):
        part = table.sample(frac=1, random_state=number)
        files.append(str(folder / f"{number}{kind}"))
        if kind == ".parquet":
            part.to_parquet(files[-1])
        elif kind == ".xlsx":
            part.to_excel(files[-1], index=False)
        else:
            part.assign(id=part.id.astype(float) if kind == ".tsv" else part.id).to_csv(
                files[-1], index=False, sep="\t" if kind == ".tsv" else ","
            )
    return files


def test_ids_match_in_all_formats(tmp_path, capsys):
    files = versions(tmp_path, [".csv", ".parquet", ".xlsx", ".tsv"])
    assert (
        main(["compare", *files, "--target", "kind", "--id", "id", "--classifier", "linear"]) == 0
    )
    page = capsys.readouterr().out
    assert "60 rows, 4 representations" in page
    assert "No representation can be told from the others" in page


def test_ids_that_are_the_same_twice_are_named(tmp_path, capsys):
    first, second = versions(tmp_path, [".csv", ".csv"])
    text = (tmp_path / "1.csv").read_text()
    (tmp_path / "1.csv").write_text(text.replace(",1007", ",1000"))
    given = ["compare", first, second, "--target", "kind", "--id", "id"]
    assert main(given) == 1
    said = capsys.readouterr().err
    assert "1.csv: column 'id' must differ in every row to match rows by, got '1000' in 2" in said
    (tmp_path / "1.csv").write_text(text.replace(",1007", ",2000"))
    assert main(given) == 1
    assert "--id id must be the same in all" in capsys.readouterr().err


@pytest.mark.parametrize(
    "option",
    [
        ["--target-accuracy", "0.9"],
        ["--target-metric", "balanced_accuracy"],
        ["--trees", "3"],
        ["--subsample", "40"],
        ["--time", "p"],
    ],
)
@pytest.mark.parametrize("by_id", [False, True])
def test_options_that_a_paired_comparison_does_not_have_are_refused(
    option, by_id, tmp_path, capsys
):
    first, second = versions(tmp_path, [".csv", ".csv"])
    files = [first, second, "--id", "id"] if by_id else [first, first]
    assert main(["compare", *files, "--target", "kind", *option]) == 1
    said = capsys.readouterr()
    assert f"{option[0]} must be left out, because the rows of the files match" in said.err
    assert not said.out

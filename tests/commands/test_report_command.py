"""``smartsvm report`` on files, good and bad."""

import csv
import gzip
import io
import json
import re
import signal
import subprocess
import sys

import numpy as np
import pytest
from table_files import GERMAN_LINES, NAMES, X, Y, iris_columns, passengers, write_csv

from smartsvm import difficulty_report
from smartsvm.__main__ import main
from smartsvm.commands import report as command
from smartsvm.presentation.options import read_in_shell
from smartsvm.report.output.label_sentences import listed_labels
from smartsvm.tables.reading import TableError, read_table


def without_command(page):
    """A page without the lines that repeat it: only that of a command has the command."""
    return page.partition("To repeat it")[0]


def test_page_of_a_csv_file(iris_csv, capsys):
    assert main(["report", str(iris_csv), "--target", "kind", "--scale", "none"]) == 0
    said = capsys.readouterr()
    lines = [f"line {line}" for line in range(2, 152)]
    report = difficulty_report(X, NAMES, row_names=lines, feature_names=list("abcd"))
    with read_in_shell():
        assert without_command(said.out) == without_command(str(report))
    assert "--target kind --scale none\n" in said.out.partition("To repeat it")[2]
    assert all("s] " in line for line in said.err.splitlines())  # stages alone


def test_every_output(iris_csv, tmp_path, capsys):
    html, figure = tmp_path / "out.html", tmp_path / "out.png"
    code = main(
        [
            *("report", str(iris_csv), "--target", "kind", "--json", "--html", str(html)),
            *("--verbose", "--figure", str(figure), "--target-accuracy", "0.9"),
            *("--scale", "none", "--trees", "2", "--seed", "3", "--classifier", "linear"),
            *("--target-metric", "balanced_accuracy"),
        ]
    )
    assert code == 0
    said = capsys.readouterr()
    found = json.loads(said.out)
    assert found["verdict"]["answer"] == "reachable"
    assert found["verdict"]["target_metric"] == "balanced_accuracy"
    assert found["trees"]["n_trees"] == 2
    assert found["settings"]["random_state"] == 3
    assert [each["classifier"] for each in found["errors"]["held_out"]["classifiers"]] == [
        "neighbors",
        "linear",
        "combined",
    ]
    assert "spanning trees" in said.err
    assert html.read_text().startswith("<!DOCTYPE html>")
    assert figure.read_bytes().startswith(b"\x89PNG")


BAD = {
    "no such target": ("a,b\n1,x\n2,y\n", "no column 'kind'; the columns are a, b"),
    "ragged": ("a,kind\n1,x\n2,y,3\n", "line 3: 3 values, but the first line names 2 columns"),
    "empty": ("", "the file is empty"),
    "only a header": ("a,kind\n", "no rows below the header"),
    "only the target": ("kind\nx\ny\n", "no column besides 'kind'"),
    "twice": ("a,kind,kind\n1,2,x\n", "two columns are named 'kind'"),
    "no names": ("4,4,1\n1,2,3\n", "two columns are named '4'. The first line must name the col"),
    "one class": ("a,kind\n" + "1,x\n" * 9, "column 'kind' holds only one class: 'x'"),
    "no classes": (
        "a,kind\n" + "".join(f"{i**2},{i}\n" for i in range(30)),
        "'kind' holds 30 different labels for 30 samples",
    ),
    "continuous": (
        "a,kind\n" + "".join(f"{i**2},{i}.5\n" for i in range(9)),
        "must hold classes, got 0.5",
    ),
    "too short": ("a,kind\n1,x\n2,y\n", r"t\.csv: X must have at least 8 rows, got 2"),
    "not finite": ("a,kind\n" + "inf,x\n1,y\n" * 8, "infinite values"),
    "only names": (
        "a,kind\n" + "".join(f"name {i},{i % 2}\n" for i in range(30)),
        r"no column of numbers is left; left out a \(30 different texts\)",
    ),
    "continuous, with zeros": (
        "a,kind\n" + "".join(f"{i**2},{i}.50\n" for i in range(9)),
        "must hold classes, got 0.5",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_give_one_clear_line(case, tmp_path, capsys):
    text, message = BAD[case]
    (tmp_path / "t.csv").write_text(text)
    assert main(["report", str(tmp_path / "t.csv"), "--target", "kind", "--scale", "none"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("smartsvm: ")
    assert len(said.err.splitlines()) == 1
    assert re.search(message, said.err)


def test_other_bad_files(tmp_path, capsys):
    assert main(["report", str(tmp_path / "none.csv"), "--target", "y"]) == 1
    (tmp_path / "data.xls").write_text("")
    assert main(["report", str(tmp_path / "data.xls"), "--target", "y"]) == 1
    assert "must end in .csv" in capsys.readouterr().err
    (tmp_path / "b.csv").write_bytes(b"\xff\xfe\x00a,y\n")
    assert main(["report", str(tmp_path / "b.csv"), "--target", "y"]) == 1
    np.savez(tmp_path / "d.npz", A=X, B=X, y=Y)
    with pytest.raises(TableError, match=r"one two-dimensional array.*\['A', 'B'\]"):
        read_table(tmp_path / "d.npz", "y")
    for labels, message in (
        (np.array(1), r"y must be one-dimensional, .* got shape \(\)"),
        (Y[:, None], r"y must be one-dimensional, .* got shape \(150, 1\)"),
        (NAMES.astype(object), r"y holds Python objects: .*y\.astype\(str\)"),
    ):
        np.savez(tmp_path / "d.npz", A=X, y=labels)
        with pytest.raises(TableError, match=message):
            read_table(tmp_path / "d.npz", "y")
    (tmp_path / "text.npz").write_text("a,b,y\n1,2,3\n")
    with pytest.raises(TableError, match=r"text\.npz: not a file of arrays"):
        read_table(tmp_path / "text.npz", "y")
    (tmp_path / "cut.npz").write_bytes((tmp_path / "d.npz").read_bytes()[:200])
    with pytest.raises(TableError, match=r"cut\.npz: not a file of arrays"):
        read_table(tmp_path / "cut.npz", "y")
    np.save(tmp_path / "one.npy", X)
    (tmp_path / "one.npy").rename(tmp_path / "one.npz")
    with pytest.raises(TableError, match="one array only"):
        read_table(tmp_path / "one.npz", "y")
    (tmp_path / "text.parquet").write_text("a,b,y\n1,2,3\n")
    with pytest.raises(TableError, match=r"text\.parquet: "):
        read_table(tmp_path / "text.parquet", "y")
    np.savez(tmp_path / "d.npz", A=X, y=Y[:5])
    with pytest.raises(TableError, match="A has 150 rows, y has 5"):
        read_table(tmp_path / "d.npz", "y")


def test_wrong_command_lines(iris_csv, capsys):
    for arguments in ([], ["--target", "kind", "--scale", "log"], ["--quiet", "--verbose"]):
        with pytest.raises(SystemExit, match="2"):
            main(["report", str(iris_csv), *arguments])
    capsys.readouterr()
    for option, value, legal in (
        ("--trees", "x", "must be auto or a whole number from 1 to 1000, got 'x'"),
        ("--trees", "9" * 5000, "must be auto or a whole number from 1 to 1000, got '999"),
        ("--confidence", "1", "must be a number between 0 and 1, both excluded, got '1'"),
        ("--target-accuracy", "101", "must be a fraction from 0 to 1, or a percentage up to 100"),
        ("--target-accuracy", "-1%", "must be a fraction from 0 to 1, or a percentage up to 100"),
        ("--target-accuracy", "high", "must be a fraction from 0 to 1, or a percentage up to 100"),
        ("--subsample", "0", "must be auto, all or a whole number of at least 1, got '0'"),
        ("--jobs", "0", "must be a whole number other than 0"),
        ("--seed", "-1", "must be a whole number from 0 to 4294967295, got '-1'"),
        ("--seed", "4294967296", "must be a whole number from 0 to 4294967295"),
    ):
        with pytest.raises(SystemExit, match="2"):
            main(["report", str(iris_csv), "--target", "kind", f"{option}={value}"])
        last = capsys.readouterr().err.splitlines()[-1]
        assert f"argument {option}: {legal}" in last
        assert len(last) < 200


@pytest.mark.parametrize("option", ["--html", "--figure"])
def test_places_that_cannot_be_written_are_refused_first(
    option, iris_csv, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(command, "difficulty_report", None)
    for place, message in ((tmp_path / "no" / "out.png", "no folder"), (tmp_path, "is a folder")):
        assert main(["report", str(iris_csv), "--target", "kind", option, str(place)]) == 1
        assert message in capsys.readouterr().err


def test_interruption_is_told(iris_csv, monkeypatch, capsys):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "difficulty_report", interrupted)
    assert main(["report", str(iris_csv), "--target", "kind"]) == 130
    assert "interrupted" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
def test_a_long_run_stops_at_once_when_interrupted(tmp_path):
    random = np.random.default_rng(0)
    np.savez(
        tmp_path / "d.npz", X=random.normal(size=(40_000, 20)), y=random.integers(0, 2, 40_000)
    )
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "smartsvm", "report", str(tmp_path / "d.npz")),
            *("--target", "y", "--verbose"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert "nearest neighbours of 40,000" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=600)
    assert process.returncode == 130
    assert "interrupted" in err


def test_exit_codes_are_documented(capsys):
    for arguments in (["--help"], ["report", "--help"]):
        with pytest.raises(SystemExit, match="0"):
            main(arguments)
        said = " ".join(capsys.readouterr().out.split())
        assert "0 the report was made" in said
        assert "130 interrupted" in said


def test_columns_that_number_samples_are_named(tmp_path, capsys):
    file = write_csv(tmp_path / "d.csv", {"id": range(7, 157)} | iris_columns())
    assert main(["report", str(file), "--target", "kind", "--scale", "none"]) == 0
    assert "left out id (numbers the samples)\n  to change this: --keep NAME" in (
        capsys.readouterr().err
    )
    arguments = ["--target", "kind", "--scale", "none", "--quiet", "--drop", "id", "--drop", "d"]
    assert main(["report", str(file), *arguments]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    lines = [f"line {line}" for line in range(2, 152)]
    with read_in_shell():
        expected = difficulty_report(X[:, :3], NAMES, row_names=lines, feature_names=list("abc"))
        assert without_command(said.out) == without_command(str(expected))
    with pytest.raises(TableError, match="no column 'e' to leave out"):
        read_table(file, "kind", drop=["e"])


def test_columns_that_number_samples_are_named_in_a_part(tmp_path):
    columns = {"id": range(150)} | iris_columns()
    columns["a"] = ["" if i == 70 else value for i, value in enumerate(X[:, 0])]
    table = read_table(write_csv(tmp_path / "d.csv", columns), "kind", missing="drop")
    assert table.notes[0] == "left out id (numbers the samples)"


def test_warnings_name_the_columns_of_the_file(tmp_path, capsys):
    file = write_csv(tmp_path / "d.csv", iris_columns() | {"always": [4] * 150})
    assert main(["report", str(file), "--target", "kind"]) == 0
    page = " ".join(capsys.readouterr().out.split())
    assert "Left out always (constant)." in page
    assert main(["report", str(file), "--target", "kind", "--keep", "always"]) == 0
    page = " ".join(capsys.readouterr().out.split())
    assert "1 of 5 columns is constant (always)" in page


def test_samples_are_named_by_their_lines(tmp_path, capsys):
    # Line 4 lacks a value, 5 is empty, and the value of the next row is broken over two lines.
    text = 'a,b,kind\n1,2,"u"\n3,4,v\n,5,u\n\n6,"7\n",v\n8,9,u\n'
    file = tmp_path / "t.csv"
    file.write_text(text)
    table = read_table(file, "kind", missing="drop")
    assert table.X.index.tolist() == ["line 2", "line 3", "line 6", "line 8"]
    assert table.X.to_numpy().tolist() == [[1, 2], [3, 4], [6, 7], [8, 9]]

    columns = iris_columns()
    columns["a"] = np.where(np.arange(150) % 7 == 3, "", X[:, 0].astype(str))
    kinds = NAMES.copy()
    kinds[5] = "virginica"  # line 7; the row of line 5 is left out
    file = write_csv(tmp_path / "iris.csv", columns | {"kind": kinds})
    assert main(["report", str(file), "--target", "kind", "--missing", "drop"]) == 0
    assert "such as line 7: labelled virginica, looks like setosa" in capsys.readouterr().out
    assert main(["report", str(file), "--target", "kind", "--missing", "drop", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)["labels"]["ranking"][0]
    assert (first["row"], first["name"]) == (4, "line 7")


def test_a_closed_pipe_ends_quietly(iris_csv):
    command = [sys.executable, "-m", "smartsvm", "report", str(iris_csv)]
    process = subprocess.Popen(
        [*command, "--target", "kind", "--classifier", "linear", "--quiet"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.close()  # nobody reads
    assert process.wait(timeout=600) == 141
    assert process.stderr.read() == b""
    process.stderr.close()


def test_names_in_messages_drive_no_terminal(tmp_path, capsys):
    columns = iris_columns()
    columns["\x1b[2J"] = ["x"] * 150
    path = write_csv(tmp_path / "t.csv", columns)
    assert main(["report", str(path), "--target", "kind", "--categorical", "refuse"]) == 1
    said = capsys.readouterr().err
    assert "\\x1b[2J" in said
    assert "\x1b" not in said


@pytest.mark.filterwarnings("default")
def test_warnings_are_lines_like_the_others(tmp_path, capsys):
    file = write_csv(
        tmp_path / "d.csv", iris_columns() | {"big": [2**60 + i**2 for i in range(150)]}
    )
    assert main(["report", str(file), "--target", "kind", "--quiet"]) == 0
    assert capsys.readouterr().err.startswith("smartsvm: column 'big' holds integers beyond 2^53")


@pytest.mark.parametrize(("options", "lines"), [((), 6), (("--quiet",), 0)])
def test_stages_are_lines_on_standard_error_that_is_no_terminal(options, lines, iris_csv, capsys):
    quick = ("--classifier", "linear", "--trees", "1")
    assert main(["report", str(iris_csv), "--target", "kind", *quick, *options]) == 0
    said = capsys.readouterr().err.splitlines()
    assert len([line for line in said if "s] " in line]) == lines


def test_shares_at_deployment(tmp_path, capsys):
    random = np.random.default_rng(0)
    sold = np.array(["no", "yes"])[np.arange(120) % 2]
    values = random.normal(size=120) + 2 * (sold == "yes")
    file = write_csv(tmp_path / "d.csv", {"a": values, "sold": sold})
    options = ["--target", "sold", "--classifier", "linear", "--quiet"]
    assert main(["report", str(file), *options, "--priors", "yes=0.02,no=0.98"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "98% no (50% in the sample) and 2% yes (50% in the sample)" in text
    assert "--priors yes=0.02,no=0.98" in text
    assert main(["report", str(file), *options, "--priors", "yes=0.02,nein=0.98"]) == 1
    assert "priors must have a share above 0 for each class" in capsys.readouterr().err
    for wrong in ("yes", "yes=x,no=0.5", "=1", "yes=0.1,yes=0.9"):
        with pytest.raises(SystemExit):
            main(["report", str(file), *options, "--priors", wrong])
        assert "must be like yes=0.02,no=0.98" in capsys.readouterr().err


def test_a_process_without_standard_error(iris_csv, monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    assert main(["report", str(iris_csv), "--target", "nothing"]) == 1
    assert main(["report", str(iris_csv), "--target", "kind", "--verbose"]) == 0


def test_a_column_names_the_groups_of_samples(tmp_path, capsys):
    random = np.random.default_rng(0)
    patients = np.repeat([f"p{i}" for i in range(30)], 6)
    places = np.repeat(random.normal(size=(30, 2)), 6, axis=0)
    places = places + 0.2 * random.normal(size=places.shape)
    columns = {
        "a": places[:, 0],
        "patient": patients,
        "b": np.where(np.arange(180) == 7, "", places[:, 1].astype(str)),
        "kind": np.repeat(random.permutation(30) % 2, 6),
    }
    file = write_csv(tmp_path / "t.csv", columns)
    table = read_table(file, "kind", groups="patient", missing="drop")
    assert table.X.columns.tolist() == ["a", "b"]
    assert table.groups.tolist() == np.delete(patients, 7).tolist()
    options = ["report", str(file), "--target", "kind", "--missing", "drop", "--json"]
    assert main([*options, "--groups", "patient"]) == 0
    grouped = json.loads(capsys.readouterr().out)["errors"]["held_out"]
    assert main([*options, "--drop", "patient"]) == 0
    blind = json.loads(capsys.readouterr().out)["errors"]["held_out"]
    assert blind["best"]["value"] < 0.3 < grouped["classifiers"][0]["error"]["value"]
    with pytest.raises(TableError, match="no column 'c' to group samples by"):
        read_table(file, "kind", groups="c")
    with pytest.raises(TableError, match="column 'b' must name the group of every sample"):
        read_table(file, "kind", groups="b")


@pytest.mark.parametrize("pack", [lambda data: data, gzip.compress])
def test_standard_input(monkeypatch, capsys, pack):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(pack(GERMAN_LINES.encode()))))
    assert main(["report", "-", "--target", "Größe", "--decimal", ",", "--quiet"]) == 0
    assert "40 samples" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("option", "place", "message"),
    [
        ("--figure", "out.xyz", "--figure must end in .png, .pdf, .svg or the like"),
        ("--figure", "out", "--figure must end in .png, .pdf, .svg or the like"),
        ("--html", "", "is a folder"),
    ],
)
def test_places_are_refused_before_the_work(option, place, message, iris_csv, capsys):
    assert main(["report", str(iris_csv), "--target", "kind", option, place]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert message in said.err


@pytest.mark.parametrize("option", [(), ("--json",)])
def test_letters_that_the_terminal_lacks_are_escaped(option, tmp_path, monkeypatch):
    text = "x,y\n" + "".join(f"{k % 7},{'αβ'[k % 2]}\n" for k in range(20))
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    assert main(["report", str(tmp_path / "t.csv"), "--target", "y", *option]) == 0
    shown = written.getvalue().decode("ascii")
    assert "\\u03b1" in shown
    if option:
        assert {each["class"] for each in json.loads(shown)["classes"]["hardest"]} == {"α", "β"}


def test_a_table_of_passengers_needs_no_option(tmp_path, capsys):
    file, suspects = tmp_path / "passengers.csv", tmp_path / "suspects.csv"
    passengers().to_csv(file, index=False)
    options = ["--target", "survived", "--target-accuracy", "95%", "--suspects", str(suspects)]
    options.append("--quiet")
    assert main(["report", str(file), *options]) == 0
    said = capsys.readouterr()
    first, *notes, last = said.err.splitlines()
    assert first == f"smartsvm: {file}, as it was read:"
    assert notes[0].startswith("  left out passenger_id (numbers the samples), name")
    assert notes[-1] == (
        "  to change this: --keep NAME, --missing refuse, --drop NAME, --categorical drop"
    )
    assert "Target accuracy 95%: " in said.out
    rows = list(csv.DictReader(suspects.read_text(encoding="utf-8").splitlines()))
    report = difficulty_report(passengers(), "survived")
    words = "None is listed: the classifiers contradict these most."
    if len(report.suspects):
        words = listed_labels(report)
    assert last == f"smartsvm: wrote {len(rows)} labels to {suspects}. {words}"
    ranked = report.data.rows[report.labels.ranking[: len(rows)]]
    assert [int(row["row"]) for row in rows] == ranked.tolist()
    assert len(rows) > 5
    assert "--suspects FILE" in said.out


@pytest.mark.parametrize("text", ["0.95", "95", "95%", "95.0 %"])
def test_accuracies_are_fractions_or_percentages(text):
    assert command._accuracy(text) == 0.95


@pytest.mark.usefixtures("no_drawings")
def test_each_output_spells_its_own_options(tmp_path, capsys):
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    person = np.repeat(np.arange(60), 8)
    table = pandas.DataFrame(np.repeat(random.normal(size=(60, 3)), 8, axis=0), columns=list("abc"))
    table += 0.3 * random.normal(size=table.shape)
    table["the person"] = [f"p{k}" for k in person]
    table["guess"] = table["kind"] = (random.random(60) < 0.5).astype(int)[person]
    table.to_csv(tmp_path / "t.csv", index=False)
    options = ["report", str(tmp_path / "t.csv"), "--target", "kind", "--predicted", "guess"]
    options += ["--html", str(tmp_path / "t.html"), "--classifier", "linear"]
    assert main(options) == 0
    page = (tmp_path / "t.html").read_text(encoding="utf-8").replace("&#x27;", "'")
    for said in (capsys.readouterr().out, page):
        said = " ".join(said.split())
        assert "--groups 'the person'" in said
        assert "groups=" not in said
        assert "report." not in said
    guess = table.pop("guess")
    report = difficulty_report(table, "kind", models={"guess": guess}, classifiers=["linear"])
    for said in (str(report), report.to_html().replace("&quot;", '"')):
        said = " ".join(said.split())
        assert 'groups="the person"' in said
        assert "--" not in said.partition("<body")[2]

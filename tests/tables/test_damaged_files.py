"""Damaged, hostile and odd files end ``smartsvm report`` with one line, not with a traceback."""

import csv
import gzip
import io
import json
import os
import re
import shutil
import subprocess
import sys
import time
import zipfile
from urllib.parse import unquote

import numpy as np
import pytest
from table_files import NAMES, X, Y, iris_columns, write_csv

from smartsvm.__main__ import main
from smartsvm.commands import report as command

CSV = "a,kind\n" + "".join(f"{k % 7},{'uv'[k % 2]}\n" for k in range(40))


@pytest.fixture
def refused(capsys):
    """Run a report that must fail, and give the one line that it prints."""

    def run(file, *options):
        assert main(["report", str(file), "--target", "kind", *options]) == 1
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.startswith("smartsvm: ")
        assert len(said.err.splitlines()) == 1
        return said.err

    return run


def arrays(**members):
    file = io.BytesIO()
    np.savez_compressed(file, **members)
    return file.getvalue()


def with_member(data, name, text):
    file = io.BytesIO(data)
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr(name, text)
    return file.getvalue()


def npy(header):
    """The beginning of an npy file whose header is any text."""
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode()


def parquet(path, **columns):
    import pandas

    pandas.DataFrame(columns).to_parquet(path)
    return path.read_bytes()


def damaged(data, n=60):
    """Bytes cut short, and with one byte changed, at places from the first to the last."""
    for place in np.linspace(0, len(data) - 1, n).astype(int):
        changed = bytearray(data)
        changed[place] ^= 0xFF
        yield from (data[:place], changed)


GOOD = arrays(X=X, kind=NAMES)


@pytest.mark.parametrize("suffix", ["npz", "csv.gz", "npz.gz", "parquet"])
def test_damaged_files(suffix, tmp_path, refused):
    file = tmp_path / f"d.{suffix}"
    # One class only, so that a file in which the damage does not show is refused as well.
    whole = {
        "npz": arrays(X=X, kind=np.zeros(150)),
        "csv.gz": gzip.compress(CSV.replace("v", "u").encode()),
        "npz.gz": gzip.compress(arrays(X=X, kind=np.zeros(150))),
        "parquet": parquet(file, a=X[:, 0], kind=["u"] * 150),
    }[suffix]
    for data in damaged(whole):
        file.write_bytes(data)
        assert f"d.{suffix}: " in refused(file)


def encrypted(data):
    """An archive whose members are all marked as encrypted."""
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        parts = data.split(mark)
        data = mark.join(
            [parts[0], *(part[: place - 4] + b"\x01" + part[place - 3 :] for part in parts[1:])]
        )
    return data


def exotic(data):
    """An archive whose members are all marked as packed by an unknown method."""
    for mark, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        parts = data.split(mark)
        data = mark.join(
            [parts[0], *(part[: place - 4] + b"\x63\x00" + part[place - 2 :] for part in parts[1:])]
        )
    return data


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "d.npz: "),
        (b"PK", "d.npz: "),
        (arrays(X=X), "no array 'kind'"),
        (arrays(X=X, kind=NAMES.astype(object)), "kind holds Python objects"),
        (arrays(X=X.astype(object), kind=NAMES), "X holds Python objects"),
        (with_member(arrays(A=X), "kind", "a, b"), "kind is not an array"),
        (with_member(arrays(X=X), "kind.npy", "text"), "kind "),
        (with_member(arrays(X=X), "kind.npy", npy("{")), "kind cannot be read"),
        (with_member(arrays(X=X), "kind.npy", npy("[" * 30_000)), "kind cannot be read"),
        (with_member(arrays(X=X), "kind.npy", npy("{'descr': 5}")), "kind cannot be read"),
        (encrypted(GOOD), "encrypted"),
        (exotic(GOOD), "compression method"),
        (gzip.compress(GOOD), "d.npz: "),
    ],
    ids=[
        "empty",
        "the mark of a zip file",
        "no labels",
        "pickled labels",
        "pickled points",
        "text",
        "text with the name of an array",
        "half a header",
        "a deep header",
        "a header without a shape",
        "encrypted",
        "exotic",
        "gzip",
    ],
)
def test_members_that_are_not_arrays(data, message, tmp_path, refused):
    (tmp_path / "d.npz").write_bytes(data)
    assert message in refused(tmp_path / "d.npz")


def test_members_that_nobody_needs_do_not_matter(tmp_path, capsys):
    data = with_member(arrays(X=X, kind=NAMES, names=NAMES.astype(object)), "README.txt", "irises")
    (tmp_path / "d.npz").write_bytes(data)
    assert main(["report", str(tmp_path / "d.npz"), "--target", "kind", "--quiet"]) == 0
    assert "150 samples" in capsys.readouterr().out


@pytest.mark.parametrize(
    "described",
    [
        {"index_columns": ["gone"], "columns": [], "column_indexes": []},
        {"index_columns": [{}]},
        {"index_columns": [["a"]]},
        [],
        None,
    ],
    ids=str,
)
def test_a_parquet_file_whose_index_is_missing(described, tmp_path, capsys):
    from pyarrow import parquet, table

    stored = table({"a": X[:, 0], "b": X[:, 1], "kind": NAMES.tolist()})
    stored = stored.replace_schema_metadata({"pandas": json.dumps(described)})
    parquet.write_table(stored, tmp_path / "d.parquet")
    assert main(["report", str(tmp_path / "d.parquet"), "--target", "kind", "--quiet"]) == 0
    assert "150 samples, 2 columns" in capsys.readouterr().out


@pytest.mark.parametrize("suffix", ["csv", "tsv", "csv.gz", "npz", "parquet"])
def test_empty_files_and_folders(suffix, tmp_path, refused):
    (tmp_path / f"empty.{suffix}").touch()
    assert f"empty.{suffix}: " in refused(tmp_path / f"empty.{suffix}")
    (tmp_path / f"folder.{suffix}").mkdir()
    assert f"folder.{suffix}: Is a directory" in refused(tmp_path / f"folder.{suffix}")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs")
def test_a_fifo_does_not_hang(tmp_path):
    files = [tmp_path / f"pipe.{suffix}" for suffix in ("csv", "csv.gz", "npz", "parquet")]
    for file in files:
        os.mkfifo(file)
    code = (
        "import sys; from smartsvm.__main__ import main\n"
        "for file in sys.argv[1:]: assert main(['report', file, '--target', 'kind']) == 1"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, *files], capture_output=True, text=True, timeout=300
    )
    message = "not a regular file. To read from a pipe, use - and standard input."
    assert run.stderr.splitlines() == [f"smartsvm: {file}: {message}" for file in files]


def test_standard_input_that_is_closed(monkeypatch, refused):
    monkeypatch.setattr(sys, "stdin", None)
    assert refused("-") == "smartsvm: -: standard input is closed.\n"


def test_unpacking_stops_at_the_limit(tmp_path, refused, capsys, monkeypatch):
    file = tmp_path / "d.csv.gz"
    file.write_bytes(gzip.compress(CSV.encode() + 50 * (b" " * 100_000 + b"\n")))
    assert "unpacks to more than 1 MB" in refused(file, "--unpack-limit", "0.001")
    for options in ([], ["--unpack-limit", "1"], ["--unpack-limit", "none"]):
        assert main(["report", str(file), "--target", "kind", "--quiet", *options]) == 0
    capsys.readouterr()
    free = shutil.disk_usage(tmp_path)._replace(free=2_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: free)
    assert "unpacks to more than 2 MB" in refused(file)
    assert main(["report", str(file), "--target", "kind", "--quiet", "--unpack-limit", "none"]) == 0


def test_arrays_and_parquet_have_the_same_limit(tmp_path, refused):
    (tmp_path / "d.npz").write_bytes(arrays(X=np.zeros((2000, 100)), kind=np.arange(2000) % 2))
    assert "unpacks to more than 1 MB" in refused(tmp_path / "d.npz", "--unpack-limit", "0.001")
    parquet(tmp_path / "d.parquet", a=np.zeros(200_000), kind=np.arange(200_000) % 2)
    assert "unpacks to more than 1 MB" in refused(tmp_path / "d.parquet", "--unpack-limit", "0.001")


def test_the_limit_is_a_number_or_none(tmp_path, capsys):
    for value in ("0", "-1", "nan", "all"):
        with pytest.raises(SystemExit, match="2"):
            main(["report", "d.csv", "--target", "kind", f"--unpack-limit={value}"])
        assert f"must be a number above 0 or none, got '{value}'" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="0"):
        main(["report", "--help"])
    assert "unpack to more (20, " in " ".join(capsys.readouterr().out.split())


def test_a_lack_of_memory_says_what_needed_how_much(tmp_path, refused, monkeypatch):
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, 1000), }\n"
    (tmp_path / "d.npz").write_bytes(with_member(arrays(kind=Y), "X.npy", npy(header)))
    said = refused(tmp_path / "d.npz")
    assert "d.npz: not enough memory" in said
    assert "X: Unable to allocate 7.11 PiB" in said

    def too_large(*_, **__):
        raise MemoryError

    monkeypatch.setattr(command, "difficulty_report", too_large)
    said = refused(write_csv(tmp_path / "iris.csv", iris_columns()))
    assert "not enough memory for a report on 150 samples and 4 columns (4.8 kB)" in said
    assert "--subsample" in said


@pytest.mark.slow  # it measures time
def test_reading_many_columns_takes_time_in_proportion(tmp_path, refused):
    def seconds(n_columns):
        names = ",".join(f"c{i}" for i in range(n_columns))
        row = ",".join(map(str, range(n_columns)))
        (tmp_path / "wide.csv").write_text(f"{names},kind\n" + f"{row},u\n" * 3)
        start = time.process_time()
        assert "only one class" in refused(tmp_path / "wide.csv")  # noticed after all is read
        return time.process_time() - start

    seconds(10)
    # Linear time gives about 8, quadratic time 64.
    assert seconds(40_000) < 24 * seconds(5_000)


def test_a_missing_reader_is_named_with_its_extra(tmp_path):
    code = (
        "import sys; sys.modules['pandas'] = None\nfrom smartsvm.__main__ import main\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    (tmp_path / "d.csv").write_text(CSV)
    run = subprocess.run(
        [sys.executable, "-c", code, "report", str(tmp_path / "d.csv"), "--target", "kind"],
        capture_output=True,
        text=True,
    )
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr == (
        "smartsvm: Reading tables needs pandas: pip install 'smartsvm2[table]'.\n"
    )


def test_labels_run_nothing_in_a_spreadsheet(tmp_path):
    formulas = ["=cmd|' /C'!A0", "+1+1", "-2+3", "@SUM(1)", "\u200b=1+1", "＝1+1", "-1.5e3", "u-v"]
    random = np.random.default_rng(0)
    y = np.repeat(np.arange(8), 30)
    points = random.normal(size=(240, 2)) + 20 * np.column_stack([y % 3, y // 3])
    given = y.copy()
    given[::30] = (y[::30] + 1) % 8  # a wrong label of each kind
    np.savez(tmp_path / "d.npz", X=points, kind=np.array(formulas)[given])
    page = tmp_path / "page.html"
    assert main(["report", str(tmp_path / "d.npz"), "--target", "kind", "--html", str(page)]) == 0
    address = re.search('href="data:text/csv;charset=utf-8,([^"]*)"', page.read_text("utf-8"))[1]
    rows = list(csv.DictReader(io.StringIO(unquote(address).removeprefix("\ufeff"), newline="")))
    shown = [formula.replace("\u200b", r"\u200b") for formula in formulas]  # a mark of no width
    inert = [f"'{formula}" for formula in shown[:6]] + shown[6:]
    assert {row["label"] for row in rows} == {row["suggested"] for row in rows} == set(inert)
    assert not any(row["margin"].startswith("'") for row in rows)

"""Files of results: whole or not at all, and never in place of data."""

import errno
import os
import signal
import stat
import subprocess
import sys
from contextlib import contextmanager

import numpy as np
import pytest
from sklearn.datasets import load_iris

from smartsvm import difficulty_report
from smartsvm.presentation.output_files import write_file

BEFORE = b"the file of last year"


@pytest.fixture(scope="module")
def report():
    return difficulty_report(*load_iris(return_X_y=True), classifiers=["linear"])


@contextmanager
def full_disk():
    """No file can grow beyond 100 bytes."""
    resource = pytest.importorskip("resource")  # Windows has none
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def writers(report):
    from matplotlib import pyplot as plt

    def save(path):
        report.save(path)
        plt.close("all")

    names = ["r.html", "r.json", "r.csv", "r.txt", "r.png", "r.svg", "r.pdf"]
    return [*((name, save) for name in names), ("page.html", report.to_html)]


def test_a_full_disk_leaves_the_earlier_file_whole(report, tmp_path):
    for name, write in writers(report):
        path = tmp_path / name
        path.write_bytes(BEFORE)
        with full_disk(), pytest.raises(OSError, match="File too large") as caught:
            write(path)
        assert caught.value.filename == str(path)
        assert path.read_bytes() == BEFORE
        path.unlink()
        with full_disk(), pytest.raises(OSError, match="File too large"):
            write(path)
        assert not list(tmp_path.iterdir())


def test_an_interrupt_leaves_the_earlier_file_whole(report, tmp_path, monkeypatch):
    def interrupt(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    for name, write in writers(report):
        path = tmp_path / name
        path.write_bytes(BEFORE)
        with pytest.raises(KeyboardInterrupt):
            write(path)
        assert path.read_bytes() == BEFORE
        path.unlink()
        assert not list(tmp_path.iterdir())


def test_modes_and_links_stay(tmp_path):
    path = tmp_path / "a.txt"
    link = tmp_path / "link.txt"
    new = tmp_path / "new.txt"
    path.write_bytes(BEFORE)
    path.chmod(0o640)
    link.symlink_to("a.txt")
    write_file(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    before = os.umask(0o027)
    try:
        write_file(new, "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE(new.stat().st_mode) == 0o640
    dangling = tmp_path / "dangling.txt"
    dangling.symlink_to("later.txt")
    write_file(dangling, "later")
    assert (tmp_path / "later.txt").read_text() == "later"
    write_file(tmp_path / ("n" * 240 + ".txt"), "a long name")


def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_bytes(BEFORE)
    monkeypatch.setattr(os, "access", lambda *_: False)  # an administrator may write everything
    with pytest.raises(PermissionError) as caught:
        write_file(path, "new")
    assert (caught.value.errno, caught.value.filename) == (errno.EACCES, str(path))
    assert path.read_bytes() == BEFORE


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes without a name")
def test_pipes_are_written_to(tmp_path):
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    write_file(fifo, "through a pipe")
    assert os.read(reader, 100) == b"through a pipe"
    os.close(reader)
    assert stat.S_ISFIFO(fifo.stat().st_mode)


@pytest.mark.parametrize("piped", [True, False])
def test_standard_output_is_written_to(piped, tmp_path):
    code = (
        "from smartsvm.presentation.output_files import write_file\n"
        "print('first'); write_file('/dev/stdout', 'second\\n')"
    )
    with open(tmp_path / "out", "wb") as file:
        out = subprocess.PIPE if piped else file
        done = subprocess.run([sys.executable, "-c", code], stdout=out, check=True)
    found = done.stdout if piped else (tmp_path / "out").read_bytes()
    assert found == b"first\nsecond\n"


def test_files_of_data_are_not_overwritten(report, tmp_path):
    X, y = load_iris(return_X_y=True)
    np.save(tmp_path / "x.npy", X)
    np.savez(tmp_path / "x.npz", X=X, y=y)
    for name in ("x.npy", "x.npz"):
        before = (tmp_path / name).read_bytes()
        with pytest.raises(ValueError, match="path must not be a file of arrays"):
            report.to_html(tmp_path / name)
        for link in ("r.html", "r.json"):
            os.link(tmp_path / name, tmp_path / link)
            with pytest.raises(ValueError, match=f"path must not be .*{link}"):
                report.save(tmp_path / link)
            (tmp_path / link).unlink()
        assert (tmp_path / name).read_bytes() == before


END_WHILE_WRITING = """
import os, signal, sys
from smartsvm.__main__ import main
os.fsync = lambda file: os.kill(os.getpid(), int(sys.argv[1]))
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.parametrize("option", ["--html", "--figure", "--suspects"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_command_that_is_ended_leaves_no_part_of_a_file(option, number, tmp_path):
    X, y = load_iris(return_X_y=True)
    np.savetxt(
        tmp_path / "iris.csv",
        np.column_stack([X, y]),
        delimiter=",",
        header="a,b,c,d,y",
        comments="",
    )
    place = tmp_path / {"--html": "r.html", "--figure": "r.png", "--suspects": "r.csv"}[option]
    place.write_bytes(BEFORE)
    command = ["report", tmp_path / "iris.csv", "--target", "y", "--classifier", "linear"]
    done = subprocess.run(
        [sys.executable, "-c", END_WHILE_WRITING, str(int(number)), *command, option, place],
        capture_output=True,
        check=False,
    )
    assert done.returncode == (130 if number == signal.SIGINT else 143), done.stderr
    assert place.read_bytes() == BEFORE
    assert sorted(path.name for path in tmp_path.iterdir()) == ["iris.csv", place.name]

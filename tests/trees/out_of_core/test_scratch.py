"""Folders of blocks go with the runs that made them, killed ones included."""

import gc
import os
import shutil
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from smartsvm import euclidean_mst
from smartsvm.trees.out_of_core.forest import BlockForest
from smartsvm.trees.out_of_core.scratch import MARKER, Scratch

try:
    import fcntl
except ImportError:
    fcntl = None

posix = pytest.mark.skipif(os.name != "posix", reason="no locks that end with their process")


def test_a_folder_goes_with_its_object(tmp_path):
    scratch = Scratch(tmp_path)
    assert os.path.isdir(scratch.folder)
    del scratch
    gc.collect()
    assert not list(tmp_path.iterdir())


def test_folders_in_use_stay(tmp_path):
    first, second = Scratch(tmp_path), Scratch(tmp_path)
    assert os.path.isdir(first.folder)
    first.remove()
    assert [str(path) for path in tmp_path.iterdir()] == [second.folder]


@pytest.fixture
def left(tmp_path):
    """The folder of a run that is gone, with a file of a block."""
    (tmp_path / "made").mkdir()
    scratch = Scratch(tmp_path / "made")
    (Path(scratch.folder) / "pile-0.ids").write_bytes(b"0123")
    shutil.copytree(scratch.folder, tmp_path / "smartsvm-left")
    (tmp_path / "smartsvm-left").chmod(0o700)
    scratch.remove()
    return tmp_path / "smartsvm-left"


def unmarked(folder):
    (folder / MARKER).rename(folder / "lock")


def marked_by_another_program(folder):
    (folder / MARKER).write_bytes(b"")


def open_to_others(folder):
    folder.chmod(0o755)


def marked_by_a_link(folder):
    (folder / MARKER).rename(folder.parent / "elsewhere")
    (folder / MARKER).symlink_to(folder.parent / "elsewhere")


def marked_by_a_fifo(folder):
    (folder / MARKER).unlink()
    os.mkfifo(folder / MARKER)


def marked_by_a_folder(folder):
    (folder / MARKER).unlink()
    (folder / MARKER).mkdir()


def a_link(folder):
    folder.rename(folder.parent / "elsewhere")
    folder.symlink_to(folder.parent / "elsewhere")


@posix
def test_a_folder_left_behind_is_removed(tmp_path, left):
    Scratch(tmp_path)
    assert not left.exists()


@posix
@pytest.mark.parametrize(
    "change",
    [
        unmarked,
        marked_by_another_program,
        open_to_others,
        marked_by_a_link,
        marked_by_a_fifo,
        marked_by_a_folder,
        a_link,
    ],
)
def test_any_other_folder_stays(tmp_path, left, change):
    change(left)
    Scratch(tmp_path)
    assert (left / "pile-0.ids").read_bytes() == b"0123"


@posix
def test_the_folder_of_another_user_stays(tmp_path, left, monkeypatch):
    other = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: other)
    Scratch(tmp_path)
    assert (left / "pile-0.ids").exists()


@posix
def test_a_folder_swapped_during_the_check_stays(tmp_path, left, monkeypatch):
    real = fcntl.flock

    def swap(*arguments):
        real(*arguments)
        if left.exists() and not (tmp_path / "moved").exists():
            left.rename(tmp_path / "moved")
            left.mkdir()
            (left / "thesis.txt").write_text("not ours")

    monkeypatch.setattr(fcntl, "flock", swap)
    Scratch(tmp_path)
    assert (left / "thesis.txt").exists()


@posix
def test_the_folder_of_a_killed_run_is_removed_by_the_next(tmp_path):
    code = f"""
        import os, signal
        from smartsvm.trees.out_of_core.scratch import MARKER, Scratch
        scratch = Scratch({str(tmp_path)!r})
        os.kill(os.getpid(), signal.SIGKILL)
    """
    killed = subprocess.run([sys.executable, "-c", textwrap.dedent(code)])
    assert killed.returncode == -signal.SIGKILL
    (left,) = tmp_path.iterdir()
    (tmp_path / "smartsvm-notes").mkdir()  # not made by a run: it has no lock
    (tmp_path / "smartsvm-file").write_text("")
    scratch = Scratch(tmp_path)
    assert not left.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        ["smartsvm-file", "smartsvm-notes", os.path.basename(scratch.folder)]
    )


@posix
def test_a_forked_child_leaves_the_folder_to_its_parent(tmp_path):
    code = f"""
        import os, sys
        from smartsvm.trees.out_of_core.scratch import MARKER, Scratch
        scratch = Scratch({str(tmp_path)!r})
        if os.fork() == 0:
            sys.exit(0)  # runs the exit handlers of the child
        os.wait()
        assert os.path.isdir(scratch.folder)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True)
    assert not list(tmp_path.iterdir())


def test_an_error_leaves_no_folder(tmp_path, monkeypatch):
    np.save(tmp_path / "X.npy", np.random.default_rng(0).random((300, 3)))
    monkeypatch.setattr(BlockForest, "whole", lambda self: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        euclidean_mst(tmp_path / "X.npy", checkpoint=tmp_path / "run")
    gc.collect()
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["problem.json"]

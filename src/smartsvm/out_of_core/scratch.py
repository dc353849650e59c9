"""Folders for the points of blocks, which go with the runs that made them.

A process that is killed leaves its folder behind. So each folder holds a file that its process
keeps locked, and what is no longer locked is removed by the next run that makes a folder
beside it. Where a system or a disk has no such locks (Windows), it stays until someone removes
it: the names begin with `smartsvm-`.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

SCRATCH = "smartsvm-"  # begins the names of the folders
_LOCK = "lock"


class Scratch:
    """A new folder, removed with this object or by `remove`.

    Parameters
    ----------
    inside : path or None
        The folder around it; None for the one where temporary files go.

    Attributes
    ----------
    folder : str
        Its path.
    """

    def __init__(self, inside):
        inside = tempfile.gettempdir() if inside is None else inside
        _remove_left_behind(inside)
        self.folder = tempfile.mkdtemp(prefix=SCRATCH, dir=inside)
        self.remove = weakref.finalize(self, _remove, self.folder, _lock(self.folder), os.getpid())


def _remove(folder, lock, process):
    # A forked child has a copy of the object, and the parent still needs the folder.
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def _lock(folder):
    """The descriptor of the locked file of a folder; None if there are no locks."""
    if fcntl is None:
        return None
    new = Path(folder) / f"{_LOCK}.partial"
    lock = os.open(new, os.O_WRONLY | os.O_CREAT)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        return None
    os.rename(new, Path(folder) / _LOCK)  # it cannot be found before it is locked
    return lock


def _remove_left_behind(inside):
    """Remove the folders of processes that are gone."""
    if fcntl is None:
        return
    for folder in Path(inside).glob(f"{SCRATCH}*"):
        try:
            with open(folder / _LOCK, "rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue  # in use, or someone else's

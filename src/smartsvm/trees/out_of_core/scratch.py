"""Folders for the points of blocks, removed at the end of the run that made them.

A killed process leaves its folder behind. Each folder therefore holds a marker file that its
process keeps locked, and the next run that makes a folder beside it removes those whose marker
is no longer locked. It touches only folders of the same user with mode 0700. Without such locks
(Windows, some network disks) a folder stays until someone removes it: its name begins with
`smartsvm-`.
"""

import errno
import os
import shutil
import stat
import tempfile
import weakref
from contextlib import suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

SCRATCH = "smartsvm-"  # begins the names of the folders
MARKER = ".smartsvm-scratch"
_CONTENT = b"Temporary files of smartsvm. A later run removes this folder.\n"


class Scratch:
    """A new folder, its path in `folder`; deleting this object or calling `remove` removes it."""

    def __init__(self, inside):
        inside = tempfile.gettempdir() if inside is None else inside
        _remove_left_behind(inside)
        self.folder = tempfile.mkdtemp(prefix=SCRATCH, dir=inside)
        self.remove = weakref.finalize(self, _remove, self.folder, _mark(self.folder), os.getpid())


def _remove(folder, lock, process):
    # A forked child has a copy of the object, and the parent still needs the folder.
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def _mark(folder):
    """Write the marker of a folder; its locked descriptor, or None if there are no locks."""
    if fcntl is None:
        return None
    new = Path(folder) / f"{MARKER}.partial"
    lock = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.write(lock, _CONTENT)
    except OSError:
        os.close(lock)
        return None
    os.rename(new, Path(folder) / MARKER)  # nobody can find it before it is locked
    return lock


def _remove_left_behind(inside):
    """Remove the folders of processes that are gone."""
    if fcntl is None:
        return
    for folder in Path(inside).glob(f"{SCRATCH}*"):
        with suppress(OSError):  # in use, not ours, or gone
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                _remove_unlocked(folder, descriptor)
            finally:
                os.close(descriptor)


def _remove_unlocked(folder, descriptor):
    """Remove an open folder if it is ours and no process holds its marker."""
    if not _is_ours(os.fstat(descriptor), 0o700):
        return
    with open_regular(MARKER, dir_fd=descriptor, flags=os.O_NOFOLLOW) as marker:
        if not _is_ours(os.fstat(marker.fileno())) or marker.read(len(_CONTENT) + 1) != _CONTENT:
            return
        fcntl.flock(marker, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # By the descriptor, so that nothing put under the same name meanwhile is touched. The
        # marker goes last: if this is interrupted, the next run finishes it.
        for name in sorted(os.listdir(descriptor), key=MARKER.__eq__):
            os.unlink(name, dir_fd=descriptor)
        os.rmdir(folder)


def _is_ours(status, mode=None):
    """Whether this user owns a file, and its mode is the given one."""
    return status.st_uid == os.geteuid() and mode in (None, stat.S_IMODE(status.st_mode))


def open_regular(path, *, dir_fd=None, flags=0):
    """A regular file opened for reading; OSError at once for a FIFO, a device or a folder."""

    def opener(name, given):
        # Without O_NONBLOCK, opening a FIFO waits until something writes to it.
        nonblocking = given | flags | getattr(os, "O_NONBLOCK", 0)
        descriptor = os.open(name, nonblocking, dir_fd=dir_fd)
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            return descriptor
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", str(path))

    return open(path, "rb", opener=opener)

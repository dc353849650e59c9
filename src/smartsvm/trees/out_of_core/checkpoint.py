"""Results of finished tasks kept in a folder, so that a stopped run can go on.

A file appears under its name only when it is whole. The folder stores which input, settings and
plan it belongs to, and refuses others. Every file carries a checksum over its values, its name and
the problem. What was cut short or altered, or is no regular file, is renamed to `*.damaged`, and
its task runs again. The checksums protect against damage, not against forgery: they have no secret.
"""

import errno
import io
import json
import os
import secrets
import warnings
import zipfile
from pathlib import Path

import numpy as np

from smartsvm._core.checksums import checksum_of
from smartsvm._core.parallel import uninterrupted
from smartsvm.trees.out_of_core.scratch import SCRATCH, open_regular

_FORMAT = 4
_OWN_SUFFIXES = (".partial", ".damaged")


class _Damaged(Exception):
    """A file is not as it was written; the message says how this shows."""


def read_problem(folder):
    """What the results in a folder depend on; empty if that is not known."""
    try:
        return _read_problem(Path(folder) / "problem.json")
    except (_Damaged, FileNotFoundError):
        return {}


class Checkpoint:
    """A folder of results of one problem, a dict of all they depend on; `begin` writes first."""

    def __init__(self, folder, problem):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._problem = {"format": _FORMAT} | problem
        self._path = self.folder / "problem.json"
        try:
            stored = _read_problem(self._path)
        except FileNotFoundError:
            if not all(map(_is_own, self.folder.iterdir())):
                raise ValueError(
                    f"checkpoint={str(folder)!r} must be an empty folder or one of an earlier "
                    "run, got a folder with other files."
                ) from None
        except _Damaged as damage:
            # The results tell by themselves whether they belong to this problem.
            _set_aside(self._path, damage, "It is written again.")
            self.begin()
        else:
            changed = [name for name in self._problem if stored.get(name) != self._problem[name]]
            if changed:
                shown = ", ".join(
                    f"{name} was {stored.get(name)!r} and is {self._problem[name]!r}"
                    for name in changed
                )
                raise ValueError(
                    f"checkpoint={str(folder)!r} belongs to another problem: {shown}. Pass an "
                    "empty folder, or the same input and settings."
                )

    def begin(self):
        """Record the problem: from now on the folder serves no other."""
        if not self._path.exists():
            content = self._problem | {"checksum": _checksum(self._problem, "problem", {})}
            self._write(self._path, lambda file: file.write(json.dumps(content).encode()))

    def load(self, key, kind):
        """The result of a task, a named tuple of arrays of this kind, or None."""
        path = self.folder / f"{key}.npz"
        try:
            arrays = uninterrupted(_read_arrays, path, kind._fields)
            if _checksum(self._problem, key, arrays) != arrays["checksum"].item():
                raise _Damaged("its values or its name were altered")
        except FileNotFoundError:
            return None
        except _Damaged as damage:
            _set_aside(path, damage, "Its task is run again.")
            return None
        return kind(*(arrays[name] for name in kind._fields))

    def save(self, key, result):
        """Keep the result of a task: whole, or not at all."""
        uninterrupted(self._save, key, result)  # a zip file would lose Ctrl-C

    def _save(self, key, result):
        arrays = {name: np.asarray(array) for name, array in result._asdict().items()}
        arrays["checksum"] = np.array(_checksum(self._problem, key, arrays))
        packed = io.BytesIO()
        np.savez(packed, **arrays)
        self._write(self.folder / f"{key}.npz", lambda file: file.write(packed.getbuffer()))

    def _write(self, path, write):
        # A name of its own: threads, processes and other machines may write the same file. Not by
        # `tempfile`, which leaves the file open if Ctrl-C comes just after it was made.
        partial = self.folder / f"{path.name}.{secrets.token_hex(8)}.partial"
        try:
            with open(partial, "xb") as file:
                write(file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(partial, path)
        except OSError as error:
            raise explain_full_disk(error, self.folder) from error
        finally:
            partial.unlink(missing_ok=True)


def _is_own(path):
    """Whether a killed run may have left a file or folder before its problem was recorded."""
    if path.suffix in _OWN_SUFFIXES:
        return True
    if path.suffix == ".npz":  # beside it, `problem.json` was damaged and has been set aside
        return any(path.parent.glob("problem.json.*.damaged"))
    return path.is_dir() and path.name.startswith(SCRATCH)


def _read_problem(path):
    """What `begin` wrote; FileNotFoundError if it wrote nothing, _Damaged if it is not that."""
    try:
        with _open(path) as file:
            content = json.loads(file.read())
    except (ValueError, RecursionError) as error:
        raise _Damaged(f"it is not JSON: {error}") from error
    if not isinstance(content, dict) or "format" not in content:
        raise _Damaged("it does not describe a problem")
    checksum = content.pop("checksum", None)
    # Other formats may have other checksums; they are refused by their number.
    if content["format"] == _FORMAT and checksum != _checksum(content, "problem", {}):
        raise _Damaged("its values were altered")
    return content


def _open(path):
    """A file opened for reading; _Damaged if a FIFO, a folder or the like is in its place."""
    try:
        return open_regular(path)
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.EISDIR, errno.ELOOP, errno.ENXIO):
            raise _Damaged("it is not a regular file") from error
        raise


def _read_arrays(path, names):
    """The arrays in a result, and its checksum."""
    try:
        with _open(path) as file:
            # Before numpy reads the shape of an array and makes room for it.
            with zipfile.ZipFile(file) as archive:
                if archive.testzip() is not None:
                    raise _Damaged("its bytes were altered")
            file.seek(0)
            with np.load(file, allow_pickle=False) as arrays:
                return {name: arrays[name] for name in (*names, "checksum")}
    except (FileNotFoundError, MemoryError, _Damaged):
        raise
    except Exception as error:  # ten kinds, where bytes are not as zipfile or numpy expects
        raise _Damaged(f"it cannot be read: {error}") from error


def _checksum(problem, key, arrays):
    """A hash of a problem, the name of a file, and the arrays in it."""
    return checksum_of([problem, key, {n: a for n, a in arrays.items() if n != "checksum"}])


def _set_aside(path, damage, consequence):
    """Rename a file, so that it is not taken for a whole one and its owner can look at it."""
    aside = path.with_name(f"{path.name}.{secrets.token_hex(8)}.damaged")
    os.rename(path, aside)
    warnings.warn(
        f"{str(path)!r} is damaged: {damage}. It was renamed to {aside.name!r}. {consequence}",
        RuntimeWarning,
        stacklevel=2,
    )


def explain_full_disk(error, folder):
    """The same error, with what to do about it if the disk is full."""
    if error.errno not in (errno.ENOSPC, errno.EDQUOT):
        return error
    return OSError(
        error.errno,
        f"no space left in {str(folder)!r}. Free some, or name another place: by checkpoint=, or "
        "for blocks without a checkpoint by the environment variable TMPDIR. Results in a "
        "checkpoint are whole and will be used by the next call",
    )

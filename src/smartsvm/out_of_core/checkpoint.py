"""Results of finished tasks kept in a folder, so that a stopped run can go on.

A file appears under its name only when it is whole. The folder knows which input and
settings it belongs to, and serves no others.
"""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import numpy as np

_FORMAT = 1


def read_problem(folder):
    """What the results in a folder depend on; nothing if there are none."""
    path = Path(folder) / "problem.json"
    return json.loads(path.read_text()) if path.exists() else {}


class Checkpoint:
    """A folder of results of one problem.

    Parameters
    ----------
    folder : path
        Made if it does not exist.
    problem : dict
        What the results depend on: settings, shapes, a digest of the input.
    """

    def __init__(self, folder, problem):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        problem = {"format": _FORMAT} | problem
        path = self.folder / "problem.json"
        known = read_problem(self.folder)
        if known:
            changed = [name for name in problem if known.get(name) != problem[name]]
            if changed:
                shown = ", ".join(
                    f"{name} was {known.get(name)!r} and is {problem[name]!r}" for name in changed
                )
                raise ValueError(
                    f"checkpoint={str(folder)!r} belongs to another problem: {shown}. Pass an "
                    "empty folder, or the same input and settings."
                )
        else:
            if any(path.suffix != ".partial" for path in self.folder.iterdir()):
                raise ValueError(
                    f"checkpoint={str(folder)!r} must be an empty folder or one of an earlier "
                    "run, got a folder with other files."
                )
            self._write(path, lambda file: file.write(json.dumps(problem).encode()))

    def load(self, key, kind):
        """The result of a task, a named tuple of arrays of this kind, or None."""
        path = self.folder / f"{key}.npz"
        if not path.exists():
            return None
        with np.load(path, allow_pickle=False) as arrays:
            return kind(*(arrays[name] for name in kind._fields))

    def save(self, key, result):
        """Keep the result of a task: whole, or not at all."""
        arrays = result._asdict()
        self._write(self.folder / f"{key}.npz", lambda file: np.savez(file, **arrays))

    def _write(self, path, write):
        partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
        try:
            with open(partial, "wb") as file:
                write(file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(partial, path)
        except OSError as error:
            raise explain_full_disk(error, self.folder) from error
        finally:
            partial.unlink(missing_ok=True)


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

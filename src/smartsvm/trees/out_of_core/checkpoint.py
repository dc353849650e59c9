"""Results of finished tasks kept in a folder, so that a stopped run can go on.

`problem.json` says which input, settings and plan the results belong to; a folder of another
problem is refused. Each result is one file: a digest of the problem, the name and all bytes, then
the arrays. A file that does not match its digest ends the call with one error. The digest shows
damage, not forgery: it has no secret.
"""

import errno
import io
import json
import os
import secrets
from hashlib import blake2b
from pathlib import Path

import numpy as np

PREFIX = "smartsvm-"  # begins the names of the folders for blocks
_FORMAT = 5
_DIGEST = 16  # bytes


def read_problem(folder):
    """What the results in a folder depend on; empty if it holds none."""
    path = Path(folder) / "problem.json"
    try:
        return dict(json.loads(path.read_bytes()))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise _damaged(path) from error


class Checkpoint:
    """A folder of results of one problem, a dict of all they depend on; `begin` writes first."""

    def __init__(self, folder, problem):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._problem = {"format": _FORMAT} | problem
        self._key = json.dumps(self._problem, sort_keys=True).encode()
        stored = read_problem(folder)
        if not stored and not all(map(_is_left_over, self.folder.iterdir())):
            raise ValueError(
                f"checkpoint={str(folder)!r} must be an empty folder or one of an earlier run, got "
                "a folder with other files."
            )
        changed = [name for name in self._problem if stored.get(name) != self._problem[name]]
        if stored and changed:
            shown = ", ".join(
                f"{name} was {stored.get(name)!r} and is {self._problem[name]!r}"
                for name in changed
            )
            raise ValueError(
                f"checkpoint={str(folder)!r} belongs to another problem: {shown}. Pass an empty "
                "folder, or the same input and settings."
            )

    def begin(self):
        """Record the problem: from now on the folder serves no other."""
        path = self.folder / "problem.json"
        if not path.exists():
            self._write(path, json.dumps(self._problem).encode())

    def load(self, name, kind):
        """The result of a task, a named tuple of arrays of this kind, or None."""
        path = self.folder / f"{name}.result"
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _damaged(path) from error
        arrays = content[_DIGEST:]
        if content[:_DIGEST] != self._digest(name, arrays):
            raise _damaged(path)
        file = io.BytesIO(arrays)
        return kind(*(np.load(file, allow_pickle=False) for _ in kind._fields))

    def save(self, name, result):
        """Keep the result of a task: whole, or not at all."""
        file = io.BytesIO()
        for array in result:
            np.save(file, array, allow_pickle=False)
        arrays = file.getbuffer()
        self._write(self.folder / f"{name}.result", self._digest(name, arrays), arrays)

    def _digest(self, name, arrays):
        digest = blake2b(self._key, digest_size=_DIGEST)
        digest.update(f"{name}\0".encode())
        digest.update(arrays)
        return digest.digest()

    def _write(self, path, *parts):
        # A name of its own: threads, processes and other machines may write the same file.
        partial = path.with_name(f"{PREFIX}{path.name}.{secrets.token_hex(8)}")
        try:
            with open(partial, "xb") as file:
                for part in parts:
                    file.write(part)
                file.flush()
                os.fsync(file.fileno())
            os.replace(partial, path)
        except OSError as error:
            raise explain_full_disk(error, self.folder) from error
        finally:
            partial.unlink(missing_ok=True)


def _is_left_over(path):
    """Whether a killed run may have left this before its problem was recorded."""
    return path.name.startswith(PREFIX)


def _damaged(path):
    return ValueError(
        f"checkpoint={str(path.parent)!r} is damaged: {path.name!r} is not as it was written. "
        + (
            "Pass an empty folder."
            if path.name == "problem.json"
            else "Remove this file, and its task runs again."
        )
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

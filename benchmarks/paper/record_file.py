"""The tidy file: one JSON record per line, appended as cells finish, safe to interrupt."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path

KEY = ("set", "split", "method")


def read(path):
    """All whole records; a last line that was cut off in the middle is ignored."""
    path = Path(path)
    if not path.exists():
        return []
    lines = path.read_bytes().split(b"\n")
    records = []
    for number, line in enumerate(
        lines[:-1], start=1
    ):  # what follows the last newline is not whole
        try:
            records.append(json.loads(line))
        except ValueError as error:
            raise ValueError(f"{path}, line {number} is not a record: {line[:60]!r}") from error
    return records


def latest(records):
    """One record per cell: the last one written."""
    return list({key(record): record for record in records}.values())


def key(record):
    """What makes a cell: set, split and method."""
    return tuple(record[name] for name in KEY)


class RecordFile:
    """The file of one run, open for appending by one process at a time."""

    def __init__(self, path):
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self.path.open("ab+")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._file.close()
            raise OSError(f"{path} is in use by another run.") from error
        self._drop_half_line()

    def _drop_half_line(self):
        self._file.seek(0)
        content = self._file.read()
        self._file.truncate(content.rfind(b"\n") + 1)

    def append(self, record):
        """Write one record and make sure that it has left this process."""
        line = json.dumps(record, allow_nan=False, separators=(",", ":"))
        self._file.write(line.encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def drop(self, unwanted):
        """Take out the records for which `unwanted(record)` is true; returns how many."""
        kept = [record for record in read(self.path) if not unwanted(record)]
        n_dropped = len(read(self.path)) - len(kept)
        self._file.truncate(0)
        for record in kept:
            self.append(record)
        return n_dropped

    def close(self):
        """Give the file back."""
        self._file.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

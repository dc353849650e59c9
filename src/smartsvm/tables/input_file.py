"""Input files as seekable bytes: checked to be regular files, unpacked if gzipped."""

import contextlib
import gzip
import io
import os
import shutil
import stat
import sys
import tempfile
import zlib
from pathlib import Path

from smartsvm.tables.hints import TableError

UNPACK_LIMIT = 20e9  # bytes
_GZIP_MAGIC = b"\x1f\x8b"
_CHUNK = 1 << 20


@contextlib.contextmanager
def open_table(name, unpack_limit=UNPACK_LIMIT):
    """Yield the bytes of a file, or of standard input for ``-``, and the suffix of its format."""
    path = Path(name)
    piped = str(name) == "-"
    with contextlib.ExitStack() as stack:
        file = _standard_input() if piped else stack.enter_context(_open_regular(path))
        kind = ".csv" if piped else path.suffix.lower()
        packed = file.peek(2).startswith(_GZIP_MAGIC) if piped else kind == ".gz"
        if packed or piped:
            kind = Path(path.stem).suffix.lower() if kind == ".gz" else kind
            copy = stack.enter_context(tempfile.TemporaryFile())
            try:
                _copy(gzip.GzipFile(fileobj=file) if packed else file, copy, unpack_limit)
            except (EOFError, gzip.BadGzipFile, zlib.error) as error:
                raise TableError(f"the gzip file is damaged or incomplete: {error}.") from error
            file = copy
        file.seek(0)
        yield file, kind


def check_size(n_bytes, limit):
    """Refuse data that would unpack to more than a limit; None for no limit."""
    if limit is not None and n_bytes > limit:
        raise TableError(
            f"it unpacks to more than {in_units(limit)}. If you trust the file, set another limit "
            "with --unpack-limit."
        )


def in_units(n_bytes):
    """A number of bytes in a readable unit."""
    units = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1, "bytes"))
    size, unit = next(each for each in units if n_bytes >= each[0] or each[0] == 1)
    return f"{n_bytes / size:.3g} {unit}"


def _open_regular(path):
    def opener(name, flags):  # without O_NONBLOCK, opening a FIFO waits for a writer
        return os.open(name, flags | getattr(os, "O_NONBLOCK", 0))

    file = open(path, "rb", opener=opener)  # noqa: SIM115
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise TableError("not a regular file. To read from a pipe, use - and standard input.")
    return file


def _standard_input():
    if sys.stdin is None:
        raise TableError("standard input is closed.")
    return io.BufferedReader(sys.stdin.buffer)


def _copy(source, target, limit):
    """Copy all bytes, up to a limit and to the free space of the temporary folder."""
    if limit is not None:
        limit = min(limit, shutil.disk_usage(tempfile.gettempdir()).free)
    while chunk := source.read(_CHUNK):
        check_size(target.tell() + len(chunk), limit)
        target.write(chunk)

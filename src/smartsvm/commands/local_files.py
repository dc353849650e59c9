"""Files as the readers of tables want them: on disk, unpacked, in UTF-8."""

from __future__ import annotations

import contextlib
import gzip
import io
import shutil
import sys
import tempfile
from pathlib import Path

from smartsvm.commands.table_error import TableError

STANDARD_INPUT = "-"
_GZIP_MAGIC = b"\x1f\x8b"
_UTF8 = ("utf-8", "utf8", "utf-8-sig")


@contextlib.contextmanager
def local_file(name, encoding="utf-8"):
    """A file that can be read twice, whatever was named.

    Parameters
    ----------
    name : path-like
        A file, unpacked if it ends in ``.gz``; ``-`` for standard input, which is read as CSV
        and unpacked if it begins like a gzip file.
    encoding : str, default="utf-8"
        How text is written in it.

    Yields
    ------
    Path
        The file itself, or a copy that is removed afterwards.
    """
    path = Path(name)
    packed, piped = path.suffix.lower() == ".gz", str(name) == STANDARD_INPUT
    foreign = encoding.lower() not in _UTF8
    if not (packed or piped or foreign):
        yield path
        return
    inner = Path("standard input.csv") if piped else Path(path.stem if packed else path.name)
    with tempfile.TemporaryDirectory(prefix="smartsvm-") as folder:
        copy = Path(folder) / inner.name
        try:
            with _bytes(path, packed, piped) as source, copy.open("wb") as target:
                shutil.copyfileobj(source, target)
        except (EOFError, gzip.BadGzipFile) as error:
            raise TableError(f"{name}: not a complete gzip file: {error}.") from error
        if foreign:
            _to_utf8(copy, name, encoding)
        yield copy


def _bytes(path, packed, piped):
    if piped:
        source = io.BufferedReader(sys.stdin.buffer)
        packed = source.peek(len(_GZIP_MAGIC)).startswith(_GZIP_MAGIC)
        return contextlib.nullcontext(gzip.open(source) if packed else source)
    return gzip.open(path) if packed else path.open("rb")


def _to_utf8(file, name, encoding):
    try:
        text = file.read_bytes().decode(encoding)
    except LookupError as error:
        raise TableError(f"--encoding must be one that Python knows, got {encoding!r}.") from error
    except UnicodeError as error:
        raise TableError(f"{name}: not written in {encoding}: {error}.") from error
    file.write_bytes(text.encode("utf-8"))

"""Input files as seekable bytes: checked to be regular files, unpacked if compressed."""

import bz2
import contextlib
import gzip
import io
import lzma
import os
import shutil
import stat
import sys
import tempfile
import zipfile
import zlib
from pathlib import Path

from smartsvm.presentation.wording import listed
from smartsvm.tables.hints import TableError

UNPACK_LIMIT = 20e9  # bytes
# How compressed data begin, and what unpacks them, by the suffix of a file.
_PACKERS = {
    ".gz": (b"\x1f\x8b", gzip.open),
    ".bz2": (b"BZh", bz2.open),
    ".xz": (b"\xfd7zXZ\0", lzma.open),
}
# gzip, bz2 and zip raise some of these as an OSError without a number.
_DAMAGED = (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)
_CHUNK = 1 << 20


@contextlib.contextmanager
def open_table(name, unpack_limit=UNPACK_LIMIT):
    """Yield the bytes of a file, or of standard input for ``-``, and the suffix of its format."""
    path = Path(name)
    piped = str(name) == "-"
    with contextlib.ExitStack() as stack:
        file = _standard_input() if piped else stack.enter_context(_open_regular(path))
        kind = ".csv" if piped else path.suffix.lower()
        packing = _packing_of(file) if piped else kind
        if packing in _PACKERS:
            kind = kind if piped else Path(path.stem).suffix.lower()
            file = stack.enter_context(_unpacked(file, packing, unpack_limit))
        elif piped:
            file = stack.enter_context(_copied(file, unpack_limit))
        elif kind == ".zip":
            file, kind = _member(file, stack, unpack_limit)
        file.seek(0)
        yield file, kind


def _packing_of(file):
    """The suffix of the way in which standard input is compressed, or None."""
    begin = file.peek(8)
    found = (suffix for suffix, (magic, _) in _PACKERS.items() if begin.startswith(magic))
    return next(found, None)


def _unpacked(file, suffix, limit):
    """A temporary file with the bytes of a compressed one."""
    with _damage_named(suffix):
        return _copied(_PACKERS[suffix][1](file), limit)


def _member(file, stack, limit):
    """The bytes of the only file in a zip archive, and the suffix of its format."""
    with _damage_named(".zip"):
        archive = zipfile.ZipFile(file)
        names = [name for name in archive.namelist() if _is_content(name)]
        if len(names) != 1:
            some = f"{len(names)} files: {listed(names, 5)}" if names else "no file"
            raise TableError(f"the zip archive holds {some}. Unpack it and name the table.")
        kind = Path(names[0]).suffix.lower()
        try:
            copy = _copied(archive.open(names[0]), limit)
        except (RuntimeError, NotImplementedError) as error:  # a password, an unknown method
            raise TableError(f"the zip archive cannot be unpacked here: {error}.") from error
    return stack.enter_context(copy), kind


def _is_content(name):
    """Whether a member of an archive is no folder and nothing that macOS adds."""
    parts = name.split("/")
    return bool(parts[-1]) and parts[0] != "__MACOSX" and not parts[-1].startswith(".")


@contextlib.contextmanager
def _damage_named(suffix):
    name = {".gz": "gzip"}.get(suffix, suffix[1:])
    try:
        yield
    except (*_DAMAGED, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise TableError(f"the {name} file is damaged or incomplete: {error}.") from error


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


def _copied(source, limit):
    """A temporary file with all bytes of a source, up to a limit and to the free space there."""
    if limit is not None:
        limit = min(limit, shutil.disk_usage(tempfile.gettempdir()).free)
    with contextlib.ExitStack() as stack:
        target = stack.enter_context(tempfile.TemporaryFile())
        while chunk := source.read(_CHUNK):
            check_size(target.tell() + len(chunk), limit)
            target.write(chunk)
        stack.pop_all()
    return target

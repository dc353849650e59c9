"""Write files of results so that no file of the user is lost.

A file is written beside its place and renamed: whatever fails or interrupts the writing, the file
that was there before stays whole.
"""

import os
import secrets
import stat
import sys
from contextlib import contextmanager, suppress
from io import BytesIO
from itertools import combinations
from pathlib import Path

# How .npy, .npz, Parquet and gzipped files begin.
_DATA = (b"\x93NUMPY", b"PK\x03\x04", b"PAR1", b"\x1f\x8b")
_LONGEST = 100  # letters of a name that its temporary file repeats


def write_file(path, content):
    """Write text or bytes to a path; on failure the file that was there stays whole."""
    content = content.encode("utf-8") if isinstance(content, str) else content
    try:
        with _opened(path) as file:
            file.write(content)
    except OSError as error:
        # The operating system names a temporary file, or none at all if the disk is full.
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def figure_content(figure, path, *, dpi):
    """The bytes of a figure in the format that the suffix of a file names."""
    content = BytesIO()
    figure.savefig(content, format=Path(path).suffix.lower().removeprefix("."), dpi=dpi)
    return content.getvalue()


def check_place(path):
    """Raise before the work if its result cannot be written to a path."""
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder: name a file.")
    place = Path(os.path.realpath(path))  # a link stays, the file behind it is written
    if not place.parent.is_dir():
        raise FileNotFoundError(f"{path}: there is no folder {place.parent}.")
    if path.exists() and not os.access(path, os.W_OK):
        raise PermissionError(f"{path}: no permission to write there.")
    if not _is_stream(path) and not os.access(place.parent, os.W_OK | os.X_OK):
        raise PermissionError(f"{path}: no permission to write in the folder {place.parent}.")


def check_outputs(outputs, inputs):
    """Raise if a file to write is one to read, or is to be written twice.

    Both are dictionaries from an option to a path or None; "-" is standard input.
    """
    outputs = {option: path for option, path in outputs.items() if path is not None}
    for option, path in outputs.items():
        check_place(path)
        for source, given in inputs.items():
            if _is_same(path, sys.stdin if given == "-" else given):
                raise ValueError(
                    f"{option} must not be a file that is read, got {str(path)!r}, which is "
                    f"{source} ({str(given)!r}): name another file."
                )
        if _is_same(path, sys.stdout):
            raise ValueError(
                f"{option} must not be the file of standard output, got {str(path)!r}."
            )
    for (first, one), (second, other) in combinations(outputs.items(), 2):
        if _is_same(one, other):
            raise ValueError(
                f"{first} and {second} must be two files, got {str(one)!r} and {str(other)!r}."
            )


def check_no_data(path):
    """Raise if a path is an existing file of data, by its first bytes."""
    if _is_stream(path) or not os.path.isfile(path):
        return
    with suppress(OSError), open(path, "rb") as file:
        if file.read(6).startswith(_DATA):
            raise ValueError(
                f"path must not be a file of arrays, a table or a compressed file, got "
                f"{str(path)!r}: name another file, or remove it first."
            )


@contextmanager
def _opened(path):
    """A file to write; it takes the place of the one at `path` only if all goes well."""
    if _is_stream(path):
        with _open_stream(path) as file:
            yield file
        return
    place = os.path.realpath(path)
    before = os.stat(place) if os.path.exists(place) else None
    if before is not None and not os.access(place, os.W_OK):
        raise PermissionError(13, os.strerror(13), place)
    folder, name = os.path.split(place)
    temporary = os.path.join(folder, f".{name[:_LONGEST]}.{secrets.token_hex(8)}.tmp")
    try:
        # 0o666 as for every new file: the umask of the user applies.
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(temporary, flags, 0o666), "wb") as file:
            if before is not None:
                _take_owner_and_mode(temporary, before)
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, place)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _take_owner_and_mode(path, before):
    if hasattr(os, "chown"):
        with suppress(OSError):  # only an administrator may give files away
            os.chown(path, before.st_uid, before.st_gid)
    os.chmod(path, stat.S_IMODE(before.st_mode))


def _is_stream(path):
    """Whether a path is a pipe, a terminal or another thing that cannot be replaced."""
    return _is_open_file(path) or (os.path.exists(path) and not os.path.isfile(path))


def _is_open_file(path):
    """Whether a path names an open file of the process, such as /dev/stdout."""
    return os.path.abspath(path).startswith(("/dev/std", "/dev/fd/", "/proc/"))


def _open_stream(path):
    # Opening /dev/stdout again would empty the file that standard output is redirected to.
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # a stream may be closed, or no file
            if os.path.samestat(os.stat(path), os.fstat(stream.fileno())):
                stream.flush()
                return os.fdopen(os.dup(stream.fileno()), "wb")
    return open(path, "wb")


def _is_same(path, other):
    """Whether a path leads to the same regular file as another path or an open stream."""
    if other is None or _is_open_file(path):
        return False
    try:
        status = os.fstat(other.fileno()) if hasattr(other, "fileno") else os.stat(other)
        return stat.S_ISREG(status.st_mode) and os.path.samestat(os.stat(path), status)
    except (OSError, ValueError):  # one of them does not exist
        if hasattr(other, "fileno"):
            return False
        one, two = (os.path.normcase(os.path.realpath(place)) for place in (path, other))
        return one == two

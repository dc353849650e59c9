"""Rows of `.npy` files that are read, not mapped: a file that shrinks is an error, not a crash.

Reading a page of a map that its file no longer has ends the process, whatever the program does.
"""

import mmap
import os
from pathlib import Path

import numpy as np
from numpy.lib import format as npy_format

# By version; later ones are for names of fields beyond Latin-1.
_HEADERS = {
    (1, 0): npy_format.read_array_header_1_0,
    (2, 0): npy_format.read_array_header_2_0,
}


class ShrunkFile(ValueError):
    """A file has fewer bytes than its array."""

    def __init__(self, name, path, size, needed):
        super().__init__(
            f"{name}: the file {str(path)!r} has {size:,} bytes, its array needs {needed:,}. It is "
            "incomplete, or was shortened while it was read."
        )


class NpyFile:
    """An array in a `.npy` file; slices of rows and lists of rows are read on demand."""

    def __init__(self, path, name, shape, dtype, offset):
        self.path = Path(path)
        self._name = name
        self.shape = shape
        self.dtype = dtype
        self._offset = offset
        self.ndim = len(self.shape)
        self.size = int(np.prod(self.shape, dtype=object))
        self._row_bytes = int(np.prod(self.shape[1:], dtype=object)) * self.dtype.itemsize
        self.check_size()

    def check_size(self):
        """Raise if the file has become too short."""
        size = os.stat(self.path).st_size
        needed = self._offset + self.size * self.dtype.itemsize
        if size < needed:
            raise ShrunkFile(self._name, self.path, size, needed)

    def __getitem__(self, rows):
        """A slice of rows, or the rows of an array of numbers, in memory."""
        with open(self.path, "rb", buffering=0) as file:
            if isinstance(rows, slice):
                start, stop, _ = rows.indices(self.shape[0])
                return self._read(file, start, max(0, stop - start))
            gathered = np.empty((len(rows), *self.shape[1:]), dtype=self.dtype)
            place = 0
            # Rows that follow each other are read at once.
            ends = np.flatnonzero(np.diff(rows) != 1) + 1
            for run in np.split(np.asarray(rows), ends) if len(rows) else ():
                gathered[place : place + len(run)] = self._read(file, int(run[0]), len(run))
                place += len(run)
            return gathered

    def _read(self, file, start, n_rows):
        part = np.empty((n_rows, *self.shape[1:]), dtype=self.dtype)
        view = memoryview(part.reshape(-1).view(np.uint8))
        file.seek(self._offset + start * self._row_bytes)
        done = 0
        while done < len(view):
            n_bytes = file.readinto(view[done:])
            if not n_bytes:
                self.check_size()
                raise ValueError(f"{self._name}: {str(self.path)!r} cannot be read to its end.")
            done += n_bytes
        return part


def open_npy(path, name):
    """The array of a `.npy` file: an `NpyFile`, or a map where it cannot be read in rows."""
    with open(path, "rb") as file:
        read_header = _HEADERS.get(npy_format.read_magic(file))
        if read_header is not None:
            shape, by_columns, dtype = read_header(file)
            if not by_columns and not dtype.hasobject:
                return NpyFile(path, name, shape, dtype, file.tell())
    return np.load(path, mmap_mode="r")  # refuses objects


def check_mapped(array, name="X"):
    """Raise if the file of a map has become too short to be read."""
    if getattr(array, "filename", None) is None or array._mmap is None:
        return
    begin = array.offset - array.offset % mmap.ALLOCATIONGRANULARITY
    needed = begin + len(array._mmap)
    size = os.stat(array.filename).st_size if os.path.exists(array.filename) else needed
    if size < needed:
        raise ShrunkFile(name, array.filename, size, needed)

"""Points that are read chunk by chunk: memory-maps, files, folders of files, Dask arrays.

A folder holds `.npy` or Parquet files, read in the order of their names; rows are numbered through
all of them.
"""

import mmap
from pathlib import Path

import numpy as np

from smartsvm._core.devices import on_host
from smartsvm._core.npy_files import NpyFile, check_mapped, open_npy
from smartsvm._core.parquet import parquet_chunks, parquet_facts, parquet_labels
from smartsvm._core.safe_range import are_safe
from smartsvm._core.threads import ThreadedMap
from smartsvm._core.validation import (
    MOST_EXACT,
    as_finite,
    as_numbers,
    check_array,
    warn_of_large_integers,
    warn_of_rounding,
)

CHUNK_BYTES = 1 << 23  # size of a chunk as float64
_READ_AHEAD = 1 << 16  # bytes that the operating system maps around a page it reads
_SUFFIXES = (".npy", ".parquet")


class Source:
    """Opened points; `in_pieces` is whether they are read chunk by chunk."""

    in_pieces = True
    on_dask = False

    def gather(self, rows):
        """Some rows, in memory; increasing ones, where a source is a folder."""
        return self._warned(self._rows(rows))

    def whole(self):
        """All points, checked, in an array that is the caller's."""
        points = Source._rows(self, np.arange(self.n_rows))
        return as_finite(self._warned(points), self.name, copy=False)

    def _warned(self, points):
        """The points; warn if they were integers too large for float64."""
        if self.integers.any() and len(points):
            warn_of_rounded(self, *ranges_of(points))
        return points

    def _rows(self, rows):
        """Increasing rows out of the stream of chunks."""
        out = np.empty((len(rows), self.n_features))
        done = 0
        for start, chunk in self.chunks():
            stop = np.searchsorted(rows, start + len(chunk))
            out[done:stop] = chunk[rows[done:stop] - start]
            done = stop
            if done == len(rows):
                break
        return out

    def kept(self):
        """The points in their own dtype, to be read again later; None to keep `whole` instead."""
        return None


def is_source(X):
    """Whether X is read chunk by chunk, unlike an array or a list in memory."""
    return isinstance(X, (np.memmap, str, Path)) or is_dask(X)


def is_dask(X):
    """Whether X is a Dask array, without importing dask."""
    return type(X).__module__.split(".")[0] == "dask" and hasattr(X, "dask")


def open_source(X, name="X"):
    """Open X: any of the sources above, or an array in memory or on a GPU."""
    if is_dask(X):
        return _DaskArray(X, name)
    if not isinstance(X, (str, Path)):
        return _Array(X if isinstance(X, np.memmap) else as_numbers(on_host(X), name), name)
    path = Path(X)
    if path.is_dir():
        return _Parts(path, name)
    if path.suffix == ".npy" and path.is_file():
        return _Array(open_npy(path, name), name)
    raise ValueError(
        f"{name} is a path: it must name a .npy file, or a folder of .npy or .parquet parts, "
        f"got {str(path)!r}."
    )


def read_labels(y):
    """Read labels into memory."""
    if is_dask(y):
        return np.asarray(y.compute())
    if not isinstance(y, (str, Path)):
        return on_host(y)
    path = Path(y)
    if path.is_dir():
        parts = [_read_part(part).ravel() for part in _parts_of(path, "y")]
        # numpy would turn numbers beside text into text, and integers beside floats into floats.
        alike = len({part.dtype.kind for part in parts}) == 1
        return np.concatenate(parts if alike else [part.astype(object) for part in parts])
    if path.suffix in _SUFFIXES and path.is_file():
        return _read_part(path).ravel()
    raise ValueError(
        "y is a path: it must name a .npy or .parquet file or a folder of such parts, "
        f"got {str(path)!r}."
    )


def for_chunks(work, source, n_threads, chunk_bytes=CHUNK_BYTES):
    """A context with the results of work(start, chunk) in order; each thread holds a few chunks."""
    return ThreadedMap(work, source.chunks(chunk_bytes), n_threads)


def ranges_of(points):
    """Smallest and largest value of each feature."""
    # With few features numpy reduces columns eight times as fast as rows.
    if points.shape[1] > 32:
        return points.min(axis=0), points.max(axis=0)
    columns = points.T
    return np.array([c.min() for c in columns]), np.array([c.max() for c in columns])


def warn_of_rounded(source, low, high):
    """Warn if the ranges of integer features show values too large for float64."""
    # 2^53 + 1, the first integer that is rounded, becomes 2^53.
    if (source.integers & (np.maximum(high, -low) >= MOST_EXACT)).any():
        warn_of_rounding(source.name)


class _Array(Source):
    """Rows of an array, a memory-map or a `.npy` file."""

    def __init__(self, array, name, *, may_be_empty=False):
        if array.ndim != 2:
            raise ValueError(f"{name} must have 2 dimensions, got shape {array.shape}.")
        if array.size == 0 and not may_be_empty:
            raise ValueError(f"{name} must not be empty, got shape {array.shape}.")
        if array.dtype.kind not in "biuf":
            raise TypeError(f"{name} must hold real numbers, got dtype {array.dtype}.")
        self.array = array
        self.name = name
        self.in_pieces = isinstance(array, np.memmap | NpyFile)
        self.n_rows, self.n_features = array.shape
        dtype = array.dtype
        self.integers = np.full(self.n_features, dtype.kind in "iu" and dtype.itemsize == 8)
        # Pages of a read-only map can be dropped without losing changes.
        self._forget = (
            isinstance(array, np.memmap)
            and array.mode == "r"
            and array._mmap is not None
            and hasattr(mmap, "MADV_DONTNEED")
        )

    def chunks(self, chunk_bytes=CHUNK_BYTES):
        step = _rows_in_a_chunk(self.n_features, chunk_bytes)
        for start in range(0, self.n_rows, step):
            check_mapped(self.array, self.name)
            # A copy: what is checked or hashed must not change before it is used, and a view of a
            # file would keep its pages in memory after this chunk.
            yield start, np.array(self.array[start : start + step], dtype=np.float64, order="C")
            if self._forget:
                # Otherwise all pages read so far count as memory of this process.
                self.array._mmap.madvise(mmap.MADV_DONTNEED)

    def _rows(self, rows):
        check_mapped(self.array, self.name)
        if not self._forget:
            return np.ascontiguousarray(self.array[rows], dtype=np.float64)
        gathered = np.empty((len(rows), self.n_features))
        # Each row brings the pages around it: a few rows may touch all of a file.
        step = max(1, CHUNK_BYTES // max(_READ_AHEAD, 8 * self.n_features))
        for start in range(0, len(rows), step):
            check_mapped(self.array, self.name)
            gathered[start : start + step] = self.array[rows[start : start + step]]
            self.array._mmap.madvise(mmap.MADV_DONTNEED)
        return gathered

    def whole(self):
        return super().whole() if self.in_pieces else as_finite(self.array, self.name)

    def kept(self):
        if not self.in_pieces and self.array.dtype == np.float64:
            return None
        array = self.array if self.in_pieces else np.array(self.array, order="C")
        if isinstance(array, NpyFile):
            array.check_size()
            array = np.load(array.path, mmap_mode="r")
        reader = _Array(array, self.name)
        if array.dtype.itemsize > 8 or not all(are_safe(chunk) for _, chunk in reader.chunks()):
            return None
        warn_of_large_integers(array, self.name)
        return array


class SparseRows(Source):
    """Rows of a sparse matrix: only those that are read become dense."""

    def __init__(self, matrix, name="X"):
        if matrix.ndim != 2 or 0 in matrix.shape:
            raise ValueError(f"{name} must not be empty, got shape {matrix.shape}.")
        if matrix.dtype.kind not in "biuf":
            raise TypeError(f"{name} must hold real numbers, got dtype {matrix.dtype}.")
        self._matrix = matrix.tocsr()
        self.name = name
        self.n_rows, self.n_features = matrix.shape
        self.integers = np.full(
            self.n_features, matrix.dtype.kind in "iu" and matrix.dtype.itemsize == 8
        )

    def chunks(self, chunk_bytes=CHUNK_BYTES):
        step = _rows_in_a_chunk(self.n_features, chunk_bytes)
        for start in range(0, self.n_rows, step):
            yield start, self._rows(slice(start, start + step))

    def _rows(self, rows):
        return self._matrix[rows].toarray().astype(np.float64, order="C")


class _Parts(Source):
    """Rows of the files in a folder; columns of Parquet match by name, those of `.npy` by place."""

    def __init__(self, folder, name):
        self.name = name
        self._paths = _parts_of(folder, name)
        parts = [_look_at(path, f"{name} in {path.name}") for path in self._paths]
        self._columns = _common_columns(self._paths, parts, name)
        widths = {len(integers) for _, integers in parts}
        if len(widths) > 1:
            raise ValueError(
                f"{name}: all parts in {str(folder)!r} must have the same number of columns, "
                f"got {sorted(widths)}."
            )
        self.n_features = widths.pop()
        self.n_rows = sum(n_rows for n_rows, _ in parts)
        if self.n_rows == 0 or self.n_features == 0:
            raise ValueError(
                f"{name} must not be empty, got parts of {self.n_rows} rows and "
                f"{self.n_features} columns in {str(folder)!r}."
            )
        self._starts = np.cumsum([0] + [n_rows for n_rows, _ in parts])
        keys = {".parquet": self._columns, ".npy": range(self.n_features)}
        own = [
            [integers[key] for key in keys[path.suffix]]
            for path, (_, integers) in zip(self._paths, parts, strict=True)
        ]
        self.integers = np.any(own, axis=0)

    def chunks(self, chunk_bytes=CHUNK_BYTES):
        for first, path in zip(self._starts.tolist(), self._paths, strict=False):
            for start, chunk in self._chunks_of_part(path, chunk_bytes):
                yield first + start, chunk

    def _chunks_of_part(self, path, chunk_bytes):
        if path.suffix == ".npy":
            part = _Array(open_npy(path, self.name), self.name, may_be_empty=True)
            return part.chunks(chunk_bytes)
        return parquet_chunks(path, self._columns, _rows_in_a_chunk(self.n_features, chunk_bytes))


class _DaskArray(Source):
    """Rows of a Dask array, computed chunk by chunk."""

    on_dask = True

    def __init__(self, array, name):
        if array.ndim != 2:
            raise ValueError(f"{name} must have 2 dimensions, got shape {array.shape}.")
        if not all(np.isfinite(size) for size in array.shape):
            raise ValueError(
                f"{name} is a Dask array of unknown shape {array.shape}: call "
                f"{name}.compute_chunk_sizes() first."
            )
        self.name = name
        # Chunks of whole rows and moderate size.
        array = array.map_blocks(_checked_block, name_of_array=name, meta=array._meta)
        self.array = array.rechunk({0: "auto", 1: -1}, block_size_limit=8 * CHUNK_BYTES)
        self.n_rows, self.n_features = (int(size) for size in array.shape)
        self.integers = np.full(self.n_features, array.dtype.kind in "iu" and array.itemsize == 8)

    def chunks(self, chunk_bytes=CHUNK_BYTES):
        start = 0
        for k in range(self.array.numblocks[0]):
            chunk = np.ascontiguousarray(self.array.blocks[k].compute(), dtype=np.float64)
            step = _rows_in_a_chunk(self.n_features, chunk_bytes)
            for low in range(0, len(chunk), step):
                yield start + low, chunk[low : low + step]
            start += len(chunk)

    def _rows(self, rows):
        return np.ascontiguousarray(self.array[rows].compute(), dtype=np.float64)

    def whole(self):
        return check_array(self.array.compute(), self.name)


def _checked_block(block, name_of_array, block_info=None):
    """A block of a Dask array; one of another shape would shift all later rows."""
    declared = tuple(block_info[None]["chunk-shape"])
    if block.shape != declared:
        raise ValueError(
            f"{name_of_array} is a Dask array whose block {block_info[None]['chunk-location']} "
            f"must have the shape {declared} that it declares, got {block.shape}: call "
            f"{name_of_array}.compute_chunk_sizes() where blocks are filtered."
        )
    return block


def _rows_in_a_chunk(n_features, chunk_bytes):
    return max(1, chunk_bytes // (8 * n_features))


def _parts_of(folder, name):
    paths = sorted(path for path in folder.iterdir() if path.suffix in _SUFFIXES)
    if not paths:
        raise ValueError(
            f"{name} is the folder {str(folder)!r}: it must hold .npy or .parquet parts, got none."
        )
    for path in paths:
        if not path.is_file():  # opening a FIFO would wait for a writer
            raise ValueError(f"{name}: each part must be a regular file, got {str(path)!r}.")
    return paths


def _common_columns(paths, parts, name):
    """Feature names of the Parquet files, in the order of the first one; None without any."""
    tables = [
        (path.name, own)
        for path, (_, own) in zip(paths, parts, strict=True)
        if path.suffix == ".parquet"
    ]
    for place, own in tables:
        first, columns = tables[0]
        if set(own) != set(columns):
            missing, further = sorted(set(columns) - set(own)), sorted(set(own) - set(columns))
            raise ValueError(
                f"{name}: all Parquet parts must have the same columns. Of those in {first!r}, "
                f"{place!r} lacks {missing or 'none'}; it has {further or 'none'} besides."
            )
    return list(tables[0][1]) if tables else None


def _look_at(path, name):
    """The number of rows of a part, and which of its columns hold 64-bit integers."""
    if path.suffix == ".parquet":
        return parquet_facts(path, name)
    part = _Array(open_npy(path, name), name, may_be_empty=True)
    return part.n_rows, part.integers


def _read_part(path):
    return parquet_labels(path) if path.suffix == ".parquet" else np.load(path, allow_pickle=False)

"""Blocks: groups of rows, in memory or in files, made in a second pass over the source.

A task in the same process gets the points themselves, any other a range of a file, which `load`
turns into a `Block`. Dask puts a `Block` in the place of its future.
"""

import errno
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from smartsvm._core.sources import for_chunks, ranges_of
from smartsvm.trees.out_of_core.checkpoint import explain_full_disk
from smartsvm.trees.out_of_core.partition import leaf_of


class InputChanged(ValueError):
    """The values of a source, whose name this holds, differed when they were read again."""

    def __str__(self):
        return (
            f"{self.args[0]} changed while it was being read: its values were not the same the "
            "second time. Call again once nothing writes to it; a checkpoint is left as it was."
        )


class Block(NamedTuple):
    """The points of a block and their rows in the whole data set."""

    points: np.ndarray
    ids: np.ndarray


class Part(NamedTuple):
    """What the calling process knows about a block."""

    ref: object  # to its points
    size: int  # number of points
    group: int  # class of its points; 0 without classes
    low: np.ndarray  # corner of its bounding box
    high: np.ndarray


class FileRange(NamedTuple):
    """A range of rows of the two files of a pile."""

    path: str
    n_features: int
    start: int
    size: int

    def load(self):
        """The block, its points mapped and not read."""
        try:
            points = np.memmap(
                self.path + ".points",
                dtype=np.float64,
                mode="r",
                offset=8 * self.n_features * self.start,
                shape=(self.size, self.n_features),
            )
        except FileNotFoundError as error:
            raise FileNotFoundError(
                errno.ENOENT,
                "a worker cannot read the files of the blocks: name a folder that all workers "
                "share, by checkpoint= or the environment variable TMPDIR, or pass a Dask array",
                self.path,
            ) from error
        ids = np.fromfile(
            self.path + ".ids", dtype=np.uint32, offset=4 * self.start, count=self.size
        )
        return Block(points.view(np.ndarray), ids)


def load(ref):
    """The block that a reference stands for: itself, or in a file."""
    return ref.load() if isinstance(ref, FileRange) else ref


class Piles:
    """Rows of a source sorted into blocks, one for each leaf and class."""

    def __init__(self, plans, scale):
        self._plans, self._scale = plans, scale
        self._first = np.cumsum([0] + [int(plan.leaf.max()) + 1 for plan in plans])
        self.n_piles = int(self._first[-1])
        self.sizes = np.zeros(self.n_piles, dtype=np.intp)
        self.digest = None

    def group_of(self, pile):
        """The group whose points a pile holds."""
        return int(np.searchsorted(self._first, pile, side="right")) - 1

    def sort(self, start, chunk, codes):
        """The rows of a chunk by piles: a list of (pile, scaled points, their rows)."""
        points = rescale(chunk, self._scale)
        if codes is None:
            pile = leaf_of(points, self._plans[0])
        else:
            pile = np.empty(len(chunk), dtype=np.intp)
            for group in np.unique(codes):
                here = np.flatnonzero(codes == group)
                pile[here] = self._first[group] + leaf_of(points[here], self._plans[group])
        counts = np.bincount(pile, minlength=self.n_piles)
        order = np.argsort(pile.astype(np.min_scalar_type(self.n_piles)), kind="stable")
        stops = np.cumsum(counts)
        pieces = []
        for k in np.flatnonzero(counts).tolist():
            here = order[stops[k] - counts[k] : stops[k]]
            pieces.append((k, points[here], (here + start).astype(np.uint32)))
        return pieces

    def sort_all(self, source, codes, n_threads, chunk_bytes):
        """Yield (pile, points, rows) for all chunks of a source, and count them."""

        def work(start, chunk):
            own = None if codes is None else codes[start : start + len(chunk)]
            return self.sort(start, chunk, own), digest_of(chunk)

        digests = []
        with for_chunks(work, source, n_threads, chunk_bytes) as results:
            for pieces, digest in results:
                digests.append(digest)
                for k, points, ids in pieces:
                    self.sizes[k] += len(ids)
                    yield k, points, ids
        self.digest = combine_digests(digests)


def pile_in_memory(source, piles, codes, plan, n_threads):
    """Parts that are arrays of this process."""
    pieces = [[] for _ in range(piles.n_piles)]
    for k, points, ids in piles.sort_all(source, codes, n_threads, plan.chunk_bytes):
        pieces[k].append((points, ids))
    parts = []
    for k in np.flatnonzero(piles.sizes).tolist():
        points = np.concatenate([each for each, _ in pieces[k]])
        ids = np.concatenate([each for _, each in pieces[k]])
        pieces[k] = None
        for begin, end in cut_pile(len(ids), plan.most_rows):
            block = Block(points[begin:end], ids[begin:end])
            box = ranges_of(block.points)
            parts.append(Part(block, end - begin, piles.group_of(k), *box))
    return parts


def cut_pile(size, most_rows):
    """Begin and end of the blocks of a pile: as few as can be, of about the same size."""
    return pairwise(np.linspace(0, size, -(-size // most_rows) + 1).astype(int).tolist())


def pile_on_disk(source, piles, codes, plan, folder, n_threads):
    """Parts that are ranges of files in a folder, written in one pass over the source."""
    d = source.n_features
    low = np.full((piles.n_piles, d), np.inf)
    high = np.full((piles.n_piles, d), -np.inf)
    try:
        for k, points, ids in piles.sort_all(source, codes, n_threads, plan.chunk_bytes):
            box = ranges_of(points)
            np.minimum(low[k], box[0], out=low[k])
            np.maximum(high[k], box[1], out=high[k])
            # Opened for each chunk: there may be more piles than a process may have files.
            for suffix, array in ((".points", points), (".ids", ids)):
                with open(Path(folder) / f"pile-{k}{suffix}", "ab") as file:
                    file.write(array.data)
    except OSError as error:
        raise explain_full_disk(error, folder) from error
    parts = []
    for k in np.flatnonzero(piles.sizes).tolist():
        for begin, end in cut_pile(int(piles.sizes[k]), plan.most_rows):
            ref = FileRange(str(Path(folder) / f"pile-{k}"), d, begin, end - begin)
            parts.append(Part(ref, end - begin, piles.group_of(k), low[k], high[k]))
    return parts


def digest_of(chunk):
    """A hash of the values of a chunk."""
    return blake2b(chunk).digest()


def combine_digests(digests):
    """A hash of all values of a source, from those of its chunks in order."""
    return blake2b(b"".join(digests), digest_size=16).hexdigest()


def rescale(points, scale):
    """The points in the scale of all computations, if there is one."""
    return points if scale is None else scale.apply(points)

"""Blocks on the workers of a Dask cluster, sent there once or made there.

A task is given futures, so a block travels to a worker that needs it and no farther. Blocks
of a Dask array are made where its chunks are; the cluster makes them again if a worker is
lost. Blocks that were sent are sent again: a second copy on another worker would not help,
because the cluster drops copies that no task waits for.
"""

import time
from concurrent.futures import CancelledError

import numpy as np
from joblib.parallel import get_active_backend

from smartsvm._core.sources import ranges_of
from smartsvm.trees.out_of_core.store import Block, InputChanged, Part, cut_pile, load
from smartsvm.trees.out_of_core.summary import digest_of

# Attempts to send a block, and the seconds after the first one; each later pause is twice as long.
_ATTEMPTS = 6
_PAUSE = 0.25
_LOST = ("KilledWorker", "CommClosedError")  # by name: distributed may not be installed


def dask_client():
    """The client behind an active Dask backend of joblib, or None."""
    return getattr(get_active_backend()[0], "client", None)


def worker_limit(client):
    """Half of the memory that a task may count on, at the smallest worker; None if unknown."""
    workers = client.scheduler_info()["workers"].values()
    shares = [each["memory_limit"] // max(1, each["nthreads"]) for each in workers]
    return min(shares, default=0) // 2 or None


class RemoteBlock:
    """A block that lives on a worker."""

    def __init__(self, future, client, copy=None):
        self.future, self._client, self._copy = future, client, copy

    def recover(self):
        """Send the block again if the worker that held it is gone."""
        if self._copy is None:
            return
        try:
            held = self._client.who_has([self.future])[self.future.key]
        except CancelledError:
            held = ()
        if not held:
            self.future = _send(self._copy, self._client)


def _send(copy, client):
    """A block on some worker; on another one if that dies meanwhile."""
    block = load(copy)
    block = Block(np.array(block.points), block.ids)
    for attempt in range(_ATTEMPTS):
        try:
            return client.scatter([block], hash=False)[0]
        # CommClosedError; no worker is left; the scheduler looks up one that has just gone.
        except (OSError, TimeoutError, KeyError) as error:
            lost = error
            # A cluster that replaces its workers takes a moment.
            time.sleep(_PAUSE * 2**attempt)
    raise RuntimeError(
        f"a block of {block.points.nbytes:,} bytes could not be sent to a worker of the cluster in "
        f"{_ATTEMPTS} attempts. See why its workers end: they may lack memory, for which a smaller "
        "memory_limit makes smaller blocks."
    ) from lost


def scatter(parts, client):
    """The same parts with their points on the workers of a cluster, each sent once."""
    return [
        part._replace(ref=RemoteBlock(_send(part.ref, client), client, part.ref)) for part in parts
    ]


def is_lost(error):
    """Whether a task failed because its input or its worker is gone."""
    return isinstance(error, CancelledError) or type(error).__name__ in _LOST


class ClusterChunks:
    """The chunks of a Dask array, summarised and sorted into blocks on the workers."""

    def __init__(self, source, client):
        self._client, self._source = client, source
        self._chunks = client.compute(source.array.to_delayed().ravel().tolist())
        sizes = source.array.chunks[0]
        self._starts = (np.cumsum(sizes) - sizes).tolist()

    def run(self, work):
        """The results of work(start, chunk) for all chunks, computed on the workers."""
        pairs = zip(self._starts, self._chunks, strict=True)
        futures = [self._client.submit(_on_points, work, start, chunk) for start, chunk in pairs]
        return self._client.gather(futures)

    def pile(self, piles, codes, most_rows, digests):
        """Blocks as futures, assembled on the workers from pieces of the chunks."""
        client = self._client
        stops = [*self._starts[1:], self._source.n_rows]
        pieces = [[] for _ in range(piles.n_piles)]
        found = zip(self._starts, stops, self._chunks, digests, strict=True)
        for start, stop, chunk, digest in found:
            own = None if codes is None else codes[start:stop]
            sorted_chunk = client.submit(_sort, piles, start, chunk, own, digest, self._source.name)
            # One future for each piece: a worker that makes a pile gets only its pieces.
            for k in range(piles.n_piles):
                pieces[k].append(client.submit(_piece, sorted_chunk, k))
        found = [client.submit(_collect, some) for some in pieces]
        self._chunks = None
        parts = []
        for k, (size, low, high) in enumerate(client.gather(client.map(_measure, found))):
            for begin, end in cut_pile(size, most_rows):
                ref = found[k]
                if end - begin < size:
                    ref = client.submit(_rows, ref, begin, end)
                ref = RemoteBlock(ref, client)
                parts.append(Part(ref, end - begin, piles.group_of(k), low, high))
        return parts


def _on_points(work, start, chunk):
    return work(start, _as_points(chunk))


def _as_points(chunk):
    return np.ascontiguousarray(chunk, dtype=np.float64)


def _sort(piles, start, chunk, codes, digest, name):
    points = _as_points(chunk)
    # The cluster makes chunks again if a worker is lost: from a file that may have changed.
    if digest_of(points, piles.strong) != digest:
        raise InputChanged(name)
    return {k: Block(*block) for k, *block in piles.sort(start, points, codes)}


def _piece(sorted_chunk, k):
    return sorted_chunk.get(k)


def _collect(pieces):
    pieces = [piece for piece in pieces if piece is not None]
    if not pieces:
        return None
    return Block(*(np.concatenate(arrays) for arrays in zip(*pieces, strict=True)))


def _measure(block):
    if block is None:
        return 0, None, None
    return len(block.ids), *ranges_of(block.points)


def _rows(block, begin, end):
    return Block(block.points[begin:end], block.ids[begin:end])

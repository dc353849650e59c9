"""Where tasks run: in threads, in processes of joblib's backend, or on a Dask cluster.

A task can run again anywhere, because it is given plain arrays, ranges of files or futures. If a
cluster loses a worker, it runs the tasks of that worker elsewhere, and makes again what futures
held. The blocks of a Dask array are made where its chunks are; those of other data are files that
all workers read.
"""

from contextlib import closing

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend

from smartsvm._core.parallel import count_threads, shares_memory
from smartsvm._core.sources import ranges_of
from smartsvm._core.threads import ThreadedMap
from smartsvm.presentation.progress import Progress
from smartsvm.trees.out_of_core.blocks import Block, InputChanged, Part, cut_pile, digest_of


class TaskRunner:
    """Runs tasks in any order and stores their results in the checkpoint, if there is one."""

    def __init__(self, n_jobs, verbose):
        self.checkpoint = None
        self.n_done = self.n_resumed = 0
        self._n_jobs, self._verbose = n_jobs, verbose

    def without_checkpoint(self):
        """A runner with the same options that has done nothing and keeps no results."""
        return TaskRunner(self._n_jobs, self._verbose)

    def run(self, label, kind, tasks):
        """Yield (name, result) of each task when it has finished."""
        waiting = []
        for name, function, arguments in tasks:
            earlier = None if self.checkpoint is None else self.checkpoint.load(name, kind)
            if earlier is None:
                waiting.append((name, function, *arguments))
            else:
                self.n_resumed += 1
                yield name, earlier
        if not waiting:
            return
        progress = Progress(label, len(waiting), self._verbose)
        with closing(self._results(waiting)) as results:
            for done, (name, result) in enumerate(results, 1):
                result = kind(*result)
                if self.checkpoint is not None:
                    self.checkpoint.save(name, result)
                self.n_done += 1
                progress.update(done)
                yield name, result
        progress.close()

    def _results(self, calls):
        """Results, on other machines or processes in the order in which they are finished."""
        client = dask_client()
        if client is not None:
            yield from _on_cluster(client, calls)
        elif shares_memory():
            with ThreadedMap(_named, calls, n_workers(self._n_jobs)) as results:
                yield from results
        else:
            in_turn = getattr(get_active_backend()[0], "supports_return_generator", False)
            options = {"return_as": "generator_unordered"} if in_turn else {}
            run = Parallel(n_jobs=self._n_jobs, batch_size=1, **options)
            yield from run(delayed(_named)(*call) for call in calls)


def _named(name, function, *arguments):
    return name, tuple(function(*arguments))


def n_workers(n_jobs):
    """Tasks that run at the same time."""
    return count_threads(n_jobs) if shares_memory() else max(1, effective_n_jobs(n_jobs))


def dask_client():
    """The client behind an active Dask backend of joblib, or None."""
    return getattr(get_active_backend()[0], "client", None)


def worker_limit(client):
    """Half of the memory that a task may count on, at the smallest worker; None if unknown."""
    try:
        info = client.scheduler_info(n_workers=-1)  # else of five workers
    except TypeError:  # before 2025
        info = client.scheduler_info()
    workers = info["workers"].values()
    shares = [worker["memory_limit"] // max(1, worker["nthreads"]) for worker in workers]
    return min(shares, default=0) // 2 or None


def shared(values):
    """Values that many tasks take: on a cluster futures, so that each travels once."""
    client = dask_client()
    return values if client is None else [_submit(client, _same, value) for value in values]


def _on_cluster(client, calls):
    from distributed import as_completed

    # No list of futures stays: the cluster keeps a result as long as somebody refers to it.
    finished = as_completed([_submit(client, _named, *call) for call in calls], with_results=True)
    for _, result in finished:
        yield result


def _submit(client, function, *arguments):
    import dask

    # The arrays of a task travel with it, which Dask warns of from 10 MB on.
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"}):
        return client.submit(function, *arguments, pure=False)


def _same(value):
    return value


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
        chunks = zip(self._starts, stops, self._chunks, digests, strict=True)
        for start, stop, chunk, digest in chunks:
            of_chunk = None if codes is None else codes[start:stop]
            sorted_chunk = _submit(
                client, _sort, piles, start, chunk, of_chunk, digest, self._source.name
            )
            # One future for each piece: a worker that makes a pile gets only its pieces.
            for k in range(piles.n_piles):
                pieces[k].append(client.submit(_piece, sorted_chunk, k))
        blocks = [client.submit(_collect, of_pile) for of_pile in pieces]
        self._chunks = None
        parts = []
        for k, (size, low, high) in enumerate(client.gather(client.map(_measure, blocks))):
            for begin, end in cut_pile(size, most_rows):
                ref = blocks[k]
                if end - begin < size:
                    ref = client.submit(_rows, ref, begin, end)
                parts.append(Part(ref, end - begin, piles.group_of(k), low, high))
        return parts


def _on_points(work, start, chunk):
    return work(start, _as_points(chunk))


def _as_points(chunk):
    return np.ascontiguousarray(chunk, dtype=np.float64)


def _sort(piles, start, chunk, codes, digest, name):
    points = _as_points(chunk)
    # The cluster makes chunks again if a worker is lost: from a file that may have changed.
    if digest_of(points) != digest:
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

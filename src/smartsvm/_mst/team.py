"""Threads that share the chunks of one loop, and stop together."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor


class Team:
    """Runs `task(lo, hi)` over a range in chunks, in this thread or in a few others.

    Tasks release the GIL. With threads the caller only waits, so that Ctrl-C
    reaches it; it then calls `cancel`, which tells running tasks to return soon.

    Parameters
    ----------
    n_threads : int
        How many threads; 1 means the calling one.
    cancel : callable
        Called without arguments when the wait is interrupted.
    apart : bool
        Use another thread even if it is only one: for chunks that may last long.
    """

    def __init__(self, n_threads, cancel, apart=False):
        self._n_threads = n_threads
        self._cancel = cancel
        self._pool = ThreadPoolExecutor(n_threads) if n_threads > 1 or apart else None

    def run(self, task, size, chunk):
        """Call `task` on all chunks of range(size); return when all are done."""
        if self._pool is None and size <= chunk:
            task(0, size)
            return
        starts = deque(range(0, size, chunk))

        def work():
            while True:
                try:
                    lo = starts.popleft()
                except IndexError:
                    return
                task(lo, min(lo + chunk, size))

        if self._pool is None or (len(starts) <= 1 and self._n_threads > 1):
            work()
            return
        waiting = [self._pool.submit(work) for _ in range(min(self._n_threads, len(starts)))]
        try:
            for future in waiting:
                future.result()
        except BaseException:
            starts.clear()
            self._cancel()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if self._pool is not None:
            self._pool.shutdown()
        # Who is called belongs to who calls: a circle that would keep all its memory.
        self._cancel = None

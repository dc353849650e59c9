"""Parallel calls, in our own threads or on joblib's backend."""

import os
from contextlib import closing

from joblib import Parallel, delayed
from joblib.parallel import get_active_backend

from smartsvm._core.threads import ThreadedMap

# Half of what a call may have: threads of its last step may still be ending when the next begins.
MOST_THREADS = max(32, 2 * (os.cpu_count() or 1))


def count_threads(n_jobs):
    """Threads for `n_jobs`, as joblib counts jobs, but never more than MOST_THREADS."""
    if n_jobs == 1:
        return 1
    # The threads are ours: joblib's default backend would warn in workers of a Pool, which may
    # start no processes.
    backend, configured = get_active_backend(prefer="threads")
    n_jobs = backend.effective_n_jobs(configured if n_jobs is None else n_jobs)
    return min(max(1, n_jobs), MOST_THREADS)


def shares_memory():
    """Whether the active backend runs calls in this process."""
    backend = get_active_backend(prefer="threads")[0]
    return getattr(backend, "supports_sharedmem", False)


def parallel_results(function, items, n_jobs, *, in_process=False):
    """A context manager that yields the results of `function(*item)` in order."""
    if in_process or shares_memory():
        return ThreadedMap(function, items, count_threads(n_jobs))
    run = Parallel(n_jobs=n_jobs, return_as="generator")
    return closing(run(delayed(function)(*item) for item in items))


def in_threads(function, items, n_jobs):
    """The results of `function(item)` for all items, in order, by threads of this process."""
    items = list(zip(items))
    with ThreadedMap(function, items, max(1, min(count_threads(n_jobs), len(items)))) as results:
        return list(results)

"""Parallel calls, in our own threads or on joblib's backend."""

from __future__ import annotations

from contextlib import closing

from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend

from smartsvm._core.threads import ThreadedMap


def shares_memory():
    """Whether the active backend runs calls in this process."""
    backend = get_active_backend(prefer="threads")[0]
    return getattr(backend, "supports_sharedmem", False)


def parallel_results(function, items, n_jobs, *, in_process=False):
    """A context manager that yields the results of `function(*item)` in order."""
    if in_process or shares_memory():
        return ThreadedMap(function, items, effective_n_jobs(n_jobs))
    run = Parallel(n_jobs=n_jobs, return_as="generator")
    return closing(run(delayed(function)(*item) for item in items))

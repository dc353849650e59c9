"""Calls side by side: in our own threads, or wherever joblib's backend runs them."""

from __future__ import annotations

from contextlib import closing

from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend

from smartsvm._core.threads import ThreadedMap


def shares_memory():
    """Whether calls run in this process, so that they can read its arrays."""
    backend = get_active_backend(prefer="threads")[0]
    return getattr(backend, "supports_sharedmem", False)


def parallel_results(function, items, n_jobs, *, in_process=False):
    """The results of some calls, in order, as a context manager."""
    if in_process or shares_memory():
        return ThreadedMap(function, items, effective_n_jobs(n_jobs))
    run = Parallel(n_jobs=n_jobs, return_as="generator")
    return closing(run(delayed(function)(*item) for item in items))

"""Independent tasks on the joblib backend that is active, with progress and checkpoints."""

from contextlib import closing
from itertools import islice

from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend

from smartsvm._core.parallel import count_threads, shares_memory
from smartsvm._core.threads import ThreadedMap
from smartsvm.presentation.progress import Progress
from smartsvm.trees.out_of_core.cluster import RemoteBlock, is_lost

_ROUNDS_AT_A_TIME = 4  # tasks of each worker at a time, where a backend returns only lists

_ATTEMPTS = 4  # to run what is left after a cluster has lost a worker


class TaskRunner:
    """Runs tasks in any order and stores their results in the checkpoint, if there is one."""

    def __init__(self, n_jobs, verbose):
        self.checkpoint = None
        self.n_done = self.n_resumed = 0
        self._n_jobs = n_jobs
        self._verbose = verbose

    def without_checkpoint(self):
        """A runner with the same options that has done nothing and keeps no results."""
        return TaskRunner(self._n_jobs, self._verbose)

    def run(self, label, kind, tasks):
        """Yield (key, result) of each task when it has finished."""
        waiting = []
        for key, function, arguments in tasks:
            earlier = None if self.checkpoint is None else self.checkpoint.load(key, kind)
            if earlier is None:
                waiting.append((key, function, arguments))
            else:
                self.n_resumed += 1
                yield key, earlier
        if not waiting:
            return
        progress = Progress(label, len(waiting), self._verbose)
        left = {task[0]: task for task in waiting}
        for attempt in range(_ATTEMPTS):
            try:
                for key, result in self._results(list(left.values())):
                    result = kind(*result)
                    if self.checkpoint is not None:
                        self.checkpoint.save(key, result)
                    del left[key]
                    self.n_done += 1
                    progress.update(len(waiting) - len(left))
                    yield key, result
                break
            except Exception as error:
                if not is_lost(error) or attempt == _ATTEMPTS - 1:
                    raise
                for _, _, arguments in left.values():
                    for argument in arguments:
                        if isinstance(argument, RemoteBlock):
                            argument.recover()
        progress.close()

    def _results(self, tasks):
        """Results, on other machines or processes in the order in which they are finished."""
        if shares_memory():
            calls = ((key, function, *arguments) for key, function, arguments in tasks)
            with ThreadedMap(_named, calls, n_workers(self._n_jobs)) as results:
                yield from results
            return
        calls = (
            delayed(_named)(
                key,
                function,
                # Futures must stand on their own among the arguments for Dask to see them.
                *(each.future if isinstance(each, RemoteBlock) else each for each in arguments),
            )
            for key, function, arguments in tasks
        )
        backend = get_active_backend()[0]
        options = {"n_jobs": self._n_jobs, "batch_size": 1}
        if getattr(backend, "supports_return_generator", False):
            with closing(Parallel(return_as="generator_unordered", **options)(calls)) as results:
                yield from results
            return
        with Parallel(**options) as run:
            some = _ROUNDS_AT_A_TIME * n_workers(self._n_jobs)
            while batch := list(islice(calls, some)):
                yield from run(batch)


def _named(key, function, *arguments):
    return key, tuple(function(*arguments))


def n_workers(n_jobs):
    """Tasks that run at the same time."""
    return count_threads(n_jobs) if shares_memory() else max(1, effective_n_jobs(n_jobs))

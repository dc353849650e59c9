"""Run by test_forks.py in a process of its own: calls of a process that forks.

A fork copies one thread and every lock, whoever holds it. A process of pytest has many threads by
the time its last tests run, of other libraries too; this one has few.
"""

import contextlib
import faulthandler
import io
import multiprocessing
import os
import sys
import warnings

import numpy as np
from joblib import parallel_config

from smartsvm import euclidean_mst
from smartsvm._core.threads import ThreadedMap, run_chunks
from smartsvm._mst.choice import ALGORITHMS
from smartsvm.presentation import progress as _progress
from smartsvm.trees.open_points import open_points
from smartsvm.trees.out_of_core.forest import BlockForest

_LIMIT = 1800  # seconds, against hanging


def blocks():
    """Trees of blocks on joblib's backend of forked processes."""
    X = np.random.default_rng(3).random((1500, 3))
    for points in (X, np.round(8 * X)):
        expected = BlockForest(open_points(points), n_trees=2, seed=5, n_blocks=5).whole()
        with (
            parallel_config(backend="multiprocessing", n_jobs=2),
            BlockForest(open_points(points), n_trees=2, seed=5, n_blocks=5) as forest,
        ):
            found = forest.whole()
        for mine, theirs in zip(found, expected, strict=True):
            np.testing.assert_array_equal(mine, theirs)


def progress():
    """What such a run says of itself."""
    _progress._SILENT_SECONDS = _progress._FILE_SECONDS = 0.0
    X, said = np.random.default_rng(0).normal(size=(400, 2)), io.StringIO()
    with parallel_config(backend="multiprocessing", n_jobs=2), contextlib.redirect_stderr(said):
        euclidean_mst(X, memory_limit=60_000, verbose=1)
    lines = said.getvalue().splitlines()
    assert any(line.startswith("blocks: 1 of ") and line.endswith(" s left") for line in lines)
    assert any(line.startswith("pairs of blocks: 1 of ") for line in lines)
    assert " pairs looked at, " in lines[-1]


def trees():
    """A child of a process that has used threads uses some of its own."""
    X = np.random.default_rng(0).normal(size=(3000, 6))
    context = multiprocessing.get_context("fork")
    for algorithm in ALGORITHMS:
        expected = euclidean_mst(X, algorithm=algorithm, n_jobs=2).weights.sum()
        queue = context.Queue()
        child = context.Process(target=_tree_in_child, args=(queue, X, algorithm))
        child.start()
        assert queue.get() == expected
        child.join()
        assert child.exitcode == 0


def _tree_in_child(queue, X, algorithm):
    queue.put(euclidean_mst(X, algorithm=algorithm, n_jobs=2).weights.sum())


def workers():
    """A child of a worker takes part in no work of its parent, even if that has been stopped."""

    def function(i):
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                run_chunks(lambda lo, hi: None, 10, 1, 2)
                code = 0
            finally:
                os._exit(code)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    with ThreadedMap(function, [(i,) for i in range(4)], 2) as results:
        assert list(results) == [0] * 4


CASES = {"blocks": blocks, "progress": progress, "trees": trees, "workers": workers}


if __name__ == "__main__":
    faulthandler.dump_traceback_later(_LIMIT, exit=True)
    warnings.filterwarnings("ignore", ".*fork.*", DeprecationWarning)
    for name in sys.argv[1:]:
        print(name, flush=True)  # the last one is to blame for a crash
        CASES[name]()

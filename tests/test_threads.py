"""Long calls can be interrupted, forked children work, and threads change nothing."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pytest
from threadpoolctl import ThreadpoolController

from smartsvm import euclidean_mst, pairwise_bayes_error
from smartsvm._mst.choice import ALGORITHMS
from smartsvm._threads import single_blas_thread

LONG_CALL = """
import sys, numpy as np, smartsvm
X = np.random.default_rng(0).normal(size=({n}, {d}))
print("ready", flush=True)
try:
    smartsvm.euclidean_mst(X, n_trees=20, algorithm={algorithm!r}, n_jobs={jobs})
except KeyboardInterrupt:
    print("interrupted", flush=True)
    # Nothing is left behind that would disturb the next call.
    assert smartsvm.euclidean_mst(X[:50]).edges.shape == (1, 49, 2)
    sys.exit(7)
print("finished", flush=True)
"""


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_ctrl_c_is_answered(algorithm, jobs):
    n, d = (200_000, 8) if algorithm in ("auto", "boruvka") else (60_000, 64)
    code = LONG_CALL.format(n=n, d=d, algorithm=algorithm, jobs=jobs)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "ready\n"
        time.sleep(1.0)
        sent = time.monotonic()
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=60)
        waited = time.monotonic() - sent
    assert (child.returncode, out) == (7, "interrupted\n")
    assert waited < 10  # it takes a fraction of a second; the rest is for a busy machine


def _tree_in_child(queue, X, algorithm):
    queue.put(euclidean_mst(X, algorithm=algorithm, n_jobs=2).weights.sum())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_forked_child_does_not_hang(algorithm):
    X = np.random.default_rng(0).normal(size=(3000, 6))
    expected = euclidean_mst(X, algorithm=algorithm, n_jobs=2).weights.sum()
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_tree_in_child, args=(queue, X, algorithm))
    child.start()
    try:
        assert queue.get(timeout=60) == expected
    finally:
        child.join(10)
        child.kill()


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_any_joblib_backend(backend):
    X, y = np.random.default_rng(0).normal(size=(120, 3)), np.arange(120) % 4
    expected = pairwise_bayes_error(X, y).cross_counts
    with joblib.parallel_config(backend=backend, n_jobs=2):
        assert np.array_equal(pairwise_bayes_error(X, y).cross_counts, expected)
        results = joblib.Parallel()(
            joblib.delayed(pairwise_bayes_error)(X, y, n_jobs=2) for _ in range(2)
        )
    assert all(np.array_equal(result.cross_counts, expected) for result in results)


def test_one_blas_thread_whoever_asks():
    """Also in a thread that is not the first one to limit BLAS, and all is restored."""
    libraries = ThreadpoolController().select(user_api="blas").lib_controllers
    before = [library.num_threads for library in libraries]

    def inside():
        with single_blas_thread():
            return [library.num_threads for library in libraries]

    for _ in range(2):
        assert set(inside()) == {1}
        with ThreadPoolExecutor(2) as pool:
            assert all(set(pool.submit(inside).result()) == {1} for _ in range(4))
    assert [library.num_threads for library in libraries] == before

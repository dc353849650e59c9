"""Threads end with the call that uses them, whatever fails; forked children work."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import joblib
import numpy as np
import pytest
from threadpoolctl import ThreadpoolController

import smartsvm._core.threads as module
from smartsvm import euclidean_mst, pairwise_bayes_error
from smartsvm._core.blas_threads import single_blas_thread
from smartsvm._core.thread_pool import ThreadPool
from smartsvm._core.threads import ThreadedMap, run_chunks
from smartsvm._mst.choice import ALGORITHMS

posix_only = pytest.mark.skipif(os.name != "posix", reason="no timer signals or fork")


class Running:
    """Counts calls that have begun and not ended."""

    def __init__(self):
        self.now = self.begun = 0
        self._lock = threading.Lock()

    def __enter__(self):
        with self._lock:
            self.now += 1
            self.begun += 1

    def __exit__(self, *exception):
        with self._lock:
            self.now -= 1


def mapped(function, n_items, n_threads):
    with ThreadedMap(function, ((i,) for i in range(n_items)), n_threads) as results:
        return list(results)


@pytest.fixture(params=[False, True], ids=["", "pool"])
def helped(request):
    """Work in the calling thread has threads of its own, or those of a thread pool."""
    with ThreadPool(4) if request.param else nullcontext():
        yield


@pytest.mark.usefixtures("helped")
@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_every_chunk_is_done_once(n_threads):
    for size, chunk in [(0, 3), (1, 3), (7, 7), (7, 2), (1000, 3), (5, 100)]:
        done = np.zeros(size, dtype=int)

        def task(lo, hi, done=done):
            done[lo:hi] += 1

        run_chunks(task, size, chunk, n_threads)
        assert (done == 1).all()


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_results_come_in_order_and_not_far_ahead(n_threads):
    read = []

    def items():
        for i in range(300):
            read.append(i)
            yield (i,)

    with ThreadedMap(lambda i: i * i, items(), n_threads) as results:
        for taken, result in enumerate(results):
            assert result == taken**2
            assert len(read) <= taken + 1 + 4 * n_threads
    assert len(read) == 300


@pytest.mark.usefixtures("helped")
@pytest.mark.parametrize("error", [ValueError, MemoryError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("n_threads", [1, 2, 4])
def test_an_error_of_a_task_is_raised_when_all_have_ended(error, n_threads):
    running = Running()
    stopped = threading.Event()

    def task(lo, hi):
        with running:
            if lo == 10:
                raise error("from a worker")
            if lo > 10:
                stopped.wait()

    with pytest.raises(error, match="from a worker"):
        run_chunks(task, 1000, 1, n_threads, stopped.set)
    assert running.now == 0
    assert running.begun <= 10 + n_threads
    stopped.set()
    with pytest.raises(error, match="from a worker"):
        mapped(lambda i: task(i, i), 1000, n_threads)
    assert running.now == 0
    assert running.begun < 200


@pytest.mark.parametrize("n_threads", [1, 3])
def test_the_first_error_in_order_is_raised(n_threads):
    """As without threads: the later one is there first."""
    later = threading.Event()

    def function(i):
        if i == 5:
            if n_threads > 1:
                later.wait()
            raise ValueError("5")
        if i == 6:
            later.set()
            raise ValueError("6")
        return i

    results = ThreadedMap(function, ((i,) for i in range(40)), n_threads)
    found = []
    with pytest.raises(ValueError, match="5"), results:
        found += iter(results.__next__, None)
    assert found == list(range(5))


@pytest.mark.parametrize("n_threads", [1, 3])
def test_an_error_of_the_items(n_threads):
    def items():
        yield (0,)
        yield (1,)
        raise ValueError("unreadable")

    found = []
    with (
        pytest.raises(ValueError, match="unreadable"),
        ThreadedMap(found.append, items(), n_threads) as results,
    ):
        list(results)
    assert found == [0, 1]


@pytest.mark.parametrize("n_threads", [1, 3])
def test_a_caller_that_has_seen_enough(n_threads):
    """What it did not ask for, errors too, is not its concern."""
    running = Running()

    def function(i):
        with running:
            if i > 8:
                raise ValueError
            # Work inside of work, which is told to end.
            run_chunks(lambda lo, hi: time.sleep(0.001), 20, 1, 2)
            return i

    with ThreadedMap(function, ((i,) for i in range(100)), n_threads) as results:
        assert next(results) == 0
        assert next(results) == 1
    assert running.now == 0
    with pytest.raises(StopIteration):
        next(iter(results) if n_threads > 1 else iter(()))


class Alarms:
    """Calls during which SIGALRM comes some times and raises KeyboardInterrupt.

    It comes when the call says so by `ring`: after a fixed time a slow machine might not have
    begun.
    """

    def __init__(self):
        self.answered = threading.Event()  # the last of them

    def during(self, call, times):
        self._left = times
        signal.signal(signal.SIGALRM, self._answer)
        call()

    def ring(self):
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)

    def _answer(self, number, frame):
        self._left -= 1
        if self._left <= 0:  # below 0 if the next one came during these two lines
            signal.setitimer(signal.ITIMER_REAL, 0)
            self.answered.set()
        raise KeyboardInterrupt


@pytest.fixture
def alarms():
    yield Alarms()
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)


@pytest.mark.usefixtures("helped")
@posix_only
@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("nested", [False, True])
def test_an_interrupt_is_raised_when_all_have_ended(nested, times, alarms):
    """Also if there are more of them, and if the work is inside of other work."""
    running = Running()
    cancelled = threading.Event()
    left = []
    all_begun = threading.Barrier(4 if nested else 2, alarms.ring)

    def task(lo, hi):
        with running:
            all_begun.wait()
            cancelled.wait()  # for ever, if cancel() does not reach it
            alarms.answered.wait()
            time.sleep(0.05)

    def work(_):
        try:
            run_chunks(task, 1000, 1, 2, cancelled.set)
        finally:
            left.append(running.now)

    with pytest.raises(KeyboardInterrupt):
        alarms.during(lambda: mapped(work, 2, 2) if nested else work(0), times)
    assert len(left) == 1 + nested
    assert left[-1] == 0


@pytest.mark.usefixtures("helped")
@posix_only
def test_an_interrupt_goes_before_an_error_of_a_worker(alarms):
    """Else a loop that goes on after errors would go on after Ctrl-C."""
    both = threading.Barrier(2, alarms.ring)

    def task(lo, hi):
        both.wait()
        if lo == 0:
            raise ValueError
        alarms.answered.wait()

    with pytest.raises(KeyboardInterrupt):
        alarms.during(lambda: run_chunks(task, 2, 1, 2), 1)


@pytest.mark.usefixtures("helped")
@pytest.mark.parametrize("error", [RuntimeError, MemoryError])
@pytest.mark.parametrize("n_started", [0, 1])
def test_threads_that_cannot_be_started(monkeypatch, error, n_started):
    real = module.start_new_thread
    calls = []

    def start(*arguments):
        calls.append(arguments)
        if len(calls) > n_started:
            raise error("can't start new thread")
        return real(*arguments)

    monkeypatch.setattr(module, "start_new_thread", start)
    done = np.zeros(50, dtype=int)
    for cancel in (None, lambda: None):
        run_chunks(lambda lo, hi: done.__setitem__(lo, done[lo] + 1), 50, 1, 4, cancel)
    assert (done == 2).all()
    assert mapped(lambda i: -i, 50, 4) == [-i for i in range(50)]
    assert calls


def test_threads_that_never_run(monkeypatch):
    """The caller does the work; a thread that runs after all finds nothing to do."""
    late = []
    monkeypatch.setattr(module, "start_new_thread", lambda work, _: late.append(work))
    done = []
    run_chunks(lambda lo, hi: done.append(lo), 5, 1, 2)
    assert done == list(range(5))
    assert mapped(lambda i: done.append(i), 20, 2) == [None] * 20
    n_done = len(done)
    for work in late:
        work()
    assert len(done) == n_done == 25


@pytest.mark.parametrize("n_started", [0, 1, 2])
@pytest.mark.parametrize("algorithm", ["kdtree", "products"])
def test_a_team_of_which_some_threads_never_run(monkeypatch, algorithm, n_started):
    """A kernel of many phases needs none of them; a late one finds its team shut down."""
    X = np.random.default_rng(0).normal(size=(20_000, 3))
    expected = euclidean_mst(X, algorithm=algorithm, n_trees=2, n_jobs=1)
    real = module.start_new_thread
    late = []

    def start(work, arguments):
        if len(late) % 3 < n_started:
            real(work, arguments)
        late.append(work)

    monkeypatch.setattr(module, "start_new_thread", start)
    found = euclidean_mst(X, algorithm=algorithm, n_trees=2, n_jobs=4)
    assert late
    for work in late:
        work()
    np.testing.assert_array_equal(found.edges, expected.edges)


def test_a_pool_helps_one_work_after_another(monkeypatch):
    """Its threads start once; nested work has threads of its own."""
    real = module.start_new_thread
    started = []
    running = Running()
    done = np.zeros((30, 6), dtype=int)

    def start(work, arguments):
        started.append(threading.current_thread())
        real(work, arguments)

    def inner(row):
        def task(lo, hi):
            with running:
                assert row or running.now <= 2
                done[row, lo:hi] += 1

        return task

    monkeypatch.setattr(module, "start_new_thread", start)
    with ThreadPool(3):
        for _ in range(20):
            run_chunks(inner(0), 6, 1, 2)
        assert len(started) == 3
        run_chunks(lambda lo, hi: run_chunks(inner(lo), 6, 1, 2), 30, 1, 3)
    assert running.now == 0
    assert (done[0] == 21).all()
    assert (done[1:] == 1).all()


def test_an_error_while_threads_are_started(monkeypatch):
    """An audit hook may raise anything: what was started ends before that is raised."""
    real = module.start_new_thread
    running = Running()
    calls = []

    def start(*arguments):
        calls.append(arguments)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(*arguments)

    def task(lo, hi):
        with running:
            time.sleep(0.01)

    monkeypatch.setattr(module, "start_new_thread", start)
    with pytest.raises(KeyboardInterrupt):
        run_chunks(task, 100, 1, 4)
    assert running.now == 0
    assert len(calls) == 2


@pytest.mark.usefixtures("helped")
def test_nothing_is_kept_after_the_end():
    class Data:
        pass

    data = Data()
    before = sys.getrefcount(data)
    run_chunks(lambda lo, hi, data=data: None, 100, 1, 4)
    assert sys.getrefcount(data) == before
    assert len(mapped(lambda i, data=data: data, 100, 4)) == 100
    assert sys.getrefcount(data) == before


LONG_CALLS = """
import signal, sys, numpy as np, smartsvm
signal.signal(signal.SIGALRM, signal.default_int_handler)
rng = np.random.default_rng(0)
low, high = rng.normal(size=(200_000, 8)), rng.normal(size=(60_000, 64))
for n_jobs in (1, 2):
    for algorithm in {algorithms!r}:
        X = low if algorithm in ("auto", "kdtree") else high
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.25)
            smartsvm.euclidean_mst(X, n_trees=20, algorithm=algorithm, n_jobs=n_jobs)
        except KeyboardInterrupt:
            print(algorithm, flush=True)
"""


@posix_only
def test_long_calls_are_interrupted():
    """Each takes minutes: it was not over when it was interrupted."""
    code = LONG_CALLS.format(algorithms=ALGORITHMS)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stdout.split()) == (0, 2 * list(ALGORITHMS)), done.stderr


MEMORY_LIMITS = """
import faulthandler, os, resource, sys, warnings
os.environ["OPENBLAS_NUM_THREADS"] = "1"  # it interrupts a fork where it cannot start its threads
import numpy as np
from pathlib import Path
from smartsvm import euclidean_mst
warnings.simplefilter("ignore", DeprecationWarning)  # fork in a process with threads
rng = np.random.default_rng(0)
inputs = {"kdtree": rng.normal(size=(20_000, 3)), "products": rng.normal(size=(3000, 40))}
expected = {name: euclidean_mst(X, algorithm=name, n_trees=2) for name, X in inputs.items()}
outcomes = []
for step in range(40):
    name = list(inputs)[step % 2]
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        # A hang ends with all tracebacks and exit code 1.
        faulthandler.dump_traceback_later(120, exit=True)
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        limit = used + step * (6 << 20)
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        code = 3
        try:
            found = euclidean_mst(inputs[name], algorithm=name, n_trees=2, n_jobs=2)
            code = 0 if np.array_equal(found.edges, expected[name].edges) else 4
        except MemoryError:
            pass
        os._exit(code)
    outcomes.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
print(*outcomes)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts address space")
def test_at_a_memory_limit_there_is_an_answer_or_memory_error():
    done = subprocess.run([sys.executable, "-c", MEMORY_LIMITS], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    outcomes = [int(code) for code in done.stdout.split()]
    assert set(outcomes) == {0, 3}, (outcomes, done.stderr)
    assert len(outcomes) == 40


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_any_joblib_backend(backend):
    X = np.random.default_rng(0).normal(size=(120, 3))
    y = np.arange(120) % 4
    expected = pairwise_bayes_error(X, y).cross_counts
    with joblib.parallel_config(backend=backend, n_jobs=2):
        assert np.array_equal(pairwise_bayes_error(X, y).cross_counts, expected)
        results = joblib.Parallel()(
            joblib.delayed(pairwise_bayes_error)(X, y, n_jobs=2) for _ in range(2)
        )
    assert all(np.array_equal(result.cross_counts, expected) for result in results)


@pytest.mark.usefixtures("two_blas_threads")
def test_one_blas_thread_whoever_asks():
    """Also in a thread that is not the first one to limit BLAS, and all is restored."""
    libraries = ThreadpoolController().select(user_api="blas").lib_controllers

    def inside():
        with single_blas_thread():
            return [library.num_threads for library in libraries]

    for _ in range(2):
        assert set(inside()) == {1}
        with ThreadPoolExecutor(2) as pool:
            assert all(set(pool.submit(inside).result()) == {1} for _ in range(4))
    assert {library.num_threads for library in libraries} == {2}

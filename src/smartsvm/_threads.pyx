"""Threads that share the work of one call, and have ended when it returns or raises.

Why compiled: Python runs signal handlers between any two bytecodes of the main thread, so
in Python code Ctrl-C can strike after a thread has started and before anybody has noted it.
Here no bytecode runs in the calling thread from the start of the first worker to the end of
the last, except in callbacks whose exceptions are caught: KeyboardInterrupt appears only
where `check_interrupt` asks for it, and is raised when all workers have ended.

Two rules make this safe:

- A worker holds the `_Work` it takes part in, and with it everything the work refers to. One
  that starts late finds nothing left to do, and touches nothing else.
- Only workers that have begun are waited for. A thread that the system never starts (out of
  memory) delays nothing: if none begins, the caller does the work.

The caller only waits, and looks for signals several times a second rather than relying on a
signal to end a wait, so that all systems behave alike. Work inside of work is stopped from
outside: `check_interrupt`, which every kernel calls now and then, raises `Cancelled` in a
worker whose work, or the work around it, has been stopped.
"""
from cpython.exc cimport PyErr_CheckSignals
from cpython.pythread cimport (
    NOWAIT_LOCK, PyThread_acquire_lock, PyThread_allocate_lock, PyThread_free_lock,
    PyThread_release_lock, PyThread_type_lock, WAIT_LOCK,
)

import os
from _thread import start_new_thread
from threading import local

from threadpoolctl import ThreadpoolController

cdef extern from "pythread.h" nogil:
    int PyThread_acquire_lock_timed(
        PyThread_type_lock lock, long long microseconds, int by_signals
    )

cdef enum:
    LOOK = 50_000       # microseconds between two looks for Ctrl-C
    PATIENCE = 20       # looks after which the caller does the work if no thread has begun
    AHEAD = 4           # results of a `ThreadedMap`, per thread, that may wait for the caller

# The work a thread takes part in, as `_current.work`.
_current = local()


class Cancelled(Exception):
    """Raised in a worker whose work was stopped; the caller raises the reason instead."""


cdef int check_interrupt() except -1:
    """Raise if the call in progress is to end: by a signal, or because its work was stopped."""
    cdef _Work work
    PyErr_CheckSignals()  # does nothing outside of the main thread
    work = getattr(_current, "work", None)
    while work is not None:
        if work.stopped:
            raise Cancelled
        work = work.outer
    return 0


cdef class _Work:
    """What some threads do together; each of them holds it."""

    cdef PyThread_type_lock guard   # of what follows; whoever holds it runs no Python code
    cdef PyThread_type_lock news    # released when the caller has a reason to look
    cdef _Work outer                # the work of the thread that started this one
    cdef bint stopped
    cdef Py_ssize_t n_threads, begun, active
    cdef object cancel, error

    def __cinit__(self):
        self.guard = PyThread_allocate_lock()
        self.news = PyThread_allocate_lock()
        if self.guard == NULL or self.news == NULL:
            raise MemoryError
        PyThread_acquire_lock(self.news, WAIT_LOCK)

    def __dealloc__(self):
        if self.guard != NULL:
            PyThread_free_lock(self.guard)
        if self.news != NULL:
            self.tell()
            PyThread_free_lock(self.news)

    # What kinds of work have to say.

    cdef bint is_exhausted(self) noexcept:
        """Whether no worker can find anything to begin."""
        return True

    cdef int take_part(self) except -1:
        """Do a share of the work, until there is no more to begin or it is stopped."""
        return 0

    # For workers.

    def work(self):
        """The life of a worker."""
        if not self.begin():
            return
        try:
            _current.work = self
            self.take_part()
        except BaseException as error:
            self.stop(error)
        _forget_work(self.outer)
        self.end()

    cdef bint begin(self) noexcept:
        cdef bint wanted
        PyThread_acquire_lock(self.guard, WAIT_LOCK)
        wanted = not self.stopped and not self.is_exhausted()
        self.begun += 1
        self.active += wanted
        PyThread_release_lock(self.guard)
        return wanted

    cdef void end(self) noexcept:
        PyThread_acquire_lock(self.guard, WAIT_LOCK)
        self.active -= 1
        self.tell()
        PyThread_release_lock(self.guard)

    cdef void tell(self) noexcept:
        """Wake the caller; the guard is held, so that nobody else does in between."""
        PyThread_acquire_lock(self.news, NOWAIT_LOCK)
        PyThread_release_lock(self.news)

    cdef stop(self, error):
        """Let the workers end soon; the first error given is what the caller raises."""
        PyThread_acquire_lock(self.guard, WAIT_LOCK)
        if self.error is None:
            self.error = error
        self.stopped = True
        PyThread_release_lock(self.guard)
        if self.cancel is not None:
            try:
                self.cancel()
            except BaseException:
                pass  # a second Ctrl-C while the first is being answered

    # For the caller.

    cdef bint is_over(self) noexcept:
        cdef bint over
        PyThread_acquire_lock(self.guard, WAIT_LOCK)
        over = self.active == 0 and (self.stopped or self.is_exhausted())
        PyThread_release_lock(self.guard)
        return over

    cdef Py_ssize_t start(self, Py_ssize_t n_workers) except -1:
        """Start so many workers, or as many as the system allows; how many those are."""
        cdef Py_ssize_t i
        for i in range(n_workers):
            try:
                start_new_thread(self.work, ())
            except (RuntimeError, MemoryError):
                return i
        return n_workers

    cdef look(self, Py_ssize_t n_looks):
        """Wait for news, not for long, and answer Ctrl-C."""
        with nogil:
            PyThread_acquire_lock_timed(self.news, LOOK, 1)
        try:
            check_interrupt()
        except BaseException as error:
            self.stop(error)
        if n_looks >= PATIENCE and self.active == 0:
            self.work()

    cdef wait(self):
        """Return when no worker is left; raise what stopped them."""
        cdef Py_ssize_t n_looks = 0
        while not self.is_over():
            self.look(n_looks)
            n_looks += 1
        error, self.error = self.error, None
        if error is not None:
            raise error


cdef _forget_work(_Work outer):
    try:
        _current.work = outer
    except BaseException:
        pass  # no memory: the thread ends, and its locals with it


cdef class _Chunks(_Work):
    """Calls of `task` on the chunks of a range."""

    cdef object task
    cdef Py_ssize_t next, size, chunk

    cdef bint is_exhausted(self) noexcept:
        return self.next >= self.size

    cdef int take_part(self) except -1:
        cdef Py_ssize_t lo
        while True:
            PyThread_acquire_lock(self.guard, WAIT_LOCK)
            lo = self.size if self.stopped else self.next
            self.next = max(self.next, min(lo + self.chunk, self.size))
            PyThread_release_lock(self.guard)
            if lo >= self.size:
                return 0
            self.task(lo, min(lo + self.chunk, self.size))
            check_interrupt()


def run_chunks(
    task, Py_ssize_t size, Py_ssize_t chunk, Py_ssize_t n_threads, cancel=None, bint apart=False,
):
    """Call `task(lo, hi)` on all chunks of range(size); return when all are done.

    Parameters
    ----------
    task : callable
        Called with the limits of a chunk; releases the GIL for what takes long.
    size : int
        Length of the range.
    chunk : int
        Length of a chunk.
    n_threads : int
        Threads, at most; 1 is the calling one.
    cancel : callable or None
        Called when the work is interrupted, to make running tasks return soon.
    apart : bool
        Use another thread even if it is only one, so that the calling one can answer Ctrl-C
        while a chunk takes long.
    """
    cdef Py_ssize_t lo
    cdef _Chunks work
    n_threads = min(n_threads, (size + chunk - 1) // chunk)
    if n_threads <= 1 and not apart:
        for lo in range(0, size, chunk):
            task(lo, min(lo + chunk, size))
            check_interrupt()
        return
    work = _Chunks()
    work.outer = getattr(_current, "work", None)
    work.task, work.cancel = task, cancel
    work.size, work.chunk = size, chunk
    work.start(max(1, n_threads))
    work.wait()


cdef class ThreadedMap(_Work):
    """The results of `function(*item)`, in the order of the items, from some threads.

    A context manager, whose end is the end of the threads:
    ``with ThreadedMap(function, items, n_threads) as results: for result in results: ...``

    Parameters
    ----------
    function : callable
        What to call.
    items : iterable of tuple
        Read by the threads, one item at a time and not far ahead of the results taken.
    n_threads : int
        Threads; 1 is the calling one.
    """

    cdef object function, items, results
    cdef PyThread_type_lock reading
    cdef Py_ssize_t n_read, n_taken, hired
    cdef bint at_end

    def __cinit__(self):
        self.reading = PyThread_allocate_lock()
        if self.reading == NULL:
            raise MemoryError

    def __dealloc__(self):
        if self.reading != NULL:
            PyThread_free_lock(self.reading)

    def __init__(self, function, items, Py_ssize_t n_threads):
        self.function, self.items, self.results = function, iter(items), {}
        self.n_threads = n_threads
        self.outer = getattr(_current, "work", None)

    cdef bint is_exhausted(self) noexcept:
        return self.at_end or self.n_read - self.n_taken >= AHEAD * self.n_threads

    cdef int take_part(self) except -1:
        cdef Py_ssize_t number
        while True:
            with nogil:
                PyThread_acquire_lock(self.reading, WAIT_LOCK)
            try:
                if self.stopped or self.is_exhausted():
                    return 0
                try:
                    item = next(self.items)
                except StopIteration:
                    self.at_end = True
                    return 0
                number = self.n_read
                self.n_read += 1
            finally:
                PyThread_release_lock(self.reading)
            self.results[number] = self.function(*item)
            PyThread_acquire_lock(self.guard, WAIT_LOCK)
            self.tell()
            PyThread_release_lock(self.guard)

    cdef hire(self):
        """As many workers as can find something to do."""
        cdef Py_ssize_t missing
        PyThread_acquire_lock(self.guard, WAIT_LOCK)
        missing = 0 if self.stopped or self.is_exhausted() else self.n_threads - self.active
        missing = min(missing, self.n_threads - (self.hired - self.begun) - self.active)
        PyThread_release_lock(self.guard)
        if missing > 0:
            self.hired += self.start(missing)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        cdef Py_ssize_t n_looks = 0
        self.stop(None)
        while not self.is_over():
            self.look(n_looks)
            n_looks += 1
        stopped_by, self.error = self.error, None
        self.results = self.items = self.function = None
        if kind is None and stopped_by is not None:
            raise stopped_by

    def __iter__(self):
        return self

    def __next__(self):
        cdef Py_ssize_t n_looks = 0
        if self.n_threads == 1:
            check_interrupt()
            return self.function(*next(self.items))
        while self.n_taken not in self.results:
            if self.stopped:
                self.wait()
                raise StopIteration
            if self.at_end and self.is_over() and self.n_taken not in self.results:
                raise StopIteration
            self.hire()
            self.look(n_looks)
            n_looks += 1
        result = self.results.pop(self.n_taken)
        self.n_taken += 1
        self.hire()
        return result


# One BLAS thread while our own threads call it. The number of threads is a property of the
# process, and calls may overlap: the first one in sets it, the last one out restores it.

cdef class _BlasUsers:
    cdef PyThread_type_lock lock
    cdef Py_ssize_t count
    cdef object libraries, before

    def __cinit__(self):
        self.reset()

    def reset(self):
        """Also in a forked child: it must not wait for a thread of its parent."""
        self.lock = PyThread_allocate_lock()
        if self.lock == NULL:
            raise MemoryError
        self.count = 0
        self.before = []

    cdef enter(self):
        with nogil:
            PyThread_acquire_lock(self.lock, WAIT_LOCK)
        try:
            if self.count == 0:
                if self.libraries is None:
                    # Looking for libraries takes milliseconds; the one we call is loaded with us.
                    self.libraries = ThreadpoolController().select(user_api="blas").lib_controllers
                self.before = [(library, library.num_threads) for library in self.libraries]
                try:
                    _set_threads([(library, 1) for library, before in self.before if before != 1])
                except BaseException:
                    _set_threads(self.before)
                    raise
            self.count += 1
        finally:
            PyThread_release_lock(self.lock)

    cdef leave(self):
        with nogil:
            PyThread_acquire_lock(self.lock, WAIT_LOCK)
        try:
            self.count -= 1
            if self.count == 0:
                restored = [pair for pair in self.before if pair[1] != 1]
                try:
                    _set_threads(restored)
                except BaseException:
                    _set_threads(restored)  # interrupted half-way
                    raise
        finally:
            PyThread_release_lock(self.lock)


cdef _BlasUsers _users = _BlasUsers()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_users.reset)


def _set_threads(numbers):
    # Not by `limit` of the controller, which describes all libraries at each call.
    for library, n_threads in numbers:
        # In newer threadpoolctl one thread owns the number, and calls by others do nothing:
        # products in our threads then used all BLAS threads, a hundred times slower.
        release = getattr(library, "clear_controlling_thread", None)
        if release is not None:
            release(force=True)
        library.set_num_threads(n_threads)
        if release is not None:
            release(force=True)


cdef class SingleBlasThread:
    """See `single_blas_thread`."""

    def __enter__(self):
        _users.enter()
        return self

    def __exit__(self, *exception):
        _users.leave()


def single_blas_thread():
    """A context in which BLAS uses one thread, in the whole process."""
    return SingleBlasThread()

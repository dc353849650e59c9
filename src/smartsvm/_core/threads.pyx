"""Threads that share the work of one call, and have ended when it returns or raises.

Why compiled: Python runs signal handlers between any two bytecodes of the main thread, so
in Python code Ctrl-C can strike after a thread has started and before it has been noted.
Here no bytecode runs in the calling thread from the start of the first worker to the end of
the last, except in callbacks whose exceptions are caught: KeyboardInterrupt appears only
where `check_interrupt` asks for it, and is raised when all workers have ended.

Two rules make this safe:

- A worker holds the `_Work` it takes part in, and with it everything the work refers to. One
  that starts late finds nothing left to do, and touches nothing else.
- Only workers that have begun are waited for. A thread that the system never starts (out of
  memory) delays nothing: if none begins, the caller does the work. At a limit of memory there
  are fewer of them.

The caller takes part, so that short work does not wait for threads to start, unless it is to
cancel tasks that take long. Waiting for the others, it looks for signals several times a second
rather than relying on a signal to end a wait, so that all systems behave alike. Work inside of
work is stopped from outside: `check_interrupt`, which every kernel calls now and then, raises
`Cancelled` in a worker whose work, or the work around it, has been stopped.

Starting sixteen threads takes about a millisecond; a kernel of many short phases has a team of
them, or a crew that takes part in whatever `run_chunks` does (thread_pool.pyx).
"""
from cpython.exc cimport PyErr_CheckSignals
from cpython.pythread cimport (
    NOWAIT_LOCK, PyThread_acquire_lock, PyThread_allocate_lock, PyThread_free_lock,
    PyThread_release_lock, PyThread_type_lock, WAIT_LOCK,
)

import os
import threading
from _thread import get_ident, start_new_thread
from threading import local

from smartsvm._core.blas_threads cimport has_room_for

cdef extern from "pythread.h" nogil:
    int PyThread_acquire_lock_timed(
        PyThread_type_lock lock, long long microseconds, int by_signals
    )

cdef enum:
    LOOK = 50_000       # microseconds between two looks for Ctrl-C
    PATIENCE = 20       # looks after which the caller does the work if no thread has begun
    AHEAD = 4           # results of a `ThreadedMap`, per thread, that may wait for the caller

# The work a thread takes part in, as `work`, and the crew that helps its own, as `crew`.
_current = local()


class Cancelled(BaseException):
    """Raised in a worker whose work was stopped; the caller raises the reason instead.

    Not an `Exception`, so that code that carries on after errors, ours or a user's, does not.
    """


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


def _forget_thread():
    """Remove the entry that `threading.current_thread` makes for a thread of ours, and keeps."""
    if isinstance(threading._active.get(get_ident()), threading._DummyThread):
        with threading._active_limbo_lock:
            threading._active.pop(get_ident(), None)


cdef void open_gate(PyThread_type_lock gate) noexcept nogil:
    """Let one thread pass, now or later; opening twice is opening once."""
    PyThread_acquire_lock(gate, NOWAIT_LOCK)
    PyThread_release_lock(gate)


cdef class _Work:
    """What some threads do together; each of them holds it.

    What the caller relies on to wait for its workers must not raise, whatever fails: those
    methods are `noexcept` and catch all errors themselves.
    """

    def __cinit__(self):
        self.guard = PyThread_allocate_lock()
        self.news = PyThread_allocate_lock()
        self.outer = getattr(_current, "work", None)
        if self.guard == NULL or self.news == NULL:
            raise MemoryError
        PyThread_acquire_lock(self.news, WAIT_LOCK)

    def __dealloc__(self):
        if self.guard != NULL:
            PyThread_free_lock(self.guard)
        if self.news != NULL:
            self.tell()
            PyThread_free_lock(self.news)

    cdef bint is_exhausted(self) noexcept:
        """Whether no worker can find anything to begin."""
        return True

    cdef int take_part(self) except -1:
        """Do a share of the work, until there is no more to begin or it is stopped."""
        return 0

    def work(self):
        """The life of a thread."""
        self.live(True)

    cdef void live(self, bint in_new_thread) noexcept:
        """Take part, in a new thread or in the calling one, and note that it has ended."""
        if not self.begin(in_new_thread):
            return
        try:
            _current.work = self
            self.take_part()
        except Exception as error:
            self.stop(error)
        except BaseException as error:
            # In the calling thread a signal, unless it is the consequence of having stopped.
            if in_new_thread or self.stopped and isinstance(error, Cancelled):
                self.stop(error)
            else:
                self.note_interrupt(error)
        try:
            _current.work = self.outer
            if in_new_thread:
                _forget_thread()
        except BaseException:
            pass  # there was no memory for the first one either
        self.end()

    cdef bint begin(self, bint in_new_thread) noexcept:
        cdef bint wanted
        PyThread_acquire_lock(self.guard, WAIT_LOCK)
        wanted = not self.stopped and not self.is_exhausted()
        self.begun += in_new_thread
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
        open_gate(self.news)

    cdef void stop(self, error) noexcept:
        """Let the workers end soon, because of an error of one of them if it is not None."""
        PyThread_acquire_lock(self.guard, WAIT_LOCK)
        if not self.stopped:  # else it may be the consequence
            self.failure = error
        self.stopped = True
        PyThread_release_lock(self.guard)
        if self.cancel is not None:
            try:
                self.cancel()
            except BaseException:
                pass  # the workers end a little later

    cdef bint is_over(self) noexcept:
        cdef bint over
        PyThread_acquire_lock(self.guard, WAIT_LOCK)
        over = self.active == 0 and (self.stopped or self.is_exhausted())
        PyThread_release_lock(self.guard)
        return over

    cdef Py_ssize_t start(self, Py_ssize_t n_workers) noexcept:
        """Start this many workers, or as many as the system allows; returns how many."""
        cdef Py_ssize_t i
        while n_workers > 0 and not has_room_for(n_workers):
            n_workers -= 1
        for i in range(n_workers):
            try:
                start_new_thread(self.work, ())
            except (RuntimeError, MemoryError):
                return i
            except BaseException as error:  # of an audit hook: Python code, so perhaps Ctrl-C
                self.note_interrupt(error)
                return i
        return n_workers

    cdef void note_interrupt(self, error) noexcept:
        if self.interrupt is None:
            self.interrupt = error
        self.stop(None)

    cdef void look(self, Py_ssize_t n_looks) noexcept:
        """Wait for news, not for long, and answer Ctrl-C."""
        with nogil:
            PyThread_acquire_lock_timed(self.news, LOOK, 1)
        try:
            check_interrupt()
        except BaseException as error:
            self.note_interrupt(error)
        if n_looks >= PATIENCE and self.active == 0:
            self.live(False)

    cdef void wait(self) noexcept:
        """Return when no worker is left."""
        cdef Py_ssize_t n_looks = 0
        while not self.is_over():
            self.look(n_looks)
            n_looks += 1

    cdef finish(self):
        """Return when no worker is left; raise what stopped them."""
        self.wait()
        error = self.failure if self.interrupt is None else self.interrupt
        self.failure = self.interrupt = None
        if error is not None:
            raise error


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


def run_chunks(task, Py_ssize_t size, Py_ssize_t chunk, Py_ssize_t n_threads, cancel=None):
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
        Threads, at most; the calling one is among them.
    cancel : callable or None
        Called when the work is interrupted, to make running tasks return soon; compiled, so
        that no signal can end it halfway.
    """
    cdef Py_ssize_t lo
    cdef _Chunks work
    n_threads = min(n_threads, (size + chunk - 1) // chunk)
    if n_threads <= 1:
        for lo in range(0, size, chunk):
            task(lo, min(lo + chunk, size))
            check_interrupt()
        return
    work = _Chunks()
    work.task, work.cancel = task, cancel
    work.size, work.chunk = size, chunk
    # Who is to cancel tasks that take long must not be in one of them.
    n_threads -= cancel is None
    crew = getattr(_current, "crew", None)
    try:
        n_helpers = work.start(n_threads) if crew is None else crew.help(work, n_threads)
        if n_helpers == 0 or cancel is None:
            work.live(False)
        work.finish()
    finally:
        if crew is not None:
            crew.rest()
        # Not when the last thread lets go of the work: what it refers to goes with this call.
        work.task = work.cancel = None


cdef class ThreadedMap(_Work):
    """The results of `function(*item)`, in the order of the items, from some threads.

    A context manager, whose end is the end of the threads:
    ``with ThreadedMap(function, items, n_threads) as results: for result in results: ...``
    An error is raised in the place of its result, as if there were no threads.

    Parameters
    ----------
    function : callable
        What to call.
    items : iterable of tuple
        Read by the threads, one item at a time and not far ahead of the results taken.
    n_threads : int
        Threads; 1 is the calling one.
    """

    cdef object function, items, outcomes
    cdef PyThread_type_lock reading
    cdef Py_ssize_t n_read, n_taken, started
    cdef bint at_end

    def __cinit__(self):
        self.reading = PyThread_allocate_lock()
        if self.reading == NULL:
            raise MemoryError

    def __dealloc__(self):
        if self.reading != NULL:
            PyThread_free_lock(self.reading)

    def __init__(self, function, items, Py_ssize_t n_threads):
        self.function, self.items, self.outcomes = function, iter(items), {}
        self.n_threads = n_threads

    cdef bint is_exhausted(self) noexcept:
        return self.at_end or self.n_read - self.n_taken >= AHEAD * self.n_threads

    cdef read(self):
        """The number of the next item, itself, and the error if it could not be read; or None."""
        item = failure = None
        with nogil:
            PyThread_acquire_lock(self.reading, WAIT_LOCK)
        try:
            if self.stopped or self.is_exhausted():
                return None
            try:
                item = next(self.items)
            except StopIteration:
                self.note(0, True)
                return None
            except BaseException as error:
                failure = error
            self.note(1, failure is not None)
            return self.n_read - 1, item, failure
        finally:
            PyThread_release_lock(self.reading)

    cdef void note(self, int n_read, bint at_end) noexcept:
        """Count items, begin no further ones at the end, and let the caller look."""
        PyThread_acquire_lock(self.guard, WAIT_LOCK)
        self.n_read += n_read
        self.at_end = self.at_end or at_end
        self.tell()
        PyThread_release_lock(self.guard)

    cdef int take_part(self) except -1:
        while (found := self.read()) is not None:
            number, item, failure = found
            result = None
            if failure is None:
                try:
                    result = self.function(*item)
                except BaseException as error:
                    failure = error
            self.outcomes[number] = result, failure
            self.note(0, failure is not None)
        return 0

    cdef void hire(self) noexcept:
        """As many workers as can find something to do; the caller itself if there is no other."""
        cdef Py_ssize_t missing = 0
        PyThread_acquire_lock(self.guard, WAIT_LOCK)
        if not self.stopped and not self.is_exhausted():
            missing = self.n_threads - self.active - max(0, self.started - self.begun)
        PyThread_release_lock(self.guard)
        if missing <= 0:
            return
        self.started += self.start(missing)
        if self.started <= self.begun and self.active == 0:
            self.live(False)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.stop(None)
        self.wait()
        interrupt, self.interrupt = self.interrupt, None
        self.outcomes.clear()
        self.items = self.function = None
        if interrupt is not None:
            raise interrupt

    def __iter__(self):
        return self

    def __next__(self):
        cdef Py_ssize_t n_looks = 0
        if self.n_threads == 1:
            check_interrupt()
            return self.function(*next(self.items))
        while self.n_taken not in self.outcomes:
            if self.stopped:
                self.finish()
                raise StopIteration
            if self.at_end and self.is_over() and self.n_taken not in self.outcomes:
                raise StopIteration
            self.hire()
            self.look(n_looks)
            n_looks += 1
            if n_looks == PATIENCE:
                self.started = self.begun  # of the others nothing will be heard
        result, failure = self.outcomes.pop(self.n_taken)
        self.n_taken += 1
        if failure is not None:
            raise failure
        self.hire()
        return result


def _after_fork():
    """A child takes part in no work of its parent."""
    vars(_current).clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

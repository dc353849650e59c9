"""Threads that share the work of one call and end before it returns or raises.

Why compiled: Python runs signal handlers between any two bytecodes of the main thread, so in Python
code Ctrl-C can strike after a thread has started and before it is recorded. Here the calling
thread runs no bytecode from the start of the first worker to the end of the last, except in
callbacks whose exceptions are caught. KeyboardInterrupt occurs only in `check_interrupt`, and is
raised after all workers have ended.

Two rules make this safe:

- A worker holds a reference to its `_Work`, and so to everything the work uses. A worker that
  starts late finds nothing left to do and touches nothing else.
- The caller waits only for workers that have begun. A thread that the system never starts (out of
  memory) delays nothing: if none begins, the caller does the work itself. When memory is short,
  fewer threads are started.

The caller works too, so that short work need not wait for threads to start, unless it must be free
to cancel long tasks. While it waits, it polls for signals several times a second, which works the
same way on all systems. Nested work is stopped from outside: every kernel regularly calls
`check_interrupt`, which raises `Cancelled` in a worker whose work, or the work around it, was
stopped.

Starting sixteen threads takes about a millisecond. Kernels with many short phases therefore keep a
`Team` or a `ThreadPool` (thread_pool.pyx).
"""
from cpython.exc cimport PyErr_CheckSignals
from cpython.pythread cimport (
    NOWAIT_LOCK, PyThread_acquire_lock, PyThread_allocate_lock, PyThread_free_lock,
    PyThread_release_lock, PyThread_type_lock, WAIT_LOCK,
)

import os
from _thread import start_new_thread
from threading import local

from smartsvm._core.blas_threads cimport has_room_for

cdef extern from "pythread.h" nogil:
    int PyThread_acquire_lock_timed(
        PyThread_type_lock lock, long long microseconds, int by_signals
    )

cdef enum:
    POLL_INTERVAL = 50_000  # microseconds between two checks for Ctrl-C
    MOST_POLLS = 20         # polls after which the caller does the work if no thread has begun
    AHEAD = 4               # results of a `ThreadedMap`, per thread, that may wait for the caller

# `work`: what the current thread works on; `pool`: the ThreadPool for its own calls.
_current = local()


class Cancelled(BaseException):
    """Raised in a worker whose work was stopped; code that continues after errors lets it pass."""


cdef int check_interrupt() except -1:
    """Raise if a signal has arrived or the current work was stopped."""
    cdef _Work work
    PyErr_CheckSignals()  # does nothing outside the main thread
    work = getattr(_current, "work", None)
    while work is not None:
        if work.stopped:
            raise Cancelled
        work = work.outer
    return 0


cdef void open_gate(PyThread_type_lock gate) noexcept nogil:
    """Let one thread pass, now or later; opening twice has no further effect."""
    PyThread_acquire_lock(gate, NOWAIT_LOCK)
    PyThread_release_lock(gate)


cdef class _Work:
    """Work shared by several threads; what the caller needs to wait for them must never raise."""

    def __cinit__(self):
        self.guard = PyThread_allocate_lock()
        self.changed = PyThread_allocate_lock()
        self.outer = getattr(_current, "work", None)
        if self.guard == NULL or self.changed == NULL:
            raise MemoryError
        PyThread_acquire_lock(self.changed, WAIT_LOCK)

    def __dealloc__(self):
        if self.guard != NULL:
            PyThread_free_lock(self.guard)
        if self.changed != NULL:
            self.notify()
            PyThread_free_lock(self.changed)

    cdef bint is_exhausted(self) noexcept:
        """Whether there is nothing left to begin."""
        return True

    cdef int take_part(self) except -1:
        """Work until nothing is left to begin or the work is stopped."""
        return 0

    def work(self):
        """Entry point of a new thread."""
        self.live(True)

    cdef void live(self, bint in_new_thread) noexcept:
        """Take part, in a new thread or in the calling one, and record the end."""
        if not self.begin(in_new_thread):
            return
        try:
            _current.work = self
            self.take_part()
        except Exception as error:
            self.stop(error)
        except BaseException as error:
            # In the calling thread this is a signal, unless it follows from having stopped.
            if in_new_thread or self.stopped and isinstance(error, Cancelled):
                self.stop(error)
            else:
                self.note_interrupt(error)
        try:
            _current.work = self.outer
        except BaseException:
            pass  # out of memory, as for the first assignment
        self.end()

    cdef bint begin(self, bint in_new_thread) noexcept:
        cdef bint needed
        PyThread_acquire_lock(self.guard, WAIT_LOCK)
        needed = not self.stopped and not self.is_exhausted()
        self.begun += in_new_thread
        self.active += needed
        PyThread_release_lock(self.guard)
        return needed

    cdef void end(self) noexcept:
        PyThread_acquire_lock(self.guard, WAIT_LOCK)
        self.active -= 1
        self.notify()
        PyThread_release_lock(self.guard)

    cdef void notify(self) noexcept:
        """Wake the caller; call it with the guard held."""
        open_gate(self.changed)

    cdef void stop(self, error) noexcept:
        """Make the workers end soon; `error` is that of a worker, or None."""
        PyThread_acquire_lock(self.guard, WAIT_LOCK)
        if not self.stopped:  # later errors may follow from stopping
            self.failure = error
        self.stopped = True
        PyThread_release_lock(self.guard)
        if self.cancel is not None:
            try:
                self.cancel()
            except BaseException:
                pass  # the workers then end a little later

    cdef bint is_over(self) noexcept:
        cdef bint over
        PyThread_acquire_lock(self.guard, WAIT_LOCK)
        over = self.active == 0 and (self.stopped or self.is_exhausted())
        PyThread_release_lock(self.guard)
        return over

    cdef Py_ssize_t start(self, Py_ssize_t n_workers) noexcept:
        """Start up to this many workers, as the system allows, and return how many."""
        cdef Py_ssize_t i
        while n_workers > 0 and not has_room_for(n_workers):
            n_workers -= 1
        for i in range(n_workers):
            try:
                start_new_thread(self.work, ())
            except (RuntimeError, MemoryError):
                return i
            except BaseException as error:  # from an audit hook, which is Python code
                self.note_interrupt(error)
                return i
        return n_workers

    cdef void note_interrupt(self, error) noexcept:
        if self.interrupt is None:
            self.interrupt = error
        self.stop(None)

    cdef void poll(self, Py_ssize_t n_polls) noexcept:
        """Wait briefly for a change, and check for Ctrl-C."""
        with nogil:
            PyThread_acquire_lock_timed(self.changed, POLL_INTERVAL, 1)
        try:
            check_interrupt()
        except BaseException as error:
            self.note_interrupt(error)
        if n_polls >= MOST_POLLS and self.active == 0:
            self.live(False)

    cdef void wait(self) noexcept:
        """Return when all workers have ended."""
        cdef Py_ssize_t n_polls = 0
        while not self.is_over():
            self.poll(n_polls)
            n_polls += 1

    cdef finish(self):
        """Return when all workers have ended; raise what stopped them."""
        self.wait()
        error = self.failure if self.interrupt is None else self.interrupt
        self.failure = self.interrupt = None
        if error is not None:
            raise error


cdef class _Chunks(_Work):
    """Calls `task` on the chunks of a range."""

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
    """Call `task(lo, hi)` on chunks of range(size); `cancel` (compiled) makes tasks end soon."""
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
    # The caller must not be inside a long task that it may have to cancel.
    n_threads -= cancel is None
    pool = getattr(_current, "pool", None)
    try:
        n_helpers = work.start(n_threads) if pool is None else pool.join_work(work, n_threads)
        if n_helpers == 0 or cancel is None:
            work.live(False)
        work.finish()
    finally:
        if pool is not None:
            pool.leave_work()
        # Drop the references with this call, not when the last thread ends.
        work.task = work.cancel = None


cdef class ThreadedMap(_Work):
    """A context with the results of `function(*item)` in order; errors come in their place."""

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
        """(number, item, error while reading) of the next item; None at the end."""
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
        """Count items read, record the end, and wake the caller."""
        PyThread_acquire_lock(self.guard, WAIT_LOCK)
        self.n_read += n_read
        self.at_end = self.at_end or at_end
        self.notify()
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

    cdef void start_missing(self) noexcept:
        """Start as many workers as can find work; without any, the caller works itself."""
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
        cdef Py_ssize_t n_polls = 0
        if self.n_threads == 1:
            check_interrupt()
            return self.function(*next(self.items))
        while self.n_taken not in self.outcomes:
            if self.stopped:
                self.finish()
                raise StopIteration
            if self.at_end and self.is_over() and self.n_taken not in self.outcomes:
                raise StopIteration
            self.start_missing()
            self.poll(n_polls)
            n_polls += 1
            if n_polls == MOST_POLLS:
                self.started = self.begun  # give up on the others
        result, failure = self.outcomes.pop(self.n_taken)
        self.n_taken += 1
        if failure is not None:
            raise failure
        self.start_missing()
        return result


def _after_fork():
    """A forked child takes no part in the work of its parent."""
    vars(_current).clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

"""Threads that stay alive for one short phase after another.

Starting sixteen threads takes about a millisecond, much longer than a late phase of Borůvka's
algorithm. So a kernel starts its threads once, and each sleeps behind a gate of its own between
phases. The rules of threads.pyx hold here too: a thread holds a reference to the team, which holds
the owner of everything that an open phase touches, and a phase ends when no thread takes part in it
any more. The caller checks for signals.
"""
from cpython.pythread cimport (
    PyThread_acquire_lock, PyThread_allocate_lock, PyThread_free_lock, PyThread_release_lock,
    PyThread_type_lock, WAIT_LOCK,
)
from libc.stdlib cimport calloc, free

from smartsvm._core.threads cimport _Work, open_gate
from smartsvm._core.threads import _current


cdef class Team(_Work):
    """Up to `n_threads` threads of one kernel; call `shut_down` before returning to the user."""

    def __cinit__(self, Py_ssize_t n_threads):
        self.idle = PyThread_allocate_lock()
        self.gates = <PyThread_type_lock *> calloc(n_threads, sizeof(PyThread_type_lock))
        if self.idle == NULL or self.gates == NULL:
            raise MemoryError
        PyThread_acquire_lock(self.idle, WAIT_LOCK)
        while self.n_gates < n_threads - 1:
            self.gates[self.n_gates] = PyThread_allocate_lock()
            if self.gates[self.n_gates] == NULL:
                raise MemoryError
            PyThread_acquire_lock(self.gates[self.n_gates], WAIT_LOCK)
            self.n_gates += 1

    def __init__(self, Py_ssize_t n_threads):
        self.n_started = self.start(n_threads - 1)

    def __dealloc__(self):
        cdef Py_ssize_t i
        for i in range(self.n_gates):
            open_gate(self.gates[i])
            PyThread_free_lock(self.gates[i])
        free(self.gates)
        if self.idle != NULL:
            open_gate(self.idle)
            PyThread_free_lock(self.idle)

    cdef bint is_exhausted(self) noexcept:
        return self.is_shut_down

    cdef int take_part(self) except -1:
        with nogil:
            self.run_phases()
        return 0

    cdef void run_phases(self) noexcept nogil:
        """Sleep behind a gate and take part in every phase until the team is shut down."""
        cdef PyThread_type_lock gate
        cdef Share share
        cdef void *work
        cdef bint done
        PyThread_acquire_lock(self.guard, WAIT_LOCK)
        gate = self.gates[self.n_waiting]
        self.n_waiting += 1
        while not self.is_shut_down:
            if self.share != NULL and self.n_helping < self.n_wanted:
                share, work = self.share, self.shared
                self.n_helping += 1
                PyThread_release_lock(self.guard)
                done = share(work)
                PyThread_acquire_lock(self.guard, WAIT_LOCK)
                self.failed = self.failed or not done
                self.n_helping -= 1
                if self.n_helping == 0:
                    open_gate(self.idle)
            PyThread_release_lock(self.guard)
            PyThread_acquire_lock(gate, WAIT_LOCK)
            PyThread_acquire_lock(self.guard, WAIT_LOCK)
        PyThread_release_lock(self.guard)

    cdef void open(self, Share share, void *shared, Py_ssize_t n_helpers, owner) noexcept:
        """Begin a phase: up to `n_helpers` threads call `share(shared)`; `owner` keeps it alive."""
        cdef Py_ssize_t i
        self.owner = owner
        PyThread_acquire_lock(self.guard, WAIT_LOCK)
        self.share, self.shared, self.n_wanted = share, shared, n_helpers
        n_helpers = min(n_helpers, self.n_waiting)
        PyThread_release_lock(self.guard)
        for i in range(n_helpers):
            open_gate(self.gates[i])

    cdef bint close(self) noexcept:
        """End a phase when no thread takes part any more; return whether all succeeded."""
        cdef bint helping, failed
        with nogil:
            PyThread_acquire_lock(self.guard, WAIT_LOCK)
            self.share = NULL
            helping = self.n_helping > 0
            while helping:
                PyThread_release_lock(self.guard)
                PyThread_acquire_lock(self.idle, WAIT_LOCK)
                PyThread_acquire_lock(self.guard, WAIT_LOCK)
                helping = self.n_helping > 0
            failed, self.failed = self.failed, False
            PyThread_release_lock(self.guard)
        self.owner = None
        return not failed

    cdef shut_down(self):
        """End all threads."""
        cdef Py_ssize_t i
        PyThread_acquire_lock(self.guard, WAIT_LOCK)
        self.is_shut_down = True
        PyThread_release_lock(self.guard)
        for i in range(self.n_gates):
            open_gate(self.gates[i])
        self.finish()


cdef bint _take_part(void *work) noexcept nogil:
    with gil:
        (<_Work> work).live(True)
    return True


cdef class ThreadPool:
    """A context in which all calls of `run_chunks` by this thread reuse the same threads."""

    def __cinit__(self, Py_ssize_t n_threads):
        self.n_threads = n_threads

    def __enter__(self):
        _current.pool = self

    def __exit__(self, *error):
        _current.pool = None
        if self.team is not None:
            self.team.shut_down()

    def join_work(self, _Work work not None, Py_ssize_t n_helpers):
        """Let threads take part in this work until `leave_work`; return how many there are."""
        # Nested work must not wait for these threads.
        _current.pool = None
        if self.team is None:
            self.team = Team(self.n_threads + 1)  # one more, since the caller may only wait
        self.team.open(_take_part, <void *> work, n_helpers, work)
        return self.team.n_started

    def leave_work(self):
        """Return when no thread takes part any more."""
        if self.team is not None:
            self.team.close()
        _current.pool = self

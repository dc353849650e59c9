"""Threads that take part in one short phase after another, without Python.

Starting sixteen threads takes about a millisecond, and a phase late in Borůvka's algorithm much
less. So the threads of a kernel are started once; between phases each sleeps behind a gate of its
own. What holds for all threads (threads.pyx) holds here, too: a thread holds the team, which
holds the owner of whatever a phase touches while the phase is open, and a phase ends when none
of them takes part in it any more. The caller looks for signals.
"""
from cpython.pythread cimport (
    PyThread_acquire_lock, PyThread_allocate_lock, PyThread_free_lock, PyThread_release_lock,
    PyThread_type_lock, WAIT_LOCK,
)
from libc.stdlib cimport calloc, free

from smartsvm._core.threads cimport _Work, open_gate
from smartsvm._core.threads import _current


cdef class Team(_Work):
    """Threads of one kernel.

    Between `open` and `close` the caller takes part as well; the threads help as far as they
    come in time. `dismiss` ends them: call it before the work is given back to the user,
    whatever happens.

    Parameters
    ----------
    n_threads : int
        Threads, at most; the calling one is among them.
    """

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
        return self.dismissed

    cdef int take_part(self) except -1:
        with nogil:
            self.serve()
        return 0

    cdef void serve(self) noexcept nogil:
        """Sleep until the gate is opened; help if there is a phase."""
        cdef PyThread_type_lock gate
        cdef Share share
        cdef void *work
        cdef bint done
        PyThread_acquire_lock(self.guard, WAIT_LOCK)
        gate = self.gates[self.n_serving]
        self.n_serving += 1
        while not self.dismissed:
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
        """Let so many threads at once call `share(shared)`; `owner` keeps what that needs alive."""
        cdef Py_ssize_t i
        self.owner = owner
        PyThread_acquire_lock(self.guard, WAIT_LOCK)
        self.share, self.shared, self.n_wanted = share, shared, n_helpers
        n_helpers = min(n_helpers, self.n_serving)
        PyThread_release_lock(self.guard)
        for i in range(n_helpers):
            open_gate(self.gates[i])

    cdef bint close(self) noexcept:
        """Return when no thread helps any more: whether all shares were done."""
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

    cdef dismiss(self):
        """Return when all threads have ended."""
        cdef Py_ssize_t i
        PyThread_acquire_lock(self.guard, WAIT_LOCK)
        self.dismissed = True
        PyThread_release_lock(self.guard)
        for i in range(self.n_gates):
            open_gate(self.gates[i])
        self.finish()


cdef bint _take_part(void *work) noexcept nogil:
    with gil:
        (<_Work> work).live(True)
    return True


cdef class Crew:
    """A team for all that `run_chunks` does in the calling thread, as a context manager.

    Its threads start with the first work that is worth them, and end with the context.

    Parameters
    ----------
    n_threads : int
        Threads that take part, at most.
    """

    def __cinit__(self, Py_ssize_t n_threads):
        self.n_threads = n_threads

    def __enter__(self):
        _current.crew = self

    def __exit__(self, *error):
        _current.crew = None
        if self.team is not None:
            self.team.dismiss()

    def help(self, _Work work not None, Py_ssize_t n_helpers):
        """Let some threads take part in this work, until `rest` is called; 0 if there are none."""
        # Work within this work has to look for threads elsewhere.
        _current.crew = None
        if self.team is None:
            self.team = Team(self.n_threads + 1)  # the caller may be busy with waiting
        self.team.open(_take_part, <void *> work, n_helpers, work)
        return self.team.n_started

    def rest(self):
        """Return when no thread takes part any more."""
        if self.team is not None:
            self.team.close()
        _current.crew = self

# See threads.pyx.
from cpython.pythread cimport PyThread_type_lock

cdef int check_interrupt() except -1
cdef void open_gate(PyThread_type_lock gate) noexcept nogil


cdef class _Work:
    cdef PyThread_type_lock guard   # protects the fields below; no Python code runs under it
    cdef PyThread_type_lock changed  # released when the caller should look at the state
    cdef _Work outer                # the work of the thread that started this work
    cdef bint stopped
    cdef Py_ssize_t n_threads, begun, active
    cdef object cancel
    cdef object failure             # the first error of a worker
    cdef object interrupt           # the first signal in the caller, which has priority

    cdef bint is_exhausted(self) noexcept
    cdef int take_part(self) except -1
    cdef void live(self, bint in_new_thread) noexcept
    cdef bint begin(self, bint in_new_thread) noexcept
    cdef void end(self) noexcept
    cdef void notify(self) noexcept
    cdef void stop(self, error) noexcept
    cdef bint is_over(self) noexcept
    cdef Py_ssize_t start(self, Py_ssize_t n_workers) noexcept
    cdef void note_interrupt(self, error) noexcept
    cdef void poll(self, Py_ssize_t n_polls) noexcept
    cdef void wait(self) noexcept
    cdef finish(self)

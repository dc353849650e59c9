# See threads.pyx.
from cpython.pythread cimport PyThread_type_lock

cdef int check_interrupt() except -1
cdef void open_gate(PyThread_type_lock gate) noexcept nogil


cdef class _Work:
    cdef PyThread_type_lock guard   # of what follows; whoever holds it runs no Python code
    cdef PyThread_type_lock news    # released when the caller has a reason to look
    cdef _Work outer                # the work of the thread that started this one
    cdef bint stopped
    cdef Py_ssize_t n_threads, begun, active
    cdef object cancel
    cdef object failure             # the first error of a worker
    cdef object interrupt           # the first one met by the caller, which goes before it

    cdef bint is_exhausted(self) noexcept
    cdef int take_part(self) except -1
    cdef void live(self, bint in_new_thread) noexcept
    cdef bint begin(self, bint in_new_thread) noexcept
    cdef void end(self) noexcept
    cdef void tell(self) noexcept
    cdef void stop(self, error) noexcept
    cdef bint is_over(self) noexcept
    cdef Py_ssize_t start(self, Py_ssize_t n_workers) noexcept
    cdef void note_interrupt(self, error) noexcept
    cdef void look(self, Py_ssize_t n_looks) noexcept
    cdef void wait(self) noexcept
    cdef finish(self)

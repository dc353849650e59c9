# See thread_pool.pyx.
from cpython.pythread cimport PyThread_type_lock

from smartsvm._core.threads cimport _Work

# What a thread does in a phase until nothing is left to begin; false if memory runs out.
ctypedef bint (*Share)(void *shared) noexcept nogil


cdef class Team(_Work):
    cdef PyThread_type_lock *gates  # each thread sleeps behind its own
    cdef PyThread_type_lock idle    # released when no thread takes part any more
    cdef Py_ssize_t n_gates, n_started, n_waiting, n_wanted, n_helping
    cdef Share share                # of the open phase, or NULL
    cdef void *shared
    cdef object owner
    cdef bint failed, is_shut_down

    cdef void run_phases(self) noexcept nogil
    cdef void open(self, Share share, void *shared, Py_ssize_t n_helpers, owner) noexcept
    cdef bint close(self) noexcept
    cdef shut_down(self)


cdef class ThreadPool:
    cdef Team team
    cdef Py_ssize_t n_threads

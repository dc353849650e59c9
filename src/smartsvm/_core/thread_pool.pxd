# See thread_pool.pyx.
from cpython.pythread cimport PyThread_type_lock

from smartsvm._core.threads cimport _Work

# What a thread does of a phase, until there is no more to begin: false if there is no memory.
ctypedef bint (*Share)(void *shared) noexcept nogil


cdef class Team(_Work):
    cdef PyThread_type_lock *gates  # each thread sleeps behind its own
    cdef PyThread_type_lock idle    # released when no thread helps any more
    cdef Py_ssize_t n_gates, n_started, n_serving, n_wanted, n_helping
    cdef Share share                # of the phase, if there is one
    cdef void *shared
    cdef object owner
    cdef bint failed, dismissed

    cdef void serve(self) noexcept nogil
    cdef void open(self, Share share, void *shared, Py_ssize_t n_helpers, owner) noexcept
    cdef bint close(self) noexcept
    cdef dismiss(self)


cdef class Crew:
    cdef Team team
    cdef Py_ssize_t n_threads

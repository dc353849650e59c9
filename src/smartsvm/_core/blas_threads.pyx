"""One BLAS thread while our own threads call it, and room for the buffers of BLAS.

The number of threads is a property of the process, and calls may overlap: the first one in
sets it, the last one out restores it.

OpenBLAS takes a buffer for each thread that multiplies, and where the system has none to give
it asks again for ever. So we ask first, and raise MemoryError or do with fewer threads.
"""
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from cpython.pythread cimport (
    PyThread_acquire_lock, PyThread_allocate_lock, PyThread_get_thread_ident,
    PyThread_release_lock, PyThread_type_lock, WAIT_LOCK,
)

import os

from threadpoolctl import ThreadpoolController

cdef enum:
    ROOM = 80 << 20  # bytes for the stack of a thread and two buffers: numpy's BLAS and scipy's


cdef bint has_room_for(Py_ssize_t n_threads) noexcept:
    """Whether the system would give us the memory; nothing is used."""
    cdef void *room = PyMem_RawMalloc(n_threads * ROOM)
    PyMem_RawFree(room)  # the compiler would remove malloc and free
    return room != NULL


cdef class _BlasUsers:
    cdef PyThread_type_lock lock
    cdef Py_ssize_t count
    cdef long latest    # thread that there was room for
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
            # Asking takes 30 microseconds: not again for a context within another.
            if self.count == 0 or self.latest != PyThread_get_thread_ident():
                if not has_room_for(1):
                    raise MemoryError
                self.latest = PyThread_get_thread_ident()
            if self.count == 0:
                self.limit()
            self.count += 1
        finally:
            PyThread_release_lock(self.lock)

    cdef leave(self):
        with nogil:
            PyThread_acquire_lock(self.lock, WAIT_LOCK)
        try:
            self.count -= 1
            if self.count == 0:
                self.restore()
        finally:
            PyThread_release_lock(self.lock)

    cdef limit(self):
        if self.libraries is None:
            # Looking for libraries takes milliseconds; the one we call is loaded with us.
            self.libraries = ThreadpoolController().select(user_api="blas").lib_controllers
        numbers = [(library, library.num_threads) for library in self.libraries]
        self.before = [pair for pair in numbers if pair[1] != 1]
        try:
            _set_threads([(library, 1) for library, _ in self.before])
        except BaseException:
            self.restore()
            raise

    cdef restore(self):
        try:
            _set_threads(self.before)
        except BaseException:
            _set_threads(self.before)  # interrupted half-way
            raise
        finally:
            self.before = []


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


cdef class single_blas_thread:
    """A context in which BLAS uses one thread, in the whole process."""

    def __enter__(self):
        _users.enter()
        return self

    def __exit__(self, *exception):
        _users.leave()

"""Limit BLAS to one thread while our own threads call it.

The number of BLAS threads belongs to the process, and calls may overlap: the first call sets it,
the last one restores it.

OpenBLAS allocates a buffer for each thread that multiplies and retries for ever if there is no
memory. So we test first, and raise MemoryError or use fewer threads.
"""
from cpython.pythread cimport (
    PyThread_acquire_lock, PyThread_allocate_lock, PyThread_get_thread_ident,
    PyThread_release_lock, PyThread_type_lock, WAIT_LOCK,
)

import os

from threadpoolctl import ThreadpoolController

cdef enum:
    ROOM = 80 << 20  # bytes for the stack of a thread and two buffers: numpy's BLAS and scipy's


cdef extern from *:
    """
    #include <stdlib.h>

    /* Volatile: the compiler would remove a block that nobody uses. */
    static int can_allocate(size_t size) {
        void *volatile block = malloc(size);
        int allocated = block != NULL;
        free(block);
        return allocated;
    }
    """
    bint can_allocate(size_t size) noexcept nogil


cdef bint has_room_for(Py_ssize_t n_threads) noexcept:
    """Whether the system has memory for the stacks and BLAS buffers of some threads."""
    return can_allocate(n_threads * ROOM)


cdef class _BlasUsers:
    cdef PyThread_type_lock lock
    cdef Py_ssize_t count
    cdef long latest    # the last thread that was tested
    cdef object libraries, before

    def __cinit__(self):
        self.reset()

    def reset(self):
        """Forget all users; in a forked child too, which must not wait for its parent's threads."""
        self.lock = PyThread_allocate_lock()
        if self.lock == NULL:
            raise MemoryError
        self.count = 0
        self.before = []

    cdef enter(self):
        with nogil:
            PyThread_acquire_lock(self.lock, WAIT_LOCK)
        try:
            # The test takes 30 microseconds: skip it for nested contexts.
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
            # The search takes milliseconds; the library that we call is loaded by now.
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
    # Not by the controller's `limit`, which inspects all libraries at each call.
    for library, n_threads in numbers:
        # Newer versions of threadpoolctl let one thread own the number and ignore all others:
        # products in our threads would then use all BLAS threads, a hundred times slower.
        release = getattr(library, "clear_controlling_thread", None)
        if release is not None:
            release(force=True)
        library.set_num_threads(n_threads)
        if release is not None:
            release(force=True)


cdef class single_blas_thread:
    """A context in which BLAS uses one thread in the whole process."""

    def __enter__(self):
        _users.enter()
        return self

    def __exit__(self, *exception):
        _users.leave()

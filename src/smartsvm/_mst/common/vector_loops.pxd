# See vector_loops.pyx.

cdef int vector_kind() noexcept nogil

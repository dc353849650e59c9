cdef int check_interrupt() except -1

cdef bint has_room_for(Py_ssize_t n_threads) noexcept

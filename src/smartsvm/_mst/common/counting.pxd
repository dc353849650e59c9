# Counting sort, chunk by chunk: an order that does not depend on the threads.

cdef inline void find_places(Py_ssize_t[:, ::1] place, Py_ssize_t[::1] start) noexcept nogil:
    """From how many of each chunk belong to each part to where they go, and parts begin."""
    cdef Py_ssize_t at = 0, size, part, chunk
    for part in range(place.shape[1]):
        start[part] = at
        for chunk in range(place.shape[0]):
            size = place[chunk, part]
            place[chunk, part] = at
            at += size
    start[place.shape[1]] = at

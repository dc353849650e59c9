# Points that are equal, taken as one node of a search; see equal_points.pyx.
from libc.stdint cimport UINT64_MAX, uint32_t, uint64_t

from smartsvm._mst.common.order cimport tie_key


cdef inline uint64_t smallest_key(
    const uint32_t *a, Py_ssize_t n_a, const uint32_t *b, Py_ssize_t n_b, uint64_t seed,
    uint64_t least,
) noexcept nogil:
    """The smallest key, not below `least`, of a pair of identities from a and b."""
    cdef uint64_t smallest = UINT64_MAX, key
    cdef Py_ssize_t i, j
    for i in range(n_a):
        for j in range(n_b):
            key = tie_key(a[i], b[j], seed)
            if least <= key < smallest:
                smallest = key
    return smallest


cdef class Sites:
    cdef readonly object rows       # node -> a row that stands for it
    cdef readonly object start      # node -> the first of its members
    cdef readonly object members    # rows
    cdef readonly object ids        # of the members
    cdef readonly object inside     # tree -> its edges inside nodes, as pairs of rows

    cdef arrange(self, order)
    cdef pairs(self, const uint32_t[:, ::1] edges, const uint64_t[::1] keys, uint64_t seed)


cdef equal_rows(const double[:, ::1] points)
cdef Sites collapse(start, members, ids, uint64_t seed, Py_ssize_t n_trees)

# Points that are equal, taken as one node of a search; see equal_points.pyx.
from libc.stdint cimport uint32_t, uint64_t


cdef extern from "common/equal_points.h" nogil:
    ctypedef struct TwoGroups:
        pass

    Py_ssize_t number_distinct(
        const double *points, Py_ssize_t n, Py_ssize_t d, uint32_t *table, uint32_t *number
    )
    void sort_by_rank(uint32_t *rank, uint32_t *point, Py_ssize_t n, uint64_t *room)
    TwoGroups two_groups(
        const uint32_t *rank, Py_ssize_t i, Py_ssize_t i_end, Py_ssize_t j, Py_ssize_t j_end
    )
    uint64_t smallest_key(TwoGroups groups, uint64_t least, uint64_t most, Py_ssize_t *place)


cdef class Sites:
    cdef readonly object rows       # node -> a row that stands for it
    cdef readonly object start      # node -> the first of its members
    cdef readonly object members    # rows, those of a node by rank
    cdef readonly object ranks      # of the members
    cdef readonly object inside     # tree -> its edges inside nodes, as pairs of rows

    cdef arrange(self, order)
    cdef pairs(self, keys)


cdef equal_forests(const uint32_t[::1] ranks, const Py_ssize_t[::1] start, Py_ssize_t n_trees)
cdef Sites collapse(start, members, ids, uint64_t seed, Py_ssize_t n_trees)

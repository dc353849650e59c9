# See used_edges.h.
from libc.stdint cimport uint32_t

cdef extern from "common/used_edges.h" nogil:
    void index_used(
        const uint32_t *edges, Py_ssize_t n_edges, Py_ssize_t n, Py_ssize_t *start, uint32_t *used
    )
    Py_ssize_t count_used(const Py_ssize_t *start, const uint32_t *used, uint32_t i, uint32_t j)

# The total order on edges; see edge_order.h.
from libc.stdint cimport uint32_t, uint64_t


cdef extern from "common/edge_order.h" nogil:
    uint32_t tie_rank(uint32_t identity, uint64_t seed)
    void tie_ranks(const uint32_t *identities, Py_ssize_t n, uint64_t seed, uint32_t *ranks)
    uint64_t tie_key(uint32_t a, uint32_t b)
    double squared_distance(const double *x, const double *y, Py_ssize_t d)

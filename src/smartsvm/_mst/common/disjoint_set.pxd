# See disjoint_set.h.
from libc.stdint cimport uint32_t

cdef extern from "common/disjoint_set.h" nogil:
    uint32_t root "union_root"(uint32_t *parent, uint32_t v)
    uint32_t join_roots "union_join"(uint32_t *parent, uint32_t a, uint32_t b)
    bint joins "union_joins"(uint32_t *parent, uint32_t i, uint32_t j)

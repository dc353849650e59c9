# See union_find.h.
from libc.stdint cimport uint32_t

cdef extern from "common/disjoint_set.h" nogil:
    uint32_t root "union_root"(uint32_t *parent, uint32_t v)

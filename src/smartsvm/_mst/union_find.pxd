# The root of a tree of parents, found with path halving: every kernel that joins things.
from libc.stdint cimport uint32_t


cdef inline uint32_t root(uint32_t *parent, uint32_t v) noexcept nogil:
    while parent[v] != v:
        parent[v] = parent[parent[v]]
        v = parent[v]
    return v

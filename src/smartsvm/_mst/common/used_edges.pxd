# The edges that earlier trees have used, as adjacency lists.
from libc.stdint cimport uint32_t


cdef inline void index_used(
    const uint32_t *edges, Py_ssize_t n_edges, Py_ssize_t n, Py_ssize_t *start, uint32_t *used,
) noexcept nogil:
    """Partners of vertex v: used[start[v]] to used[start[v + 1] - 1]."""
    cdef Py_ssize_t e, v
    for v in range(n + 1):
        start[v] = 0
    for e in range(2 * n_edges):
        start[edges[e] + 1] += 1
    for v in range(n):
        start[v + 1] += start[v]
    for e in range(n_edges):
        used[start[edges[2 * e]]] = edges[2 * e + 1]
        start[edges[2 * e]] += 1
        used[start[edges[2 * e + 1]]] = edges[2 * e]
        start[edges[2 * e + 1]] += 1
    for v in range(n, 0, -1):
        start[v] = start[v - 1]
    start[0] = 0

"""Count tree edges within each class, for many orders of the labels in one pass over the edges.

Cost: one comparison per edge and order. The labels of a row in all orders lie side by side, so that
an edge reads two runs of memory, however many orders there are.
"""
from libc.stdint cimport uint8_t, uint16_t, uint32_t

ctypedef fused code_t:
    uint8_t
    uint16_t
    uint32_t


def count_within(
    const uint32_t[:, ::1] edges, const code_t[:, ::1] codes, Py_ssize_t[:, ::1] counts
):
    """Add the edges within class k under order b of the labels, codes[:, b], to counts[b, k]."""
    cdef Py_ssize_t e, order, n_orders = codes.shape[1]
    cdef const code_t *first
    cdef const code_t *second
    if counts.shape[0] != n_orders:
        raise ValueError("counts must have a row for each order of the labels")
    if n_orders == 0:
        return
    with nogil:
        for e in range(edges.shape[0]):
            first, second = &codes[edges[e, 0], 0], &codes[edges[e, 1], 0]
            for order in range(n_orders):
                counts[order, first[order]] += first[order] == second[order]

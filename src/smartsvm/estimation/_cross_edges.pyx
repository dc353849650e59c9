"""Count tree edges between classes, and pairs of edges with a common end.

Cost: O(1) per edge. A thousand classes have half a million pairs; a few numpy calls for each would
take longer than their trees.
"""
from libc.stdint cimport uint8_t, uint16_t, uint32_t

ctypedef fused code_t:
    uint8_t
    uint16_t
    uint32_t


def count_joining(
    const uint32_t[:, ::1] edges, const Py_ssize_t[:, :] sizes, const uint32_t[::1] codes,
    uint32_t[::1] degrees, Py_ssize_t[:, :] joining, Py_ssize_t[:, :] meeting,
):
    """Count cross edges by problem and tree, and pairs with a common end in the trees so far."""
    # `degrees` is zero before and after the call.
    cdef Py_ssize_t problem, tree, first, e = 0, last, crossing, adjacent
    cdef uint32_t i, j
    with nogil:
        for problem in range(sizes.shape[0]):
            first, adjacent = e, 0
            for tree in range(sizes.shape[1]):
                crossing = 0
                last = e + sizes[problem, tree]
                while e < last:
                    i, j = edges[e, 0], edges[e, 1]
                    crossing += codes[i] != codes[j]
                    adjacent += <Py_ssize_t> degrees[i] + degrees[j]
                    degrees[i] += 1
                    degrees[j] += 1
                    e += 1
                joining[problem, tree], meeting[problem, tree] = crossing, adjacent
            for last in range(first, e):
                degrees[edges[last, 0]] = degrees[edges[last, 1]] = 0


def count_crossing(const uint32_t[:, ::1] edges, const code_t[::1] codes):
    """Number of edges between different classes."""
    cdef Py_ssize_t e, crossing = 0
    with nogil:
        for e in range(edges.shape[0]):
            crossing += codes[edges[e, 0]] != codes[edges[e, 1]]
    return crossing

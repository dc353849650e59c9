"""Counts over the edges of some trees: those that join two parts, those that meet.

Cost: O(1) per edge; with a thousand classes half a million pairs are counted, and a few
calls of numpy for each would take longer than their trees.
"""
from libc.stdint cimport uint8_t, uint16_t, uint32_t

ctypedef fused code_t:
    uint8_t
    uint16_t
    uint32_t


def count_joining(
    const uint32_t[:, ::1] edges, const Py_ssize_t[:, :] sizes, const uint32_t[::1] parts,
    uint32_t[::1] degrees, Py_ssize_t[:, :] joining, Py_ssize_t[:, :] meeting,
):
    """Edges between different parts in the trees of some problems, and edges with a common end.

    `edges` are pairs of rows, problem after problem and tree after tree of these `sizes`;
    `parts` numbers the part of every row. `joining` gets the edges between parts in each
    tree, `meeting` the pairs of edges that meet in the union of the first trees. `degrees` is
    room for every row, zero before and after.
    """
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
                    crossing += parts[i] != parts[j]
                    adjacent += <Py_ssize_t> degrees[i] + degrees[j]
                    degrees[i] += 1
                    degrees[j] += 1
                    e += 1
                joining[problem, tree], meeting[problem, tree] = crossing, adjacent
            for last in range(first, e):
                degrees[edges[last, 0]] = degrees[edges[last, 1]] = 0


def count_crossing(const uint32_t[:, ::1] edges, const code_t[::1] codes):
    """Edges whose ends have different codes; small ones miss the cache less."""
    cdef Py_ssize_t e, crossing = 0
    with nogil:
        for e in range(edges.shape[0]):
            crossing += codes[edges[e, 0]] != codes[edges[e, 1]]
    return crossing

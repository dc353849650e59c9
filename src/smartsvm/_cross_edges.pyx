"""Counts over the edges of some trees: those that join two parts, those that meet.

Cost: O(1) an edge; with a thousand classes half a million pairs are counted, and a few
calls of numpy for each would take longer than their trees.
"""
from libc.stdint cimport uint8_t, uint16_t, uint32_t

ctypedef fused code_t:
    uint8_t
    uint16_t
    uint32_t


def count_joining(
    const uint32_t[:, :] edges, const Py_ssize_t[::1] sizes, const Py_ssize_t[::1] parts,
    Py_ssize_t[::1] degrees, Py_ssize_t[:, ::1] counts,
):
    """Edges between different parts in each tree, and pairs of edges with a common end.

    `edges` are pairs of rows, tree after tree of these `sizes`; `parts` numbers the part
    of every row. ``counts[0]`` gets the edges between parts in each tree, ``counts[1]``
    the pairs that meet in the union of the first trees. `degrees` is room for every row,
    zero before and after.
    """
    cdef Py_ssize_t tree, e = 0, last, joining, meeting = 0
    cdef uint32_t i, j
    for tree in range(sizes.shape[0]):
        joining = 0
        last = e + sizes[tree]
        while e < last:
            i, j = edges[e, 0], edges[e, 1]
            joining += parts[i] != parts[j]
            meeting += degrees[i] + degrees[j]
            degrees[i] += 1
            degrees[j] += 1
            e += 1
        counts[0, tree], counts[1, tree] = joining, meeting
    for e in range(edges.shape[0]):
        degrees[edges[e, 0]] = degrees[edges[e, 1]] = 0


def count_crossing(const uint32_t[:, ::1] edges, const code_t[::1] codes):
    """Edges whose ends have different codes; small ones miss the cache less."""
    cdef Py_ssize_t e, crossing = 0
    with nogil:
        for e in range(edges.shape[0]):
            crossing += codes[edges[e, 0]] != codes[edges[e, 1]]
    return crossing

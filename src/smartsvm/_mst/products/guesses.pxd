# An edge out of a component that is not much longer than the shortest.
#
# A component that knows no edge to another would ask all its nodes for lists of them. But
# it takes one edge, and a guess at it keeps all from asking for more.
from libc.math cimport INFINITY
from libc.stdint cimport uint32_t

from smartsvm._mst.products.edge_lists cimport Nodes, distance, is_used


cdef inline Py_ssize_t _nearest(
    const Nodes *nodes, Py_ssize_t i, Py_ssize_t start, Py_ssize_t stop, double *least,
) noexcept nogil:
    """The nearest of some nodes that i may be joined with; i itself if there is none."""
    cdef Py_ssize_t j, nearest = i
    cdef double value
    least[0] = INFINITY
    for j in range(start, stop):
        if nodes.component[j] == nodes.component[i]:
            continue
        value = distance(nodes, i, j)
        if value < least[0] and not is_used(nodes, i, j):
            least[0] = value
            nearest = j
    return nearest


cdef inline double guess_between(
    const Nodes *nodes, const Py_ssize_t *left, const Py_ssize_t *right,
) noexcept nogil:
    """The squared length of a short edge between two blocks, each of one component."""
    cdef double least
    # From the middle of one block to and fro: each step can only be shorter.
    cdef Py_ssize_t i = _nearest(nodes, right[0], left[0], left[1], &least)
    if least == INFINITY:
        return least
    i = _nearest(nodes, i, right[0], right[1], &least)
    _nearest(nodes, i, left[0], left[1], &least)
    return least

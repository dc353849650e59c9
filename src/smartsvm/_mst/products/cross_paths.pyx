"""Compiled parts of `class_pairs`: cross edges in the one order, and paths in the class trees."""
from libc.stdint cimport uint32_t, uint64_t

import numpy as np

from smartsvm._core.threads cimport check_interrupt
from smartsvm._mst.common.edge_order cimport squared_distance, tie_key, tie_rank
from smartsvm._mst.edges.bottleneck cimport Linkage


def measure(
    const double[:, ::1] left, const double[:, ::1] right, const uint32_t[::1] left_ids,
    const uint32_t[::1] right_ids, uint64_t seed,
):
    """Squared lengths and tie keys of the edges between two lists of points."""
    cdef Py_ssize_t e, n = left.shape[0], d = left.shape[1]
    if (
        right.shape[0] != n or right.shape[1] != d or left_ids.shape[0] != n
        or right_ids.shape[0] != n
    ):
        raise ValueError("left, right and their identities must have matching shapes.")
    cdef double[::1] squared = np.empty(n)
    cdef uint64_t[::1] keys = np.empty(n, dtype=np.uint64)
    with nogil:
        for e in range(n):
            squared[e] = squared_distance(&left[e, 0], &right[e, 0], d)
            keys[e] = tie_key(tie_rank(left_ids[e], seed), tie_rank(right_ids[e], seed))
    return np.asarray(squared), np.asarray(keys)


def near_paths(
    list linkages, const Py_ssize_t[::1] ends, const double[::1] lowest,
    const Py_ssize_t[::1] starts,
):
    """Whether some point of a class may be as near to another class as its path is long.

    For class m and each of the trees in `linkages[m]`, the path leads to the point `ends[m]`;
    lowest[starts[m]:starts[m + 1]] bounds the squared distances of its points to the other class.
    """
    cdef Py_ssize_t m, i, n
    cdef double[::1] longest = np.empty(np.diff(starts).max(initial=1))
    cdef Linkage linkage
    cdef signed char[::1] near = np.zeros(ends.shape[0], dtype=np.int8)
    if len(linkages) != ends.shape[0] or starts.shape[0] != ends.shape[0] + 1:
        raise ValueError("linkages, ends and starts must have matching lengths.")
    check_interrupt()
    for m in range(ends.shape[0]):
        n = starts[m + 1] - starts[m]
        for tree in linkages[m]:
            linkage = tree
            if linkage.parent.shape[0] != n or not 0 <= ends[m] < n:
                raise ValueError("linkages must be of the points that starts delimits.")
            with nogil:
                linkage.fill_distances(<uint32_t> ends[m], &longest[0])
                for i in range(n):
                    near[m] |= lowest[starts[m] + i] <= longest[i]
    return np.asarray(near).view(bool)

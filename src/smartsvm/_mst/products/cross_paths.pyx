"""Compiled parts of `class_pairs`: cross edges in the one order, and paths in the class trees."""
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport calloc, free

import numpy as np

from smartsvm._core.threads cimport check_interrupt
from smartsvm._mst.common.edge_order cimport squared_distance, tie_key, tie_rank
from smartsvm._mst.edges.bottleneck cimport Linkage, Paths, fill_distances


def measure(
    const double[:, ::1] points, const Py_ssize_t[:, ::1] ends, const Py_ssize_t[:, ::1] ids,
    uint64_t seed,
):
    """Squared lengths and tie keys of the edges between rows of points; `ids` name the ends."""
    cdef Py_ssize_t e, n = ends.shape[1], d = points.shape[1]
    cdef double[::1] squared = np.empty(n)
    cdef uint64_t[::1] keys = np.empty(n, dtype=np.uint64)
    cdef uint32_t left, right
    if ends.shape[0] != 2 or ids.shape[0] != 2 or ids.shape[1] != n:
        raise ValueError("ends and ids must be of two rows of the same length.")
    if n > 0 and not 0 <= np.min(ends) <= np.max(ends) < points.shape[0]:
        raise ValueError(f"ends must be from 0 to {points.shape[0] - 1}.")
    with nogil:
        for e in range(n):
            squared[e] = squared_distance(&points[ends[0, e], 0], &points[ends[1, e], 0], d)
            left, right = tie_rank(<uint32_t> ids[0, e], seed), tie_rank(<uint32_t> ids[1, e], seed)
            keys[e] = tie_key(left, right)
    return np.asarray(squared), np.asarray(keys)


cdef class ClassPaths:
    """The paths in all trees of all classes, given as lists of `Linkage`."""

    cdef list kept
    cdef Paths *paths       # class after class, tree after tree
    cdef Py_ssize_t n_trees

    def __init__(self, list linkages):
        cdef Py_ssize_t e = 0
        self.kept, self.n_trees = linkages, len(linkages[0])
        self.paths = <Paths *> calloc(len(linkages) * self.n_trees, sizeof(Paths))
        if self.paths == NULL:
            raise MemoryError
        for trees in linkages:
            for tree in trees:
                self.paths[e] = (<Linkage> tree).paths
                e += 1

    def __dealloc__(self):
        free(self.paths)

    def near(
        self, const Py_ssize_t[::1] classes, const Py_ssize_t[::1] ends, const double[::1] lowest,
        const Py_ssize_t[::1] starts,
    ):
        """Whether some point of a class may be as near to another one as its path is long.

        The paths of `classes[m]` lead to its point `ends[m]`; lowest[starts[m]:starts[m + 1]]
        bounds the squared distances of its points to the other class.
        """
        cdef Py_ssize_t m, i, tree, n, n_problems = ends.shape[0]
        cdef double[::1] longest = np.empty(np.diff(starts).max(initial=1))
        cdef signed char[::1] near = np.zeros(n_problems, dtype=np.int8)
        cdef const Paths *paths
        check_interrupt()
        for m in range(n_problems):
            n = self.paths[classes[m] * self.n_trees].n
            if n != starts[m + 1] - starts[m] or not 0 <= ends[m] < n:
                raise ValueError("starts and ends must be those of the classes.")
        with nogil:
            for m in range(n_problems):
                for tree in range(self.n_trees):
                    paths = self.paths + classes[m] * self.n_trees + tree
                    fill_distances(paths, <uint32_t> ends[m], &longest[0])
                    for i in range(paths.n):
                        near[m] |= lowest[starts[m] + i] <= longest[i]
        return np.asarray(near).view(bool)

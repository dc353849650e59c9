"""Single linkage: the clusters that the edges of a tree join, from the shortest edge on."""
from libc.stdint cimport uint32_t

import numpy as np

from smartsvm._mst.common.disjoint_set cimport join_roots, root


def linkage_matrix(const Py_ssize_t[:, ::1] edges, const double[::1] weights):
    """SciPy's linkage matrix of the edges (n - 1, 2) of a tree with rising weights."""
    cdef Py_ssize_t n_edges = weights.shape[0], e, n = n_edges + 1
    cdef double[:, ::1] steps = np.empty((n_edges, 4))
    cdef uint32_t[::1] parent = np.arange(n, dtype=np.uint32)
    cdef Py_ssize_t[::1] cluster = np.arange(n)     # root -> the cluster that it stands for
    cdef Py_ssize_t[::1] size = np.ones(n, dtype=np.intp)
    cdef uint32_t a, b, c
    cdef Py_ssize_t joined
    with nogil:
        for e in range(n_edges):
            a = root(&parent[0], <uint32_t> edges[e, 0])
            b = root(&parent[0], <uint32_t> edges[e, 1])
            joined = size[a] + size[b]
            steps[e, 0] = min(cluster[a], cluster[b])
            steps[e, 1] = max(cluster[a], cluster[b])
            steps[e, 2], steps[e, 3] = weights[e], joined
            c = join_roots(&parent[0], a, b)
            cluster[c], size[c] = n + e, joined
    return np.asarray(steps)

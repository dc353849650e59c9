"""Criteria of a feature search: the error on some features, by trees or by neighbours.

A criterion takes the squared distances over all of these features but one, the values of that one,
and the columns behind the distances: what it returns belongs to all of them together.
"""

import numpy as np

from smartsvm._mst.kdtree import kdtree
from smartsvm._mst.prim.prim import prim_sum
from smartsvm.held_out.neighbors import labels_of, leave_one_out
from smartsvm.selection._distance_sums import nearest_in_sum

_NEIGHBORS = 5


def tree_error(codes, seed):
    """R/n: the fraction of edges between classes in a spanning tree, the upper bound."""
    n = len(codes)
    ids = np.arange(n, dtype=np.uint32)
    # Up to so many features a kd-tree is faster than a pass over the matrix, by 2 to 3 times: its
    # time grows as n · 1.33^d, that of a pass as n².
    few = int(np.log(max(0.003 * n, 1)) / np.log(1.33))

    def error(distances, column, others):
        if len(others) < few:
            points = np.ascontiguousarray(np.vstack([others, column]).T)
            edges, _, _ = kdtree.forests(kdtree.index(points, ids, 1), seed, 1, 1)
        else:
            edges, _, _ = prim_sum(distances, column, ids, ids, seed, 1)
        return np.count_nonzero(codes[edges[:, 0]] != codes[edges[:, 1]]) / n

    return error


def neighbor_error(codes, seed):
    """The leave-one-out error of the votes of five nearest neighbours."""
    ids = np.arange(len(codes), dtype=np.uint32)
    k = min(_NEIGHBORS, len(codes) - 1)
    n_classes = int(codes.max()) + 1

    def error(distances, column, others):
        labels = labels_of(nearest_in_sum(distances, column, ids, seed, k), codes)
        return float(leave_one_out(labels, codes, n_classes, np.array([k])).errors[0])

    return error


CRITERIA = {"tree": tree_error, "neighbors": neighbor_error}

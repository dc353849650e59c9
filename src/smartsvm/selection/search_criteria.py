"""What a feature search minimises, from a matrix of squared distances.

A criterion gets the sum of squared distances over some features and one more feature. It measures
how hard the classes are to tell apart on all of them. With few features a kd-tree finds the
spanning trees faster than a pass over the matrix: if the features are passed as well, the cheaper
method is used. The trees are the same.
"""

from __future__ import annotations

import numpy as np

from smartsvm._mst import boruvka
from smartsvm._mst.prim import prim_sum
from smartsvm.estimation.number_of_trees import trees_to_count
from smartsvm.estimation.signal_test import LOCAL_NEIGHBORS, count_variance, local_shares
from smartsvm.estimation.tie_averaged_forest import WeightedEdges
from smartsvm.held_out.neighbors import leave_one_out
from smartsvm.selection._distance_sums import nearest_in_sum
from smartsvm.trees.spanning_trees import count_spanning

# Leave-one-out votes share neighbours: their variance is up to 1.5 times the binomial one.
_DEPENDENCE = 1.5


# A criterion has `score(matrix, column, summed=None)`, where `summed` are the features behind the
# matrix, `standard_error(matrix, summed=None)` over new samples, and `baseline()`, the score of
# features without information.


class TreeOfAllClasses:
    """The fraction R/n of cross edges, an upper bound of the multiclass Bayes error."""

    def __init__(self, codes, n_trees, n_neighbors, seed):
        self._codes, self._seed, n = codes, seed, len(codes)
        self._ids = np.arange(n, dtype=np.uint32)
        counts = np.bincount(codes)
        # A class too small for all trees holds few of all edges, unless there are only two.
        self._smaller = counts.min() if len(counts) == 2 else n
        self._n_trees = min(n_trees, int(trees_to_count(self._smaller, max(1, n // 2))))

    def score(self, matrix, column, summed=None):
        return self._cross(matrix, column, summed)[0] / len(self._codes)

    def standard_error(self, matrix, summed=None):
        column, n = np.zeros(len(matrix)), len(self._codes)
        cross, graph = self._cross(matrix, column, summed)
        if n <= LOCAL_NEIGHBORS:
            return float(np.sqrt(cross)) / n  # too few for local shares: as independent edges
        near = nearest_in_sum(matrix, column, self._ids, self._seed, LOCAL_NEIGHBORS)
        shares = local_shares(self._codes[near.T], self._codes, int(self._codes.max()) + 1)
        return float(np.sqrt(count_variance(graph, shares).total)) / n

    def baseline(self):
        return _chance_of_different_labels(self._codes)

    def _cross(self, matrix, column, summed):
        """Cross edges, averaged over the trees that span all rows, and those trees' edges."""
        n = len(self._codes)
        if summed is not None and summed.shape[1] < _most_columns(n, self._n_trees):
            points = np.ascontiguousarray(np.column_stack([summed, column]))
            index = boruvka.index(points, self._ids, 1)
            edges, _, sizes = boruvka.forests(index, self._seed, self._n_trees, 1)
        else:
            edges, _, sizes = prim_sum(
                matrix, column, self._ids, self._ids, self._seed, self._n_trees
            )
        used = int(trees_to_count(self._smaller, count_spanning(sizes, n)))
        edges = edges[: int(sizes[:used].sum())]
        crossing = np.count_nonzero(self._codes[edges[:, 0]] != self._codes[edges[:, 1]])
        return crossing / used, WeightedEdges(edges, np.full(len(edges), 1 / used))


class NeighborVotes:
    """Leave-one-out error of the votes of the nearest neighbours."""

    def __init__(self, codes, n_trees, n_neighbors, seed):
        self._codes, self._seed = codes, seed
        self._ladder = np.array([min(n_neighbors, len(codes) - 1)])
        self._ids = np.arange(len(codes), dtype=np.uint32)
        self._n_classes = int(codes.max()) + 1

    def score(self, matrix, column, summed=None):
        near = nearest_in_sum(matrix, column, self._ids, self._seed, int(self._ladder[0]))
        labels = np.ascontiguousarray(self._codes[near.T])
        return float(leave_one_out(labels, self._codes, self._n_classes, self._ladder).errors[0])

    def standard_error(self, matrix, summed=None):
        share = self.score(matrix, np.zeros(len(matrix)))
        # One more vote on either side keeps the error of an empty count above 0.
        share = (share * len(self._codes) + 1) / (len(self._codes) + 2)
        return float(np.sqrt(_DEPENDENCE * share * (1 - share) / len(self._codes)))

    def baseline(self):
        return _chance_of_different_labels(self._codes)


def _chance_of_different_labels(codes):
    return float(1 - (np.bincount(codes) ** 2).sum() / len(codes) ** 2)


def _most_columns(n_rows, n_trees):
    """Features up to which a kd-tree is faster than a pass over the matrix for each tree.

    Its time grows as n · 1.33^d, a third more for each further tree; that of a pass as n².
    """
    ratio = 0.003 * n_rows * n_trees / (1 + 0.3 * (n_trees - 1))
    return int(np.log(max(ratio, 1)) / np.log(1.33))


CRITERIA = {
    "multiclass": TreeOfAllClasses,
    "knn": NeighborVotes,
}


def make_criterion(name, codes, *, n_trees=3, n_neighbors=5, seed=0):
    """The `Criterion` of that name for class codes 0 to K-1."""
    return CRITERIA[name](codes, n_trees, n_neighbors, seed)

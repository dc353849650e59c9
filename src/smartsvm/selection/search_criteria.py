"""What a feature search minimises: how hard the classes are to tell apart on some features.

A criterion takes the sum of squared distances over all of these features but one, and the values of
that one. With few features a kd-tree is faster than a pass over the matrix of sums; it needs the
values of all features.
"""

from functools import partial
from itertools import combinations

import numpy as np

from smartsvm._mst.kdtree import kdtree
from smartsvm._mst.prim.prim import prim_sum
from smartsvm.estimation.forest_counts import WeightedEdges
from smartsvm.estimation.friedman_rafsky import LOCAL_NEIGHBORS, count_variance, local_shares
from smartsvm.estimation.henze_penrose import bayes_error_bounds
from smartsvm.estimation.number_of_trees import trees_to_count
from smartsvm.held_out.neighbors import labels_of, leave_one_out
from smartsvm.selection._distance_sums import nearest_in_sum
from smartsvm.trees.spanning_trees import count_spanning

# Variance of leave-one-out mistakes / binomial variance, at most: samples share neighbours.
_DEPENDENCE = 1.5


# A criterion has `score(matrix, column, summed=None)`, where `summed` are the features behind the
# matrix, `standard_error(matrix, summed=None)` over new samples, and `baseline()`, the score of
# features without information.


class TreeOfAllClasses:
    """The fraction R/n of cross edges, an upper bound of the multiclass Bayes error."""

    def __init__(self, codes, n_trees, n_neighbors, seed):
        self._codes = codes
        self._seed = seed
        self._trees = _TreesOfRows(codes, np.arange(len(codes)), n_trees, seed)

    def score(self, matrix, column, summed=None):
        return self._trees.cross(matrix, column, summed)[0] / len(self._codes)

    def standard_error(self, matrix, summed=None):
        return self._trees.deviation(matrix, summed) / len(self._codes)

    def baseline(self):
        return _chance_of_different_labels(self._codes)


class TreesOfPairs:
    """Mean or largest HP-estimate of the pairs of classes, relative to the baseline."""

    def __init__(self, codes, n_trees, n_neighbors, seed, *, worst):
        counts = np.bincount(codes)
        pairs = list(combinations(range(len(counts)), 2))
        self._pairs = [
            _TreesOfRows(
                (codes == m).astype(np.intp),
                np.flatnonzero((codes == k) | (codes == m)),
                n_trees,
                seed,
            )
            for k, m in pairs
        ]
        first, second = np.array(pairs).T
        self._sizes = counts[first] + counts[second]
        self._smaller = np.minimum(counts[first], counts[second]) / self._sizes
        self._worst = worst

    def score(self, matrix, column, summed=None):
        values = self._values([pair.cross(matrix, column, summed)[0] for pair in self._pairs])
        return float(values.max() if self._worst else values.mean())

    def standard_error(self, matrix, summed=None):
        # Pairs count as independent.
        column = np.zeros(len(matrix))
        cross = np.array([pair.cross(matrix, column, summed)[0] for pair in self._pairs])
        deviation = np.array([pair.deviation(matrix, summed) for pair in self._pairs])
        up, down = (self._values(np.maximum(cross + s * deviation, 0)) for s in (1, -1))
        errors = (up - down) / 2
        if self._worst:
            return float(errors[self._values(cross).argmax()])
        return float(np.sqrt((errors**2).sum()) / len(errors))

    def baseline(self):
        # The cross edges of random labels.
        values = self._values(2 * self._smaller * (1 - self._smaller) * self._sizes)
        return float(values.max() if self._worst else values.mean())

    def _values(self, cross):
        # Not clipped at the baseline as in the paper: scores above it still differ.
        value, _, _ = bayes_error_bounds(
            np.asarray(cross), self._sizes, self._smaller, bias_correction=False
        )
        return value / self._smaller


class NeighborVotes:
    """Leave-one-out error of the votes of the nearest neighbours."""

    def __init__(self, codes, n_trees, n_neighbors, seed):
        self._codes = codes
        self._seed = seed
        self._ladder = np.array([min(n_neighbors, len(codes) - 1)])
        self._ids = np.arange(len(codes), dtype=np.uint32)
        self._n_classes = int(codes.max()) + 1

    def score(self, matrix, column, summed=None):
        near = nearest_in_sum(matrix, column, self._ids, self._seed, int(self._ladder[0]))
        labels = labels_of(near, self._codes)
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


class _TreesOfRows:
    """Trees of some rows under a matrix of squared distances, and their cross edges."""

    def __init__(self, codes, rows, n_trees, seed):
        self._codes = codes
        self._seed = seed
        self._rows = rows.astype(np.uint32)
        self._ids = np.arange(len(codes), dtype=np.uint32)
        n_classes = len(np.unique(codes[rows]))
        # Of three classes or more, one too small for all trees has few of the edges.
        self._smaller = np.bincount(codes[rows]).min() if n_classes == 2 else len(rows)
        self._n_trees = min(n_trees, int(trees_to_count(self._smaller, max(1, len(rows) // 2))))

    def cross(self, matrix, column, summed=None):
        """Cross edges, averaged over the trees that span the rows, and those trees' edges."""
        n_rows = len(self._rows)
        if summed is not None and summed.shape[1] < _most_columns(n_rows, self._n_trees):
            points = np.ascontiguousarray(np.column_stack([summed, column])[self._rows])
            index = kdtree.index(points, self._rows, 1)
            edges, _, sizes = kdtree.forests(index, self._seed, self._n_trees, 1)
            edges = self._rows[edges]
        else:
            edges, _, sizes = prim_sum(
                matrix, column, self._rows, self._ids, self._seed, self._n_trees
            )
        used = int(trees_to_count(self._smaller, count_spanning(sizes, len(self._rows))))
        edges = edges[: int(sizes[:used].sum())]
        crossing = np.count_nonzero(self._codes[edges[:, 0]] != self._codes[edges[:, 1]])
        return crossing / used, WeightedEdges(edges, np.full(len(edges), 1 / used))

    def deviation(self, matrix, summed):
        """Standard deviation of the cross edges over new samples."""
        cross, graph = self.cross(matrix, np.zeros(len(matrix)), summed)
        rows = self._rows.astype(np.intp)
        if len(rows) <= LOCAL_NEIGHBORS:
            return float(np.sqrt(cross))  # too few for local shares: as independent edges
        if len(rows) < len(matrix):
            place = np.zeros(len(matrix), dtype=np.intp)
            place[rows] = np.arange(len(rows))
            graph = WeightedEdges(place[graph.edges], graph.weights)
            matrix = np.ascontiguousarray(matrix[np.ix_(rows, rows)])
        near = nearest_in_sum(
            matrix, np.zeros(len(rows)), self._ids[rows], self._seed, LOCAL_NEIGHBORS
        )
        codes = self._codes[rows]
        shares = local_shares(codes[near.T], codes)
        return float(np.sqrt(count_variance(graph, shares).total))


def _most_columns(n_rows, n_trees):
    """Features up to which a kd-tree is faster than a pass over the matrix for each tree."""
    # Its time grows as n · 1.33^d, a third more for each further tree; that of a pass as n².
    ratio = 0.003 * n_rows * n_trees / (1 + 0.3 * (n_trees - 1))
    return int(np.log(max(ratio, 1)) / np.log(1.33))


CRITERIA = {
    "multiclass": TreeOfAllClasses,
    "mean_pair": partial(TreesOfPairs, worst=False),
    "worst_pair": partial(TreesOfPairs, worst=True),
    "knn": NeighborVotes,
}


def make_criterion(name, codes, *, n_trees=3, n_neighbors=5, seed=0):
    """The criterion of that name for class codes 0 to K-1."""
    return CRITERIA[name](codes, n_trees, n_neighbors, seed)

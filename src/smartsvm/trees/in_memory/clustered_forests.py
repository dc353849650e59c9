"""Orthogonal trees of clustered points: those of the clusters, and the edges between them.

A search for each tree finds the few edges between clusters anew. Where the graph of nearest
neighbours falls into parts that are not connected, these clusters are like classes: one product of
every two of them tells the edges between them in all trees. Exact whatever the clusters are.
"""

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from smartsvm._core.blas_threads import single_blas_thread
from smartsvm._core.points import Points
from smartsvm._mst import blocked
from smartsvm._mst.products.projection import find_basis
from smartsvm.trees.in_memory.class_trees import SpanningForest

# With fewer points or columns, a search for each tree takes less time.
_LEAST_POINTS = 10_000
_LEAST_COLUMNS = 128
# Nearest neighbours of each point in the graph whose parts are the clusters.
_NEIGHBORS = 8
# Points whose distances show whether there are clusters.
_QUERIES = 24
# A cluster has at most n / 20 points.
_MOST_INSIDE = 20
# A point has a gap where a squared distance is at least 1.05 times the next smaller one; without
# clusters the largest such ratio is 1.02. Half of the points need a gap.
_GAP = 1.05
_LEAST_WITH_GAPS = 0.5
# Squared distances below 1e-9 of the largest one are rounding: of copies.
_ROUNDING = 1e-9


def clustered_forests(points, n_trees, seed, n_threads):
    """Forests as a kernel returns them, or None where the points have no clusters."""
    n, d = points.shape
    if n_trees == 1 or n < _LEAST_POINTS or d < _LEAST_COLUMNS or not _have_gaps(points):
        return None
    ids = np.arange(n, dtype=np.uint32)
    index = blocked.index(points, ids, n_threads, find_basis(points))
    nearest = blocked.neighbor_rows(index, seed, _NEIGHBORS, n_threads)
    del index
    ones, starts = np.ones(nearest.size, dtype=bool), np.arange(n + 1) * _NEIGHBORS
    graph = csr_matrix((ones, nearest.ravel(), starts), (n, n))
    clusters = connected_components(graph, directed=False)[1]
    forest = SpanningForest(Points(points), clusters, n_trees=n_trees, seed=seed, n_jobs=n_threads)
    forest.keeps_pairs = False
    pairs = forest.apart()
    if pairs is None or not len(pairs.apart):
        return None
    for _ in pairs.joined:
        pass
    return forest.whole()


def _have_gaps(points):
    """Whether most points have a gap between the distances to their cluster and to others."""
    queries = points[:: -(-len(points) // _QUERIES)]
    with single_blas_thread():
        squared = queries @ points.T
    squared *= -2
    squared += np.einsum("ij,ij->i", points, points)
    squared += np.einsum("ij,ij->i", queries, queries)[:, None]
    inside = len(points) // _MOST_INSIDE
    nearest = np.sort(np.partition(squared, inside, axis=1)[:, :inside], axis=1)[:, _NEIGHBORS:]
    before = np.maximum(nearest[:, :-1], _ROUNDING * squared.max())
    return (nearest[:, 1:] >= _GAP * before).any(axis=1).mean() >= _LEAST_WITH_GAPS

"""What the functions of this folder return: spanning trees, and nearest neighbours."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from smartsvm._core.types import Floats, Integers
from smartsvm._core.validation import check_int, check_number
from smartsvm._mst.edges.dendrogram import linkage_matrix


class _EdgesAndWeights(NamedTuple):
    edges: Integers
    weights: Floats


class SpanningTrees(_EdgesAndWeights):
    """Edge-disjoint spanning trees of one set of points.

    Attributes
    ----------
    edges : ndarray of shape (n_trees, n_samples - 1, 2)
        Row pairs (i, j) with i < j, each tree in the order (weight, i, j).
    weights : ndarray of shape (n_trees, n_samples - 1)
        The distances between the rows of each edge, or with `core_neighbors` their mutual
        reachability.
    core_distances : ndarray of shape (n_samples,) or None
        The distance of each row to its neighbour number `core_neighbors`; None without that.

    Notes
    -----
    A pair: ``edges, weights = euclidean_mst(X)``.
    """

    core_distances: Floats | None = None

    def linkage(self, tree: int = 0) -> Floats:
        """Compute the single-linkage hierarchy of a tree, as SciPy has it.

        Parameters
        ----------
        tree : int, default=0
            Number of the tree.

        Returns
        -------
        ndarray of shape (n_samples - 1, 4)
            A matrix for ``scipy.cluster.hierarchy``: row r joins the clusters in its first two
            columns, at the height in the third, to cluster n_samples + r, whose size is in the
            fourth. Heights are the weights of the tree.

        Examples
        --------
        >>> from smartsvm import euclidean_mst
        >>> euclidean_mst([[0.0], [1.0], [3.0]]).linkage().tolist()
        [[0.0, 1.0, 1.0, 2.0], [2.0, 3.0, 2.0, 3.0]]
        """
        edges, weights = self._edges_of(tree)
        return linkage_matrix(edges, weights)

    def to_csr(self, tree: int = 0) -> csr_array:
        """Convert a tree to a sparse matrix, as ``scipy.sparse.csgraph`` takes it.

        Parameters
        ----------
        tree : int, default=0
            Number of the tree.

        Returns
        -------
        scipy.sparse.csr_array of shape (n_samples, n_samples)
            The weight of each edge (i, j) in row i and column j, where i < j. The weight of equal
            rows is stored, too, though it may be 0.

        Examples
        --------
        >>> from smartsvm import euclidean_mst
        >>> euclidean_mst([[0.0], [1.0], [3.0]]).to_csr().toarray().tolist()
        [[0.0, 1.0, 0.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]]
        """
        edges, weights = self._edges_of(tree)
        return _as_csr(edges, weights, len(weights) + 1)

    def components(self, longest: float, tree: int = 0) -> Integers:
        """Label the parts into which a tree falls without its long edges.

        With mutual reachability these are the clusters of DBSCAN* with ``eps=longest``, and parts
        of a single row are noise.

        Parameters
        ----------
        longest : float
            Edges of a larger weight are left out.
        tree : int, default=0
            Number of the tree.

        Returns
        -------
        ndarray of shape (n_samples,)
            The part of each row, numbered from 0 in the order of their first rows.

        Examples
        --------
        >>> from smartsvm import euclidean_mst
        >>> euclidean_mst([[0.0], [1.0], [3.0]]).components(1.5).tolist()
        [0, 0, 1]
        """
        edges, weights = self._edges_of(tree)
        longest = check_number(longest, "longest", "a number of at least 0", lambda x: x >= 0)
        n_kept = np.searchsorted(weights, longest, side="right")
        graph = _as_csr(edges[:n_kept], np.ones(n_kept), len(weights) + 1)
        return connected_components(graph, directed=False)[1].astype(np.intp)

    def _edges_of(self, tree):
        tree = check_int(tree, "tree", least=0, most=len(self.weights) - 1)
        return self.edges[tree], self.weights[tree]


def _as_csr(edges, weights, n_points):
    order = np.lexsort((edges[:, 1], edges[:, 0]))
    # Older scipy finds components of graphs with 32-bit indices only.
    indices = np.int32 if n_points < 2**31 else np.int64
    start = np.concatenate([[0], np.cumsum(np.bincount(edges[:, 0], minlength=n_points))])
    columns = edges[order, 1].astype(indices)
    return csr_array((weights[order], columns, start.astype(indices)), shape=(n_points, n_points))


class Neighbors(NamedTuple):
    """The nearest other rows of every row, nearest first.

    Attributes
    ----------
    indices : ndarray of shape (n_samples, n_neighbors)
        Their row numbers.
    distances : ndarray of shape (n_samples, n_neighbors)
        Their distances.
    """

    indices: Integers
    distances: Floats

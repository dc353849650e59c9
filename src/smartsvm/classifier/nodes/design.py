"""Work that the nodes of a training set share for all C: rows, columns, Gaussians, forest."""

from functools import cached_property

import numpy as np
from scipy import sparse

from smartsvm._core.sampling import rows_by_class
from smartsvm.classifier.nodes.evidence import class_odds
from smartsvm.classifier.nodes.quadratic_map import QuadraticMap
from smartsvm.classifier.nodes.solver import NodeProblem
from smartsvm.classifier.nodes.svm_units import units_for
from smartsvm.held_out.extra_trees import ExtraTrees
from smartsvm.held_out.gaussians import Gaussians
from smartsvm.held_out.linear import LeaveOneOutLDA
from smartsvm.held_out.principal_components import Directions

_CONSTANT = 1.0  # the last column, whose weight is the intercept: LibLinear's intercept_scaling
# One strength: the weights of the evidence do what a search for another one would.
_STRENGTHS = (1.0,)
# In columns of variance 1, LDA uses 0.9 · covariance + 0.1 · identity, which can be inverted.
_SHRINKAGE = 0.1


class NodeDesign:
    """The training rows in the order of the leaves: every node is a slice, left classes first."""

    def __init__(self, X, codes, hierarchy, *, weights, draw_seed, n_jobs):
        self.hierarchy = hierarchy
        self._draw_seed = draw_seed
        self._n_jobs = n_jobs
        leaves = hierarchy.leaf_order()
        place = np.empty(len(leaves), dtype=np.intp)
        place[leaves] = np.arange(len(leaves))
        order = rows_by_class(place[codes])
        self._codes = codes[order]
        self._leaf_starts = np.concatenate([[0], np.cumsum(np.bincount(place[codes]))])
        # First leaf, first leaf of the right side and end of every node.
        first = np.where(hierarchy.sides != 0, place, len(leaves)).min(axis=1)
        n_left, n_right = (np.count_nonzero(hierarchy.sides == side, axis=1) for side in (-1, 1))
        self._spans = np.cumsum([first, n_left, n_right], axis=0).T
        self.n_samples, self.n_features = X.shape
        self.is_sparse = sparse.issparse(X)
        self.weights = None if weights is None else weights[order]
        self._given = _with_constant(X[order])

    def node_rows(self, node):
        """Where the rows of a node begin, where its right side begins, and where they end."""
        return self._leaf_starts[self._spans[node]].tolist()

    def node_targets(self, node):
        """-1 for the rows of a node on its left, 1 for those on its right; and their weights."""
        begin, middle, end = self.node_rows(node)
        weights = None if self.weights is None else self.weights[begin:end]
        return np.where(np.arange(begin, end) < middle, -1.0, 1.0), weights

    def share(self, node):
        """The fraction of the training rows that belong to a node."""
        begin, _, end = self.node_rows(node)
        return (end - begin) / self.n_samples

    def columns(self, *, quadratic):
        """The rows with a constant column at the end: the features, or the quadratic columns."""
        return self._quadratic if quadratic else self._linear

    def problem(self, node, *, quadratic):
        """The binary problem of a node in these columns."""
        begin, middle, end = self.node_rows(node)
        weights = None if self.weights is None else self.weights[begin:end]
        rows = self.columns(quadratic=quadratic)[begin:end]
        return NodeProblem(rows, middle - begin, weights)

    def quadratic_start(self, weights):
        """Weights of the quadratic columns that decide nearly as a linear SVM does, or None."""
        if self.units is not None:  # its weights are those of other units
            return None
        slopes, constant = self.directions.slopes_of(weights[:-1])
        return self.quadratic_map.weights_of_plane(slopes, constant + weights[-1] * _CONSTANT)

    @cached_property
    def units(self):
        """The units of the features in linear SVMs; None for those of X."""
        return units_for(self._given[:, :-1])

    @cached_property
    def _linear(self):
        if self.units is None:
            return self._given
        return _with_constant(self.units(self._given[:, :-1]))

    @cached_property
    def _quadratic(self):
        shape = self.n_samples, self.quadratic_map.n_columns + 1
        return self.quadratic_map.columns(self._inside, np.full(shape, _CONSTANT))

    @cached_property
    def directions(self):
        """The few directions of the rows that Gaussians and products use."""
        return Directions(self._given[:, :-1])

    @cached_property
    def _inside(self):
        return self.directions(self._given[:, :-1])

    @cached_property
    def quadratic_map(self):
        """The columns of quadratic SVMs."""
        return QuadraticMap(self.directions, self._inside)

    @cached_property
    def gaussians(self):
        """The class Gaussians."""
        return Gaussians(
            *self._classes,
            weights=self.weights,
            strengths=_STRENGTHS,
            directions=self.directions,
            n_jobs=self._n_jobs,
        )

    @cached_property
    def gaussian_odds(self):
        """Held-out log odds of all nodes by the class Gaussians, shape (n_nodes, n)."""
        return class_odds(self.hierarchy.children, self.gaussians.left_out_scores().T)

    @cached_property
    def discriminant_odds(self):
        """Held-out log odds of all nodes by LDA, shape (n_nodes, n)."""
        scores = self.discriminants.scores_of(0)
        return class_odds(self.hierarchy.children, scores.T.astype(np.float64))

    @cached_property
    def discriminants(self):
        """LDA over all classes."""
        shrinkages = np.array([_SHRINKAGE])
        return LeaveOneOutLDA(
            StandardRows(self._given[:, :-1]),
            self._codes,
            self.hierarchy.n_classes,
            shrinkages,
            n_jobs=self._n_jobs,
        )

    def discriminant_plane(self):
        """Weights of the features, (K, n_features + 1), constants last, of the scores of LDA."""
        weights, constants = self.discriminants.plane()
        rows = StandardRows(self._given[:, :-1])
        weights /= rows.scale[:, None]
        return np.column_stack([weights.T, constants - rows.mean @ weights])

    @cached_property
    def forest(self):
        """The forest whose votes all nodes share."""
        seed = self._draw_seed()  # only here: drawing takes time
        return ExtraTrees(*self._classes, weights=self.weights, seed=seed, n_jobs=self._n_jobs)

    @property
    def _classes(self):
        return self._given[:, :-1], self._codes, self.hierarchy.n_classes


class StandardRows:
    """Rows with columns of mean 0 and variance 1: LDA shrinks all columns by as much."""

    def __init__(self, rows):
        self._rows = rows
        self.shape = rows.shape
        self.mean, scale = rows.mean(axis=0), rows.std(axis=0)
        self.scale = np.where(scale > 0, scale, np.inf)

    def block(self, rows):
        """Some of them."""
        return (self._rows[rows] - self.mean) / self.scale


def _with_constant(rows):
    """The rows with a constant column at the end, whose weight is the intercept."""
    n, d = rows.shape
    if sparse.issparse(rows):
        return sparse.hstack([rows, sparse.csr_matrix(np.full((n, 1), _CONSTANT))], format="csr")
    out = np.full((n, d + 1), _CONSTANT)
    out[:, :-1] = rows
    return out

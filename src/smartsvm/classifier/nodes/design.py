"""All that the nodes of one training set share, whatever C: rows in order, evidence, errors."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy import sparse

from smartsvm._core.sampling import rows_by_class
from smartsvm.classifier.nodes.evidence import LINEAR, QUADRATIC, class_odds, vote_odds
from smartsvm.classifier.nodes.quadratic_map import QuadraticMap
from smartsvm.classifier.nodes.solver import NodeProblem
from smartsvm.held_out.directions import Directions
from smartsvm.held_out.forest_votes import ForestVotes
from smartsvm.held_out.gaussians import Gaussians

_CONSTANT = 1.0  # LibLinear's intercept_scaling
# One strength: the weights of the nodes do what a search for another one would.
_STRENGTHS = (1.0,)


class NodeDesign:
    """The training rows in the order of the leaves, so that every node is a slice.

    Nothing is copied for a node: its classes lie side by side, the left ones first.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n, d)
        Training rows.
    codes : ndarray of shape (n,)
        Their classes.
    hierarchy : ClassHierarchy
        The binary problems.
    weights : ndarray of shape (n,) or None
        Positive weights of the rows.
    draw_seed : callable
        Gives the seed of the voting forest; called if there is one, since drawing takes time.
    n_jobs : int or None
        Threads for that forest and the class Gaussians.
    """

    def __init__(self, X, codes, hierarchy, *, weights, draw_seed, n_jobs):
        self.hierarchy = hierarchy
        self._draw_seed, self._n_jobs = draw_seed, n_jobs
        leaves = hierarchy.leaf_order()
        place = np.empty(len(leaves), dtype=np.intp)
        place[leaves] = np.arange(len(leaves))
        order = rows_by_class(place[codes])
        self._codes = codes[order]
        self._leaf_starts = np.concatenate([[0], np.cumsum(np.bincount(place[codes]))])
        self._spans = self._node_spans()
        self.n_samples, self.n_features = X.shape
        self.is_sparse = sparse.issparse(X)
        self._rows = {LINEAR: _with_constant(X[order])}
        self.weights = None if weights is None else weights[order]
        self._grams = {}

    def _node_spans(self):
        """First leaf, first leaf of the right side and end of every node."""
        children = self.hierarchy.children.tolist()
        spans = np.empty((len(children), 3), dtype=np.intp)
        stack = [(0, 0)]
        sizes = np.count_nonzero(self.hierarchy.sides, axis=1)
        lefts = np.count_nonzero(self.hierarchy.sides < 0, axis=1)
        while stack:
            node, first = stack.pop()
            middle = first + lefts[node]
            spans[node] = first, middle, first + sizes[node]
            for child, start in zip(children[node], (first, middle), strict=True):
                if child >= 0:
                    stack.append((child, start))
        return spans

    def node_rows(self, node):
        """Where the rows of a node begin, where its right side begins, and where they end."""
        return self._leaf_starts[self._spans[node]].tolist()

    def share(self, node):
        """Share of the training rows that belong to a node."""
        begin, _, end = self.node_rows(node)
        return (end - begin) / self.n_samples

    def problem(self, node, kind):
        """The binary problem of a node in the given or in the quadratic columns."""
        begin, middle, end = self.node_rows(node)
        weights = None if self.weights is None else self.weights[begin:end]
        gram = None
        if self._grams.get(kind) is not None:
            first, _, last = self._spans[node]
            gram = self._grams[kind][first:last].sum(axis=0)
        return NodeProblem(self._rows[kind][begin:end], middle - begin, weights, gram)

    def add_columns(self, kind):
        """Compute the columns of a kind of machine, once."""
        if kind == QUADRATIC and QUADRATIC not in self._rows:
            self._rows[QUADRATIC] = self.quadratic_map.columns(
                self._inside, np.full((self.n_samples, self.quadratic_map.n_columns + 1), _CONSTANT)
            )

    def add_grams(self, kind):
        """Compute the class Gram matrices of these columns, once, for machines without a start."""
        if kind not in self._grams and not self.is_sparse:
            self._grams[kind] = self._class_grams(self._rows[kind])

    def quadratic_start(self, weights):
        """Weights of the quadratic columns that decide about as a linear machine does."""
        slopes, constant = self.directions.slopes_of(weights[:-1])
        return self.quadratic_map.weights_of_plane(slopes, constant + weights[-1] * _CONSTANT)

    @property
    def _given(self):
        return self._rows[LINEAR][:, :-1]

    @cached_property
    def directions(self):
        """A few directions of the rows, which Gaussians and products are made of."""
        return Directions(self._given)

    @cached_property
    def _inside(self):
        return self.directions(self._given)

    @cached_property
    def quadratic_map(self):
        """The columns of quadratic machines."""
        return QuadraticMap(self.directions, self._inside)

    @cached_property
    def gaussians(self):
        """The class Gaussians."""
        return Gaussians(
            self._given,
            self._codes,
            self.hierarchy.n_classes,
            weights=self.weights,
            strengths=_STRENGTHS,
            directions=self.directions,
            n_jobs=self._n_jobs,
        )

    @cached_property
    def gaussian_odds(self):
        """Left-out log odds of all nodes by the class Gaussians, shape (n_nodes, n)."""
        return class_odds(self.hierarchy.children, self.gaussians.left_out_scores().T)

    @cached_property
    def forest(self):
        """The voting forest, which grows as it is asked to."""
        return ForestVotes(
            self._given,
            self._codes,
            self.hierarchy.n_classes,
            weights=self.weights,
            seed=self._draw_seed(),
            n_jobs=self._n_jobs,
        )

    def forest_odds(self, votes, n_trees):
        """Log odds of all nodes by left-out votes, shape (n_nodes, n)."""
        return vote_odds(self.hierarchy.children, votes.T, n_trees)

    def _class_grams(self, rows):
        """Σ weight · row rowᵀ of every leaf, or None where they would need more memory than rows.

        Each node starts from the sum over its classes: one pass over the rows for
        all nodes instead of one for each level of the hierarchy.
        """
        n_leaves, n_columns = len(self._leaf_starts) - 1, rows.shape[1]
        if n_leaves * n_columns > len(rows):
            return None
        grams = np.empty((n_leaves, n_columns, n_columns))
        for leaf, (begin, end) in enumerate(
            zip(self._leaf_starts[:-1], self._leaf_starts[1:], strict=True)
        ):
            inside = rows[begin:end]
            if self.weights is not None:
                inside = inside * np.sqrt(self.weights[begin:end])[:, None]
            grams[leaf] = inside.T @ inside
        return grams


def _with_constant(rows):
    """The rows with a constant column at the end, whose weight is the intercept."""
    n, d = rows.shape
    if sparse.issparse(rows):
        return sparse.hstack([rows, sparse.csr_matrix(np.full((n, 1), _CONSTANT))], format="csr")
    out = np.empty((n, d + 1))
    out[:, :-1] = rows
    out[:, -1] = _CONSTANT
    return out

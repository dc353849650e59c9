"""All that the nodes of one training set share, whatever C: rows in order, maps, exact errors."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy import sparse

from smartsvm.classifier.feature_maps import MAPS
from smartsvm.classifier.node_solver import NodeProblem

_CONSTANT = 1.0  # LibLinear's intercept_scaling


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
    class_weights : ndarray of shape (K,) or None
        Weights of the classes.
    make_forest : callable
        Makes the `ClassForest` behind the errors of nodes, if one is asked for.
    seed : int
        Seed of the maps.
    """

    def __init__(self, X, codes, hierarchy, *, class_weights, make_forest, seed):
        self.hierarchy = hierarchy
        self._make_forest = make_forest
        self._seed = seed
        leaves = hierarchy.leaf_order()
        place = np.empty(len(leaves), dtype=np.intp)
        place[leaves] = np.arange(len(leaves))
        self.order = np.argsort(place[codes], kind="stable")
        self._leaf_starts = np.concatenate([[0], np.cumsum(np.bincount(place[codes]))])
        self._spans = self._node_spans()
        self.n_samples, self.n_features = X.shape
        if sparse.issparse(X):
            constant = sparse.csr_matrix(np.full((self.n_samples, 1), _CONSTANT))
            self._given = sparse.hstack([X[self.order], constant], format="csr")
        else:
            self._given = np.empty((self.n_samples, self.n_features + 1))
            np.take(X, self.order, axis=0, out=self._given[:, :-1])
            self._given[:, -1] = _CONSTANT
        self._weights = None if class_weights is None else class_weights[codes[self.order]]
        self._errors = np.full(hierarchy.n_nodes, np.nan)
        self._maps, self._mapped, self._grams = {}, {}, {}

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

    @property
    def is_sparse(self):
        return sparse.issparse(self._given)

    def node_rows(self, node):
        """Where the rows of a node begin, where its right side begins, and where they end."""
        return self._leaf_starts[self._spans[node]].tolist()

    def share(self, node):
        """Share of the training rows that belong to a node."""
        begin, _, end = self.node_rows(node)
        return (end - begin) / self.n_samples

    def problem(self, node, name):
        """The binary problem of a node in the features of a map ("linear": the given ones)."""
        begin, middle, end = self.node_rows(node)
        rows = self._given if name == "linear" else self._mapped[name]
        weights = None if self._weights is None else self._weights[begin:end]
        gram = None
        if self._grams.get(name) is not None:
            first, _, last = self._spans[node]
            gram = self._grams[name][first:last].sum(axis=0)
        return NodeProblem(rows[begin:end], middle - begin, weights, gram)

    def prepare(self, name):
        """Compute the features of a map and the class Gram matrices, once."""
        if name != "linear" and name not in self._mapped:
            if self.is_sparse:
                raise TypeError(
                    f"node_map={name!r} needs dense points, got a sparse matrix X of shape "
                    f"{(self.n_samples, self.n_features)}; use 'auto' or 'linear', or pass "
                    f"X.toarray()."
                )
            given = self._given[:, :-1]
            self._maps[name], added = MAPS[name].fit(given, self._leaf_starts, self._seed)
            self._mapped[name] = np.hstack([self._given, added])
        if name not in self._grams and not self.is_sparse:
            self._grams[name] = self._class_grams(
                self._given if name == "linear" else self._mapped[name]
            )

    def map(self, name):
        """The fitted map of that name."""
        return self._maps[name]

    def node_errors(self, wanted):
        """Exact HP-estimates of the problems of some nodes, computed once each."""
        missing = [node for node in wanted if np.isnan(self._errors[node])]
        if missing:
            sides = self.hierarchy.sides
            for node, codes, group in self._forest.node_groups(self.hierarchy.children, missing):
                self._errors[node] = group.split_error(sides[node, codes] > 0)
        return self._errors[list(wanted)]

    @cached_property
    def _forest(self):
        return self._make_forest()

    def _class_grams(self, rows):
        """Σ row rowᵀ of every leaf, or None where they would need more memory than the rows.

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
            grams[leaf] = inside.T @ inside
            if self._weights is not None:
                grams[leaf] *= self._weights[begin]  # one weight for all rows of a class
        return grams

"""From trained nodes to labels: the path down, by compiled nodes or by any classifier.

A router is built once, when the nodes are trained; it holds its own copies of what it needs,
checked, so that nothing done to the attributes of a classifier later can lead it astray.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from smartsvm.classifier._descent import Descent
from smartsvm.classifier.nodes.estimators import node_margin

ROUTINGS = ("hard", "soft")

_ROWS_AT_ONCE = 4096
_MARGINS_AT_ONCE = 1 << 22
# One product of all rows with all nodes is this many times faster, number for number, than the
# sums of one row at one node: it wins unless the path has a smaller share of the nodes.
_PRODUCT_GAIN = 2.0


def margin_descent(hierarchy, links=None, limit=np.inf):
    """A descent of rows of margins, which are log odds themselves unless links are given."""
    n_nodes = hierarchy.n_nodes
    if links is None:
        links = np.tile([1.0, 0.0], (n_nodes, 1))
    return Descent(hierarchy.children, np.empty((n_nodes, 0)), np.zeros(n_nodes), links, limit)


class _CompiledRouter:
    """Some thousand rows at a time go down a compiled descent."""

    def __init__(self, hierarchy):
        self._n_classes, self._n_nodes = hierarchy.n_classes, hierarchy.n_nodes

    def hard(self, X):
        """Codes of the classes that the nodes decide for."""
        return self._fill(X, np.empty(X.shape[0], dtype=np.intp), "hard")

    def soft(self, X):
        """Codes of the likeliest classes."""
        return self._fill(X, np.empty(X.shape[0], dtype=np.intp), "soft")

    def margins(self, X):
        """Decision values of all nodes, shape (n, n_nodes)."""
        return self._fill(X, np.empty((X.shape[0], self._n_nodes)), "margins")

    def log_probabilities(self, X, *, exponentiate=False):
        """Logarithms of the class probabilities, or these themselves, shape (n, K)."""
        out = np.empty((X.shape[0], self._n_classes))
        return self._fill(X, out, "log_probabilities", exponentiate)

    def _fill(self, X, out, question, *arguments):
        step = max(1, min(_ROWS_AT_ONCE, _MARGINS_AT_ONCE // self._n_nodes))
        for start in range(0, X.shape[0], step):
            rows = slice(start, start + step)
            descent, data = self._prepared(X[rows])
            getattr(descent, question)(data, out[rows], *arguments)
        return out


class LinearRouter(_CompiledRouter):
    """Nodes that are linear in the given features.

    Parameters
    ----------
    hierarchy : ClassHierarchy
        The tree.
    class_shares : ndarray of shape (K,)
        How often each class is expected, to weigh the lengths of the paths.
    coef : ndarray of shape (n_nodes, d)
        Weights of the features.
    intercept : ndarray of shape (n_nodes,)
        Intercepts.
    links : ndarray of shape (n_nodes, 2)
        Slope and offset from margins to log odds.
    limit : float
        Where margins are cut for these.
    """

    def __init__(self, hierarchy, class_shares, coef, intercept, links, limit):
        super().__init__(hierarchy)
        self._descent = Descent(hierarchy.children, coef, intercept, links, limit)
        self._margin_descent = margin_descent(hierarchy, links, limit)
        self._coef, self._intercept = np.array(coef).T.copy(), np.array(intercept)
        self._batched = self._n_nodes < _PRODUCT_GAIN * (hierarchy.class_depths @ class_shares)

    def _prepared(self, X):
        if self._batched or sparse.issparse(X):
            return self._margin_descent, X @ self._coef + self._intercept
        return self._descent, X


class EvidenceRouter(_CompiledRouter):
    """Nodes that add up evidence.

    Parameters
    ----------
    hierarchy : ClassHierarchy
        The tree.
    evidence : NodeEvidence
        Gives the log odds of all nodes.
    """

    def __init__(self, hierarchy, evidence):
        super().__init__(hierarchy)
        self._evidence = evidence
        self._descent = margin_descent(hierarchy)

    def _prepared(self, X):
        return self._descent, self._evidence.log_odds(X)


class EstimatorRouter:
    """Nodes that are fitted classifiers of any kind.

    Parameters
    ----------
    hierarchy : ClassHierarchy
        The tree.
    estimators : list of classifiers
        One for each node; class 1 is the right side.
    calibrators : list of (slope, intercept) or None
        Sigmoids from margins to probabilities, where a classifier has none itself.
    """

    def __init__(self, hierarchy, estimators, calibrators):
        self._children = hierarchy.children.tolist()
        self._n_classes = hierarchy.n_classes
        self._estimators, self._calibrators = estimators, calibrators

    def hard(self, X):
        """Codes of the classes that the nodes decide for."""
        return self._descend(X, lambda node, rows: node_margin(self._estimators[node], X[rows]))[0]

    def soft(self, X):
        """Codes of the likeliest classes.

        The path of the likelier sides gives every row a first answer; other branches
        are followed only for the rows whose product there is still as large.
        """
        known = {}

        def evidence(node, rows):
            known[node] = np.full(X.shape[0], np.nan)
            known[node][rows] = self._right_probability(node, X[rows])
            return known[node][rows] - 0.5

        best_class, visited = self._descend(X, evidence)
        best = np.ones(X.shape[0])
        for node, rows in visited:
            p = known[node][rows]
            best[rows] *= np.maximum(p, 1 - p)
        waiting = {0: np.ones(X.shape[0])}
        for node, pair in enumerate(self._children):
            product = waiting.pop(node)
            inside = np.flatnonzero(product >= best * (1 - 1e-9))
            p = known.setdefault(node, np.full(X.shape[0], np.nan))
            new = inside[np.isnan(p[inside])]
            if len(new):
                p[new] = self._right_probability(node, X[new])
            for child, share in zip(pair, (1 - p, p), strict=True):
                below = np.full(X.shape[0], -1.0)
                below[inside] = product[inside] * share[inside]
                if child >= 0:
                    waiting[child] = below
                    continue
                wins = (below > best) | ((below == best) & (~child < best_class))
                best[wins], best_class[wins] = below[wins], ~child
        return best_class

    def margins(self, X):
        """Decision values of all nodes, shape (n, n_nodes)."""
        return np.column_stack([node_margin(each, X) for each in self._estimators])

    def log_probabilities(self, X, *, exponentiate=False):
        """Logarithms of the class probabilities, or these themselves, shape (n, K)."""
        out = np.empty((X.shape[0], self._n_classes))
        waiting = {0: np.ones(X.shape[0])}
        for node, pair in enumerate(self._children):
            product = waiting.pop(node)
            p = self._right_probability(node, X)
            for child, share in zip(pair, (1 - p, p), strict=True):
                if child >= 0:
                    waiting[child] = product * share
                else:
                    out[:, ~child] = product * share
        if exponentiate:
            return out
        with np.errstate(divide="ignore"):
            return np.log(out)

    def _descend(self, X, evidence):
        """Codes of the leaves reached, and (node, rows that passed it) in order."""
        reached = np.empty(X.shape[0], dtype=np.intp)
        waiting, visited = {0: np.arange(X.shape[0])}, []
        for node, pair in enumerate(self._children):
            here = waiting.pop(node)
            visited.append((node, here))
            goes_right = evidence(node, here) > 0
            for child, moved in zip(pair, (here[~goes_right], here[goes_right]), strict=True):
                if child >= 0:
                    waiting[child] = moved
                else:
                    reached[moved] = ~child
        return reached, visited

    def _right_probability(self, node, X):
        if not X.shape[0]:
            return np.empty(0)
        estimator = self._estimators[node]
        if self._calibrators[node] is None:
            return estimator.predict_proba(X)[:, 1]
        slope, intercept = self._calibrators[node]
        margin = np.clip(slope * node_margin(estimator, X) + intercept, -30, 30)
        return 1 / (1 + np.exp(-margin))


def smallest_margins(margins, hierarchy):
    """Smallest signed margin on the path to each class, shape (n, K); hard routing maximises it."""
    scores = np.empty((len(margins), hierarchy.n_classes))
    weakest = {0: np.full(len(margins), np.inf)}
    for node, pair in enumerate(hierarchy.children.tolist()):
        so_far, margin = weakest.pop(node), margins[:, node]
        # A margin of 0 goes left, so it counts as the smallest positive number there.
        to_left = np.where(margin == 0, np.finfo(float).smallest_subnormal, -margin)
        for child, signed in zip(pair, (to_left, margin), strict=True):
            if child >= 0:
                weakest[child] = np.minimum(so_far, signed)
            else:
                scores[:, ~child] = np.minimum(so_far, signed)
    return scores

"""From trained nodes to labels: the path down, by compiled nodes or by any classifier.

A router is built once, after training. It holds checked copies of everything it needs, so that
later changes to the attributes of a classifier cannot lead it astray.
"""

import numpy as np
from scipy import sparse

from smartsvm.classifier._descent import Descent
from smartsvm.classifier.nodes.estimators import node_margin

# Predict min(4096, 2²² / nodes) rows at a time: their margins take at most 32 MiB.
_ROWS_AT_ONCE = 4096
_MARGINS_AT_ONCE = 1 << 22
# Rows per block are a multiple of the tiles of the compiled sums, so that a row has the same place
# in its tile, and rounds alike, for every size of block.
_TILE = 256
# A product of all rows with all nodes computes this many margins in the time of one margin on a
# path. It wins unless the path visits a smaller fraction of the nodes.
_PRODUCT_GAIN = 2.0


def margin_descent(hierarchy, links=None, limit=np.inf):
    """A descent of rows of margins, which are log odds unless links are given."""
    n_nodes = hierarchy.n_nodes
    if links is None:
        links = np.tile([1.0, 0.0], (n_nodes, 1))
    return Descent(hierarchy.children, np.empty((n_nodes, 0)), np.zeros(n_nodes), links, limit)


def descend(children, value, split):
    """Pass a value, which `split(node, value)` splits, down to the leaves: (class, value) each."""
    pending = {0: value}
    for node, pair in enumerate(children):
        for child, below in zip(pair, split(node, pending.pop(node)), strict=True):
            if child >= 0:
                pending[child] = below
            else:
                yield ~child, below


class _CompiledRouter:
    """Sends a few thousand rows at a time down a compiled descent."""

    def __init__(self, hierarchy):
        self._n_classes = hierarchy.n_classes
        self._n_nodes = hierarchy.n_nodes

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
        """Logarithms of the class probabilities, or the probabilities, shape (n, K)."""
        out = np.empty((X.shape[0], self._n_classes))
        return self._fill(X, out, "log_probabilities", exponentiate)

    def _fill(self, X, out, method, *arguments):
        step = min(_ROWS_AT_ONCE, _MARGINS_AT_ONCE // self._n_nodes) // _TILE * _TILE or _TILE
        for start in range(0, X.shape[0], step):
            rows = slice(start, start + step)
            descent, data = self._prepared(X[rows])
            getattr(descent, method)(data, out[rows], *arguments)
        return out


class LinearRouter(_CompiledRouter):
    """Nodes that are linear in the features."""

    def __init__(self, hierarchy, class_shares, coef, intercept, links, limit):
        super().__init__(hierarchy)
        self._descent = Descent(hierarchy.children, coef, intercept, links, limit)
        self._margin_descent = margin_descent(hierarchy, links, limit)
        self._coef = np.array(coef).T.copy()
        self._intercept = np.array(intercept)
        mean_depth = hierarchy.class_depths @ class_shares
        self._batched = self._n_nodes < _PRODUCT_GAIN * mean_depth

    def _prepared(self, X):
        if self._batched or sparse.issparse(X):
            return self._margin_descent, X @ self._coef + self._intercept
        return self._descent, X


class EvidenceRouter(_CompiledRouter):
    """Nodes that add up evidence."""

    def __init__(self, hierarchy, evidence):
        super().__init__(hierarchy)
        self._evidence = evidence
        self._descent = margin_descent(hierarchy)

    def _prepared(self, X):
        return self._descent, self._evidence.log_odds(X)


class EstimatorRouter:
    """Nodes that are fitted classifiers, with (slope, intercept) where one gives no probability."""

    def __init__(self, hierarchy, estimators, calibrators):
        self._children = hierarchy.children.tolist()
        self._n_classes = hierarchy.n_classes
        self._estimators = estimators
        self._calibrators = calibrators

    def hard(self, X):
        """Codes of the classes that the nodes decide for."""
        codes = np.empty(X.shape[0], dtype=np.intp)

        def split(node, rows):
            goes_right = node_margin(self._estimators[node], X[rows]) > 0
            return rows[~goes_right], rows[goes_right]

        for code, rows in descend(self._children, np.arange(X.shape[0]), split):
            codes[rows] = code
        return codes

    def soft(self, X):
        """Codes of the likeliest classes."""
        # The path of the likelier sides gives every row a first answer. Other branches see only
        # the rows whose product there is still as large.
        n = X.shape[0]
        p_right = np.full((len(self._children), n), np.nan)
        best = np.ones(n)
        best_class = np.empty(n, dtype=np.intp)

        def right(node, rows):
            new = rows[np.isnan(p_right[node, rows])]
            p_right[node, new] = self._right_probability(node, X[new])
            return p_right[node, rows]

        def likelier(node, rows):
            p = right(node, rows)
            best[rows] *= np.maximum(p, 1 - p)
            goes_right = p - 0.5 > 0
            return rows[~goes_right], rows[goes_right]

        def children_of(node, product):
            inside = np.flatnonzero(product >= best * (1 - 1e-9))
            p = right(node, inside)
            below = np.full((2, n), -1.0)
            below[:, inside] = product[inside] * np.stack([1 - p, p])
            return below

        for code, rows in descend(self._children, np.arange(n), likelier):
            best_class[rows] = code
        for code, product in descend(self._children, np.ones(n), children_of):
            wins = (product > best) | ((product == best) & (code < best_class))
            best[wins] = product[wins]
            best_class[wins] = code
        return best_class

    def margins(self, X):
        """Decision values of all nodes, shape (n, n_nodes)."""
        return np.column_stack([node_margin(estimator, X) for estimator in self._estimators])

    def log_probabilities(self, X, *, exponentiate=False):
        """Logarithms of the class probabilities, or the probabilities, shape (n, K)."""
        out = np.empty((X.shape[0], self._n_classes))

        def split(node, product):
            p = self._right_probability(node, X)
            return product * (1 - p), product * p

        for code, product in descend(self._children, np.ones(X.shape[0]), split):
            out[:, code] = product
        if exponentiate:
            return out
        with np.errstate(divide="ignore"):
            return np.log(out)

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
    """Smallest signed margin on the path to each class, (n, K); hard routing maximises it."""
    scores = np.empty((len(margins), hierarchy.n_classes))

    def split(node, weakest):
        margin = margins[:, node]
        # A margin of 0 goes left, so it counts as the smallest positive number there.
        to_left = np.where(margin == 0, np.finfo(float).smallest_subnormal, -margin)
        return np.minimum(weakest, to_left), np.minimum(weakest, margin)

    root = np.full(len(margins), np.inf)
    for code, weakest in descend(hierarchy.children.tolist(), root, split):
        scores[:, code] = weakest
    return scores


def _hard_scores(router, X, hierarchy):
    margins = router.margins(X)
    return smallest_margins(margins, hierarchy) if hierarchy.n_classes > 2 else margins[:, 0]


def _soft_scores(router, X, hierarchy):
    scores = router.log_probabilities(X)
    return scores if hierarchy.n_classes > 2 else scores[:, 1] - scores[:, 0]


# Every router has a method of each name that gives class codes. The functions, of (router, X,
# hierarchy), give (n, K) scores, or (n,) for two classes.
ROUTINGS = {"hard": _hard_scores, "soft": _soft_scores}

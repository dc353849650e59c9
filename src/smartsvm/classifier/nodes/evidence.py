"""What all nodes say of a row: the sum of their weighted evidence.

Prediction is one product of the rows with the weights of all nodes for each kind of margin, one
with the class Gaussians, one descent of each tree of the forest, and their weighted sum.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse

from smartsvm.classifier.nodes._evidence import add_clipped, sum_sides
from smartsvm.held_out.forest_votes import OUT_OF_BAG

# In the order in which nodes list them.
LINEAR, QUADRATIC, GAUSSIANS, FOREST = "linear", "quadratic", "gaussians", "forest"
# Evidence further out counts as this much: margins, and log odds of densities and votes.
LIMITS = {LINEAR: 3.0, QUADRATIC: 3.0, GAUSSIANS: 10.0, FOREST: 10.0}


class Machines(NamedTuple):
    """Linear machines of some nodes, in the given features or in those of the quadratic map.

    Attributes
    ----------
    nodes : ndarray of shape (k,)
        Which nodes.
    weights : ndarray of shape (k, p)
        Weights of the columns, the intercept last.
    """

    nodes: np.ndarray
    weights: np.ndarray

    def margins(self, columns):
        """Decision values of rows of p - 1 columns, shape (k, n)."""
        weights, intercepts = self.weights[:, :-1], self.weights[:, -1:]
        if issparse(columns):
            return np.ascontiguousarray((columns @ weights.T).T) + intercepts
        margins = weights @ columns.T
        margins += intercepts
        return margins


class NodeEvidence:
    """The evidence of all nodes, weighted and added up.

    Parameters
    ----------
    children : ndarray of shape (n_nodes, 2)
        As in `ClassHierarchy`.
    intercepts : ndarray of shape (n_nodes,)
        Log odds without evidence.
    weights : dict of ndarray of shape (n_nodes,)
        By kind of evidence; 0 for a node that does not use it.
    directions : Directions or None
        Of the training rows.
    machines : dict of Machines
        Linear and quadratic ones, where there are any.
    quadratic_map : QuadraticMap or None
        Columns of the quadratic machines.
    gaussians : Gaussians or None
        The classes.
    voters : Voters or None
        The forest.
    limits : dict, default=LIMITS
        Where each kind is cut.
    """

    def __init__(
        self,
        children,
        intercepts,
        weights,
        *,
        directions=None,
        machines=None,
        quadratic_map=None,
        gaussians=None,
        voters=None,
        limits=LIMITS,
    ):
        self._children, self._intercepts, self._weights = children, intercepts, weights
        self._directions, self._machines = directions, dict(machines or {})
        self._map, self._voters, self._limits = quadratic_map, voters, limits
        if quadratic_map is not None:
            nodes, of_columns = self._machines[QUADRATIC]
            self._machines[QUADRATIC] = Machines(nodes, quadratic_map.plain_weights(of_columns))
        self._gaussians = None if gaussians is None else gaussians.single_scores()

    def log_odds(self, X):
        """Log odds of the right side of every node.

        Parameters
        ----------
        X : ndarray or sparse matrix of shape (n, d)
            Rows.

        Returns
        -------
        ndarray of shape (n, n_nodes)
            The weighted sums.
        """
        rows = _Rows(X, self._directions)
        out = np.repeat(self._intercepts[:, None], X.shape[0], axis=1)
        everywhere = np.arange(len(self._intercepts))
        for kind, weights in self._weights.items():
            nodes = self._machines[kind].nodes if kind in self._machines else everywhere
            add_clipped(self._values(kind, rows), nodes, weights[nodes], self._limits[kind], out)
        return np.ascontiguousarray(out.T)

    def _values(self, kind, rows):
        if kind == LINEAR:
            return self._machines[LINEAR].margins(rows.given)
        if kind == QUADRATIC:
            return self._map.plain_margins(rows.inside, self._machines[QUADRATIC].weights)
        if kind == GAUSSIANS:
            scores = np.empty((len(self._children) + 1, len(rows.inside)))
            self._gaussians.scores(rows.inside, scores)
            return class_odds(self._children, scores, overwrite=True)
        votes = self._voters.votes(rows.given).T
        return vote_odds(self._children, votes, self._voters.n_trees)


def class_odds(children, scores, *, overwrite=False):
    """Log odds of the right side of all nodes from logarithms of class densities.

    Parameters
    ----------
    children : ndarray of shape (n_nodes, 2)
        As in `ClassHierarchy`.
    scores : ndarray of shape (K, n)
        Logarithms of densities times class sizes.
    overwrite : bool, default=False
        Whether the scores, in C order, may be overwritten.

    Returns
    -------
    ndarray of shape (n_nodes, n)
        Logarithm of the sum over the right side less that over the left side.
    """
    scores = scores if overwrite else np.array(scores, order="C")
    out = np.empty((len(children), scores.shape[1]))
    sum_sides(children, scores, out)
    return out


def vote_odds(children, votes, n_trees):
    """Log odds of the right side of all nodes from the mean votes of a forest.

    Parameters
    ----------
    children : ndarray of shape (n_nodes, 2)
        As in `ClassHierarchy`.
    votes : ndarray of shape (K, n)
        Shares of the classes.
    n_trees : int
        Trees of the forest.

    Returns
    -------
    ndarray of shape (n_nodes, n)
        Logarithm of the sum over the right side by that over the left side.
    """
    # Half a vote of the trees that have not seen a sample, which are about a third of them;
    # the same for new samples, which all trees judge, so that the odds mean the same.
    least = 0.5 / (n_trees * OUT_OF_BAG)
    votes = np.ascontiguousarray(votes)
    out = np.empty((len(children), votes.shape[1]))
    totals = {}
    for node in range(len(children) - 1, -1, -1):
        left, right = (
            totals.pop(child) if child >= 0 else votes[~child] for child in children[node]
        )
        np.divide(right + least, left + least, out=out[node])
        totals[node] = left + right
    return np.log(out, out=out)


class _Rows:
    """Rows as given and in the directions, computed where they are asked for."""

    def __init__(self, X, directions):
        self.given, self._directions = X, directions

    @cached_property
    def inside(self):
        X = self.given.toarray() if issparse(self.given) else self.given
        return self._directions(X)

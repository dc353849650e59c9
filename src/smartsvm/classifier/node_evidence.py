"""What all nodes say of a row: the sum of their weighted evidence.

Prediction is one product of the rows with the weights of all nodes for each kind of margin, one
with the class Gaussians, one descent of each tree of the forest, and their weighted sum.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse

from smartsvm.classifier._evidence import add_clipped
from smartsvm.left_out.forest_votes import OUT_OF_BAG

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
        """Decision values of rows of p - 1 columns, shape (n, k)."""
        return columns @ self.weights[:, :-1].T + self.weights[:, -1]


class NodeEvidence:
    """The evidence of all nodes, weighted and added up.

    Parameters
    ----------
    descent : Descent
        Adds up classes to the sides of nodes.
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
        descent,
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
        self._descent, self._intercepts, self._weights = descent, intercepts, weights
        self._directions, self._machines = directions, machines or {}
        self._map, self._gaussians, self._voters = quadratic_map, gaussians, voters
        self._limits = limits

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
        out = np.tile(self._intercepts, (X.shape[0], 1))
        everywhere = np.arange(len(self._intercepts))
        for kind, weights in self._weights.items():
            nodes = self._machines[kind].nodes if kind in self._machines else everywhere
            values = np.ascontiguousarray(self._values(kind, rows))
            add_clipped(values, nodes, weights[nodes], self._limits[kind], out)
        return out

    def _values(self, kind, rows):
        if kind == LINEAR:
            return self._machines[LINEAR].margins(rows.given)
        if kind == QUADRATIC:
            return self._machines[QUADRATIC].margins(self._map.columns(rows.inside))
        if kind == GAUSSIANS:
            return class_odds(self._descent, self._gaussians.scores_inside(rows.inside))
        return vote_odds(self._descent, self._voters.votes(rows.given), self._voters.n_trees)


def class_odds(descent, scores):
    """Log odds of all nodes from log densities of classes, shape (n, n_nodes)."""
    out = np.empty((len(scores), scores.shape[1] - 1))
    descent.class_odds(scores, out)
    return out


def vote_odds(descent, votes, n_trees):
    """Log odds of all nodes from the mean votes of a forest, shape (n, n_nodes)."""
    out = np.empty((len(votes), votes.shape[1] - 1))
    # Half a vote of the trees that have not seen a sample, which are about a third of them;
    # the same for new samples, which all trees judge, so that the odds mean the same.
    descent.vote_odds(votes, 0.5 / (n_trees * OUT_OF_BAG), out)
    return out


class _Rows:
    """Rows as given and in the directions, each computed where it is asked for."""

    def __init__(self, X, directions):
        self.given, self._directions = X, directions

    @cached_property
    def inside(self):
        X = self.given.toarray() if issparse(self.given) else self.given
        return self._directions(X)

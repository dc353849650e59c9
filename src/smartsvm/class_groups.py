"""Some classes taken together, and the error of every way to split them in two."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smartsvm.cross_edges import mean_over_trees, trees_to_count
from smartsvm.henze_penrose import bayes_error_bounds


class ClassGroup(NamedTuple):
    """Classes taken together: edges between them in the trees of their union.

    Attributes
    ----------
    counts : ndarray of shape (k,)
        Samples of each class.
    by_class : ndarray of shape (n_trees, k, k)
        Edges between every two classes in each tree.
    spanning : int
        How many of the trees span the union.
    """

    counts: np.ndarray
    by_class: np.ndarray
    spanning: int

    @property
    def cross(self):
        """Edges between different classes, over all trees: a graph to cut."""
        total = self.by_class.sum(axis=0).astype(float)
        np.fill_diagonal(total, 0)
        return total

    def split_error(self, right):
        """The exact HP-estimate of splits of the group.

        Parameters
        ----------
        right : ndarray of bool, shape (k,) or (n_splits, k)
            The classes on one side.

        Returns
        -------
        ndarray of shape () or (n_splits,)
            As `ClassForest.split` with its defaults.
        """
        sides = np.atleast_2d(right).astype(float)
        edges = ((sides @ self.by_class) * (1 - sides)).sum(axis=-1)  # (n_trees, n_splits)
        n = self.counts.sum()
        n_right = sides @ self.counts
        smaller = np.minimum(n_right, n - n_right)
        used = trees_to_count(smaller.astype(np.intp), self.spanning)
        value, _, _ = bayes_error_bounds(mean_over_trees(edges, used), n, smaller / n)
        return value.reshape(np.shape(right)[:-1])

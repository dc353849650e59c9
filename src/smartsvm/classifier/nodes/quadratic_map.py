"""Products of two features, for nodes that no hyperplane in the given ones can separate.

The columns are fitted once on all classes and shared by the nodes that use them. They have
mean 0 and variance 1 on the training rows, so that one C suits them.
"""

from __future__ import annotations

import numpy as np

from smartsvm.classifier.nodes._evidence import (
    quadratic_margins,
    quadratic_moments,
    quadratic_terms,
)

_MOST_FACTORS = 20  # features multiplied with each other: 210 products
_FACTORS_OF_MANY = 16  # principal components, of more features than that: 136 products
# Sums of weights times the sizes of columns up to which single precision is good enough to decide:
# it then rounds margins by 1e-4 at most, as a rule by less than 1e-6.
_MOST_SINGLE = 1000.0


class QuadraticMap:
    """The directions of some points and products of two of them, standardised.

    Parameters
    ----------
    directions : Directions
        Of the training rows.
    inside : ndarray of shape (n, m)
        The training rows in these directions.

    Attributes
    ----------
    n_columns : int
        Directions and products.

    Notes
    -----
    All products of at most 20 features are taken; of more features, those of the first 16
    principal components.
    """

    def __init__(self, directions, inside):
        m = inside.shape[1]
        few = directions.are_columns and m <= _MOST_FACTORS
        self._n_factors = m if few else min(m, _FACTORS_OF_MANY)
        self.n_columns = m + self._n_factors * (self._n_factors + 1) // 2
        self._n_directions = m
        self._shift, variance = np.empty((2, self.n_columns))
        quadratic_moments(np.ascontiguousarray(inside), self._n_factors, self._shift, variance)
        # A column that does not change is left at 0, not blown up to noise.
        steady = variance <= 1e-24 * self._shift**2
        self._scale = np.where(steady, 0.0, 1 / np.sqrt(np.where(steady, 1.0, variance)))
        self._sizes = np.sqrt(1 + (self._shift * self._scale) ** 2)
        # Directions are multiplied by these first, so that single precision has them in range.
        self._units = np.where(self._scale[:m] > 0, self._scale[:m], 1.0)
        first, second = np.triu_indices(self._n_factors)
        self._of_columns = np.append(self._units, self._units[first] * self._units[second])

    def columns(self, inside, out=None):
        """The columns of rows that are given in the directions.

        Parameters
        ----------
        inside : ndarray of shape (n, m)
            Rows.
        out : ndarray of shape (n, p) or None, default=None
            Where to write them, with room for at least as many columns.

        Returns
        -------
        ndarray of shape (n, n_columns) or (n, p)
            `out`, if it was given.
        """
        if out is None:
            out = np.empty((len(inside), self.n_columns))
        inside = np.ascontiguousarray(inside)
        quadratic_terms(inside, self._n_factors, self._shift, self._scale, out)
        return out

    def plain_margins(self, inside, weights):
        """Decision values by weights of plain columns, in the precision of these weights.

        Parameters
        ----------
        inside : ndarray of shape (n, m)
            Rows in the directions.
        weights : ndarray of shape (k, n_columns + 1)
            What `plain_weights` returns.

        Returns
        -------
        ndarray of shape (k, n)
            One row for each machine.
        """
        out = np.empty((len(weights), len(inside)))
        inside = np.ascontiguousarray(inside)
        quadratic_margins(inside, self._n_factors, self._units, weights, out)
        return out

    def plain_weights(self, weights):
        """Weights of the plain columns that decide as those of the columns do.

        Plain columns are the directions, scaled, and their products, which have means. The weights
        are in single precision unless rounding could matter.

        Parameters
        ----------
        weights : ndarray of shape (k, n_columns + 1)
            Weights of the columns, the intercept last.

        Returns
        -------
        ndarray of shape (k, n_columns + 1)
            Weights of the plain columns, the intercept last.
        """
        plain = weights[:, :-1] * self._scale
        constants = weights[:, -1] - plain @ self._shift
        largest = (np.abs(weights[:, :-1]) @ self._sizes).max(initial=0)
        dtype = np.float32 if largest <= _MOST_SINGLE else np.float64
        return np.column_stack([plain / self._of_columns, constants]).astype(dtype)

    def weights_of_plane(self, slopes, constant):
        """Weights of the columns, shape (n_columns + 1,), that make c + b·x in the directions."""
        weights = np.zeros(self.n_columns + 1)
        scale = self._scale[: self._n_directions]
        np.divide(slopes, scale, out=weights[: self._n_directions], where=scale > 0)
        weights[-1] = constant + slopes @ self._shift[: self._n_directions]
        return weights

"""A few directions to describe points in, chosen without any label."""

from __future__ import annotations

import numpy as np
from sklearn.decomposition import PCA

from smartsvm.held_out._gaussians import clip_columns

MOST_DIRECTIONS = 32  # if there are more columns, this many principal components are taken
_REACH = 3.0  # standard deviations: values further out are clipped to there
_MOST_EXACT = 1000  # columns: of more, principal components are searched at random
_FLAT = 1e-12  # of the largest variance: a principal component with less is rounding


class Directions:
    """Columns that vary, without far values; their principal components if there are too many.

    Parameters
    ----------
    points : ndarray of shape (n, d)
        Finite points.
    most : int, default=MOST_DIRECTIONS
        If there are more columns, this many principal components are taken.

    Attributes
    ----------
    n_directions : int
        Directions m; 0 if all points are the same.
    are_columns : bool
        Whether they are the columns themselves.

    Notes
    -----
    Values more than three standard deviations from the mean are clipped to there. The whole is
    divided by the largest difference, so that squares neither over- nor underflow. Columns that
    do not vary are left out, whatever their value in other points.
    """

    def __init__(self, points, most=MOST_DIRECTIONS):
        # Values far from 0 and near each other have exact differences and no exact mean.
        self._first = points[0].copy()
        centred = points - self._first
        self._unit = np.abs(centred).max() or 1.0
        centred /= self._unit
        self._middle = centred.mean(axis=0)
        centred -= self._middle
        self._limits = _REACH * np.sqrt(np.einsum("ij,ij->j", centred, centred) / len(points))
        moving = np.flatnonzero(self._limits > 0)
        most = max(1, min(most, len(points) - 1))
        self._basis = None
        self.are_columns = len(moving) <= most
        if not self.are_columns:
            np.clip(centred, -self._limits, self._limits, out=centred)
            solver = "covariance_eigh" if points.shape[1] <= _MOST_EXACT else "randomized"
            pca = PCA(most, svd_solver=solver, random_state=0).fit(centred)
            spread = pca.explained_variance_
            self._basis = pca.components_[spread > _FLAT * spread[0]].T.copy()
        elif len(moving) < points.shape[1]:
            self._basis = np.zeros((points.shape[1], len(moving)))
            self._basis[moving, np.arange(len(moving))] = 1.0
        self.n_directions = points.shape[1] if self._basis is None else self._basis.shape[1]

    def __call__(self, points):
        """The points in these directions, shape (n, n_directions)."""
        points = np.ascontiguousarray(points)
        inside = np.empty((len(points), self.n_directions))
        clip_columns(
            points, self._first, self._unit, self._middle, self._limits, self._basis, inside
        )
        return inside

    def slopes_of(self, weights):
        """A linear function of points as one of the directions, far values aside.

        Parameters
        ----------
        weights : ndarray of shape (d,)
            Its weights of the columns.

        Returns
        -------
        slopes : ndarray of shape (n_directions,)
            Its weights of the directions.
        constant : float
            Its value where all directions are 0.
        """
        slopes = weights if self._basis is None else weights @ self._basis
        return self._unit * slopes, float(weights @ (self._first + self._unit * self._middle))

"""A few directions to describe points in, chosen without the labels.

QDA gives standardised columns, which are clipped a second time here. The first clip counts mean
deviations, which are small where a column is nearly constant: after it, values that occur once in
100 rows still lie 10 standard deviations from the mean.
"""

import numpy as np
from sklearn.decomposition import PCA

from smartsvm.held_out._gaussians import clip_columns

# More columns than this are replaced by as many principal components.
MOST_DIRECTIONS = 32
# Values further than 3 standard deviations from the mean are clipped.
_CLIP_IN_STANDARD_DEVIATIONS = 3.0
# With more columns than this, principal components are approximate (randomised): exact ones take
# O(d³) time.
_MOST_EXACT = 1000
# Principal components with less than 1e-12 of the largest variance are rounding errors.
_FLAT = 1e-12


class Directions:
    """Columns that vary, with outliers clipped, or the principal components of many columns."""

    def __init__(self, points, most=MOST_DIRECTIONS):
        # Values far from 0 and near each other have exact differences but no exact mean. One unit
        # for all columns keeps their squares in range: SmartSVM passes points as they are.
        self._first = points[0].copy()
        centred = points - self._first
        self._unit = np.abs(centred).max() or 1.0
        centred /= self._unit
        self._middle = centred.mean(axis=0)
        centred -= self._middle
        deviations = np.sqrt(np.einsum("ij,ij->j", centred, centred) / len(points))
        self._limits = _CLIP_IN_STANDARD_DEVIATIONS * deviations
        varying = np.flatnonzero(self._limits > 0)
        most = max(1, min(most, len(points) - 1))
        self._basis = None
        self.are_columns = len(varying) <= most
        if not self.are_columns:
            np.clip(centred, -self._limits, self._limits, out=centred)
            solver = "covariance_eigh" if points.shape[1] <= _MOST_EXACT else "randomized"
            pca = PCA(most, svd_solver=solver, random_state=0).fit(centred)
            spread = pca.explained_variance_
            self._basis = pca.components_[spread > _FLAT * spread[0]].T.copy()
        elif len(varying) < points.shape[1]:
            self._basis = np.zeros((points.shape[1], len(varying)))
            self._basis[varying, np.arange(len(varying))] = 1.0
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
        """A linear function of the columns as slopes and constant in these directions."""
        slopes = weights if self._basis is None else weights @ self._basis
        return self._unit * slopes, float(weights @ (self._first + self._unit * self._middle))

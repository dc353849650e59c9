"""Products of two features, for nodes that no hyperplane in the features can separate.

All nodes share them. They have mean 0 and variance 1 on the training rows, so that one C suits all.
"""

import numpy as np

from smartsvm.classifier.nodes._evidence import quadratic_margins, quadratic_terms

# Up to 20 features are multiplied with each other, which makes 20 · 21 / 2 = 210 columns. Of more
# features, 16 principal components are: 136 columns.
_MOST_FACTORS = 20
_FACTORS_OF_MANY = 16
# Up to this sum of weights times the sizes of columns, single precision rounds margins by at most
# 1e-4, typically by less than 1e-6.
_MOST_SINGLE = 1000.0
_ROWS_AT_ONCE = 256  # 256 rows of 210 columns in single precision fit the cache (210 KiB)


class QuadraticMap:
    """The directions of points and the products of two of them, standardised."""

    def __init__(self, directions, inside):
        m = inside.shape[1]
        few = directions.are_columns and m <= _MOST_FACTORS
        self._n_factors = m if few else min(m, _FACTORS_OF_MANY)
        self.n_columns = m + self._n_factors * (self._n_factors + 1) // 2
        self._n_directions = m
        self._shift = np.zeros(self.n_columns)
        self._scale = np.ones(self.n_columns)
        self._shift = self.columns(inside[:_ROWS_AT_ONCE]).mean(axis=0)
        # Near their mean, squares lose no digits.
        totals, squares = np.zeros((2, self.n_columns))
        for start in range(0, len(inside), _ROWS_AT_ONCE):
            columns = self.columns(inside[start : start + _ROWS_AT_ONCE])
            totals += columns.sum(axis=0)
            squares += np.einsum("ij,ij->j", columns, columns)
        self._shift += totals / len(inside)
        variance = squares / len(inside) - (totals / len(inside)) ** 2
        # A constant column becomes 0, not amplified noise.
        steady = variance <= 1e-24 * self._shift**2
        self._scale = np.where(steady, 0.0, 1 / np.sqrt(np.where(steady, 1.0, variance)))
        self._sizes = np.sqrt(1 + (self._shift * self._scale) ** 2)
        # Directions are multiplied by these first, to be in the range of single precision.
        self._units = np.where(self._scale[:m] > 0, self._scale[:m], 1.0)
        first, second = np.triu_indices(self._n_factors)
        self._of_columns = np.append(self._units, self._units[first] * self._units[second])

    def columns(self, inside, out=None):
        """The (n, n_columns) columns of rows in the directions, into `out` if it is given."""
        if out is None:
            out = np.empty((len(inside), self.n_columns))
        inside = np.ascontiguousarray(inside)
        quadratic_terms(inside, self._n_factors, self._shift, self._scale, out)
        return out

    def plain_margins(self, inside, weights):
        """Margins by what `plain_weights` returns, shape (k, n), in its precision."""
        out = np.empty((len(weights), len(inside)))
        inside = np.ascontiguousarray(inside)
        quadratic_margins(inside, self._n_factors, self._units, weights, out)
        return out

    def plain_weights(self, weights):
        """The (k, n_columns + 1) weights, intercept last, of columns that are scaled only."""
        plain = weights[:, :-1] * self._scale
        constants = weights[:, -1] - plain @ self._shift
        largest = (np.abs(weights[:, :-1]) @ self._sizes).max(initial=0)
        dtype = np.float32 if largest <= _MOST_SINGLE else np.float64
        return np.column_stack([plain / self._of_columns, constants]).astype(dtype)

    def weights_of_plane(self, slopes, constant):
        """Weights of the columns, intercept last, that give c + b·x in the directions."""
        weights = np.zeros(self.n_columns + 1)
        scale = self._scale[: self._n_directions]
        np.divide(slopes, scale, out=weights[: self._n_directions], where=scale > 0)
        weights[-1] = constant + slopes @ self._shift[: self._n_directions]
        return weights

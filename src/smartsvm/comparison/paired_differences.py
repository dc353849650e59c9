"""Paired differences of losses on the same rows, with simultaneous confidence intervals.

The same rows are easy or hard for all representations, so the noise that they share cancels in the
difference. The intervals of all pairs and of both losses hold simultaneously. The half width of
each is its standard error times q, the quantile of the largest standardised difference when every
row is multiplied by a Gaussian random number (multiplier bootstrap). Such sums are Gaussian, with
the correlations of the differences, so they are drawn as such.
"""

from itertools import combinations
from typing import NamedTuple

import numpy as np

# Draws of the largest difference: its quantile is known to about 1%.
_DRAWS = 4000
_RIDGE = 1e-9  # added to the variance of each difference, which is 1
# The variance counts the largest difference as that of two more rows. With m rows that differ, all
# in one direction, t = m / √(m + 2) reaches 1.96 at six: where McNemar's exact test reaches 5%.
_MORE_ROWS = 2.0


class PairedDifferences(NamedTuple):
    """Mean losses and the differences of all pairs."""

    means: np.ndarray  # of each loss, shape (losses, K)
    values: np.ndarray  # mean loss of the first less that of the second, (losses, K, K)
    half_widths: np.ndarray  # of the simultaneous intervals, (losses, K, K)

    @property
    def clear(self):
        """Whether zero lies outside of the interval."""
        return np.abs(self.values) > self.half_widths


def paired_differences(losses, confidence, *, least=0.0, groups=None, seed=0):
    """Compare losses of shape (losses, K, n) on n rows; rows of a group count as one.

    `least` is the smallest half width of each loss.
    """
    n_losses, n_entries, n = losses.shape
    pairs = list(combinations(range(n_entries), 2))
    first, second = np.array(pairs).T
    sums = losses
    if groups is not None:
        sums = np.apply_along_axis(lambda each: np.bincount(groups, each), 2, losses)
    differences = (sums[:, first] - sums[:, second]).reshape(n_losses * len(pairs), -1)
    squares = differences**2
    variances = squares.sum(axis=1) + _MORE_ROWS * squares.max(axis=1, initial=0.0)
    errors = np.sqrt(variances) / n
    quantile = _largest_quantile(differences, confidence, seed)
    means = losses.mean(axis=2)
    values = means[:, :, None] - means[:, None]
    half_widths = np.zeros((n_losses, n_entries, n_entries))
    half = (quantile * errors).reshape(n_losses, len(pairs))
    half = np.maximum(half, np.reshape(least, (-1, 1)))
    half_widths[:, first, second] = half_widths[:, second, first] = half
    return PairedDifferences(means, values, half_widths)


def _largest_quantile(differences, confidence, seed):
    """Quantile of the largest absolute standardised sum under Gaussian multipliers."""
    centred = differences - differences.mean(axis=1, keepdims=True)
    sizes = np.sqrt((centred**2).sum(axis=1))
    differ = sizes > 1e-12 * np.abs(differences).max(initial=1e-300)
    # Pairs that never differ are left out; if all are, the quantile is that of one Gaussian.
    units = centred[differ] / sizes[differ, None] if differ.any() else np.ones((1, 1))
    # Those of three entries are linearly dependent: without the ridge there is no Cholesky factor.
    root = np.linalg.cholesky(units @ units.T + _RIDGE * np.eye(len(units)))
    sums = np.random.default_rng(seed).standard_normal((_DRAWS, len(units))) @ root.T
    return float(np.quantile(np.abs(sums).max(axis=1), confidence))

"""How much each kind of evidence counts at a node: logistic regression on left-out values.

All values were computed without the sample itself, so that the weights know what each
kind is worth on new samples, and the probabilities that follow are calibrated: no
cross-validation, two to five numbers to fit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

_RIDGE = 0.1  # on the weights of values of unit size: they stay finite where nothing overlaps
_MOST_STEPS = 50
_LEAST_GAIN = 1e-6  # relative to the objective; the step after that would gain its square


class EvidenceWeights(NamedTuple):
    """Weights of the kinds of evidence at one node.

    Attributes
    ----------
    weights : ndarray of shape (p,)
        None is negative.
    intercept : float
        Log odds without any evidence.
    left_out : ndarray of shape (n,)
        Log odds of the samples by weights fitted without them, to first order.
    """

    weights: np.ndarray
    intercept: float
    left_out: np.ndarray


def weigh_evidence(values, targets, sample_weights=None):
    """Fit the weights.

    Parameters
    ----------
    values : ndarray of shape (n, p)
        Left-out evidence for the right side.
    targets : ndarray of shape (n,)
        1 for samples of the right side, -1 for the others.
    sample_weights : ndarray of shape (n,) or None, default=None
        Of which only the ratios count.

    Returns
    -------
    EvidenceWeights
        The weights.

    Notes
    -----
    Targets are smoothed as Platt's, by one sample more on each side. Evidence that would
    count against itself is left out: left-out values without any signal contradict
    their samples a little, and new samples they would not.
    """
    problem = _Problem(values, targets, sample_weights)
    kept = np.arange(values.shape[1])
    while True:
        solution = problem.solve(kept)
        if (solution[:-1] >= 0).all():
            break
        kept = np.delete(kept, solution[:-1].argmin())
    weights = np.zeros(values.shape[1])
    weights[kept] = solution[:-1] / problem.units[kept]
    return EvidenceWeights(weights, float(solution[-1]), problem.left_out(kept, solution))


class _Problem:
    """Samples run along the last axis: a row of numbers for each kind of evidence."""

    def __init__(self, values, targets, sample_weights):
        n = len(targets)
        self.units = np.sqrt(np.einsum("ij,ij->j", values, values) / n)
        self.units[self.units == 0] = 1.0
        self.rows = np.empty((values.shape[1] + 1, n))
        np.divide(values.T, self.units[:, None], out=self.rows[:-1])
        self.rows[-1] = 1.0
        right = targets > 0
        self.n_right = np.count_nonzero(right)
        self.shares = np.where(
            right, (self.n_right + 1) / (self.n_right + 2), 1 / (n - self.n_right + 2)
        )
        self.counts = None  # all 1
        if sample_weights is not None:
            self.counts = sample_weights * (n / sample_weights.sum())

    def solve(self, kept):
        """Newton's method on the kinds kept and the constant one."""
        rows = self._rows_of(kept)
        ridge = self._ridge(len(kept))
        solution = np.zeros(len(rows))
        n = len(self.shares)
        solution[-1] = np.log((self.n_right + 1) / (n - self.n_right + 1))
        value, p = self._judge(rows, ridge, solution)
        for _ in range(_MOST_STEPS):
            gradient = rows @ self._counted(p - self.shares) + ridge * solution
            step = np.linalg.solve(self._hessian(rows, ridge, p), gradient)
            size, before = 1.0, value
            while size > 1e-6:
                value, p = self._judge(rows, ridge, solution - size * step)
                if value <= before - 1e-4 * size * (gradient @ step):
                    break
                size /= 2
            solution = solution - size * step
            if before - value <= _LEAST_GAIN * before:
                break
        return solution

    def left_out(self, kept, solution):
        """Log odds of every sample, the solution moved by one Newton step without it."""
        rows = self._rows_of(kept)
        z = solution @ rows
        p = expit(z)
        inverse = np.linalg.inv(self._hessian(rows, self._ridge(len(kept)), p))
        leverage = self._counted(np.einsum("ij,ij->j", inverse @ rows, rows))
        rest = np.maximum(1 - p * (1 - p) * leverage, 1e-6)
        return z - (self.shares - p) * leverage / rest

    def _rows_of(self, kept):
        if len(kept) == len(self.rows) - 1:
            return self.rows
        return self.rows[np.append(kept, -1)]

    def _ridge(self, n_kept):
        return np.append(np.full(n_kept, _RIDGE), 1e-6)

    def _counted(self, values):
        return values if self.counts is None else self.counts * values

    def _judge(self, rows, ridge, solution):
        """The objective and the probabilities, from one exponential a sample."""
        z = solution @ rows
        small = np.exp(-np.abs(z))
        losses = np.log1p(small)
        losses += np.maximum(z, 0)
        losses -= self.shares * z
        p = np.where(z > 0, 1.0, small)
        p /= 1 + small
        return self._counted(losses).sum() + 0.5 * ridge @ solution**2, p

    def _hessian(self, rows, ridge, p):
        hessian = (rows * self._counted(p * (1 - p))) @ rows.T
        hessian[np.diag_indices(len(ridge))] += ridge
        return hessian

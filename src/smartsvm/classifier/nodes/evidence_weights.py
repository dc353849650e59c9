"""How much each kind of evidence counts at a node: logistic regression on left-out values.

All values were computed without the sample itself, so that the weights know what each
kind is worth on new samples, and the probabilities that follow are calibrated: no
cross-validation, two to five numbers to fit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smartsvm.classifier.nodes._logistic import Logistic

_RIDGE = 0.1  # on the weights of values of unit size: they stay finite where nothing overlaps
_RIDGE_OF_INTERCEPT = 1e-6
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
        Only their ratios matter.

    Returns
    -------
    EvidenceWeights
        The weights.

    Notes
    -----
    Targets are smoothed as Platt's, by one sample more on each side. Evidence that would
    count against itself is left out: left-out values without any signal contradict
    their own samples a little, but would not contradict new ones.
    """
    n, p = values.shape
    units = np.sqrt(np.einsum("ij,ij->j", values, values) / n)
    units[units == 0] = 1.0
    rows = np.empty((p + 1, n))
    np.divide(values.T, units[:, None], out=rows[:-1])
    rows[-1] = 1.0
    right = targets > 0
    n_right = np.count_nonzero(right)
    shares = np.where(right, (n_right + 1) / (n_right + 2), 1 / (n - n_right + 2))
    counts = None if sample_weights is None else sample_weights * (n / sample_weights.sum())
    kept = np.arange(p)
    while True:
        problem = Logistic(
            rows if len(kept) == p else rows[np.append(kept, -1)],
            shares,
            counts,
            np.append(np.full(len(kept), _RIDGE), _RIDGE_OF_INTERCEPT),
        )
        start = np.append(np.zeros(len(kept)), np.log((n_right + 1) / (n - n_right + 1)))
        solution = problem.fit(start, _MOST_STEPS, _LEAST_GAIN)
        if (solution[:-1] >= 0).all():
            break
        kept = np.delete(kept, solution[:-1].argmin())
    weights = np.zeros(p)
    weights[kept] = solution[:-1] / units[kept]
    return EvidenceWeights(weights, float(solution[-1]), problem.left_out(solution))

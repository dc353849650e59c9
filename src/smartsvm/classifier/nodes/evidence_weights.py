"""How much each kind of evidence counts at a node: logistic regression on held-out values."""

from typing import NamedTuple

import numpy as np

from smartsvm.classifier.nodes._logistic import Logistic

# Penalty ½ · 0.1 · w² on the weights of values of unit size: they stay finite where the classes are
# separable. That of the intercept only keeps the Hessian invertible.
_RIDGE = 0.1
_RIDGE_OF_INTERCEPT = 1e-6
# Newton's method stops when a step gains less than 1e-6 of the objective, since the next one would
# gain about the square of that, or after 50 steps.
_MOST_STEPS = 50
_LEAST_GAIN = 1e-6


class EvidenceWeights(NamedTuple):
    """Weights of the kinds of evidence at one node, none negative."""

    weights: np.ndarray  # shape (p,)
    intercept: float  # log odds without any evidence
    held_out: np.ndarray  # log odds of each sample by weights fitted without it, to first order


def weigh_evidence(values, targets, sample_weights=None):
    """Fit the weights to (n, p) held-out values and targets of -1 and 1."""
    n, p = values.shape
    units = np.sqrt(np.einsum("ij,ij->j", values, values) / n)
    units[units == 0] = 1.0
    rows = np.empty((p + 1, n))
    np.divide(values.T, units[:, None], out=rows[:-1])
    rows[-1] = 1.0
    right = targets > 0
    n_right = np.count_nonzero(right)
    # Smoothed as Platt's, by one more sample on each side.
    shares = np.where(right, (n_right + 1) / (n_right + 2), 1 / (n - n_right + 2))
    counts = None if sample_weights is None else sample_weights * (n / sample_weights.sum())
    columns = np.arange(p)
    while True:
        problem = Logistic(
            rows if len(columns) == p else rows[np.append(columns, -1)],
            shares,
            counts,
            np.append(np.full(len(columns), _RIDGE), _RIDGE_OF_INTERCEPT),
        )
        start = np.append(np.zeros(len(columns)), np.log((n_right + 1) / (n - n_right + 1)))
        solution = problem.fit(start, _MOST_STEPS, _LEAST_GAIN)
        if (solution[:-1] >= 0).all():
            break
        # Held-out values without any signal contradict their own samples, but not new ones.
        columns = np.delete(columns, solution[:-1].argmin())
    weights = np.zeros(p)
    weights[columns] = solution[:-1] / units[columns]
    return EvidenceWeights(weights, float(solution[-1]), problem.held_out(solution))

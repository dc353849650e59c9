"""Decisions that rounding cannot change: those whose margin is larger than what it can do."""

import numpy as np


def own_margins(scores, codes):
    """How far each sample's own class is ahead of the best other one."""
    own = np.arange(scores.shape[1]) == codes[:, None]
    return scores[own] - np.where(own, -np.inf, scores).max(axis=1)


def leads(scores):
    """How far the best class of each sample is ahead of the second."""
    second, best = np.sort(scores, axis=1)[:, -2:].T
    return best - second


def two_columns(scores):
    """Decision values of two classes as those of any number."""
    return np.column_stack([-scores, scores]) / 2 if scores.ndim == 1 else scores

"""Bayes error of two Gaussians with the same spherical covariance, and classical bounds on it.

These need the distributions; the spanning trees need only samples. Functions take the distance
between the means in standard deviations and the prior of the first class, and broadcast.
"""

from __future__ import annotations

import numpy as np
from scipy.special import xlogy
from scipy.stats import norm

# The trapezoidal rule is exact to rounding for smooth functions that die out like a Gaussian.
_NODES = np.linspace(-12, 12, 1201)
_WEIGHTS = norm.pdf(_NODES) / norm.pdf(_NODES).sum()


def gaussian_bayes_error(distance, prior):
    """Exact: the classes are told apart by the projection on the line between their means."""
    distance, prior = np.broadcast_arrays(np.asarray(distance, float), np.asarray(prior, float))
    other = 1 - prior
    with np.errstate(divide="ignore", invalid="ignore"):
        shift = np.log(prior / other) / distance
        error = prior * norm.cdf(-distance / 2 - shift) + other * norm.cdf(-distance / 2 + shift)
    return np.where(distance == 0, np.minimum(prior, other), error)


def bhattacharyya_upper(distance, prior):
    """√(p₁p₂) times the Bhattacharyya coefficient exp(-distance²/8): the paper's P_BC."""
    return np.sqrt(prior * (1 - np.asarray(prior))) * np.exp(-(np.asarray(distance) ** 2) / 8)


def bhattacharyya_lower(distance, prior):
    """½ - ½√(1 - 4p₁p₂BC²)."""
    upper = bhattacharyya_upper(distance, prior)
    return 0.5 - 0.5 * np.sqrt(1 - 4 * upper**2)


def jensen_shannon(distance, prior):
    """Divergence in bits: H(p) less the mean entropy of the label given the point."""
    distance, prior = np.broadcast_arrays(np.asarray(distance, float), np.asarray(prior, float))
    return _entropy(prior) - label_entropy(distance, prior)


def jensen_shannon_upper(distance, prior):
    """½(H(p) - JS), Lin's upper bound."""
    return label_entropy(distance, prior) / 2


def jensen_shannon_lower(distance, prior):
    """¼(H(p) - JS)², Lin's lower bound for two classes."""
    return label_entropy(distance, prior) ** 2 / 4


def henze_penrose_bounds(distance, prior):
    """Bounds ½ - ½√u and ½ - ½u that the trees' bounds converge to, from the densities."""
    both = expected_over_mixture(distance, prior, lambda eta: eta * (1 - eta))
    u = 1 - 4 * both
    return 0.5 - 0.5 * np.sqrt(np.maximum(u, 0)), 0.5 - 0.5 * u


def label_entropy(distance, prior):
    """Mean entropy in bits of the class given the point, which is H(p) - JS."""
    return expected_over_mixture(distance, prior, _entropy)


def expected_over_mixture(distance, prior, function):
    """Mean of a function of P(class 1 | x) over the mixture."""
    distance, prior = np.broadcast_arrays(np.asarray(distance, float), np.asarray(prior, float))
    gap, p = distance[..., None], prior[..., None]
    total = 0.0
    # x along the line between the means: class 1 is N(0, 1), class 2 is N(distance, 1).
    for share, x in ((p, _NODES), (1 - p, gap + _NODES)):
        log_odds = np.log((1 - p) / p) + gap * x - gap**2 / 2  # of class 2
        total = total + share * function(1 / (1 + np.exp(np.clip(log_odds, -700, 700))))
    return (total * _WEIGHTS).sum(axis=-1)


def _entropy(p):
    return -(xlogy(p, p) + xlogy(1 - p, 1 - p)) / np.log(2)

"""The estimators that Wheat et al. compare, and this library's: each gives a value and two ends.

Of their list, local adaptive kernel densities are missing. Points are taken as they are.
"""

from __future__ import annotations

import numpy as np
from sklearn.neighbors import NearestNeighbors

from smartsvm import bayes_error, difficulty_report, euclidean_mst

MOST_NEIGHBORS = 99
BANDWIDTHS = 0.5, 1.0, 2.0  # of kernels, beside that of Silverman's rule
_BLOCK = 1000  # rows of a matrix of distances


def report(X, y):
    """The report of this library: estimate and 95% confidence interval."""
    return tuple(difficulty_report(X, y, n_jobs=1).bayes_error)


def trees(X, y):
    """The spanning trees of this library: the midpoint of the paper's bounds, and these."""
    found = bayes_error(X, y, n_jobs=1)
    return found.value, found.lower, found.upper


def henze_penrose(X, y):
    """One spanning tree: the bounds of Henze and Penrose's divergence and their midpoint, GHP."""
    edges = euclidean_mst(X, n_jobs=1).edges[0]
    cross = np.count_nonzero(y[edges[:, 0]] != y[edges[:, 1]]) / len(y)
    low, high = (1 - np.sqrt(max(1 - 2 * cross, 0))) / 2, min(cross, 0.5)
    return (low + high) / 2, low, high


def nearest_neighbors(X, y):
    """The k nearest neighbours that err least, k odd and at most 99, and a lower bound from k.

    The upper end is their leave-one-out error r, the lower one that of Cover and Hart for k = 1 and
    r / (1 + 1/√k) for more, and the value the mean of both.
    """
    nearest = NearestNeighbors(n_neighbors=MOST_NEIGHBORS).fit(X).kneighbors(return_distance=False)
    votes = np.cumsum(y[nearest], axis=1)[:, ::2]
    numbers = np.arange(1, MOST_NEIGHBORS + 1, 2)
    errors = ((votes > numbers / 2) != y[:, None]).mean(axis=0)
    best = int(errors.argmin())
    high, k = float(errors[best]), int(numbers[best])
    low = (1 - np.sqrt(max(1 - 2 * high, 0))) / 2 if k == 1 else high / (1 + k**-0.5)
    return (low + high) / 2, low, high


def kernel_density(X, y):
    """The smallest error of classifying each point by normal kernels on the others.

    The bandwidth is that of Silverman's rule or one of a few; no bounds are known.
    """
    n, d = X.shape
    silverman = (n / 2 * (d + 2) / 4) ** (-1 / (d + 4)) * X.std(axis=0).mean()
    widths = [silverman, *BANDWIDTHS]
    wrong = np.zeros(len(widths))
    squares = (X**2).sum(axis=1)
    for start in range(0, n, _BLOCK):
        rows = np.arange(start, min(start + _BLOCK, n))
        away = np.maximum(squares[rows, None] - 2 * X[rows] @ X.T + squares, 0)
        away[rows - start, rows] = np.inf  # a point does not vote for itself
        nearest = away.min(axis=1)[:, None]
        for place, width in enumerate(widths):
            weights = np.exp((nearest - away) / (2 * width**2))
            wrong[place] += np.count_nonzero((weights @ y > weights @ (1 - y)) != y[rows])
    value = float(wrong.min() / n)
    return value, value, value


ESTIMATORS = {
    "the report": report,
    "our trees": trees,
    "GHP": henze_penrose,
    "k nearest neighbours": nearest_neighbors,
    "kernel density": kernel_density,
}

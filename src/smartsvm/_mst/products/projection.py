"""A few directions in which most of the distance between points lies.

Real data with many features lie near a subspace of far fewer dimensions: a hundred directions
account for nine tenths of the squared distance between two images of digits. Projecting onto
orthonormal directions never increases a distance, so distances between projections are lower
bounds that cost a fraction of the exact ones and exclude nearly all pairs; the rest are computed
with all features. A sample decides whether this pays and how many directions to use. Only the
speed of a search depends on that.

The directions are the principal ones of a sample, found by a randomised range finder.

Cost: some products of 512 points with 104 vectors, in float32.

Reference: N. Halko, P. G. Martinsson and J. A. Tropp, SIAM Review 53 (2011), 217-288.
"""

import numpy as np

from smartsvm._core.blas_threads import single_blas_thread
from smartsvm._core.safe_range import take_rows

# Pairs of points times features below which projections do not pay.
_LEAST_WORK = 1.5e10
# Features below which projections do not pay.
_FEWEST_FEATURES = 128
# About as many points in each of two samples, and those whose nearest neighbours are compared.
_SAMPLE = 512
_QUERIES = 64
# A first test: 32 random vectors must explain 20% of the variance to go on.
_FIRST = 32
_LEAST_VARIANCE = 0.2
# Numbers of directions that are tried.
_SIZES = (32, 64, 96)
# Random vectors of the range finder beyond the number of directions (oversampling).
_SPARE = 8
# Cost of one feature of an exact distance / cost of one of a float32 product.
_EXACT = 8
# Projections must cost less than 0.6 of full products.
_WORTH = 0.6
# Share of the distance between near points that projections must preserve: late in a search,
# edges are compared with others of nearly the same length.
_LEAST_KEPT = 0.4


def find_basis(points):
    """Orthonormal directions, of shape (n_features, m), or None if all features are needed."""
    n, d = points.shape
    if d < _FEWEST_FEATURES or float(n) * n * d < _LEAST_WORK:
        return None
    step = n // _SAMPLE + 1
    sample, others = (take_rows(points, np.arange(i, n, step)) for i in (0, step // 2))
    centre = sample.mean(axis=0)
    largest = np.abs(sample).max()
    if largest == 0:
        return None
    # About unit size: squares of variances are in the range of float32 then.
    sample, others = (((some - centre) / largest).astype(np.float32) for some in (sample, others))
    with single_blas_thread():
        some = sample[::2]
        along = some @ _directions(some, _FIRST)
        if np.vdot(along, along) < _LEAST_VARIANCE * np.vdot(some, some):
            return None
        directions = _principal(sample)
        # Judged on other points than those the directions were found from.
        size = _cheapest(others, directions)
        if size == 0:
            return None
        # Bounds hold for directions that are orthonormal in float64.
        return np.linalg.qr(directions[:, :size].astype(np.float64))[0]


def _directions(sample, n_directions):
    """An orthonormal basis of the products of the sample with random vectors."""
    random = np.random.default_rng(0).normal(size=(len(sample), n_directions))
    return np.linalg.qr(sample.T @ random.astype(np.float32))[0]


def _principal(sample):
    """Directions of largest variance, the first ones first."""
    directions = _directions(sample, _SIZES[-1] + _SPARE)
    directions = np.linalg.qr(sample.T @ (sample @ directions))[0]
    along = sample @ directions
    rotation = np.linalg.eigh(along.T @ along)[1][:, ::-1]
    return directions @ rotation[:, : _SIZES[-1]]


def _cheapest(sample, directions):
    """The number of directions with the least estimated work; 0 if projections do not pay."""
    queries = np.arange(0, len(sample), len(sample) // _QUERIES + 1)
    itself = np.arange(len(queries)), queries
    exact = squared_distances(sample[queries], sample)
    exact[itself] = np.inf
    near = np.arange(len(queries)), exact.argmin(axis=1)
    along = sample @ directions
    d = sample.shape[1]
    best = 0
    least = _WORTH * d
    for size in _SIZES:
        projected = squared_distances(along[queries, :size], along[:, :size])
        kept = np.median(projected[near] / np.maximum(exact[near], np.finfo(np.float32).tiny))
        projected[itself] = np.inf
        work = size + _EXACT * d * np.mean(projected <= exact[near][:, None])
        if kept >= _LEAST_KEPT and work < least:
            best, least = size, work
    return best


def squared_distances(a, b):
    """Squared distances of the rows of a from those of b, in their precision, never negative."""
    # All in one product: passes over the result would take longer.
    squares_a, squares_b = (np.einsum("ij,ij->i", x, x)[:, None] for x in (a, b))
    left = np.hstack([-2 * a, squares_a, np.ones_like(squares_a)])
    right = np.hstack([b, np.ones_like(squares_b), squares_b])
    squared = left @ right.T
    return np.maximum(squared, 0, out=squared)

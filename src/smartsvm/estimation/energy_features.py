"""Coordinates in which the energy distance of samples is a squared distance of their means.

The energy distance, 2 E|X - Y| - E|X - X'| - E|Y - Y'|, is the squared distance of two means under
the kernel k(x, y) = |x - c| + |y - c| - |x - y|, for any centre c (Sejdinovic and others 2013).
Landmarks give coordinates of every row (Nyström): exact where all rows are landmarks, and else the
part of the distance that lies in the span of the landmarks. A mean over a class then costs O(n) for
each coordinate, where the distance itself takes O(n²).
"""

from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from smartsvm._core.blas_threads import single_blas_thread
from smartsvm._core.parallel import in_threads

N_LANDMARKS = 512
_ROWS = 2048  # that a thread takes at a time
_LEAST_SHARE = 1e-6  # of the largest eigenvalue, below which a direction is rounding
_EQUAL = 1e-9  # relative difference of distances from the centre that is rounding


class DistanceFeatures(NamedTuple):
    """What the distance statistics need of every row; labels play no part."""

    coordinates: np.ndarray  # shape (n, at most N_LANDMARKS), 32 bits, mean 0
    ranks: np.ndarray  # of the distances from the centre, shape (n,), from -1/2 to 1/2, mean 0


def distance_features(points, *, seed, n_jobs=None, n_landmarks=N_LANDMARKS):
    """Coordinates for the energy distance, and how far from the centre each row lies."""
    n = len(points)
    some = np.arange(n)
    if n > n_landmarks:
        some = np.sort(np.random.default_rng(seed).permutation(n)[:n_landmarks])
    with single_blas_thread():  # several threads round in another order
        landmarks = np.asarray(points[some], dtype=np.float64)
        centre = np.median(landmarks, axis=0)
        size = np.abs(landmarks - centre).max()
        if not size > 0:  # all landmarks are equal
            size = 1.0
        landmarks = (landmarks - centre) / size
        lengths = np.sqrt((landmarks**2).sum(axis=1))
        values, vectors = np.linalg.eigh(lengths[:, None] + lengths - _between(landmarks, lengths))
        kept = values > max(_LEAST_SHARE * values[-1], np.finfo(float).tiny)
        towards = vectors[:, kept] / np.sqrt(values[kept])
        coordinates = np.zeros((n, max(np.count_nonzero(kept), 1)), dtype=np.float32)
        far = np.empty(n)

        def fill(begin):
            part = slice(begin, begin + _ROWS)
            rows = (np.asarray(points[part], dtype=np.float64) - centre) / size
            far[part] = own = np.sqrt((rows**2).sum(axis=1))
            if kept.any():
                kernel = own[:, None] + lengths - _between(rows, own, landmarks, lengths)
                coordinates[part] = kernel @ towards

        in_threads(fill, range(0, n, _ROWS), n_jobs)
    coordinates -= coordinates.mean(axis=0, dtype=np.float64).astype(np.float32)
    return DistanceFeatures(coordinates, _ranks(far))


def between_classes(coordinates, codes, n_classes):
    """Σ n_k |mean of class k|² for labels of shape (n, orders); coordinates have mean 0."""
    total = np.zeros(codes.shape[1])
    with single_blas_thread():
        # The sums over all classes add up to 0.
        rest = np.zeros((coordinates.shape[1], codes.shape[1]), dtype=coordinates.dtype)
        for k in range(n_classes):
            inside = codes == k
            if k < n_classes - 1:
                sums = coordinates.T @ inside.astype(coordinates.dtype)
                rest -= sums
            else:
                sums = rest
            squares = np.einsum("ij,ij->j", sums, sums, dtype=np.float64)
            total += squares / np.maximum(inside.sum(axis=0), 1)
    return total


def _between(rows, lengths, others=None, other_lengths=None):
    """Distances between the rows of one or two sets with known lengths."""
    if others is None:
        others, other_lengths = rows, lengths
    squares = lengths[:, None] ** 2 + other_lengths**2 - 2 * (rows @ others.T)
    return np.sqrt(np.maximum(squares, 0.0))


def _ranks(far):
    """Ranks of distances, equal ones averaged, centred and divided by n."""
    largest = far.max()
    steps = np.round(far / (_EQUAL * largest)) if largest > 0 else far
    return (rankdata(steps) - (len(far) + 1) / 2) / len(far)

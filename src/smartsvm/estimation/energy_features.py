"""Coordinates in which the energy distance of samples is a squared distance of their means.

The energy distance, 2 E|X - Y| - E|X - X'| - E|Y - Y'|, is the squared distance of two means under
the kernel k(x, y) = |x - c| + |y - c| - |x - y|, for any centre c (Sejdinovic and others 2013).
Landmarks give coordinates of every row (Nyström): exact where all rows are landmarks, and else the
part of the distance that lies in the span of the landmarks. A mean over a class then costs O(n) for
each coordinate, where the distance itself takes O(n²). The mean distance within a sample is the
mean of k(x, x) over its rows less the mean of k over its pairs of rows.
"""

from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from smartsvm._core.blas_threads import single_blas_thread
from smartsvm._core.devices import beside, beside_as_type, empty_beside, fill_rows, on_host

N_LANDMARKS = 512
_ROWS = 2048  # that a thread takes at a time
_ROWS_ON_DEVICE = 2**15  # that a GPU takes at a time: 2^15 × 512 kernel values are 128 MiB
_LEAST_SHARE = 1e-6  # of the largest eigenvalue, below which a direction is rounding
_EQUAL = 1e-9  # relative difference of distances from the centre that is rounding


class DistanceFeatures(NamedTuple):
    """Features of every row for the distance statistics; labels play no part."""

    coordinates: object  # array, or tensor, of shape (n, at most N_LANDMARKS), 32 bits, mean 0
    # k(x, x) of every row, for the kernel whose mean over all rows is 0: exact, and in the span of
    # the landmarks, shape (2, n)
    with_itself: np.ndarray
    ranks: np.ndarray  # of the distances from the centre, shape (n,), from -1/2 to 1/2, mean 0


def distance_features(points, *, seed, n_jobs=None, n_landmarks=N_LANDMARKS):
    """Coordinates for the energy distance, and how far from the centre each row lies.

    The coordinates of points on a GPU stay there.
    """
    n = len(points)
    landmark_rows = np.arange(n)
    if n > n_landmarks:
        landmark_rows = np.sort(np.random.default_rng(seed).permutation(n)[:n_landmarks])
    with single_blas_thread():  # several threads round in another order
        landmarks = np.asarray(on_host(points[landmark_rows]), dtype=np.float64)
        centre = np.median(landmarks, axis=0)
        size = np.abs(landmarks - centre).max()
        if not size > 0:  # all landmarks are equal
            size = 1.0
        landmarks = (landmarks - centre) / size
        lengths = _lengths(landmarks)
        values, vectors = np.linalg.eigh(_kernel(landmarks, lengths, landmarks, lengths))
        positive = values > max(_LEAST_SHARE * values[-1], np.finfo(float).tiny)
        towards = vectors[:, positive] / np.sqrt(values[positive])
        if not positive.any():
            towards = np.zeros((len(landmarks), 1))
        centre, landmarks, lengths, towards = (
            beside(array, points) for array in (centre, landmarks, lengths, towards)
        )
        coordinates = empty_beside(points, (n, towards.shape[1]), "float32")
        far = empty_beside(points, (n,))

        def fill(part):
            rows = (points[part] - centre) / size  # in 64 bits, as the centre is
            far[part] = row_lengths = _lengths(rows)
            coordinates[part] = _kernel(rows, row_lengths, landmarks, lengths) @ towards

        fill_rows(fill, points, _ROWS, _ROWS_ON_DEVICE, n_jobs)
    middle = coordinates.mean(axis=0, dtype=far.dtype)  # 64 bits
    coordinates -= middle
    middle = on_host(middle)
    with single_blas_thread():
        towards_middle, in_span = products_with(coordinates, middle[None].astype(np.float32))
    far = on_host(far)
    exact = 2 * far - 2 * towards_middle[:, 0] - middle @ middle
    return DistanceFeatures(coordinates, np.stack([exact, in_span]), _ranks(far))


def squared_means(coordinates, codes, n_classes):
    """|mean of class k|², shape (orders, K), for labels of shape (n, orders)."""
    squared = np.zeros((codes.shape[1], n_classes))
    with single_blas_thread():
        # The sums over all classes add up to 0.
        last_sums = np.zeros((coordinates.shape[1], codes.shape[1]))
        for k in range(n_classes):
            inside = codes == k
            if k < n_classes - 1:
                sums = sums_over(coordinates, inside)
                last_sums -= sums
            else:
                sums = last_sums
            squares = np.einsum("ij,ij->j", sums, sums, dtype=np.float64)
            squared[:, k] = squares / np.maximum(inside.sum(axis=0), 1) ** 2
    return squared


def mean_distances_within(features, squares, codes, n_classes):
    """Mean distance of two rows of each class, shape (orders, K), from its `squared_means`."""
    within = np.zeros_like(squares)
    remaining = np.broadcast_to(features.with_itself.sum(axis=1)[:, None], (2, len(squares)))
    with single_blas_thread():
        for k in range(n_classes):
            inside = codes == k
            size = np.maximum(inside.sum(axis=0), 1)
            last = k == n_classes - 1
            sums = remaining if last else features.with_itself @ inside.astype(np.float64)
            remaining = remaining - sums
            exact, in_span = sums / size
            # Of two different rows: those of a row with itself are taken out of the mean.
            products = (size * squares[:, k] - in_span) / np.maximum(size - 1, 1)
            within[:, k] = exact - products
    return within


def mean_distance(rows):
    """Mean distance of two different rows of a few."""
    rows = rows - rows.mean(axis=0)
    lengths = _lengths(rows)
    with single_blas_thread():
        products = _kernel(rows, lengths, rows, lengths)
    n = len(rows)
    off = products.sum() - np.trace(products)
    return 2 * lengths.mean() - off / (n * (n - 1))


def sums_over(coordinates, inside):
    """Sums of the coordinates over sets of rows, which are the columns of a boolean array."""
    return on_host(coordinates.T @ beside_as_type(inside, coordinates))


def products_with(coordinates, vectors):
    """Scalar products of all rows with some vectors, (n, vectors), and with themselves, (n,)."""
    vectors = beside(vectors, coordinates)
    return on_host(coordinates @ vectors.T), on_host((coordinates**2).sum(axis=1))


def _lengths(rows):
    return (rows**2).sum(axis=1) ** 0.5


def _kernel(rows, lengths, others, other_lengths):
    """|x| + |y| - |x - y| of all pairs of rows of two sets, whose lengths are known."""
    squares = lengths[:, None] ** 2 + other_lengths**2 - 2 * (rows @ others.T)
    return lengths[:, None] + other_lengths - squares.clip(0.0) ** 0.5


def _ranks(far):
    """Ranks of distances, equal ones averaged, centred and divided by n."""
    largest = far.max()
    steps = np.round(far / (_EQUAL * largest)) if largest > 0 else far
    return (rankdata(steps) - (len(far) + 1) / 2) / len(far)

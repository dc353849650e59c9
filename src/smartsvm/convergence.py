"""Has the count settled: trees of growing parts of the data.

In high dimension the share of cross edges still falls when the data end, and both bounds
are too high. How fast edges shrink tells the intrinsic dimension of the data.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from joblib import effective_n_jobs

from smartsvm._mst.choice import KernelChoice
from smartsvm._progress import Progress
from smartsvm._sampling import shuffled_by_class
from smartsvm._validation import tie_seed
from smartsvm.cross_edges import between_groups

_DIVISIONS = (8, 4, 2)
_SMALLEST_PART = 25
# Standard error of the fall over √(share / n), by the number of sizes: .31 to .34 with
# four sizes for shares from .03 to .5 in two dimensions, where there is no fall.
_FALL_ERROR = {2: 0.75, 3: 0.42, 4: 0.34}


class PartTrees(NamedTuple):
    """Trees of growing parts of the data, which know nothing of labels.

    Attributes
    ----------
    sizes : ndarray of shape (m,)
        Samples of a part, rising; the last is the whole.
    edges : tuple of m ndarrays of shape (n_edges, 2)
        Pairs of rows: the first trees of all parts of each size together.
    mean_lengths : ndarray of shape (m,)
        Mean edge of these trees.
    nearest_length : float
        Mean distance to the nearest neighbour in the whole.
    dimension : float
        Intrinsic dimension δ of the data: mean edges shrink like n^(-1/δ) [1]_. Between 1 and
        the columns, whose number it is where one size, or copies without any length,
        tell nothing.

    References
    ----------
    .. [1] J. A. Costa and A. O. Hero (2004), Geodesic entropic graphs for dimension and
       entropy estimation in manifold learning, IEEE Trans. Signal Processing 52.
    """

    sizes: np.ndarray
    edges: tuple
    mean_lengths: np.ndarray
    nearest_length: float
    dimension: float


class ConvergenceCurve(NamedTuple):
    """Share of cross edges in trees of parts of the data.

    Attributes
    ----------
    sizes : ndarray of shape (m,)
        Samples of a part, rising; the last is the whole.
    cross_shares : ndarray of shape (m,)
        Edges between classes in the first tree over the samples, mean of the parts.
    dimension : float
        Intrinsic dimension of the data; see `PartTrees`.
    """

    sizes: np.ndarray
    cross_shares: np.ndarray
    dimension: float

    @property
    def fall(self):
        """How much the share falls with every doubling, by least squares; NaN with one size."""
        if len(self.sizes) < 2:
            return float("nan")
        steps = np.arange(len(self.sizes)) - (len(self.sizes) - 1) / 2
        return float(-(steps @ self.cross_shares) / (steps @ steps))

    @property
    def fall_error(self):
        """Standard error of `fall` if the share has settled; NaN with one size."""
        if len(self.sizes) < 2:
            return float("nan")
        share = max(float(self.cross_shares[-1]), 1 / self.sizes[-1])
        return _FALL_ERROR[len(self.sizes)] * float(np.sqrt(share / self.sizes[-1]))


def trees_of_parts(points, codes, whole, *, seed=0, n_jobs=None, verbose=0):
    """Trees over an eighth, a quarter, half and all of the samples.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_features)
        Scaled points, those of `whole`.
    codes : ndarray of shape (n_samples,)
        Class of each point.
    whole : Forests
        Trees of all points; the first one is used.
    seed : int, default=0
        Seed of the division.
    n_jobs : int or None, default=None
        Threads.
    verbose : int, default=0
        1 shows progress on standard error.

    Returns
    -------
    PartTrees
        With the whole as its last size.

    Notes
    -----
    Parts hold every class in its proportion. The halves together are all samples,
    so what only chance puts into the points cancels between them and the whole.
    """
    n = len(codes)
    by_class = shuffled_by_class(codes, seed)
    divisors = [divisor for divisor in _DIVISIONS if n // divisor >= _SMALLEST_PART]
    edges, lengths, done = [], [], 0
    tie_order, n_threads = tie_seed(seed), effective_n_jobs(n_jobs)
    progress = Progress("parts of the data", sum(divisors), verbose)
    for divisor in divisors:
        found, total = [], 0.0
        for part in range(divisor):
            rows = by_class[part::divisor]
            part_points, ids = points[rows], np.arange(len(rows), dtype=np.uint32)
            tree, squared, _ = KernelChoice("auto", part_points, 1).forests(
                part_points, ids, tie_order, n_threads
            )
            found.append(rows[tree])
            total += float(np.sqrt(np.sort(squared)).sum())  # the same sum for every kernel
            done += 1
            progress.update(done)
        edges.append(np.concatenate(found))
        lengths.append(total / len(edges[-1]))
    progress.close()
    edges.append(whole.edges[: whole.sizes[0]])
    distances = np.sqrt(whole.squared[: whole.sizes[0]])
    # The edge to the nearest neighbour is in every tree.
    nearest = np.full(n, np.inf)
    for side in edges[-1].T:
        np.minimum.at(nearest, side, distances)
    sizes = np.array([*(n // divisor for divisor in divisors), n])
    lengths = np.array([*lengths, distances.mean()])
    dimension = intrinsic_dimension(sizes, lengths, points.shape[1])
    return PartTrees(sizes, tuple(edges), lengths, float(nearest.mean()), dimension)


def intrinsic_dimension(sizes, mean_lengths, n_features):
    """Dimension δ such that mean edges shrink like n^(-1/δ); see `PartTrees`."""
    if len(sizes) < 2 or mean_lengths.min() <= 0:
        return float(n_features)
    slope = np.polyfit(np.log(sizes), np.log(mean_lengths), 1)[0]
    return float(np.clip(-1 / slope if slope < 0 else np.inf, 1.0, n_features))


def convergence_curve(parts, codes, whole_cross, groups=None):
    """Share of cross edges over growing parts of the data.

    Parameters
    ----------
    parts : PartTrees
        The trees.
    codes : ndarray of shape (n_samples,)
        Class of each sample.
    whole_cross : float
        Cross edges in the first tree of all points, perhaps a mean over tie orders.
    groups : ndarray of shape (n_samples,) or None, default=None
        Samples that depend on each other: edges between groups stand for all.

    Returns
    -------
    ConvergenceCurve
        With the whole as its last point.
    """
    n = len(codes)
    shares = []
    for edges in parts.edges[:-1]:
        kept = between_groups(edges, groups)
        crossing = np.count_nonzero(codes[kept[:, 0]] != codes[kept[:, 1]])
        shares.append(crossing / n * len(edges) / max(len(kept), 1))
    return ConvergenceCurve(parts.sizes, np.array([*shares, whole_cross / n]), parts.dimension)

"""Has the count settled: the share of cross edges over growing parts of the data.

In high dimension it still falls when the data end, and both bounds are too high.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smartsvm._progress import Progress
from smartsvm.spanning_trees import euclidean_mst

_DIVISIONS = (8, 4, 2)
_SMALLEST_PART = 50
# Standard error of the fall over √(share / n), by the number of sizes: .31 to .34 with
# four sizes for shares from .03 to .5 in two dimensions, where there is no fall.
_FALL_ERROR = {2: 0.75, 3: 0.42, 4: 0.34}


class ConvergenceCurve(NamedTuple):
    """Share of crossing edges in trees of parts of the data.

    Attributes
    ----------
    sizes : ndarray of shape (m,)
        Samples of a part, rising; the last is the whole.
    cross_shares : ndarray of shape (m,)
        Edges between classes in the first tree over the samples, mean of the parts.
    """

    sizes: np.ndarray
    cross_shares: np.ndarray

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


def convergence_curve(points, codes, whole_cross, *, seed=0, n_jobs=None, verbose=0):
    """Share of crossing edges over an eighth, a quarter, half and all of the samples.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_features)
        The points.
    codes : ndarray of shape (n_samples,)
        Class of each point.
    whole_cross : float
        Cross edges in the first tree of all points.
    seed : int, default=0
        Seed of the division.
    n_jobs : int or None, default=None
        Threads.
    verbose : int, default=0
        1 shows progress on standard error.

    Returns
    -------
    ConvergenceCurve
        With the whole as its last point.

    Notes
    -----
    Parts hold every class in its proportion. The halves together are all samples,
    so what only chance puts into the points cancels between them and the whole.
    """
    n = len(codes)
    random = np.random.default_rng(seed)
    shuffled = random.permutation(n)
    dealt = shuffled[np.argsort(codes[shuffled], kind="stable")]
    sizes, shares, done = [], [], 0
    progress = Progress("parts of the data", sum(_DIVISIONS), verbose)
    for divisor in _DIVISIONS:
        if n // divisor < _SMALLEST_PART:
            continue
        ratios = []
        for part in range(divisor):
            rows = dealt[part::divisor]
            edges = euclidean_mst(points[rows], n_jobs=n_jobs, random_state=seed).edges[0]
            ends = codes[rows][edges]
            ratios.append(np.count_nonzero(ends[:, 0] != ends[:, 1]) / len(rows))
            done += 1
            progress.update(done)
        sizes.append(n // divisor)
        shares.append(np.mean(ratios))
    progress.close()
    return ConvergenceCurve(np.array([*sizes, n]), np.array([*shares, whole_cross / n]))

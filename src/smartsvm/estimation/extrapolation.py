"""What more data would change: the share of cross edges up to now, and its limit.

Trees of growing parts of the data show whether the share has settled: in high dimension it still
falls when the data end, and both bounds are too high. How fast edges shrink tells the intrinsic
dimension of the data.

The limit is the share that infinitely many samples would have. Labels of two near samples agree
more often than chance. Let q be that agreement, 1 for samples
that always agree and 0 for chance: 1 - share / chance, where the share of cross edges is counted
over edges of one typical length h. With more data edges grow shorter and q rises to the
agreement q₀ at distance 0; the limit of the share is chance · (1 - q₀), and the bounds of
the Bayes error are those of the limit.

Edges of many lengths are at hand from one sample: to the first, second, ... 31st neighbour, of
the first, second and third orthogonal tree, of the trees of halves, quarters and eighths of the
data. Their agreement is fitted by

    log q = log q₀ - (h / ℓ)ᵖ

with p from 1, right where classes have borders, to 2, right where the probabilities of the
classes change smoothly. No sample can tell which: results are averaged over p, and their
spread is part of the standard error. Lengths of edges to neighbours follow from the intrinsic
dimension δ of the data, h ~ (j / n)^(1/δ), estimated from the lengths of the trees of parts
(Costa and Hero 2004).

No estimate is right for every distribution at any n (Antos, Devroye, Györfi 1999). The
assumption here is that agreement goes on below the smallest distance seen as it does
above. Where it cannot be told from chance at any distance there is nothing to extrapolate,
and the limit is refused.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from joblib import effective_n_jobs

from smartsvm._core.progress import Progress
from smartsvm._core.sampling import shuffled_by_class
from smartsvm._core.validation import tie_seed
from smartsvm._mst.choice import KernelChoice
from smartsvm.estimation.cross_edges import between_groups, count_by_sample
from smartsvm.held_out.neighbors import neighbor_labels

_DIVISIONS = (8, 4, 2)
_SMALLEST_PART = 25
# Standard error of the fall over √(share / n), by the number of sizes: .31 to .34 with
# four sizes for shares from .03 to .5 in two dimensions, where there is no fall.
_FALL_ERROR = {2: 0.75, 3: 0.42, 4: 0.34}

EXPONENTS = (1.0, 1.5, 2.0)
NEIGHBOR_RUNGS = (1, 2, 3, 5, 9, 15, 21, 31)
_DEPENDENCE = 2.0  # a label takes part in about two edges of a kind
_LEAST_AGREEMENT = 1e-3  # whose logarithm is taken
_CLEAR = 2.0  # standard errors above chance that make agreement real
_LEAST_FOR_CLASSES = 10  # samples for each class in a tree whose connecting edges are taken off


class PartTrees(NamedTuple):
    """Trees of growing parts of the data, which know nothing of labels."""

    sizes: np.ndarray  # samples of a part, rising; the last is the whole
    edges: tuple  # pairs of rows: the first trees of all parts of each size together
    mean_lengths: np.ndarray  # mean edge of these trees
    nearest_length: float  # mean distance to the nearest neighbour in the whole
    dimension: float  # intrinsic dimension δ of the data: mean edges shrink like n^(-1/δ) [1]_


class ConvergenceCurve(NamedTuple):
    """Share of cross edges in trees of parts of the data."""

    sizes: np.ndarray  # samples of a part, rising; the last is the whole
    # edges between classes in the first tree over the samples, mean of the parts
    cross_shares: np.ndarray
    dimension: float  # intrinsic dimension of the data; see `PartTrees`

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


class Rungs(NamedTuple):
    """Shares of cross edges, for edges of several lengths."""

    lengths: np.ndarray  # typical lengths, in units of a mean edge of the first tree
    shares: np.ndarray  # cross edges over edges
    covariance: np.ndarray  # of the shares, if points and labels were drawn again
    chance: float  # the share if labels meant nothing


class CrossLimit(NamedTuple):
    """Share of cross edges for ever more data."""

    value: float  # mean over the exponents; NaN if refused
    error: float  # standard error: that of each exponent and the spread between them
    values: np.ndarray  # limit and standard error of each of `EXPONENTS`
    errors: np.ndarray  # limit and standard error of each of `EXPONENTS`
    chance: float  # the share if labels meant nothing

    @property
    def refused(self):
        """Whether agreement could not be told from chance at any distance."""
        return bool(np.isnan(self.value))


def trees_of_parts(points, codes, whole, *, seed=0, n_jobs=None, verbose=0):
    """Trees over an eighth, a quarter, half and all of the samples.

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
    """Share of cross edges over growing parts of the data."""
    n = len(codes)
    shares = []
    for edges in parts.edges[:-1]:
        kept = between_groups(edges, groups)
        crossing = np.count_nonzero(codes[kept[:, 0]] != codes[kept[:, 1]])
        shares.append(crossing / n * len(edges) / max(len(kept), 1))
    return ConvergenceCurve(parts.sizes, np.array([*shares, whole_cross / n]), parts.dimension)


def cross_limit(forest, *, seed=0, n_jobs=None, verbose=0):
    """The share of cross edges for ever more data, with all that it takes."""
    work = {"seed": seed, "n_jobs": n_jobs, "verbose": verbose}
    points, codes, whole = forest.points, forest.codes, forest.whole()
    n_neighbors = min(NEIGHBOR_RUNGS[-1], len(codes) - 1)
    neighbors = neighbor_labels(points, codes, n_neighbors, **work)
    parts = trees_of_parts(points, codes, whole, **work)
    return extrapolate(rungs_of(neighbors, codes, forest.n_classes, parts, whole))


def rungs_of(neighbors, codes, n_classes, parts, whole, groups=None):
    """All shares of cross edges that one sample gives."""
    n = len(codes)
    unit = parts.mean_lengths[-1] or 1.0
    first = parts.nearest_length / unit or 1.0
    ranks = [k for k in NEIGHBOR_RUNGS if k <= min(max(5.0, np.sqrt(n)), len(neighbors))]
    each = [neighbors[rank - 1] != codes for rank in ranks]
    lengths = [first * rank ** (1 / parts.dimension) for rank in ranks]
    forced = [0.0] * len(ranks)
    trees = [
        *zip(parts.edges, parts.mean_lengths, parts.sizes, strict=True),
        *((edges, length, n) for edges, length in _later_trees(whole, n)),
    ]
    for edges, length, size in trees:
        if size >= _LEAST_FOR_CLASSES * n_classes and length > 0:
            kept = between_groups(edges, groups)
            stand_for = len(edges) / max(len(kept), 1)
            each.append(count_by_sample(kept, codes)[0] * (stand_for / 2))
            lengths.append(length / unit)
            forced.append((n_classes - 1) / size)
    each = np.array(each, dtype=float)
    shares = np.maximum(each.mean(axis=1) - np.array(forced), 0.0)
    covariance = np.cov(each).reshape(len(each), len(each)) * (_DEPENDENCE / n)
    priors = np.bincount(codes, minlength=n_classes) / n
    chance = float((1 - priors @ priors) * n / (n - 1))
    return Rungs(np.array(lengths), shares, covariance, chance)


def _later_trees(whole, n):
    """Edges and mean edge of each orthogonal tree but the first, of those that span."""
    for start, size in zip(np.cumsum(whole.sizes)[:-1], whole.sizes[1:], strict=True):
        if size == n - 1:
            edges = slice(start, start + size)
            yield whole.edges[edges], float(np.sqrt(whole.squared[edges]).mean())


def extrapolate(rungs):
    """The share of cross edges for ever more data."""
    agreement = 1 - rungs.shares / rungs.chance
    covariance = rungs.covariance / rungs.chance**2
    # Where no label nearby ever differs: as if half an edge did.
    variances = np.maximum(np.diag(covariance), 1e-12)
    steady = agreement.mean()
    nothing = np.full(len(EXPONENTS), np.nan)
    if steady < _CLEAR * np.sqrt(max(covariance.mean(), 0.0)):
        return CrossLimit(np.nan, np.nan, nothing, nothing, rungs.chance)
    agreement = np.maximum(agreement, _LEAST_AGREEMENT)
    weights = agreement / np.sqrt(variances)
    values, errors = [], []
    for exponent in EXPONENTS:
        steps = np.stack([np.ones_like(rungs.lengths), rungs.lengths**exponent], axis=1)
        solve = np.linalg.pinv(steps * weights[:, None]) * weights
        start, slope = solve @ np.log(agreement)
        # Agreement that does not fall with distance has its mean as limit, and is no surer for it.
        top = np.exp(start) if slope < 0 else np.average(agreement, weights=variances**-1)
        gradient = top * solve[0] / agreement
        values.append(rungs.chance * (1 - min(top, 1.0)))
        errors.append(rungs.chance * np.sqrt(max(gradient @ covariance @ gradient, 0.0)))
    values, errors = np.array(values), np.minimum(np.array(errors), rungs.chance)
    error = np.sqrt((errors**2).mean() + values.var())
    return CrossLimit(float(values.mean()), float(error), values, errors, rungs.chance)

"""The fraction of cross edges at growing sample sizes, and its limit.

With many features the fraction still falls at the full sample size, and both bounds are too high.
The limit is the fraction r that infinitely many samples would have. At a finite sample size r is
too large, by half the mean squared change of the class probabilities along an edge. The agreement
of labels beyond chance, q = 1 - r / chance, is fitted by log q = log q₀ - (h / ℓ)ᵖ over edges of
many lengths h: those of the first three trees, those of trees of halves, quarters and eighths of
the data, and those to the first 31 neighbours. The limit is chance · (1 - q₀), averaged over p = 1,
1.5 and 2; its standard error includes the spread between them. The K - 1 edges that join the
classes are not counted. Here p = 1 is right for classes with sharp borders and p = 2 for smooth
class probabilities; the data cannot show which. Lengths of edges to neighbours follow from the
intrinsic dimension δ of the data, h ~ (j / n)^(1/δ), estimated from the lengths of the trees of
parts (Costa and Hero 2004).

No estimate is right for every distribution at every n (Antos, Devroye, Györfi 1999). The assumption
here is that agreement continues below the smallest observed distance as it does above. Where it
cannot be told from chance at any distance, there is nothing to extrapolate: the limit is refused.
"""

from typing import NamedTuple

import numpy as np

from smartsvm._core.clearly import CLEAR
from smartsvm._core.parallel import count_threads
from smartsvm._core.sampling import shuffled_by_class
from smartsvm._core.validation import tie_seed
from smartsvm._mst.choice import KernelChoice
from smartsvm.estimation.cross_edges import between_groups, count_by_sample
from smartsvm.held_out.neighbors import neighbor_labels
from smartsvm.presentation.progress import Progress
from smartsvm.trees.in_memory import on_device

# Trees are also made of the 8, 4 and 2 parts of the samples, each of at least 25.
_DIVISIONS = (8, 4, 2)
_SMALLEST_PART = 25
# Random splits into parts of each size: 4,000 / n, at least 1 and at most 8. With few samples the
# limit would vary with the split; with many it hardly does.
_SPLIT_SAMPLES = 4_000
_MOST_SPLITS = 8
# With more samples, one part of each size is enough: its trees have thousands of edges.
_MOST_FOR_ALL_PARTS = 20_000

# Values of p in log q = log q₀ - (h / ℓ)ᵖ: class probabilities with corners, and smooth ones.
EXPONENTS = (1.0, 1.5, 2.0)
# Ranks k of the neighbours whose labels are compared; mean distances grow by about k^(1/δ).
NEIGHBOR_RUNGS = (1, 2, 3, 5, 9, 15, 21, 31)
# Variance of a count of cross edges / binomial variance: each label is part of about two edges.
_DEPENDENCE = 2.0
# Agreement beyond chance is raised to this before its logarithm is taken.
_LEAST_AGREEMENT = 1e-3
# The limit is at most 1; beyond e^50 the line says nothing, and far beyond it exp overflows.
_LARGEST_LOG = 50.0
# Use a tree of n samples if n ≥ 10 K: the K - 1 edges that must join classes are below a tenth.
_LEAST_FOR_CLASSES = 10


class PartTrees(NamedTuple):
    """Trees of growing parts of the data, without labels."""

    sizes: np.ndarray  # samples per part, increasing; the last is all of them
    edges: tuple  # for each size, the edges of the first trees of all parts, of all splits
    n_splits: tuple  # for each size, how many trees each sample is in, on average
    mean_lengths: np.ndarray  # mean edge length of these trees
    nearest_length: float  # mean distance to the nearest neighbour among all samples
    dimension: float  # intrinsic dimension δ: mean edges shrink like n^(-1/δ)


class Rungs(NamedTuple):
    """Fractions of cross edges among edges of several lengths."""

    lengths: np.ndarray  # typical lengths, relative to the mean edge of the first tree
    shares: np.ndarray  # cross edges divided by edges
    covariance: np.ndarray  # of `shares` over new draws of points and labels
    random_share: float  # the fraction for random labels


class CrossLimit(NamedTuple):
    """Limit of the fraction of cross edges for infinitely many samples."""

    value: float  # mean over the exponents
    error: float  # standard error, with the spread between the exponents
    values: np.ndarray  # for each of `EXPONENTS`
    errors: np.ndarray  # their standard errors
    random_share: float  # the fraction for random labels
    clarity: float = np.inf  # mean agreement beyond chance / its standard error

    @property
    def refused(self):
        """Whether agreement cannot be told from chance at any distance."""
        return bool(self.clarity < CLEAR)

    def if_known(self):
        """The limit, with NaN in place of all numbers but `random_share` where it is refused."""
        if not self.refused:
            return self
        nothing = np.full(len(EXPONENTS), np.nan)
        return self._replace(value=np.nan, error=np.nan, values=nothing, errors=nothing)


def trees_of_parts(points, codes, whole, *, seed=0, n_jobs=None, verbose=0):
    """Trees over eighths, quarters, halves and all of the samples, which are `Points`."""
    # All parts of a size together are all samples, so chance in the points cancels out.
    n = len(codes)
    n_splits = int(np.clip(_SPLIT_SAMPLES // n, 1, _MOST_SPLITS))
    orders = [shuffled_by_class(codes, (seed, split)) for split in range(n_splits)]
    divisors = [divisor for divisor in _DIVISIONS if n // divisor >= _SMALLEST_PART]
    tie_order, n_threads = tie_seed(seed), count_threads(n_jobs)
    edges, lengths, n_done = [], [], 0
    n_parts = [divisor if n <= _MOST_FOR_ALL_PARTS else 1 for divisor in divisors]
    progress = Progress("parts of the data", n_splits * sum(n_parts), verbose)
    for divisor, of_order in zip(divisors, n_parts, strict=True):
        trees = []
        for rows in (order[part::divisor] for order in orders for part in range(of_order)):
            trees.append(_tree_of_part(points, rows, tie_order, n_threads))
            n_done += 1
            progress.update(n_done)
        edges.append(np.concatenate([tree for tree, _ in trees]))
        lengths.append(sum(length for _, length in trees) / len(edges[-1]))
    progress.close()
    edges.append(whole.edges[: whole.sizes[0]])
    distances = np.sqrt(whole.squared[: whole.sizes[0]])
    lengths = np.array([*lengths, distances.mean()])
    sizes = np.array([*(n // divisor for divisor in divisors), n])
    dimension = intrinsic_dimension(sizes, lengths, points.n_features)
    often = (*(n_splits * n_parts[i] / divisor for i, divisor in enumerate(divisors)), 1)
    nearest_length = _mean_nearest_distance(edges[-1], distances, n)
    return PartTrees(sizes, tuple(edges), often, lengths, nearest_length, dimension)


def _tree_of_part(points, rows, tie_order, n_threads):
    """The edges of the tree of some rows, as rows of all points, and its length."""
    ids = np.arange(len(rows), dtype=np.uint32)
    trees = on_device.forests(points, ids, tie_order, 1, rows)
    if trees is None:
        trees = KernelChoice("auto", points.take(rows), 1).search_all(ids, tie_order, n_threads)()
    edges, squared, _ = trees
    return rows[edges], float(np.sqrt(np.sort(squared)).sum())  # the same sum for every kernel


def _mean_nearest_distance(tree, distances, n_points):
    """Mean distance to the nearest neighbour, which is an edge of every tree."""
    nearest = np.full(n_points, np.inf)
    for side in tree.T:
        np.minimum.at(nearest, side, distances)
    return float(nearest.mean())


def intrinsic_dimension(sizes, mean_lengths, n_features):
    """Dimension δ such that mean edges shrink like n^(-1/δ); see `PartTrees`."""
    if len(sizes) < 2 or mean_lengths.min() <= 0:
        return float(n_features)
    slope = np.polyfit(np.log(sizes), np.log(mean_lengths), 1)[0]
    return float(np.clip(-1 / slope if slope < 0 else np.inf, 1.0, n_features))


def cross_limit(forest, *, seed=0, n_jobs=None, verbose=0):
    """Compute neighbours and trees of parts, and extrapolate the fraction of cross edges."""
    threads = {"seed": seed, "n_jobs": n_jobs}
    points = forest.points
    codes = forest.codes
    whole = forest.whole()
    n_neighbors = min(NEIGHBOR_RUNGS[-1], len(codes) - 1)
    neighbors = neighbor_labels(points, codes, n_neighbors, **threads)
    parts = trees_of_parts(points, codes, whole, **threads, verbose=verbose)
    return extrapolate(rungs_of(neighbors, codes, forest.n_classes, parts, whole))


def rungs_of(neighbors, codes, n_classes, parts, whole, groups=None):
    """Fractions of cross edges at all edge lengths of one data set."""
    n = len(codes)
    unit = parts.mean_lengths[-1] or 1.0
    first = parts.nearest_length / unit or 1.0
    ranks = [k for k in NEIGHBOR_RUNGS if k <= min(max(5.0, np.sqrt(n)), len(neighbors))]
    crossing = [neighbors[rank - 1] != codes for rank in ranks]
    lengths = [first * rank ** (1 / parts.dimension) for rank in ranks]
    forced = [0.0] * len(ranks)
    trees = [
        *zip(parts.edges, parts.mean_lengths, parts.sizes, parts.n_splits, strict=True),
        *((edges, length, n, 1) for edges, length in _later_trees(whole, n)),
    ]
    for edges, length, size, n_splits in trees:
        if size >= _LEAST_FOR_CLASSES * n_classes and length > 0:
            between = between_groups(edges, groups)
            stand_for = len(edges) / max(len(between), 1)
            crossing.append(count_by_sample(between, codes)[0] * (stand_for / 2 / n_splits))
            lengths.append(length / unit)
            forced.append((n_classes - 1) / size)
    crossing = np.array(crossing, dtype=float)
    shares = np.maximum(crossing.mean(axis=1) - np.array(forced), 0.0)
    covariance = np.cov(crossing).reshape(len(crossing), len(crossing)) * (_DEPENDENCE / n)
    priors = np.bincount(codes, minlength=n_classes) / n
    chance = float((1 - priors @ priors) * n / (n - 1))
    return Rungs(np.array(lengths), shares, covariance, chance)


def _later_trees(whole, n):
    """Edges and mean length of each spanning orthogonal tree but the first."""
    for start, size in zip(np.cumsum(whole.sizes)[:-1], whole.sizes[1:], strict=True):
        if size == n - 1:
            edges = slice(start, start + size)
            yield whole.edges[edges], float(np.sqrt(whole.squared[edges]).mean())


def extrapolate(rungs):
    """Extrapolate the fraction of cross edges to edges of length 0."""
    agreement = 1 - rungs.shares / rungs.random_share
    covariance = rungs.covariance / rungs.random_share**2
    # Without any cross edge the variance would be 0: keep the weights finite.
    variances = np.maximum(np.diag(covariance), 1e-12)
    clarity = float(agreement.mean() / np.sqrt(max(covariance.mean(), 1e-12)))
    agreement = np.maximum(agreement, _LEAST_AGREEMENT)
    weights = agreement / np.sqrt(variances)
    values, errors = [], []
    for exponent in EXPONENTS:
        steps = np.stack([np.ones_like(rungs.lengths), rungs.lengths**exponent], axis=1)
        solve = np.linalg.pinv(steps * weights[:, None]) * weights
        start, slope = solve @ np.log(agreement)
        # If agreement does not fall with distance, its limit is its mean, with the same error.
        mean = np.average(agreement, weights=variances**-1)
        top = np.exp(min(start, _LARGEST_LOG)) if slope < 0 else mean
        gradient = top * solve[0] / agreement
        values.append(rungs.random_share * (1 - min(top, 1.0)))
        errors.append(rungs.random_share * np.sqrt(max(gradient @ covariance @ gradient, 0.0)))
    values = np.array(values)
    errors = np.minimum(np.array(errors), rungs.random_share)
    error = np.sqrt((errors**2).mean() + values.var())
    value, error = float(values.mean()), float(error)
    return CrossLimit(value, error, values, errors, rungs.random_share, clarity)


def limit_of_equal_rows(points, codes, limit):
    """The limit where most rows are equal to others: how often the labels of equal rows differ."""
    # Rows without an equal one count by the extrapolated limit, or by chance if that is unknown.
    _, site, sizes = np.unique(points, axis=0, return_inverse=True, return_counts=True)
    n = len(codes)
    n_classes = int(codes.max()) + 1
    table = np.bincount(site.ravel() * n_classes + codes, minlength=len(sizes) * n_classes)
    table = table.reshape(-1, n_classes)[sizes > 1]
    sizes = sizes[sizes > 1]
    share = sizes.sum() / n
    elsewhere = limit.random_share if limit.refused else limit.value
    same = (table * (table - 1)).sum(axis=1) / (sizes - 1)
    within = 1 - float(same.sum() / sizes.sum())
    value = share * within + (1 - share) * elsewhere
    error = np.sqrt(max(within * (1 - within), 1 / n) * _DEPENDENCE / n)
    error = min(float(np.hypot(error, (1 - share) * abs(elsewhere - within))), limit.random_share)
    ones = np.full(len(EXPONENTS), 1.0)
    return CrossLimit(value, error, value * ones, error * ones, limit.random_share)

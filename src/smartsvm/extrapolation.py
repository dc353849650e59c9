"""To ever more data: the share of cross edges that infinitely many samples would have.

Labels of two near samples agree more often than chance. Let q be that agreement, 1 for samples
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

from smartsvm.convergence import trees_of_parts
from smartsvm.cross_edges import between_groups, count_by_sample
from smartsvm.neighbors import neighbor_labels

EXPONENTS = (1.0, 1.5, 2.0)
NEIGHBOR_RUNGS = (1, 2, 3, 5, 9, 15, 21, 31)
_DEPENDENCE = 2.0  # a label takes part in about two edges of a kind
_LEAST_AGREEMENT = 1e-3  # whose logarithm is taken
_CLEAR = 2.0  # standard errors above chance that make agreement real
_LEAST_FOR_CLASSES = 10  # samples for each class in a tree whose connecting edges are taken off


class Rungs(NamedTuple):
    """Shares of cross edges, for edges of several lengths.

    Attributes
    ----------
    lengths : ndarray of shape (m,)
        Typical lengths, in units of a mean edge of the first tree.
    shares : ndarray of shape (m,)
        Cross edges over edges.
    covariance : ndarray of shape (m, m)
        Of the shares, if points and labels were drawn again.
    chance : float
        The share if labels meant nothing.
    """

    lengths: np.ndarray
    shares: np.ndarray
    covariance: np.ndarray
    chance: float


class CrossLimit(NamedTuple):
    """Share of cross edges for ever more data.

    Attributes
    ----------
    value : float
        Mean over the exponents; NaN if refused.
    error : float
        Standard error: that of each exponent and the spread between them.
    values, errors : ndarray of shape (m,)
        Limit and standard error of each of `EXPONENTS`.
    chance : float
        The share if labels meant nothing.
    """

    value: float
    error: float
    values: np.ndarray
    errors: np.ndarray
    chance: float

    @property
    def refused(self):
        """Whether agreement could not be told from chance at any distance."""
        return bool(np.isnan(self.value))


def cross_limit(forest, *, seed=0, n_jobs=None, verbose=0):
    """The share of cross edges for ever more data, with all that it takes.

    Parameters
    ----------
    forest : SpanningForest
        The points, their classes and the trees of all of them.
    seed : int, default=0
        Seed of all that is random.
    n_jobs : int or None, default=None
        Threads.
    verbose : int, default=0
        1 shows progress on standard error.

    Returns
    -------
    CrossLimit
        With NaN where agreement cannot be told from chance.
    """
    work = {"seed": seed, "n_jobs": n_jobs, "verbose": verbose}
    points, codes, whole = forest.points, forest.codes, forest.whole()
    n_neighbors = min(NEIGHBOR_RUNGS[-1], len(codes) - 1)
    neighbors = neighbor_labels(points, codes, n_neighbors, **work)
    parts = trees_of_parts(points, codes, whole, **work)
    return extrapolate(rungs_of(neighbors, codes, forest.n_classes, parts, whole))


def rungs_of(neighbors, codes, n_classes, parts, whole, groups=None):
    """All shares of cross edges that one sample gives.

    Parameters
    ----------
    neighbors : ndarray of shape (k, n_samples)
        Classes of the nearest neighbours of every sample.
    codes : ndarray of shape (n_samples,)
        Class of each sample.
    n_classes : int
        Classes K.
    parts : PartTrees
        Trees of parts of the data.
    whole : Forests
        Orthogonal trees of all samples.
    groups : ndarray of shape (n_samples,) or None, default=None
        Samples that depend on each other: edges between groups stand for all.

    Returns
    -------
    Rungs
        Of neighbours up to the √n-th (at least the fifth), and of trees with at least ten
        samples for each class, from which the K - 1 edges that join classes whatever
        happens are taken off.
    """
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
    """The share of cross edges for ever more data.

    Parameters
    ----------
    rungs : Rungs
        Shares for edges of several lengths.

    Returns
    -------
    CrossLimit
        With NaN where agreement cannot be told from chance.
    """
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

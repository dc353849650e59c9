"""The function `two_sample_test`: do data sets differ, and how?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from smartsvm._core.column_scales import SCALES
from smartsvm._core.devices import device_name, on_host
from smartsvm._core.types import Algorithm, PointsLike, RandomState
from smartsvm._core.validation import (
    check_choice,
    check_int,
    check_jobs,
    check_share,
    describe,
    tie_seed,
)
from smartsvm.comparison.likeness import likeness_of_rows
from smartsvm.comparison.samples import number_groups, open_samples
from smartsvm.comparison.two_sample_result import TwoSampleTest
from smartsvm.estimation.combined_test import combined_test
from smartsvm.estimation.cross_edges import between_groups
from smartsvm.estimation.energy_features import N_LANDMARKS, distance_features, mean_distance
from smartsvm.estimation.forest_counts import WeightedEdges
from smartsvm.estimation.friedman_rafsky import (
    LOCAL_NEIGHBORS,
    MOST_PERMUTATIONS,
    count_variance,
    local_shares,
)
from smartsvm.estimation.number_of_trees import (
    check_n_trees,
    trees_for_bounds,
    trees_for_samples,
)
from smartsvm.estimation.results import Interval
from smartsvm.trees.in_memory.class_trees import SpanningForest
from smartsvm.trees.tree_plan import TreePlan

# With m permutations the smallest p-value is 1 / (m + 1), and 1 / 20 = 0.05.
_LEAST_PERMUTATIONS = 19
# Labels that the variance needs at each row: its own and those of three neighbours.
_LEAST_LABELS = 4


def two_sample_test(
    *samples: PointsLike,
    names: Sequence[str] | None = None,
    groups: Sequence[ArrayLike] | None = None,
    scale: Literal["auto", "none", "standard", "robust", "ranks", "minmax"] = "auto",
    n_trees: int | Literal["auto"] = "auto",
    n_permutations: int = 999,
    confidence: float = 0.95,
    algorithm: Algorithm = "auto",
    n_jobs: int | None = None,
    random_state: RandomState = 0,
    device: str | None = None,
) -> TwoSampleTest:
    """Test whether two or more samples come from the same distribution.

    Did the data change, do two hospitals measure the same, are simulated rows like real ones? The
    result has one p-value, how the samples differ, how much, and which rows stand out.

    Parameters
    ----------
    *samples : array-like of shape (n_samples, n_features)
        Two samples or more with the same columns, at least two rows each: arrays, tensors, paths
        as in `euclidean_mst`, or data frames, which may have text, dates and gaps and are prepared
        together, as by `TablePreparation`.
    names : sequence of str or None, default=None
        Names of the samples in the text; by default "sample 1" and so on.
    groups : sequence of array-like or None, default=None
        For each sample, the patient, device or other source of every row. Rows of one group are not
        independent: groups are permuted as wholes, and edges within a group do not count. No group
        may have rows in two samples.
    scale : str, default="auto"
        How to scale the columns, as in `difficulty_report`. "auto" standardises columns whose
        spreads differ by more than a factor of ten; it does not look at which row is of which
        sample.
    n_trees : int or "auto", default="auto"
        Orthogonal trees to count in. "auto" takes 20 for up to 5,000 rows and three beyond.
    n_permutations : int, default=999
        Orders of the labels that the samples are compared with, from 19 to 10 million.
    confidence : float, default=0.95
        Level of the confidence interval of the divergence.
    algorithm, n_jobs, random_state, device : object
        As in `euclidean_mst`; the permutations have the same seed.

    Returns
    -------
    TwoSampleTest
        Print it, ``plot()`` it, or read its attributes.

    See Also
    --------
    bayes_error : The error of the best classifier between the samples, and their divergence.

    Notes
    -----
    **Edge counts.** Let R_k be the sum over all edges within sample k, in orthogonal spanning trees
    of all rows, where an edge of tree t counts 1 / (t + 2): the edges of earlier trees are shorter
    and say more. The means and covariances of R_k over all permutations of the labels are known
    exactly [1]_. The weighted count Σ R_k / (n_k - 1), standardised, is large where samples lie
    apart. S = (R - E R)ᵀ Cov⁻¹ (R - E R) is chi-squared with one degree of freedom for each
    sample [1]_ [2]_; S less the square of the weighted count is large where one sample is denser
    than another. In many columns the number of all edges between samples, which Friedman and
    Rafsky counted in 1979, hardly shows that.

    **Distances.** The energy distance [3]_ finds small shifts that leave most neighbours as they
    were, and the mean distances within each sample find differences in spread. For more than
    512 rows both are computed in the span of 512 random rows (landmarks), at a cost that grows with
    n, not n².

    **One p-value.** Three parts, ``neighbors``, ``distance`` and ``spread``, have a p-value each,
    from the same orders of the labels. The combined statistic is Σ w / p, with weights 4, 1 and 1;
    the two statistics of spread are combined by Σ 1 / p. Its p-value comes from the same orders,
    too. So it is exact for any number of rows, columns and ties: trees, landmarks and the order
    among equal distances do not depend on the labels.

    **The divergence** is 1 - R / E R, where R counts the edges between samples in the first trees:
    for two samples the Henze–Penrose divergence, 0 for equal distributions and 1 without overlap.
    Its interval covers new samples of the same sizes. In many columns the divergence is too small.

    **Rows that stand out.** ``likeness`` of a row is the probability that a row like it comes from
    the first sample, by linear discriminant analysis of three features that do not use its own
    label: the samples of rows up to two tree edges away, the difference of its mean distances to
    both samples, and its distance from the centre.

    References
    ----------
    .. [1] H. Chen and J. H. Friedman (2017), A new graph-based two-sample test for multivariate and
       object data, Journal of the American Statistical Association 112.
    .. [2] H. Song and H. Chen (2022), New graph-based multi-sample tests for high-dimensional and
       non-Euclidean data, arXiv:2205.13787.
    .. [3] G. J. Székely and M. L. Rizzo (2013), Energy statistics: a class of statistics based on
       distances, Journal of Statistical Planning and Inference 143.

    Examples
    --------
    >>> import numpy as np
    >>> from smartsvm import two_sample_test
    >>> rng = np.random.default_rng(0)
    >>> X, Y = rng.normal(size=(200, 20)), 1.1 * rng.normal(size=(200, 20))
    >>> test = two_sample_test(X, Y)
    >>> test.p_value < 0.01
    True
    >>> "spread" in test.different_in
    True
    """
    check_choice(scale, "scale", ("auto", *SCALES))
    n_permutations = check_int(
        n_permutations, "n_permutations", least=_LEAST_PERMUTATIONS, most=MOST_PERMUTATIONS
    )
    confidence = check_share(confidence, "confidence")
    n_jobs = check_jobs(n_jobs)
    n_trees = check_n_trees(n_trees)
    names = _check_names(names, len(samples))
    device = device_name(device, samples[0] if samples else None)
    points, codes, sizes, scale = open_samples(samples, scale, device, n_jobs)
    numbers = None if groups is None else number_groups(groups, samples, codes)
    n = len(codes)
    seed = tie_seed(random_state)
    plan = TreePlan(trees_for_samples(n) if n_trees == "auto" else n_trees, algorithm, n_jobs)
    plan.check_device(points.device)
    trees = SpanningForest(points, codes, **plan.options(seed, n)).tree_edges()
    trees = [np.ascontiguousarray(between_groups(each, numbers), dtype=np.uint32) for each in trees]
    features = distance_features(points.where_they_live(), seed=seed, n_jobs=n_jobs)
    combined = combined_test(
        trees,
        features,
        codes,
        len(sizes),
        n_permutations,
        groups=numbers,
        seed=seed,
        n_jobs=n_jobs,
    )
    z = float(ndtri(0.5 + confidence / 2))
    edges = np.concatenate(trees)
    first = np.concatenate(trees[: trees_for_bounds(points.n_features)])
    likeness = likeness_of_rows(edges, features, codes, len(sizes))
    return TwoSampleTest(
        p_value=combined.p_value,
        p_values=combined.p_values,
        statistics={name: float(each[0]) for name, each in combined.statistics.items()},
        permuted={name: each[1:] for name, each in combined.statistics.items()},
        edge_count=float(combined.edge_counts.total),
        p_chi2=float(combined.edge_counts.p_total),
        divergence=_divergence(first, edges, codes, sizes, z, numbers),
        likeness=np.split(likeness, np.cumsum(sizes)[:-1]),
        widest=_widest(points.where_they_live(), sizes, seed),
        densest=combined.densest,
        names=names,
        sizes=sizes,
        n_features=points.n_features,
        n_trees=len(trees),
        n_permutations=n_permutations,
        scale=scale,
        confidence=confidence,
    )


def _check_names(names, number):
    if names is None:
        return [f"sample {k}" for k in range(1, number + 1)]
    names = [str(name) for name in names]
    if len(names) != number or len(set(names)) != number:
        raise ValueError(
            f"names must have {number} different names, one for each sample, got {describe(names)}."
        )
    return names


def _widest(points, sizes, seed):
    """The number of the sample whose rows have the largest mean distance from each other."""
    # Measured on the rows themselves: landmarks say little of a small sample far from all others.
    random = np.random.default_rng(seed)
    ends = np.cumsum(sizes)
    widths = []
    for begin, end in zip(ends - sizes, ends, strict=True):
        sampled = begin + np.sort(random.permutation(end - begin)[:N_LANDMARKS])
        widths.append(mean_distance(np.asarray(on_host(points[sampled]), dtype=np.float64)))
    return int(np.argmax(widths))


def _divergence(first, edges, codes, sizes, z, groups):
    """1 - R / E R over the edges of the first trees, and its interval."""
    n = len(codes)
    chance = 1 - ((sizes / n) ** 2).sum()  # of two rows to be of different samples
    # n, not n - 1: under equal distributions the mean is then exactly 0.
    n_trees = len(first) / (n - 1)
    crossing = np.count_nonzero(codes[first[:, 0]] != codes[first[:, 1]]) / n_trees
    value = 1 - crossing / (n * chance)
    neighbors = _near_labels(edges, codes)
    if neighbors is None:
        return Interval(max(value, 0.0), 0.0, 1.0)
    graph = WeightedEdges(first, np.full(len(first), 1 / n_trees))
    deviation = np.sqrt(count_variance(graph, local_shares(neighbors, codes)).total)
    if groups is not None:  # as wide as if each group were one sample
        group_sizes = np.bincount(groups)
        deviation *= np.sqrt(group_sizes @ group_sizes / n)
    half = z * max(deviation, 1.0) / (n * chance)  # no count is more certain than one edge
    low = max(value - half, 0.0)
    value = max(value, 0.0)
    return Interval(float(value), float(low), float(min(value + half, 1.0)))


def _near_labels(edges, codes):
    """Samples of the first tree neighbours of every row, (k, n); None where a row has too few."""
    ends = np.concatenate([edges, edges[:, ::-1]])
    order = np.argsort(ends[:, 0], kind="stable")  # earlier trees have shorter edges
    degrees = np.bincount(ends[:, 0], minlength=len(codes))
    k = min(LOCAL_NEIGHBORS, int(degrees.min()))
    if k < _LEAST_LABELS - 1:
        return None
    begins = np.cumsum(degrees) - degrees
    return codes[ends[order, 1][begins + np.arange(k)[:, None]]]

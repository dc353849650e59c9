"""Bayes-error estimates from (X, y): two classes, pairs, one against the rest, all at once."""

from __future__ import annotations

import numpy as np

from smartsvm._core.scaling import scale_to_safe_range
from smartsvm._core.sources import is_source, open_source, read_labels
from smartsvm._core.validation import (
    CheckedLabels,
    check_array,
    check_flag,
    check_jobs,
    check_labels,
    tie_seed,
)
from smartsvm.estimation.class_forest import ClassForest
from smartsvm.estimation.extrapolated_errors import (
    extrapolated_classes,
    extrapolated_pairs,
    extrapolated_whole,
)
from smartsvm.estimation.henze_penrose import divergence
from smartsvm.estimation.number_of_trees import AVERAGED_TREES, trees_for_bounds
from smartsvm.estimation.results import DivergenceEstimate
from smartsvm.estimation.tie_averaged_forest import TieAveragedForest
from smartsvm.trees.out_of_core.memory_plan import open_points, parse_bytes


def hp_divergence(
    X, y, *, n_trees=3, connectivity_offset=False, algorithm="auto", n_jobs=None, random_state=0,
    verbose=0,
):  # fmt: skip
    """Henze–Penrose divergence between two classes or two samples.

    0 means that no classifier can tell the two apart, 1 that they do not overlap.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The points, or the first sample.
    y : array-like of shape (n_samples,) or (m_samples, n_features)
        Labels of two classes, or (if two-dimensional) the second sample.
    n_trees : int, default=3
        Orthogonal trees to average.
    connectivity_offset : bool, default=False
        Subtract from each tree the one edge that must join the classes anyway.
    algorithm : {"auto", "prim", "boruvka", "blocked"}, default="auto"
        Kernel for the trees; see `euclidean_mst`.
    n_jobs : int or None, default=None
        Threads.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the order among equal distances.
    verbose : int, default=0
        1 shows progress of long work on standard error.

    Returns
    -------
    DivergenceEstimate
        ``value`` is the estimate cut at 0, ``raw`` the estimate before that.

    Notes
    -----
    With R cross edges, averaged over the trees, the estimate is
    1 - n R / (2 n₁ n₂) [1]_. If both samples come from one distribution its
    expectation is exactly 0 for given sizes.

    References
    ----------
    .. [1] N. Henze and M. Penrose (1999), On the multivariate runs test,
       Annals of Statistics 27, 290-298.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from smartsvm import hp_divergence
    >>> X, y = load_iris(return_X_y=True)
    >>> round(hp_divergence(X[50:], y[50:]).value, 2)
    0.84
    """
    X, y = _two_classes(X, y)
    forest = ClassForest(
        X,
        y,
        n_trees=n_trees,
        algorithm=algorithm,
        n_jobs=n_jobs,
        random_state=random_state,
        verbose=verbose,
    )
    pair = forest.pairwise(connectivity_offset=connectivity_offset)
    cross = float(pair.cross_counts[0, 1])
    raw = float(divergence(cross, *pair.class_counts))
    return DivergenceEstimate(
        value=max(raw, 0.0),
        raw=raw,
        cross_counts=cross,
        class_counts=pair.class_counts,
        classes=pair.classes,
        n_trees=int(pair.n_trees[0, 1]),
    )


def bayes_error(
    X, y, *, n_trees="auto", bias_correction="prior", normalize=False, connectivity_offset=False,
    algorithm="auto", n_jobs=None, random_state=0, verbose=0,
):  # fmt: skip
    """Bayes error of a problem of two classes or two samples, with bounds.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The points, or the first sample.
    y : array-like of shape (n_samples,) or (m_samples, n_features)
        Labels of two classes, or (if two-dimensional) the second sample.
    n_trees : int or "auto", default="auto"
        Orthogonal trees to average. "auto" takes three in up to 3 dimensions and one
        beyond, where later trees push the bounds up; where many distances are equal it
        averages five orders among them, too. With the paper's correction it takes three trees.
    bias_correction : {True, False, "prior"}, default="prior"
        "prior" cuts the bounds at the smaller prior, which is closer to the truth except
        for nearly equal classes. True gives the paper's estimate: it cuts the count at γ, so
        that the estimate is at most the smaller prior. False leaves the count as it is.
    normalize : bool, default=False
        Divide by the smaller prior: 1 is then as bad as guessing.
    connectivity_offset : bool, default=False
        Subtract from each tree the one edge that must join the classes anyway.
    algorithm : {"auto", "prim", "boruvka", "blocked"}, default="auto"
        Kernel for the trees; see `euclidean_mst`.
    n_jobs : int or None, default=None
        Threads.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the order among equal distances.
    verbose : int, default=0
        1 shows progress of long work on standard error.

    Returns
    -------
    ErrorEstimate
        ``value``, ``lower`` and ``upper`` are numbers.

    Notes
    -----
    With R cross edges, averaged over the trees, and û = 1 - 2R/n, the Bayes error
    lies between ½ - ½√û and ½ - ½û = R/n as n grows [1]_; the value is their mean.
    The mean is an estimate of the error, not a consistent one: its largest
    asymptotic error is 1/16. With the bias correction [2]_
    R is first cut at γ = 2n p - ¾n + ¼n√(9 - 16p), p the smaller prior. In high
    dimension R is too large for the sample at hand, and with it both bounds.

    References
    ----------
    .. [1] V. Berisha et al. (2016), Empirically estimable classification bounds
       based on a nonparametric divergence measure, IEEE Trans. Signal Processing 64.
    .. [2] G. J. J. van den Burg and A. O. Hero (2017), Fast meta-learning for
       adaptive hierarchical classifier design.

    Examples
    --------
    >>> import numpy as np
    >>> from smartsvm import bayes_error
    >>> rng = np.random.default_rng(0)
    >>> first, second = rng.normal(0, 1, (500, 2)), rng.normal(1.5, 1, (500, 2))
    >>> estimate = bayes_error(first, second)  # the true error is 0.144
    >>> print(f"{estimate.lower:.3f} <= {estimate.value:.3f} <= {estimate.upper:.3f}")
    0.118 <= 0.163 <= 0.208
    """
    X, y = _two_classes(X, y)
    return multiclass_bayes_error(
        X,
        y,
        n_trees=n_trees,
        bias_correction=bias_correction,
        normalize=normalize,
        connectivity_offset=connectivity_offset,
        algorithm=algorithm,
        n_jobs=n_jobs,
        random_state=random_state,
        verbose=verbose,
    )


def pairwise_bayes_error(
    X, y, *, n_trees=3, bias_correction=True, normalize=True, connectivity_offset=False,
    extrapolate=False, algorithm="auto", n_jobs=None, random_state=0, verbose=0,
    memory_limit=None, checkpoint=None,
):  # fmt: skip
    """Bayes error of every pair of classes, with bounds.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The points; also on disk or a Dask array, as in `euclidean_mst`.
    y : array-like of shape (n_samples,)
        Labels of any sortable type; also on disk or a Dask array, as in `ClassForest`.
    n_trees : int or "auto", default=3
        Orthogonal trees to average. Pairs with a class too small for them count
        fewer, with one warning. "auto" as in `bayes_error`: with ``bias_correction="prior"``
        the numbers are those of `difficulty_report`; see Notes.
    bias_correction : {True, False, "prior"}, default=True
        As in `bayes_error`.
    normalize : bool, default=True
        Divide by the smaller prior within the pair, which makes pairs of different
        balance comparable.
    connectivity_offset : bool, default=False
        Subtract from each tree the one edge that must join the classes anyway.
    extrapolate : bool, default=False
        As in `multiclass_bayes_error`, for pairs whose classes have 30 samples or more; each
        takes its own search for neighbours.
    algorithm : {"auto", "prim", "boruvka", "blocked"}, default="auto"
        Kernel for the trees; see `euclidean_mst`.
    n_jobs : int or None, default=None
        Threads, over pairs.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the order among equal distances.
    verbose : int, default=0
        1 shows progress of long work on standard error.
    memory_limit : int, str or None, default=None
        Bytes that the trees may take; see `euclidean_mst`.
    checkpoint : path or None, default=None
        Folder for the finished part of work on blocks; see `euclidean_mst`.

    Returns
    -------
    ErrorEstimate
        ``value``, ``lower``, ``upper``, ``cross_counts`` and ``n_trees`` have shape
        (K, K), symmetric with zero diagonal.

    See Also
    --------
    class_hierarchy : Cut these errors into a hierarchy of classes.
    PairwiseErrorDisplay : Draw them.

    Notes
    -----
    The defaults are the paper's, because pairs are there to be compared, in hierarchies above
    all. Three trees put them in a better order than the one tree that `difficulty_report` reads
    bounds off in more than three dimensions, though their numbers are too high: for eight normal
    classes of 60 samples the rank correlation with the true errors was .92 against .90 in 5
    dimensions and .91 against .87 in 10, the root mean square error .049 against .047
    and .035 against .029.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from smartsvm import pairwise_bayes_error
    >>> X, y = load_iris(return_X_y=True)
    >>> pairwise_bayes_error(X, y).value.round(2)
    array([[0.  , 0.02, 0.02],
           [0.02, 0.  , 0.12],
           [0.02, 0.12, 0.  ]])
    """
    plain = check_flag(extrapolate, "extrapolate") or bias_correction is True
    forest = _forest(
        X, y, n_trees, plain, algorithm=algorithm, n_jobs=n_jobs, random_state=random_state,
        verbose=verbose, memory_limit=memory_limit, checkpoint=checkpoint,
    )  # fmt: skip
    estimate = forest.pairwise(
        bias_correction=bias_correction, normalize=normalize,
        connectivity_offset=connectivity_offset,
    )  # fmt: skip
    if not extrapolate:
        return estimate
    seed, n_jobs = tie_seed(random_state), check_jobs(n_jobs)
    return extrapolated_pairs(
        forest, estimate, bias_correction, seed=seed, n_jobs=n_jobs, verbose=verbose
    )


def ovr_bayes_error(
    X, y, *, n_trees=3, bias_correction=True, normalize=False, connectivity_offset=False,
    extrapolate=False, algorithm="auto", n_jobs=None, random_state=0, verbose=0,
    memory_limit=None, checkpoint=None,
):  # fmt: skip
    """Bayes error of telling each class from all others together, with bounds.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The points; also on disk or a Dask array, as in `euclidean_mst`.
    y : array-like of shape (n_samples,)
        Labels of any sortable type; also on disk or a Dask array, as in `ClassForest`.
    n_trees : int or "auto", default=3
        Orthogonal trees to average. Classes too small for them count fewer, with
        one warning. "auto" as in `bayes_error`: with ``bias_correction="prior"``
        the numbers are those of `difficulty_report`; the defaults are the paper's, for the reason
        that `pairwise_bayes_error` has.
    bias_correction : {True, False, "prior"}, default=True
        As in `bayes_error`.
    normalize : bool, default=False
        Divide by the smaller of the priors of the class and of the rest.
    connectivity_offset : bool, default=False
        Subtract from each tree the one edge that must join the class to the rest.
    extrapolate : bool, default=False
        As in `multiclass_bayes_error`, for classes of 30 samples or more; upper bounds stay those
        of this sample size.
    algorithm : {"auto", "prim", "boruvka", "blocked"}, default="auto"
        Kernel for the trees; see `euclidean_mst`.
    n_jobs : int or None, default=None
        Threads.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the order among equal distances.
    verbose : int, default=0
        1 shows progress of long work on standard error.
    memory_limit : int, str or None, default=None
        Bytes that the trees may take; see `euclidean_mst`.
    checkpoint : path or None, default=None
        Folder for the finished part of work on blocks; see `euclidean_mst`.

    Returns
    -------
    ErrorEstimate
        ``value``, ``lower``, ``upper``, ``cross_counts`` and ``n_trees`` have shape (K,).

    Notes
    -----
    One set of trees over all samples serves every class: R_k counts the edges that
    leave class k. The estimate and the lower bound are those of the problem "k or
    not", whose error is at most that of the multiclass Bayes rule for class k; the
    upper bound is the paper's sum over pairs, Σ_c (p_k + p_c) U_kc. R_k/n itself is
    not an upper bound.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from smartsvm import ovr_bayes_error
    >>> X, y = load_iris(return_X_y=True)
    >>> ovr_bayes_error(X, y).value.round(3)
    array([0.005, 0.045, 0.04 ])
    """
    plain = check_flag(extrapolate, "extrapolate") or bias_correction is True
    forest = _forest(
        X, y, n_trees, plain, algorithm=algorithm, n_jobs=n_jobs, random_state=random_state,
        verbose=verbose, memory_limit=memory_limit, checkpoint=checkpoint,
    )  # fmt: skip
    estimate = forest.one_vs_rest(
        bias_correction=bias_correction, normalize=normalize,
        connectivity_offset=connectivity_offset,
    )  # fmt: skip
    if not extrapolate:
        return estimate
    seed, n_jobs = tie_seed(random_state), check_jobs(n_jobs)
    return extrapolated_classes(
        forest, estimate, bias_correction, seed=seed, n_jobs=n_jobs, verbose=verbose
    )


def multiclass_bayes_error(
    X, y, *, method="tree", n_trees="auto", bias_correction="prior", normalize=False,
    connectivity_offset=False, extrapolate=False, algorithm="auto", n_jobs=None, random_state=0,
    verbose=0, memory_limit=None, checkpoint=None,
):  # fmt: skip
    """Bayes error of the whole problem of K classes, with bounds.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The points; also on disk or a Dask array, as in `euclidean_mst`.
    y : array-like of shape (n_samples,)
        Labels of any sortable type; also on disk or a Dask array, as in `ClassForest`.
    method : {"tree", "pairwise", "tightest"}, default="tree"
        "tree" counts the cross edges of the trees over all classes; "pairwise"
        sums the bounds of all pairs; "tightest" takes the larger lower bound of
        the two and the smallest upper bound, the error of the largest class
        included.
    n_trees : int or "auto", default="auto"
        Orthogonal trees to average; "auto" as in `bayes_error`, and three to extrapolate.
    bias_correction : {True, False, "prior"}, default="prior"
        As in `bayes_error`, with the error of always answering the largest class in place
        of the smaller prior, and γ for K classes.
    normalize : bool, default=False
        Divide by the error of always answering the largest class.
    connectivity_offset : bool, default=False
        Subtract from each tree the K - 1 edges that must join the classes anyway.
    extrapolate : bool, default=False
        Take the share of cross edges to ever more data first, and value and bounds from its
        limit: see Notes. Needs the points in memory and method "tree".
    algorithm : {"auto", "prim", "boruvka", "blocked"}, default="auto"
        Kernel for the trees; see `euclidean_mst`.
    n_jobs : int or None, default=None
        Threads.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the order among equal distances.
    verbose : int, default=0
        1 shows progress of long work on standard error.
    memory_limit : int, str or None, default=None
        Bytes that the trees may take; see `euclidean_mst`.
    checkpoint : path or None, default=None
        Folder for the finished part of work on blocks; see `euclidean_mst`.

    Returns
    -------
    ErrorEstimate
        ``value``, ``lower``, ``upper`` and ``cross_counts`` are numbers.

    Notes
    -----
    With a = (K-1)/K and r = R/n over the trees of all classes, the error lies
    between a(1 - √(1 - r/a)) and r. The pairwise sums
    (2/K) Σ (p_i + p_j) L_ij and Σ (p_i + p_j) U_ij are valid as well but seldom
    tighter. The value is the mean of the bounds of its method; its largest
    asymptotic error is (K-1)/(8K).

    R/n is too large for the sample at hand by half the mean squared change of the class
    probabilities along an edge. With ``extrapolate=True`` the agreement of labels beyond
    chance, q = 1 - share / chance, is fitted by log q = log q₀ - (h / ℓ)ᵖ over edges of many
    lengths h: of the first to third tree, of trees of halves, quarters and eighths of the data,
    and to the first to 31st neighbour. The limit is chance · (1 - q₀), the mean over p = 1, 1.5
    and 2; its standard error has the spread between them in it. Lengths of edges to
    neighbours follow from the intrinsic dimension. Where labels agree no more than by chance at
    any length, nothing is extrapolated, ``cross_limit`` is NaN, and value and bounds are those
    of this sample size. The K - 1 edges that join classes are not counted.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from smartsvm import multiclass_bayes_error
    >>> X, y = load_iris(return_X_y=True)
    >>> estimate = multiclass_bayes_error(X, y)
    >>> print(f"{estimate.lower:.3f} <= {estimate.value:.3f} <= {estimate.upper:.3f}")
    0.027 <= 0.040 <= 0.053
    >>> estimate = multiclass_bayes_error(X, y, extrapolate=True)
    >>> print(f"{estimate.cross_limit:.3f}, standard error {estimate.cross_limit_error:.3f}")
    0.029, standard error 0.038
    """
    if check_flag(extrapolate, "extrapolate") and method != "tree":
        raise ValueError(f'method must be "tree" with extrapolate=True, got {method!r}.')
    plain = extrapolate or bias_correction is True
    forest = _forest(
        X, y, n_trees, plain, pairs=method != "tree", algorithm=algorithm, n_jobs=n_jobs,
        random_state=random_state, verbose=verbose, memory_limit=memory_limit,
        checkpoint=checkpoint,
    )  # fmt: skip
    estimate = forest.multiclass(
        method=method, bias_correction=bias_correction, normalize=normalize,
        connectivity_offset=connectivity_offset,
    )  # fmt: skip
    if not extrapolate:
        return estimate
    seed, n_jobs = tie_seed(random_state), check_jobs(n_jobs)
    return extrapolated_whole(
        forest, estimate, bias_correction, seed=seed, n_jobs=n_jobs, verbose=verbose
    )


def _forest(X, y, n_trees, plain, *, pairs=True, **options):
    """A forest of the given number of trees; of "auto", the number that bounds are best read off.

    If `plain`, "auto" takes three trees, as the paper does, and one order of ties. Otherwise,
    without `pairs`, no trees of pairs of classes are made.
    """
    if not isinstance(n_trees, str):
        return ClassForest(X, y, n_trees=n_trees, **options)
    if n_trees != "auto":
        raise ValueError(f'n_trees must be "auto" or an integer of at least 1, got {n_trees!r}.')
    if plain:
        return ClassForest(X, y, n_trees=AVERAGED_TREES, **options)
    limit = parse_bytes(options["memory_limit"])
    X = open_points(X, AVERAGED_TREES, limit, options["checkpoint"])
    counted = trees_for_bounds(X.n_features)
    return TieAveragedForest(X, y, n_trees=counted, pairs=pairs, warns=True, **options)


def _two_classes(X, y):
    """(X, y) of a problem of two classes, checked, from labels or from a second sample."""
    if np.ndim(y) == 2:
        X, second = check_array(X, "X"), check_array(y, "y")
        if X.shape[1] != second.shape[1]:
            raise ValueError(
                f"y is two-dimensional and so a second sample: it must have the {X.shape[1]} "
                f"columns of X, got shape {second.shape}; labels are one-dimensional."
            )
        codes = np.repeat([0, 1], [len(X), len(second)])
        X = scale_to_safe_range(np.concatenate([X, second]))
        return X, CheckedLabels(np.array([0, 1]), codes)
    if is_source(X):
        X, y = open_source(X), read_labels(y)
    else:
        X = scale_to_safe_range(check_array(X, "X"))
    y = check_labels(y, n_samples=X.n_rows)
    if len(y.classes) > 2:
        raise ValueError(
            f"y must hold two classes, got {len(y.classes)}: use pairwise_bayes_error, "
            "ovr_bayes_error or multiclass_bayes_error."
        )
    return X, y

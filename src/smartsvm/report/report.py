"""Everything a person wants to know before training, from one forest and one search."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from smartsvm._progress import Steps
from smartsvm._validation import (
    check_array,
    check_int,
    check_labels,
    check_share,
    scale_to_safe_range,
    tie_seed,
)
from smartsvm.blocks.memory_plan import direct_bytes, parse_bytes
from smartsvm.blocks.sources import is_source, open_source, read_labels
from smartsvm.estimates import Interval
from smartsvm.henze_penrose import bayes_error_bounds
from smartsvm.inference import (
    LOCAL_NEIGHBORS,
    count_variance,
    local_shares,
    local_shares_of_class,
    pairwise_tests,
    signal_on_trees,
)
from smartsvm.neighbors import ladder_for, leave_one_out, neighbor_labels
from smartsvm.report.convergence import convergence_curve
from smartsvm.report.difficulty import DifficultyReport, SubsampleNote
from smartsvm.report.flags import data_flags, estimate_flags, tie_flags
from smartsvm.report.verdict import judge
from smartsvm.samples import rank_suspects
from smartsvm.subsamples import stratified_rows
from smartsvm.tie_orders import TieAveragedForest

# Up to so many columns three trees give better bounds than one; beyond, the longer
# edges of later trees cross classes that overlap less (benchmarks/report/trees.py).
_MOST_AVERAGED_FEATURES = 3
_AUTO_TREES = 3  # for the test and the samples in any case
_PERMUTED_EDGES = 2_000_000  # labels looked up in all permutations together
_LEAST_SAMPLES = 8
_NOTABLE_ORDERS = 0.01  # share of the variance from which on ties are worth a word
# Leave-one-out errors of neighbours depend on the same votes. Over the simulated
# problems their variance is up to about one and a half times the binomial one.
_DEPENDENCE = 1.5


def difficulty_report(
    X, y, *, n_trees="auto", target_accuracy=None, confidence=0.95, subsample=None,
    n_jobs=None, random_state=0, verbose=0, memory_limit=None,
):  # fmt: skip
    """Tell how hard a classification problem is before anything is trained.

    One call answers: how well can any classifier do and how sure is that; is there
    any signal; which classes and which samples are the trouble; is a target
    realistic; and can these answers be trusted.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The points, at least eight. Distances are Euclidean: scale the columns as you
        would for nearest neighbours. Also a memory-map, a Dask array or a path, as in
        `euclidean_mst`: the rows that are looked at are then read into memory, all of
        them unless `subsample` says how many. Labels are always read whole.
    y : array-like of shape (n_samples,)
        Labels of any sortable type, two classes or more; also a Dask array or a path, as
        in `ClassForest`.
    n_trees : int or "auto", default="auto"
        Orthogonal trees for everything. "auto" makes three for the test and the
        samples, and reads the bounds off all three in up to 3 dimensions, off the
        first one beyond, where later trees push the bounds up.
    target_accuracy : float or None, default=None
        Accuracy to judge, between 0 and 1.
    confidence : float, default=0.95
        Level of all intervals, between 0 and 1.
    subsample : int or None, default=None
        Look only at so many samples, drawn in proportion from the classes. The report
        states the error that adds.
    n_jobs : int or None, default=None
        Threads.
    random_state : int, RandomState, Generator or None, default=0
        Seed of all that is random: the order among equal distances, permutations,
        subsamples.
    verbose : int, default=0
        1 names the steps on standard error as they begin and shows the progress of long
        ones.
    memory_limit : int, str or None, default=None
        Bytes that the rows looked at may take with all that is computed from them. If
        they need more, the error says which `subsample` would fit.

    Returns
    -------
    DifficultyReport
        Print it, show it in a notebook, ``plot()`` it, or read its attributes.

    See Also
    --------
    friedman_rafsky_test : The test for any signal alone.
    sample_difficulty : The hard samples alone.

    Notes
    -----
    The bounds are the tighter ones of the trees over all classes and of the pairs of
    classes, cut at the error of always answering the largest class. The point
    estimate is the smallest leave-one-out error over 1 to 31 neighbours, or the upper
    bound if that is smaller: over Gaussian problems of 2 to 50 dimensions it is nearer
    to the truth than the middle of the bounds. In high dimension it may lie below
    the lower bound, which is then too high.

    **What the intervals cover**: the share of tree edges between classes, and with
    it each bound, over new samples of the same size drawn in the same way (points
    and labels both at random). They do not cover the distance between a bound at
    this sample size and the Bayes error itself. The variance is that of labels
    redrawn at every point from the point and its four nearest neighbours, in
    closed form, plus that of the places; where distances tie, the spread over
    several orders is added. If class sizes were fixed by design the intervals are
    somewhat too wide. Intervals of the leave-one-out error are Wilson's, with the
    number of samples divided by 1.5, because near samples depend on the same
    neighbours.

    Cost: trees of all pairs of classes, one search for up to 31 neighbours, and
    trees of parts of the data; all else is O(n) for each class or permutation.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from smartsvm import difficulty_report
    >>> report = difficulty_report(*load_iris(return_X_y=True), target_accuracy=0.9)
    >>> report.verdict.answer
    'reachable'
    >>> report.hardest_pairs(1)
    [(1, 2)]
    """
    automatic = isinstance(n_trees, str) and n_trees == "auto"
    if isinstance(n_trees, str) and not automatic:
        raise ValueError(f'n_trees must be "auto" or an integer of at least 1, got {n_trees!r}.')
    made = _AUTO_TREES if automatic else check_int(n_trees, "n_trees", least=1)
    confidence = check_share(confidence, "confidence")
    if target_accuracy is not None:
        target_accuracy = check_share(target_accuracy, "target_accuracy", ends=True)
    verbose = check_int(verbose, "verbose", least=0)
    memory_limit = parse_bytes(memory_limit)
    source = None
    if is_source(X):
        source = open_source(X)
        n_given = source.n_rows
    else:
        X = check_array(X, "X")
        n_given = len(X)
    classes, codes = check_labels(read_labels(y), n_samples=n_given)
    if n_given < _LEAST_SAMPLES:
        raise ValueError(f"X must have at least {_LEAST_SAMPLES} rows, got {n_given}.")
    seed = tie_seed(random_state)
    rows = np.arange(n_given)
    if subsample is not None:
        least = max(_LEAST_SAMPLES, len(classes))
        rows = stratified_rows(codes, check_int(subsample, "subsample", least=least), seed)
    n_features = X.shape[1] if source is None else source.n_features
    _check_fit(len(rows), n_features, made, memory_limit)
    if source is not None:
        X, codes = check_array(source.gather(rows), "X"), codes[rows]
    elif len(rows) < n_given:
        X, codes = X[rows], codes[rows]
    counted = 1 if automatic and X.shape[1] > _MOST_AVERAGED_FEATURES else None
    return _measure(
        X, classes, codes, made, counted, target_accuracy, confidence, n_jobs, seed,
        verbose, n_given, rows,
    )  # fmt: skip


def _check_fit(n_rows, n_features, n_trees, memory_limit):
    """An error that says what to do if the rows do not fit."""
    needed = direct_bytes(n_rows, n_features, n_trees)
    if memory_limit is not None and needed > memory_limit:
        most = n_rows * memory_limit // needed
        raise MemoryError(
            f"A report on {n_rows} rows of {n_features} features takes about {needed:,} bytes, "
            f"more than memory_limit={memory_limit:,}: pass subsample={most} or fewer, or raise "
            "the limit. pairwise_bayes_error, ovr_bayes_error and multiclass_bayes_error work on "
            "blocks and have no such need."
        )


def _measure(
    X,
    classes,
    codes,
    n_trees,
    counted,
    target_accuracy,
    confidence,
    n_jobs,
    seed,
    verbose,
    n_given,
    rows,
):
    n, n_features = X.shape
    n_classes = len(classes)
    points, _ = scale_to_safe_range(X)
    steps = Steps(verbose)
    steps.begin(f"nearest neighbours of {n} samples")
    ladder = ladder_for(n)
    neighbors_needed = max(int(ladder[-1]), LOCAL_NEIGHBORS)
    labels = neighbor_labels(
        points, codes, neighbors_needed, seed=seed, n_jobs=n_jobs, verbose=verbose
    )
    votes = leave_one_out(labels, codes, n_classes, ladder)

    steps.begin("spanning trees")
    forest = TieAveragedForest(
        points,
        classes[codes],
        n_trees=n_trees,
        counted_trees=counted,
        n_jobs=n_jobs,
        random_state=seed,
        verbose=verbose,
    )

    steps.begin("is there any signal")
    most = int(np.clip(_PERMUTED_EDGES / (n_trees * n), 99, 999))
    signal = signal_on_trees(forest.tree_edges(), codes, most, seed=seed)

    steps.begin("intervals")
    z = float(ndtri(0.5 + confidence / 2))
    graph = forest.graph()
    variance = count_variance(
        graph, local_shares(labels, codes, n_classes), forest.order_variance()
    )
    tight = forest.multiclass(method="tightest", bias_correction="prior")
    cross = Interval(tight.cross_counts, *_around(tight.cross_counts, variance.total, z))
    guess = 1 - forest.class_counts.max() / n
    lower, upper = _bound_intervals(tight, cross, n, guess, n_classes)
    by_class = forest.one_vs_rest(bias_correction="prior")
    class_limits = np.empty((n_classes, 2))
    for k in range(n_classes):
        spread = count_variance(
            graph, local_shares_of_class(labels, codes, k), forest.order_variance(k)
        ).total
        smaller = min(forest.class_counts[k], n - forest.class_counts[k]) / n
        limits = np.array(_around(by_class.cross_counts[k], spread, z))
        class_limits[k] = bayes_error_bounds(limits, n, smaller, bias_correction="prior")[0]
    neighbor_error = _wilson(votes.errors[votes.best], n / _DEPENDENCE, z)

    steps.begin("trees of parts of the data")
    curve = convergence_curve(
        points, codes, forest.first_tree_cross(), seed=seed, n_jobs=n_jobs, verbose=verbose
    )

    steps.begin("verdict")
    order_error = np.sqrt(variance.orders) / n
    flags = (
        *estimate_flags(lower, neighbor_error, curve, n_features),
        *tie_flags(
            forest.tie_share,
            forest.duplicate_share,
            forest.n_orders if variance.orders > _NOTABLE_ORDERS * variance.total else 1,
            order_error,
        ),
        *data_flags(X, classes, forest.class_counts),
    )
    # Not raised to the lower bound: where the two disagree it is the bound that is too high.
    point = min(neighbor_error.value, upper.value)
    difficulty = forest.sample_difficulty()
    return DifficultyReport(
        n_samples=n,
        n_features=n_features,
        classes=classes,
        class_counts=forest.class_counts,
        n_trees=forest.n_trees,
        counted_trees=forest.counted_trees,
        n_tie_orders=forest.n_orders,
        confidence=confidence,
        point=point,
        lower=lower,
        upper=upper,
        cross_share=Interval(*(float(each) / n for each in cross)),
        neighbor_error=neighbor_error,
        neighbor_k=int(votes.k[votes.best]),
        neighbor_ladder=tuple(zip(votes.k.tolist(), votes.errors.tolist(), strict=True)),
        signal=signal,
        pairs=forest.pairwise(bias_correction="prior"),
        pair_scores=pairwise_tests(forest),
        by_class=by_class,
        class_limits=class_limits,
        labels=classes[codes],
        sample_difficulty=difficulty,
        suspects=rank_suspects(difficulty, votes.disagreement),
        suggested=classes[votes.suggested],
        disagreement=votes.disagreement,
        rows=rows,
        curve=curve,
        flags=flags,
        verdict=None
        if target_accuracy is None
        else judge(target_accuracy, neighbor_error, lower, flags),
        subsample=None
        if n_given == n
        else SubsampleNote.of(n_given, n, np.sqrt(variance.total) / n, curve.fall),
    )


def _around(count, variance, z):
    """Limits of a count, never below 0; a count of 0 may be up to -log(chance) by luck."""
    reach = z * np.sqrt(max(variance, 0.0))
    # The rule of three, for counts so small that no label nearby ever differs.
    rare = 0.5 * z**2 + z * np.sqrt(count + 0.25 * z**2)
    return max(count - reach, 0.0), count + (reach if variance > 0 else rare)


def _bound_intervals(tight, cross, n, guess, n_classes):
    """Intervals of the lower and the upper bound, from those of the count.

    The pairs seldom tighten the bound of the whole tree; where they do, the limits
    are shifted with it.
    """
    counts = np.array(cross)
    _, low, high = bayes_error_bounds(
        counts, n, guess, n_classes=n_classes, bias_correction="prior"
    )
    low = np.clip(low + (tight.lower - low[0]), 0, guess)
    high = np.clip(high + (tight.upper - high[0]), 0, guess)
    return Interval(*map(float, low)), Interval(*map(float, high))


def _wilson(share, n, z):
    """Wilson's interval of a share, which behaves also near 0 and 1."""
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    reach = z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    low, high = min(centre - reach, share), max(centre + reach, share)
    return Interval(float(share), float(max(low, 0.0)), float(min(high, 1.0)))

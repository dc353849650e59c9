"""Everything a person wants to know before training, from one forest and one search."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from smartsvm._core.progress import Steps
from smartsvm._core.sampling import stratified_rows
from smartsvm._core.scaling import scale_to_safe_range
from smartsvm._core.sources import open_source, read_labels, read_rows
from smartsvm._core.validation import (
    check_groups,
    check_int,
    check_jobs,
    check_labels,
    check_share,
    describe,
    repeatable_seed,
    tie_seed,
)
from smartsvm.estimation.cross_edges import between_groups, count_by_sample
from smartsvm.estimation.extrapolation import (
    convergence_curve,
    cross_limit,
    extrapolate,
    rungs_of,
    trees_of_parts,
)
from smartsvm.estimation.number_of_trees import AVERAGED_TREES, trees_for_report
from smartsvm.estimation.signal_test import (
    INSEPARABLE,
    LOCAL_NEIGHBORS,
    pairwise_tests,
    signal_on_trees,
)
from smartsvm.estimation.tie_averaged_forest import TieAveragedForest
from smartsvm.held_out.neighbors import (
    LeaveOneOut,
    labels_of,
    ladder_for,
    leave_one_out,
    nearest_neighbors,
)
from smartsvm.held_out.registry import CLASSIFIERS, NEIGHBORS, Trials
from smartsvm.label_errors.suspect_labels import (
    LabelVotes,
    count_wrong_labels,
    label_votes,
    rank_suspects,
    without_twins,
)
from smartsvm.report.copies import near_copies, one_of_each
from smartsvm.report.flags import data_flags, dependence_flags, estimate_flags, tie_flags
from smartsvm.report.held_out_errors import class_recalls, held_out_errors
from smartsvm.report.intervals import baseline_interval, bayes_error_interval, bound_intervals
from smartsvm.report.result import DifficultyReport, SubsampleNote
from smartsvm.report.verdict import Grounds, judge
from smartsvm.trees.in_memory.class_trees import SpanningForest
from smartsvm.trees.out_of_core.memory_plan import direct_bytes, parse_bytes

# More samples than this hardly make the answers surer, and take minutes.
MOST_SAMPLES = 100_000
_PERMUTED_EDGES = 2_000_000  # labels looked up in all permutations together
_LEAST_SAMPLES = 8
_NOTABLE_ORDERS = 0.01  # share of the variance above which ties are worth mentioning


def difficulty_report(
    X, y, *, n_trees="auto", target_accuracy=None, confidence=0.95, subsample="auto",
    classifiers=CLASSIFIERS, groups=None, n_jobs=None, random_state=0, verbose=0, memory_limit=None,
    feature_names=None, row_names=None,
):  # fmt: skip
    """Tell how hard a classification problem is before a model is built for it.

    One call answers: how well can any classifier do and how sure is that; is there
    any signal; which classes and which samples are the trouble; is a target
    realistic; and can these answers be trusted.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The points, at least eight. Distances are Euclidean: scale the columns as you
        would for nearest neighbours. Also a memory-map, a Dask array or a path, as in
        `euclidean_mst`: the rows that are used are then read into memory. Labels are
        always read whole.
    y : array-like of shape (n_samples,)
        Labels of any sortable type, two classes or more; also a Dask array or a path, as
        in `ClassForest`.
    n_trees : int or "auto", default="auto"
        Orthogonal trees for everything. "auto" makes ten for the test and the samples, three
        if there are more than 5,000 of them, and reads the bounds off three in up to 3
        dimensions, off the first one beyond, where later trees push the bounds up.
    target_accuracy : float or None, default=None
        Target accuracy to judge, between 0 and 1.
    confidence : float, default=0.95
        Level of all intervals, between 0 and 1.
    subsample : int, "auto" or None, default="auto"
        Use only this many samples, drawn in proportion from the classes. The report
        states the error that this adds. "auto" uses 100,000 where there are more; None
        uses all of them.
    classifiers : sequence of str, default=all of them
        Rules that are tried on samples they have not seen: "neighbors", votes of nearest
        neighbours (always, they are needed elsewhere); "linear", a straight line (shrunk linear
        discriminant analysis); "gaussians", normal classes (shrunk quadratic discriminant
        analysis); "kernel", ridge regression on Gaussian bumps; "ranks", the same on the ranks
        of the values in their columns; "linear_ranks", a straight line on normal quantiles in
        place of these ranks; "forest", extremely randomised trees. Fewer take less time, and
        leave the Bayes error less certain.
    groups : array-like of shape (n_samples,) or None, default=None
        Samples of one patient, device or other source, which depend on each other: neighbours
        are searched outside of a sample's own group, tree edges within a group are not
        counted, and no classifier but nearest neighbours is tried. Intervals are as wide as if
        samples of one group all said the same.
    n_jobs : int or None, default=None
        Threads.
    random_state : int, RandomState, Generator or None, default=0
        Seed of all that is random: the order among equal distances, permutations,
        subsamples.
    verbose : int, default=0
        1 names the steps on standard error as they begin and shows the progress of long
        ones.
    memory_limit : int, str or None, default=None
        Bytes that the rows used may take with all that is computed from them. If
        they need more, the error says which `subsample` would fit.
    feature_names : sequence of str or None, default=None
        What warnings call the columns; those of a data frame, or numbers from 0, by
        default.
    row_names : sequence or None, default=None
        What the page calls the samples, such as numbers of cases or lines of a file; the
        index of a data frame, or the numbers of the rows from 0, by default.

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
    **The Bayes error** is an interval for the truth, ``bayes_error``. Its upper end is a one-sided
    confidence limit of the smallest error that a classifier reached on samples it has not seen,
    corrected for having been picked, less half of what more samples would take off that error,
    which is itself uncertain by as much. Its lower end rests on what ever more data would give,
    from two sides: the share of tree edges between classes, extrapolated over edges of growing
    length (see `multiclass_bayes_error` with ``extrapolate=True``), and the best classifier's
    error, extrapolated from a quarter of the samples and all of them. Its value is the mean of both
    limits, weighted by their precision, but at least the share of labels that look wrong. It
    covers chance, the bias of this sample size and the uncertainty of the extrapolation, over
    problems like those in ``benchmarks/report/families.py``; no interval can do so for every
    distribution.

    **Rules** judge every sample without its label: neighbours, the straight line, normal classes
    and the kernel classifiers in closed form, trees out of bag. Normal classes, kernels,
    classifiers on ranks and trees are fitted to half of the samples (but at least 2,500 and at
    most 10,000), drawn in proportion from the classes, and judged on these; normal classes use at
    most 200 principal components (fewer for many samples or classes), kernels have 200 landmarks,
    and there are 48 trees, or 16 where those err twice as often as another classifier. The
    straight line is left out if there are more than 1000 samples and more than 1000 columns, and
    ranks where they agree with the values (a mean squared correlation of at least .9, as for
    normal, uniform or binary columns). The best classifier is fitted again to quarters of these
    samples. Where most columns take many values, so that rows do not coincide by chance,
    classifiers and extrapolation see only one of several rows that are equal or nearly so. On one
    thread that takes about a quarter of a second for 10,000 samples of 10 columns.

    **The bounds** ``lower`` and ``upper`` are the paper's: the tighter ones of the trees over all
    classes and of the pairs of classes, cut at the error of always answering the largest
    class. They are what the trees show at this sample size. Their intervals cover the
    share of tree edges between classes over new samples of the same size, not the
    distance to the Bayes error; in high dimension both are too high. The variance is that of
    labels redrawn at every point from the point and its four nearest neighbours, in
    closed form, plus that of where the points lie; where distances tie, the spread over
    several orders is added. If class sizes were fixed by design the intervals are
    somewhat too wide. Intervals of errors that were reached are Wilson's, with the
    number of samples divided by 1.5 for neighbours and trees, whose samples depend on the same
    votes (less where they avoid under a quarter of the errors of guessing), by 1.3 for
    kernel classifiers (more below 125 samples), and by 1.1 for others.

    Cost: trees of all pairs of classes, one search for up to 31 neighbours, trees
    of parts of the data, and the classifiers; all else is O(n) for each class
    or permutation. The numbers are the same for any `n_jobs`.

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
    if not isinstance(n_trees, str):
        n_trees = check_int(n_trees, "n_trees", least=1)
    elif n_trees != "auto":
        raise ValueError(f'n_trees must be "auto" or an integer of at least 1, got {n_trees!r}.')
    confidence = check_share(confidence, "confidence")
    if target_accuracy is not None:
        target_accuracy = check_share(target_accuracy, "target_accuracy", ends=True)
    classifiers, n_jobs = _check_classifiers(classifiers), check_jobs(n_jobs)
    verbose = check_int(verbose, "verbose", least=0)
    memory_limit = parse_bytes(memory_limit)
    if feature_names is None:
        feature_names = getattr(X, "columns", None)
    if row_names is None and feature_names is not None:
        row_names = getattr(X, "index", None)
    source = open_source(X)
    n_given, n_features = source.n_rows, source.n_features
    if feature_names is not None:
        _check_names(feature_names, "feature_names", n_features, "columns")
    classes, codes = check_labels(read_labels(y), n_samples=n_given)
    if n_given < _LEAST_SAMPLES:
        raise ValueError(f"X must have at least {_LEAST_SAMPLES} rows, got {n_given}.")
    if row_names is not None:
        _check_names(row_names, "row_names", n_given, "rows")
    if groups is not None:
        groups = check_groups(groups, n_given)
        classifiers = (NEIGHBORS,)
    random_state = repeatable_seed(random_state)
    seed = tie_seed(random_state)
    rows = np.arange(n_given)
    if subsample is not None:
        rows = stratified_rows(codes, _check_subsample(subsample, len(classes)), seed)
    trees = trees_for_report(n_trees, len(rows), n_features)
    _check_fit(len(rows), n_features, trees.made, memory_limit)
    samples = _Samples(
        X=read_rows(source, rows),
        classes=classes,
        codes=codes[rows],
        groups=None if groups is None else np.unique(groups[rows], return_inverse=True)[1],
        rows=rows,
        n_given=n_given,
        feature_names=feature_names,
        row_names=rows if row_names is None else _names(row_names, rows),
    )
    work = {"n_jobs": n_jobs, "verbose": verbose}
    return _measure(samples, trees, classifiers, target_accuracy, confidence, random_state, work)


class _Samples(NamedTuple):
    """The samples that a report looks at."""

    X: np.ndarray  # as they were passed
    classes: np.ndarray
    codes: np.ndarray
    groups: np.ndarray | None  # numbered from 0
    rows: np.ndarray  # their rows among all that were passed
    n_given: int
    feature_names: object
    row_names: np.ndarray


def _names(given, rows):
    """Names of some rows as an array of one dimension; times as text."""
    names = np.asarray(given)
    if names.ndim != 1:  # an index of several levels
        names = np.empty(len(given), dtype=object)
        names[:] = list(map(tuple, given))
    names = names[rows]
    if names.dtype.kind == "M":
        return np.datetime_as_string(names, unit="auto")
    return names.astype(str) if names.dtype.kind == "m" else names


def _check_classifiers(classifiers):
    given = (
        tuple(classifiers)
        if np.iterable(classifiers) and not isinstance(classifiers, str)
        else (classifiers,)
    )
    if isinstance(classifiers, str) or not all(
        isinstance(classifier, str) and classifier in CLASSIFIERS for classifier in given
    ):
        raise ValueError(
            f"classifiers must be a sequence of names from {list(CLASSIFIERS)}, got "
            f"{classifiers!r}."
        )
    return given


def _check_names(names, name, count, what):
    """Raise unless there is one name for each row or column."""
    if not hasattr(names, "__len__"):
        raise TypeError(
            f"{name} must be a sequence of {count} names, one for each of the {what} of X, got "
            f"{describe(names)}."
        )
    if len(names) != count:
        raise ValueError(
            f"{name} must have one name for each of the {count} {what} of X, got {len(names)}."
        )


def _check_subsample(subsample, n_classes):
    """How many samples to look at, at most."""
    least = max(_LEAST_SAMPLES, n_classes)
    if not isinstance(subsample, str):
        return check_int(subsample, "subsample", least=least)
    if subsample != "auto":
        raise ValueError(
            f'subsample must be "auto", None for all samples, or an integer of at least {least}, '
            f"got {subsample!r}."
        )
    return max(least, MOST_SAMPLES)


def _check_fit(n_rows, n_features, n_trees, memory_limit):
    """An error that says what to do if the rows do not fit."""
    needed = direct_bytes(n_rows, n_features, n_trees)
    if memory_limit is not None and needed > memory_limit:
        most = n_rows * memory_limit // needed
        fewer = f"pass subsample={most} or fewer, or " if most >= _LEAST_SAMPLES else ""
        raise MemoryError(
            f"A report on {n_rows} rows of {n_features} features takes about {needed:,} bytes, "
            f"more than memory_limit={memory_limit:,}: {fewer}raise the limit. "
            "pairwise_bayes_error, ovr_bayes_error and multiclass_bayes_error work in "
            "blocks, within any such limit."
        )


def _measure(samples, trees, classifiers, target_accuracy, confidence, random_state, work):
    """All that a report says, one step after the other."""
    classes, codes, groups = samples.classes, samples.codes, samples.groups
    n, n_features = samples.X.shape
    n_classes = len(classes)
    steps = Steps(work["verbose"])
    seed = tie_seed(random_state)
    work = {"seed": seed, **work}
    threads = {"seed": seed, "n_jobs": work["n_jobs"]}
    z, z_above = float(ndtri(0.5 + confidence / 2)), float(ndtri(confidence))
    if groups is not None:
        sizes = np.bincount(groups)
        together = float(np.sqrt(sizes @ sizes / n))  # samples of a group count as one
        z, z_above = z * together, z_above * together
    points, _ = scale_to_safe_range(samples.X)

    # Before the trees: the lists of neighbours are the most memory that is needed at a time.
    steps.begin(f"nearest neighbours of {n} samples")
    near = _ask_neighbors(points, codes, n_classes, groups, work)

    steps.begin("classifiers")
    once = near.once
    different = (points, codes) if once is None else (points[once], codes[once])
    trials = Trials(*different, near.votes if once is None else None, classifiers, **threads)
    held_out = held_out_errors(trials, z, seed)
    recall = class_recalls(trials, different[1], n_classes, z, seed)
    del trials

    steps.begin("spanning trees")
    forest = TieAveragedForest.of_points(
        points, codes, classes, n_trees=trees.made, counted_trees=trees.counted, groups=groups,
        random_state=seed, n_jobs=work["n_jobs"], verbose=work["verbose"],
    )  # fmt: skip

    steps.begin("is there any signal")
    signal, difficulty = _test_signal(forest, points, groups, trees, threads)

    steps.begin("intervals")
    bounds = bound_intervals(forest, near.labels, z)

    steps.begin("trees of parts of the data")
    whole = forest.whole()
    parts = trees_of_parts(points, codes, whole, **work)
    curve = convergence_curve(parts, codes, forest.first_tree_cross(), groups)
    if once is None:
        limit = extrapolate(rungs_of(near.labels, codes, n_classes, parts, whole, groups))
    else:
        own = SpanningForest(*different, n_trees=AVERAGED_TREES, **threads)
        limit = cross_limit(own, **work)

    steps.begin("verdict")
    flags = (
        *dependence_flags(near.copies, forest.between_groups),
        *estimate_flags(bounds.lower, held_out, curve, limit, n_features),
        *_tie_flags(forest, bounds.variance, once is not None),
        *data_flags(samples.X, classes, codes, samples.feature_names),
    )
    # Without signal every second neighbour is of another class, and there is no telling whose
    # label is wrong.
    scores = pairwise_tests(forest)
    on_labels = without_twins(near.on_labels, codes, ~(scores <= INSEPARABLE))
    n_wrong = count_wrong_labels(on_labels, codes) if signal.significant else 0
    suspects = rank_suspects(on_labels, codes, n_wrong)
    n_lone = np.count_nonzero(forest.class_counts == 1)
    bayes_error = bayes_error_interval(
        held_out, limit, n_classes, z, z_above, n_wrong / n, n_lone / n
    )
    baseline = baseline_interval(forest.class_counts, n if once is None else len(once), z)
    grounds = Grounds(held_out, baseline, bayes_error, flags, n, curve.dimension)
    note = None
    if n < samples.n_given:
        error = np.sqrt(bounds.variance.total) / n
        note = SubsampleNote.of(samples.n_given, n, error, curve.fall)
    return DifficultyReport(
        n_samples=n,
        n_features=n_features,
        classes=classes,
        class_counts=forest.class_counts,
        n_trees=signal.n_trees,
        counted_trees=forest.counted_trees,
        n_tie_orders=forest.n_orders,
        confidence=confidence,
        random_state=random_state,
        bayes_error=bayes_error,
        lower=bounds.lower,
        upper=bounds.upper,
        cross_share=bounds.cross_share,
        cross_limit=limit,
        held_out=held_out,
        recall=recall,
        baseline=baseline,
        neighbor_ladder=tuple(zip(near.votes.k.tolist(), near.votes.errors.tolist(), strict=True)),
        signal=signal,
        pairs=forest.pairwise(bias_correction="prior"),
        pair_scores=scores,
        by_class=bounds.by_class,
        class_limits=bounds.class_limits,
        labels=classes[codes],
        sample_difficulty=difficulty,
        label_posterior=on_labels.posterior,
        label_margin=on_labels.margin,
        n_wrong_labels=n_wrong,
        suspects=suspects,
        suggested=classes[on_labels.suggested],
        disagreement=near.votes.disagreement,
        rows=samples.rows,
        row_names=samples.row_names,
        curve=curve,
        flags=flags,
        verdict=None if target_accuracy is None else judge(target_accuracy, grounds),
        subsample=note,
    )


class _Neighborhood(NamedTuple):
    """What the nearest neighbours of all samples say."""

    labels: np.ndarray  # their classes, of shape (k, n_samples)
    votes: LeaveOneOut
    on_labels: LabelVotes
    copies: float  # share of the samples that have a near copy
    once: np.ndarray | None  # one of each sample that is there several times


def _ask_neighbors(points, codes, n_classes, groups, work):
    n = len(codes)
    most = n - 1 if groups is None else n - int(np.bincount(groups).max())
    ladder = ladder_for(min(n, most + 1))
    n_neighbors = max(int(ladder[-1]), LOCAL_NEIGHBORS)
    nearest = nearest_neighbors(points, n_neighbors, groups=groups, **work)
    labels = labels_of(nearest, codes)
    votes = leave_one_out(labels, codes, n_classes, ladder)
    on_labels = label_votes(points, codes, n_classes, nearest)
    copies, cases = near_copies(points, nearest)
    once = None if groups is not None or cases is None else one_of_each(points, codes, cases)
    return _Neighborhood(labels, votes, on_labels, copies, once)


def _test_signal(forest, points, groups, trees, threads):
    """The test for any signal, and the difficulty of every sample."""
    codes, edges = forest.codes, forest.tree_edges()
    difficulty = forest.sample_difficulty()
    if trees.tested > trees.made:
        edges = SpanningForest(points, codes, n_trees=trees.tested, **threads).tree_edges()
        crossing, total = count_by_sample(between_groups(np.concatenate(edges), groups), codes)
        difficulty = crossing / np.maximum(total, 1)
    n_permutations = int(np.clip(_PERMUTED_EDGES / (trees.tested * len(codes)), 99, 999))
    signal = signal_on_trees(edges, codes, n_permutations, groups=groups, seed=threads["seed"])
    return signal, difficulty


def _tie_flags(forest, variance, asked_once):
    matter = variance.orders > _NOTABLE_ORDERS * variance.total
    spread = np.sqrt(variance.orders) / len(forest.codes)
    n_orders = forest.n_orders if matter else 1
    return tie_flags(forest.tie_share, forest.duplicate_share, n_orders, spread, asked_once)

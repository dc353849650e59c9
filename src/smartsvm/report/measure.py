"""The function `difficulty_report`: it checks what it is given and runs the stages."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from smartsvm._core.blas_threads import single_blas_thread
from smartsvm._core.byte_sizes import parse_bytes
from smartsvm._core.column_scales import SCALES
from smartsvm._core.devices import device_name
from smartsvm._core.parallel import count_threads
from smartsvm._core.sampling import stratified_rows
from smartsvm._core.sources import read_labels
from smartsvm._core.types import LabelsLike, MemoryLimit, PointsLike, RandomState
from smartsvm._core.validation import (
    check_accuracy,
    check_choice,
    check_groups,
    check_int,
    check_jobs,
    check_labels,
    check_share,
    describe,
    repeatable_seed,
    tie_seed,
)
from smartsvm.estimation.number_of_trees import trees_for_report
from smartsvm.held_out.folds import check_cv
from smartsvm.held_out.registry import CLASSIFIERS, extra_bytes, judged_rows
from smartsvm.report.dependence import Units
from smartsvm.report.models import open_models
from smartsvm.report.result import DifficultyReport
from smartsvm.report.splits import Splits
from smartsvm.report.stages import Samples, Settings, run_stages
from smartsvm.report.verdict import METRICS
from smartsvm.tables.preparation import as_frame, is_table
from smartsvm.tables.prepared import needs_preparation, prepare_table
from smartsvm.tables.time_column import times_of
from smartsvm.trees.open_points import open_points
from smartsvm.trees.out_of_core.free_memory import free_memory
from smartsvm.trees.out_of_core.memory_plan import direct_bytes

# Samples of subsample="auto": more hardly make the intervals narrower, and take minutes.
MOST_SAMPLES = 100_000
_MIB = 1 << 20
# Bytes of each pair of classes: twelve numbers, in matrices of errors, bounds and scores.
_PAIR_BYTES = 96
_LEAST_SAMPLES = 8


def difficulty_report(
    X: PointsLike,
    y: LabelsLike | str,
    *,
    n_trees: int | Literal["auto"] = "auto",
    target_accuracy: float | str | None = None,
    target_metric: Literal["accuracy", "balanced_accuracy"] = "accuracy",
    confidence: float = 0.95,
    subsample: int | Literal["auto"] | None = "auto",
    classifiers: Iterable[str] = CLASSIFIERS,
    groups: ArrayLike | None = None,
    cv: Any = None,
    time: ArrayLike | str | None = None,
    scale: Literal["auto", "none", "standard", "robust", "ranks", "minmax"] = "auto",
    n_jobs: int | None = None,
    random_state: RandomState = 0,
    verbose: int = 0,
    memory_limit: MemoryLimit = None,
    feature_names: Sequence[str] | None = None,
    row_names: Sequence[Any] | None = None,
    device: str | None = None,
    units: Mapping[str, ArrayLike] | None = None,
    models: Mapping[str, Any] | None = None,
) -> DifficultyReport:
    """Report how hard a classification problem is, before a model is built for it.

    The report says how well any classifier can do and how certain that is, whether there is any
    signal, which classes and samples are difficult, whether a target accuracy is realistic, and
    whether these answers can be trusted.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The points, at least eight. Also a memory-map, a Dask array or a path, as in
        `euclidean_mst`; the rows that are used are then read into memory.
    y : array-like of shape (n_samples,) or str
        Labels of one sortable type, two classes or more, none missing; also a Dask array or a
        path, as in `ClassForest`. They are always read whole. Numbers that are equal, such as
        True, 1 and 1.0, are one class; numbers beside text are refused. If `X` is a data frame,
        also the name of its column of labels. `prepare_table` then prepares the table, as it does
        a data frame with text, dates or gaps, and the report says what it did.
    n_trees : int or "auto", default="auto"
        Orthogonal trees for everything. "auto" takes ten for the signal test and the samples (three
        with more than 2,000 samples), and for the bounds three in up to 3 dimensions and the
        first one beyond, where later trees raise the bounds.
    target_accuracy : float, str or None, default=None
        Target accuracy to judge, a fraction or a percentage: 0.95, 95 and "95%" mean the same.
    target_metric : {"accuracy", "balanced_accuracy"}, default="accuracy"
        What the target is: a fraction of the samples, or the mean of the recalls of all classes,
        which suits classes of very different sizes.
    confidence : float, default=0.95
        Level of all confidence intervals, between 0 and 1.
    subsample : int, "auto" or None, default="auto"
        Use only this many samples, stratified by class; the report states the standard error that
        this adds. "auto" uses at most 100,000, None uses all.
    classifiers : sequence of str, default=all of them
        Names of the classifiers whose held-out errors are measured; "neighbors" is always
        included. The guide to the report says what each is and when it is tried. Fewer take less
        time and leave the Bayes error less certain.
    groups : array-like of shape (n_samples,) or None, default=None
        Samples of one patient, device or other source, which are not independent. Neighbours come
        from other groups, tree edges within a group do not count, and every other classifier is
        fitted to four fifths of the groups and judged on the rest. Confidence intervals are as wide
        as if each group were one sample. Also a column of a data frame.
    cv : splitter, iterable of (train, test) or None, default=None
        What held-out errors are measured on: a splitter of scikit-learn, such as ``GroupKFold()``
        or ``TimeSeriesSplit()``, or pairs of arrays with numbers of rows, at most 100 folds. Every
        classifier is fitted to the training rows of a fold and tested on its test rows. A row
        that is held out several times counts the first time; rows that never are do not count, and
        the report says how many. Every class must be held out somewhere, and two must be left to
        fit to. The splitter sees the rows that are used, with their labels and `groups`; trees do
        not know of it. None holds out samples one by one, or whole `groups`.
    time : array-like of shape (n_samples,), str or None, default=None
        When each sample was taken: dates or numbers, also a column of a data frame. The report then
        says whether labels drift along it, and gives the error of training on the past and testing
        on later samples. By default the first column of dates of a table.
    scale : str, default="auto"
        How to scale the columns, since distances are Euclidean: "none"; "standard", mean 0 and
        variance 1; "robust", by median and quartiles; "ranks"; "minmax", from 0 to 1. "auto" takes
        that of the first four on which nearest neighbours err least, on at most 1,000 samples. If
        none of them is clearly better, it standardises columns of different spread.
    n_jobs : int or None, default=None
        Threads.
    random_state : int, RandomState, Generator or None, default=0
        Seed of all that is random: the order among equal distances, permutations, subsamples.
    verbose : int, default=0
        1 shows the stages and their progress on standard error.
    memory_limit : int, str or None, default=None
        Bytes that the computation may take. If it needs more, the error names the `subsample` that
        would fit.
    feature_names : sequence of str or None, default=None
        Names of the columns in warnings; by default those of a data frame, or numbers from 0.
    row_names : sequence or None, default=None
        Names of the samples, such as case numbers; by default the index of a data frame, or the
        row numbers from 0.
    device : str or None, default=None
        Where to compute neighbours, trees and LDA; see `euclidean_mst`.
    units : mapping of str to array-like of shape (n_samples,) or None, default=None
        Columns beside `X`, such as the names of persons, by name. If rows of the same value are
        alike, so that errors are larger for new ones, the report says so. Columns of `X` with many
        repeated values, and blocks of consecutive rows, are tried as well.
    models : mapping of str to model or None, default=None
        Models of your own by name, whose error is compared with the best possible one
        (`DifficultyReport.headroom`). An estimator or pipeline is cloned and cross-validated, in
        ten folds, on `groups` or on `cv`; it gets the rows of `X` as they are, of a data frame
        without the named columns of labels and groups, and joins the held-out errors. Predictions
        (one label for each row) or probabilities (a column for each class, in the order of the
        classes, as a data frame, or as a pair ``(probabilities, classes)``) must be held out.

    Returns
    -------
    DifficultyReport
        Print it, show it in a notebook, ``plot()`` it, or read its attributes.

    See Also
    --------
    friedman_rafsky_test : The signal test alone.
    sample_difficulty : The difficult samples alone.

    Notes
    -----
    **The Bayes error** comes from one fitted model. A few statistics describe the report: held-out
    errors, tree edges between classes and their extrapolation, equal rows, the signal test, the
    numbers of samples and columns (``errors.statistics``). Linear functions of them, fitted to
    problems of known Bayes error, give a location and a scale to each side. Quantiles of the
    residuals, on families of problems that a fit has not seen, turn these into a distribution
    (``errors.distributions``). ``python -m benchmarks.report.fit_model`` repeats the fit. The
    interval is for problems like those in ``benchmarks/problems``, not for all.

    **Limits that need no model** apply to this distribution. No error is below 0. The interval
    does not reach above the limit of Clopper and Pearson for the baseline error, nor above that for
    the smallest held-out error if that clearly beats the baseline. Otherwise the distribution is
    mixed with that of the baseline, with a weight of at most a half. The labels of ten or more
    equal rows show the error there: it is estimated by itself, and the model sees the other rows.
    The high end is not below the fraction of samples outvoted by equal rows, less its sampling
    error. For balanced accuracy, neither rule on equal rows applies.

    **The chance** of a target is that of this distribution: it never falls as targets get easier.
    A flag against an answer keeps the chance between 30 and 100%, or between 0 and 70%.

    **The learning curve** has the smallest held-out error of a report on two and ten times as many
    samples, by the same kind of model.

    **Held-out errors** come from leave-one-out in closed form, and for trees from votes out of bag.
    All classifiers but k nearest neighbours and LDA are fitted to and judged on half of the samples
    (at least 2,500 and at most 10,000), stratified by class. Where most columns take many values,
    so that rows do not coincide by chance, classifiers and extrapolation use only one of several
    rows that are equal or nearly so. Intervals are Wilson's, with n divided by 1.5 for k
    nearest neighbours, trees and the combination, 1.35 for kernel ridge and 1.1 for others.

    **All classifiers combined** give one posterior per sample, proportional to exp(Σ w_c log p_c),
    where p_c is what classifier c says without the label of the sample, and the weights w_c are
    fitted to other samples. Recalls, confusions, pairs and label errors are read off it. A label
    counts as wrong, not as hard, where a rate of wrong labels explains more than the posterior
    itself does.

    **The bounds** ``trees.lower`` and ``trees.upper`` are those of the trees over all classes, cut
    at the baseline error; with ``scale="none"`` `multiclass_bayes_error` gives the same. Their
    confidence intervals cover the fraction of tree edges between classes over new samples of the
    same size, not the distance to the Bayes error; in high dimension both bounds are too high. No
    number depends on `n_jobs`.

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
        target_accuracy = check_accuracy(target_accuracy, "target_accuracy")
    check_choice(target_metric, "target_metric", METRICS)
    names, n_jobs = _check_classifiers(classifiers), check_jobs(n_jobs)
    if count_threads(n_jobs) == 1:
        n_jobs = 1  # joblib need not be asked a hundred times
    if cv is not None:
        check_cv(cv)
    check_choice(scale, "scale", ("auto", *SCALES))
    verbose = check_int(verbose, "verbose", least=0)
    most_bytes = parse_bytes(memory_limit)
    notes, time_name, frame, of_table = (), None, None, None
    if is_table(X) and (isinstance(y, str | int) or needs_preparation(X, groups, time)):
        table = prepare_table(X, y, groups=groups, time=time, scale="none")
        n_labels = len(X[y] if isinstance(y, str | int) else y)
        if len(table.y) < n_labels and cv is not None and not hasattr(cv, "split"):
            raise ValueError(
                f"cv must be a splitter if samples are left out: {n_labels - len(table.y)} of "
                f"{n_labels} have no label, and numbers of rows may count them or not."
            )
        if models is not None:
            named = [str(each) for each in (y, groups) if isinstance(each, str | int)]
            frame, of_table = as_frame(X).drop(columns=named), table.rows
        X, y, groups, notes = table.X, table.y, table.groups, table.notes
        time, time_name, units = table.time, table.time_name, table.units
    elif time is not None:
        time, time_name = times_of(time), getattr(time, "name", None) or "time"
    if feature_names is None:
        feature_names = getattr(X, "columns", None)
    if row_names is None and feature_names is not None:
        row_names = getattr(X, "index", None)
    device = device_name(device, X)
    opened = open_points(X)
    n_given, n_features = opened.shape
    if feature_names is not None:
        _check_names(feature_names, "feature_names", n_features, "columns")
    classes, codes = check_labels(read_labels(y), n_samples=n_given)
    if n_given < _LEAST_SAMPLES:
        raise ValueError(f"X must have at least {_LEAST_SAMPLES} rows, got {n_given}.")
    if row_names is not None:
        _check_names(row_names, "row_names", n_given, "rows")
    if groups is not None:
        groups = check_groups(groups, n_given)
    if time is not None:
        _check_names(time, "time", n_given, "rows")
    seed = repeatable_seed(random_state)
    rows = np.arange(n_given)
    if subsample is not None:
        rows = stratified_rows(codes, _check_subsample(subsample, len(classes)), tie_seed(seed))
    trees = trees_for_report(n_trees, len(rows), n_features)
    _check_memory(len(rows), n_features, len(classes), trees.tested, most_bytes)
    values, splits = opened.read(rows), None
    if models is not None:
        if frame is None:
            frame, of_table = X if hasattr(X, "iloc") else None, np.arange(n_given)
        n_rows = n_given if frame is None else len(frame)
        index = getattr(frame, "index", None)
        models = open_models(models, classes, n_rows, of_table[rows], index)
    if cv is not None:
        kept = None if groups is None else groups[rows]
        given = values, classes[codes[rows]], codes[rows], kept
        splits = Splits.of(cv, *given, rows=rows, n_given=n_given)
    samples = Samples(
        models=models or (),
        table=values if frame is None else frame.iloc[of_table[rows]],
        X=values,
        classes=classes,
        codes=codes[rows],
        groups=None if groups is None else np.unique(groups[rows], return_inverse=True)[1],
        rows=rows,
        n_given=n_given,
        feature_names=feature_names,
        row_names=rows if row_names is None else _names_of(row_names, rows),
        preparation=tuple(notes),
        units=_check_units(units or {}, n_given, rows),
        time=None if time is None else time[rows],
        time_name=time_name,
        splits=splits,
    )
    settings = Settings(
        trees,
        names,
        target_accuracy,
        target_metric,
        confidence,
        scale,
        seed,
        n_jobs,
        verbose,
        device,
    )
    # Underflow is expected, and the caller's np.seterr is not for our arithmetic.
    with ExitStack() as stack:
        stack.enter_context(np.errstate(divide="warn", over="warn", under="ignore", invalid="warn"))
        if not samples.models:  # a model of the user may use all threads of BLAS
            # Once for all stages: to set the number of threads takes 60 microseconds.
            stack.enter_context(single_blas_thread())
        return run_stages(samples, settings)


def _names_of(given, rows):
    """Names of some rows as an array of one dimension; times as text."""
    names = np.asarray(given)
    if names.ndim != 1:  # an index of several levels
        names = np.empty(len(given), dtype=object)
        names[:] = list(map(tuple, given))
    names = names[rows]
    if names.dtype.kind == "M":
        return np.datetime_as_string(names, unit="auto")
    return names.astype(str) if names.dtype.kind == "m" else names


def _check_classifiers(given):
    is_sequence = np.iterable(given) and not isinstance(given, str)
    names = tuple(given) if is_sequence else (given,)
    if not is_sequence or not all(isinstance(name, str) and name in CLASSIFIERS for name in names):
        shown = list(names) if is_sequence else given
        raise ValueError(
            f"classifiers must be a sequence of names from {list(CLASSIFIERS)}, got {shown!r}."
        )
    return names


def _check_names(names, parameter, count, what):
    """Raise unless there is one name for each row or column."""
    if not hasattr(names, "__len__"):
        raise TypeError(
            f"{parameter} must be a sequence of {count} names, one for each of the {what} of X, "
            f"got {describe(names)}."
        )
    if len(names) != count:
        raise ValueError(
            f"{parameter} must have one name for each of the {count} {what} of X, got {len(names)}."
        )


def _check_units(units, n_given, rows):
    """Numbered values of some rows, by the names of the columns."""
    found = []
    for name, values in units.items():
        values = np.asarray(values)
        if values.shape != (n_given,):
            raise ValueError(
                f"units[{name!r}] must have one value for each of the {n_given} rows of X, got "
                f"shape {values.shape}."
            )
        values = values if values.dtype.kind in "biuf" else values.astype(str)
        found.append(Units(name, np.unique(values[rows], return_inverse=True)[1]))
    return tuple(found)


def _check_subsample(subsample, n_classes):
    """The largest number of samples to use."""
    least = max(_LEAST_SAMPLES, n_classes)
    if not isinstance(subsample, str):
        return check_int(subsample, "subsample", least=least)
    if subsample != "auto":
        raise ValueError(
            f'subsample must be "auto", None for all samples, or an integer of at least {least}, '
            f"got {subsample!r}."
        )
    return max(least, MOST_SAMPLES)


def _report_bytes(n, d, n_classes, n_trees):
    """Bytes that a report takes at most, measured at many sizes, with modules and copies of X."""
    judged = min(n, judged_rows(n))
    lists = 1400 * n + judged * (3000 + 48 * d + 90 * n_classes)  # neighbours, held-out scores
    lists += extra_bytes(n, d, n_classes)
    fixed = 24 * _MIB + n * (16 * d + 12 * n_classes) + _PAIR_BYTES * n_classes**2
    return fixed + max(lists, direct_bytes(n, d, n_trees))


def _check_classes(n, n_classes):
    """Raise if scores and pairs of so many classes alone take more than the free memory."""
    needed = n_classes * (12 * n + 90 * min(n, judged_rows(n)) + _PAIR_BYTES * n_classes)
    free = free_memory()
    if needed > free:
        raise MemoryError(
            f"A report on {n_classes:,} classes and {n:,} samples takes about "
            f"{needed / 2**30:.1f} GiB of memory, but only {free / 2**30:.1f} GiB are free: use "
            "fewer classes, for instance by merging or leaving out rare ones."
        )


def _check_memory(n_rows, n_features, n_classes, n_trees, memory_limit):
    """Raise an error that says what to do if the rows do not fit."""
    if memory_limit is None:
        _check_classes(n_rows, n_classes)
        return
    needed = _report_bytes(n_rows, n_features, n_classes, n_trees)
    if needed > memory_limit:
        takes = partial(_report_bytes, d=n_features, n_classes=n_classes, n_trees=n_trees)
        most = bisect_right(range(n_rows), memory_limit, key=takes) - 1
        fewer = f"pass subsample={most} or fewer, or " if most >= _LEAST_SAMPLES else ""
        raise MemoryError(
            f"A report on {n_rows} rows of {n_features} features takes about {needed:,} bytes, "
            f"more than memory_limit={memory_limit:,}: {fewer}raise the limit. "
            "pairwise_bayes_error, ovr_bayes_error and multiclass_bayes_error work in "
            "blocks, within any such limit."
        )

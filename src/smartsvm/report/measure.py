"""The function `difficulty_report`: it checks what it is given and runs the stages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, Literal

from numpy.typing import ArrayLike
from scipy.sparse import issparse

from smartsvm._core.arithmetic import own_arithmetic
from smartsvm._core.blas_threads import single_blas_thread
from smartsvm._core.column_scales import SCALES
from smartsvm._core.devices import device_name
from smartsvm._core.parallel import count_threads
from smartsvm._core.types import LabelsLike, MemoryLimit, PointsLike, RandomState
from smartsvm._core.validation import (
    check_accuracy,
    check_choice,
    check_int,
    check_jobs,
    check_share,
    repeatable_seed,
    tie_seed,
)
from smartsvm.estimation.number_of_trees import check_n_trees, trees_for_report
from smartsvm.held_out.folds import check_cv
from smartsvm.held_out.registry import CLASSIFIERS, check_classifiers
from smartsvm.label_errors.overlap import Overlap, check_overlap
from smartsvm.report.data import ReportSettings
from smartsvm.report.memory_needed import check_memory
from smartsvm.report.priors import check_priors
from smartsvm.report.problem import Problem
from smartsvm.report.result import DifficultyReport
from smartsvm.report.samples import open_input
from smartsvm.report.stages import run_stages
from smartsvm.report.verdict import METRICS
from smartsvm.trees.tree_plan import parse_bytes


def difficulty_report(
    X: PointsLike,
    y: LabelsLike | str | None = None,
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
    models: Mapping[str, Any] | None = None,
    overlap: Overlap = "unknown",
    priors: Mapping[Any, float] | Sequence[float] | None = None,
) -> DifficultyReport:
    """Report how hard a classification problem is, before a model is built for it.

    The report says how well any classifier can do and how certain that is, whether there is any
    signal, which classes and samples are difficult, whether a target accuracy is realistic, and
    whether these answers can be trusted.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), table or PreparedTable
        The points, at least eight: an array, a tensor, a memory-map, a Dask array or a path, as in
        `euclidean_mst`, or a sparse matrix; the rows that are used are read into memory, dense. An
        array is taken as it is. A table (a data frame of pandas or polars, a dictionary of columns)
        is always prepared, as by `prepare_table`, and the report says what was done: call that
        function yourself to change it, and pass its result.
    y : array-like of shape (n_samples,), str or None
        Labels of one sortable type, two classes or more, none missing; also a Dask array or a
        path, as in `ClassForest`. They are always read whole. Numbers that are equal, such as
        True, 1 and 1.0, are one class; numbers beside text are refused. For a table also the name
        of its column of labels, and rows without a label are left out. None for a `PreparedTable`,
        which has its labels, groups and times.
    n_trees : int or "auto", default="auto"
        Orthogonal trees for everything. "auto" takes ten for the signal test and the samples (three
        with more than 2,000 samples, with more than 20,000 those of the bounds), and for the bounds
        three in up to 3 dimensions and the first one beyond, where later trees raise the bounds.
    target_accuracy : float, str or None, default=None
        Target accuracy to judge, a fraction or a percentage: 0.95, 95 and "95%" mean the same.
    target_metric : {"accuracy", "balanced_accuracy"}, default="accuracy"
        What the target is: a fraction of the samples, or the mean of the recalls of all classes,
        which suits classes of very different sizes.
    confidence : float, default=0.95
        Level of all confidence intervals, between 0 and 1.
    subsample : int, "auto" or None, default="auto"
        Use only this many samples, stratified by class; the report says so, and
        ``data.subsample`` has the standard error that this adds. "auto" uses at most 100,000, None
        uses all.
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
        on later samples. By default the column of dates of a table that says when a row happened,
        neither a date of birth nor, by its name or its gaps, one of its end; or else its years.
    scale : str, default="auto"
        How to scale the columns, since distances are Euclidean: "none"; "standard", mean 0 and
        variance 1; "robust", by median and quartiles; "ranks"; "minmax", from 0 to 1. "auto" takes
        that of the first four on which nearest neighbours err least, on at most 600 samples. If
        none of them is clearly better, it standardises columns of different spread.
    n_jobs : int or None, default=None
        Threads.
    random_state : int, RandomState, Generator or None, default=0
        Seed of all that is random: the order among equal distances, permutations, subsamples.
    verbose : int, default=0
        1 shows the stages on standard error, a line for each, and in a terminal their progress; 2
        shows the progress everywhere.
    memory_limit : int, str or None, default=None
        Bytes that the computation may take. If it needs more, the error names the `subsample` that
        would fit.
    feature_names : sequence of str or None, default=None
        Names of the columns of an array in warnings; by default numbers from 0. Like those of a
        table they say nothing else but whether a column of whole numbers is a unit or a time.
    row_names : sequence or None, default=None
        Names of the rows, such as case numbers; by default the index of a data frame, or the row
        numbers from 0.
    device : str or None, default=None
        Where to compute neighbours, trees and LDA; see `euclidean_mst`.
    models : mapping of str to model or None, default=None
        Models of your own by name, whose error is compared with the best possible one
        (`DifficultyReport.headroom`). An estimator or pipeline is cloned and cross-validated, in
        ten folds, on `groups` or on `cv`; it gets the rows of `X` as they are, of a data frame
        without the named columns of labels and groups, and joins the held-out errors. Predictions
        (one label for each row) or probabilities (a column for each class, in the order of the
        classes, as a data frame, or as a pair ``(probabilities, classes)``) must be held out.

    overlap : {"unknown", "rare", "all"}, float, or rates by class, default="unknown"
        What is known of the overlap of the classes, which looks like wrong labels: "rare" for
        photographs, digits and the like; the fraction of samples on which two experts would
        disagree, one for all or one for each class; "all" for facts of record (bought, left, died),
        of which no label is wrong. Only ``labels`` depends on it; see `rank_label_errors`.
    priors : mapping of label to float, sequence of float or None, default=None
        Shares of the classes where a model will be used, by label or in the order of the classes,
        adding up to 1: for a sample that was balanced by design. Errors, their intervals, verdicts,
        confusions and the baseline are then those under these shares. Not with `models`.

    Returns
    -------
    DifficultyReport
        Print it, show it in a notebook, ``plot()`` it, or read its attributes.

    See Also
    --------
    bayes_error : The paper's estimate from trees alone.
    sample_difficulty : The difficult samples alone.

    Notes
    -----
    **The Bayes error** comes from one fitted model. A few statistics describe the report: held-out
    errors, the extrapolated fraction of tree edges between classes, equal rows, the numbers of
    samples and columns (``errors.statistics``). Linear functions of them,
    fitted to problems of known Bayes error, give a location and a scale to each side. Quantiles of
    the residuals, on families of problems that a fit has not seen, turn these into a distribution
    (``errors.distributions``). ``fitted_model.json`` names the command and the commit of the fit.
    The interval is for problems like those in ``benchmarks/problems``, not for all.

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

    **With** `priors` classifiers answer by p(class) · prior / share, and mistakes weigh
    prior / share of their class. The distribution of the Bayes error is carried over by the family
    of posteriors share · (p / share)^t, whose errors under the shares of the sample and under the
    priors fall together. Flags, label errors, trees, columns and errors forward in time stay those
    of the sample.

    **Held-out errors** come from leave-one-out in closed form, for the random forest from votes out
    of bag, and for gradient boosting from folds. Slow classifiers are fitted to and judged on half
    of the samples (at least 2,500 and at most 10,000), stratified by class. Where most columns take
    many values, so that rows do not coincide by chance, classifiers and extrapolation use only one
    of several rows that are equal or nearly so. Intervals are Wilson's, with n divided by 1.5 for k
    nearest neighbours, the forest and the combination, 1.35 for kernel ridge and 1.1 for others.

    **All classifiers combined** give one posterior per sample, proportional to exp(Σ w_c log p_c),
    where p_c is what classifier c says without the label of the sample, and the weights w_c are
    fitted to other samples. Recalls, confusions, pairs and label errors are read off it. A label
    counts as wrong, not as hard, where a rate of wrong labels explains more than the posterior
    itself does.

    **The bounds** ``trees.lower`` and ``trees.upper`` are those of the trees over all classes, cut
    at the baseline error; at the same ``scale`` `bayes_error` gives the same. Their
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
    n_trees = check_n_trees(n_trees)
    confidence = check_share(confidence, "confidence")
    if target_accuracy is not None:
        target_accuracy = check_accuracy(target_accuracy, "target_accuracy")
    check_choice(target_metric, "target_metric", METRICS)
    classifiers, n_jobs = check_classifiers(classifiers), check_jobs(n_jobs)
    if count_threads(n_jobs) == 1:
        n_jobs = 1  # joblib need not be asked a hundred times
    if cv is not None:
        check_cv(cv)
    check_choice(scale, "scale", ("auto", *SCALES))
    verbose = check_int(verbose, "verbose", least=0)
    memory_limit = parse_bytes(memory_limit)
    samples = open_input(
        X,
        y,
        groups=groups,
        time=time,
        cv=cv,
        models=models,
        feature_names=feature_names,
        row_names=row_names,
    )
    overlap, device = check_overlap(overlap, samples.classes), device_name(device, X)
    priors = check_priors(priors, samples.classes)
    if priors is not None:
        if models is not None:
            raise ValueError(
                "priors must be None where models are given: their answers suit the shares of the "
                f"classes in the sample. Got priors for {len(priors)} classes."
            )
        priors = dict(zip(samples.classes.tolist(), priors.tolist(), strict=True))
    settings = ReportSettings(confidence, scale, repeatable_seed(random_state), priors)
    rows = samples.rows_to_use(subsample, tie_seed(settings.random_state))
    shape = len(rows), samples.points.n_features
    trees = trees_for_report(n_trees, *shape)
    n_classes, becomes_dense = len(samples.classes), issparse(X)
    check_memory(*shape, n_classes, trees.tested, memory_limit, becomes_dense=becomes_dense)
    with ExitStack() as stack:
        stack.enter_context(own_arithmetic())
        if models is None:  # a model of the user may use all threads of BLAS
            # Once for all stages: to set the number of threads takes 60 microseconds.
            stack.enter_context(single_blas_thread())
        problem = Problem.of(
            samples,
            rows,
            cv=cv,
            models=models,
            settings=settings,
            device=device,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        report = run_stages(problem, trees, classifiers, overlap)
    if target_accuracy is None:
        return report
    return replace(report, verdict=report.judge(target_accuracy, target_metric))

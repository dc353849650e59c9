"""The report composed of the results of its stages."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from smartsvm.estimation.results import Interval
from smartsvm.label_errors.suspect_labels import LabelErrors
from smartsvm.report.classes import ClassResults
from smartsvm.report.confusions import class_recalls, pair_errors
from smartsvm.report.data import DataResults, ReportSettings, Subsample
from smartsvm.report.dependence import Dependence, dependence_flag
from smartsvm.report.equal_rows import EqualRows
from smartsvm.report.errors import ErrorResults
from smartsvm.report.flags import (
    RepeatedRows,
    chance_flags,
    data_flags,
    dependence_flags,
    duplicate_flags,
)
from smartsvm.report.forward_in_time import drift_flags
from smartsvm.report.headroom import Headroom
from smartsvm.report.labels import LabelResults
from smartsvm.report.pairs import PairResults
from smartsvm.report.regression_hint import regression_flags
from smartsvm.report.result import DifficultyReport
from smartsvm.report.signal_columns import SignalColumns
from smartsvm.report.trees import TreeResults


class Measured(NamedTuple):
    """The results of all stages."""

    samples: Any  # `Samples`
    problem: Any  # `Problem`
    near: Any  # `Neighborhood`
    held_out: Any  # `HeldOutStage`
    trees: Any  # `TreeStage`
    extrapolation: Any  # `Extrapolation`
    pair_separation: np.ndarray
    equal_rows: EqualRows
    dependence: Dependence | None
    signal_columns: SignalColumns | None
    bayes_error: Interval
    errors: ErrorResults
    label_errors: LabelErrors
    headroom: dict[str, Headroom]
    doubts: tuple  # flags on answers of models that are hardly held out


def compose(measured, settings):
    """The report, with a verdict if there is a target."""
    report = DifficultyReport(
        bayes_error=measured.bayes_error,
        verdict=None,
        errors=measured.errors,
        classes=_classes(measured),
        pairs=_pairs(measured),
        labels=_labels(measured),
        trees=_trees(measured),
        data=_data(measured),
        models=measured.headroom,
        flags=tuple(_flags(measured)),
        settings=ReportSettings(settings.confidence, measured.problem.scale, settings.random_state),
    )
    if settings.target_accuracy is None:
        return report
    return replace(report, verdict=report.judge(settings.target_accuracy, settings.target_metric))


def _classes(measured):
    confusions, trees = measured.held_out.confusions, measured.trees
    return ClassResults(
        names=measured.problem.classes,
        counts=trees.forest.class_counts,
        confusion=confusions.answers,
        recall=class_recalls(confusions, measured.problem.z),
        bounds=trees.bounds.by_class,
    )


def _pairs(measured):
    return PairResults(
        confused=pair_errors(measured.held_out.confusions, measured.problem.z),
        bounds=measured.trees.pairwise,
        scores=measured.trees.pair_scores,
        separation=measured.pair_separation,
    )


def _labels(measured):
    problem = measured.problem
    answers = problem.codes.copy()
    answers[problem.judged] = measured.held_out.posterior.of(problem.judged).answers()
    return LabelResults.of(
        measured.label_errors, problem.classes, problem.codes, answers, measured.near.disagreement
    )


def _trees(measured):
    trees, extrapolation = measured.trees, measured.extrapolation
    return TreeResults(
        lower=trees.bounds.lower,
        upper=trees.bounds.upper,
        cross_share=trees.bounds.cross_share,
        cross_limit=extrapolation.limit,
        convergence=extrapolation.curve,
        sample_difficulty=trees.sample_difficulty,
        n_trees=trees.forest.counted_trees,
        n_tie_orders=trees.forest.n_orders,
    )


def _data(measured):
    samples = measured.samples
    n, n_features = samples.X.shape
    subsample = None
    if n < samples.n_given:
        variance = measured.trees.bounds.variance.total
        added = float(np.sqrt(variance * (1 - n / samples.n_given)) / n)
        subsample = Subsample(samples.n_given, added)
    return DataResults(
        n_samples=n,
        n_features=n_features,
        rows=samples.rows,
        row_names=samples.row_names,
        signal=measured.trees.signal,
        signal_columns=measured.signal_columns,
        equal_rows=measured.equal_rows,
        dependence=measured.dependence,
        subsample=subsample,
        splits=None if samples.splits is None else samples.splits.note(),
        preparation=samples.preparation,
    )


def _flags(measured):
    samples, near, held_out, trees = measured[0], measured.near, measured.held_out, measured.trees
    if measured.dependence is not None:
        yield dependence_flag(measured.dependence)
    yield from measured.doubts
    yield from drift_flags(measured.errors.forward_in_time)
    yield from dependence_flags(near.copies, trees.forest.between_groups)
    refused, significant = measured.extrapolation.limit.refused, trees.signal.significant
    yield from chance_flags(refused, significant, held_out.errors.gain)
    repeated = read_repeated_rows(near, held_out, measured.equal_rows)
    yield from duplicate_flags(trees.forest.duplicate_share, repeated)
    yield from data_flags(
        samples.X, samples.classes, samples.codes, samples.feature_names, samples.time
    )
    confusion = held_out.confusions.answers
    yield from regression_flags(samples.classes, len(samples.codes), confusion)


def read_repeated_rows(near, held_out, equal):
    """What k nearest neighbours err if repeated rows are cases of their own, and if copies."""
    counted = float(near.votes.errors.min())
    if near.distinct is not None:
        once = min(error for _, error in held_out.once_by_n_neighbors)
    else:
        others = near.votes.wrong[:, ~near.equal]
        once = float(others.mean(axis=1).min()) if others.size else counted
    return RepeatedRows(near.distinct is not None, counted, once, equal.in_large_cells)

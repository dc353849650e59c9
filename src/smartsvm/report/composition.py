"""The report composed of the results of its stages."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from smartsvm.estimation.results import Interval
from smartsvm.label_errors.suspect_labels import LIKELY, LabelErrors
from smartsvm.report.classes import ClassResults
from smartsvm.report.confusions import class_recalls, pair_errors
from smartsvm.report.data import DataResults, ReportSettings, Subsample
from smartsvm.report.dependence import Dependence
from smartsvm.report.equal_rows import EqualRows
from smartsvm.report.errors import ErrorResults
from smartsvm.report.flags.registry import find_flags
from smartsvm.report.headroom import Headroom
from smartsvm.report.held_out_stage import HeldOutStage
from smartsvm.report.judged_models import GivenAnswers
from smartsvm.report.labels import LabelResults
from smartsvm.report.neighborhood import Neighborhood
from smartsvm.report.pairs import PairResults
from smartsvm.report.problem import Problem
from smartsvm.report.result import DifficultyReport
from smartsvm.report.samples import Samples
from smartsvm.report.signal_columns import SignalColumns
from smartsvm.report.tree_stage import Extrapolation, TreeStage
from smartsvm.report.trees import TreeResults


class Measured(NamedTuple):
    """The results of all stages."""

    samples: Samples
    problem: Problem
    near: Neighborhood
    held_out: HeldOutStage
    trees: TreeStage
    extrapolation: Extrapolation
    pair_separation: np.ndarray
    equal_rows: EqualRows
    dependence: Dependence | None
    signal_columns: SignalColumns | None
    bayes_error: Interval
    errors: ErrorResults
    label_errors: LabelErrors
    headroom: dict[str, Headroom]
    given_answers: tuple[GivenAnswers, ...]


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
        flags=find_flags(measured),
        settings=ReportSettings(settings.confidence, measured.problem.scale, settings.random_state),
    )
    if settings.target_accuracy is None:
        return report
    return replace(report, verdict=report.judge(settings.target_accuracy, settings.target_metric))


def _classes(measured):
    confusions, trees = measured.held_out.confusions, measured.trees
    return ClassResults(
        names=measured.problem.classes,
        counts=trees.counts.forest.class_counts,
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
    problem, errors = measured.problem, measured.label_errors
    codes, classes = problem.codes, problem.classes
    suggested = codes.copy()
    suggested[problem.judged] = measured.held_out.posterior.of(problem.judged).answers()
    suggested[errors.suspects] = errors.rivals[errors.suspects]
    return LabelResults(
        given=classes[codes],
        suggested=classes[suggested],
        posterior=errors.posterior,
        margin=errors.margin,
        error_chance=errors.error_chance,
        disagreement=measured.near.disagreement,
        ranking=errors.ranking,
        n_suspects=len(errors.suspects),
        n_likely=int(np.count_nonzero(errors.error_chance[errors.suspects] >= LIKELY)),
        error_rate=errors.error_rate,
        supports=errors.supports,
        overlap=errors.overlap,
    )


def _trees(measured):
    trees, extrapolation = measured.trees, measured.extrapolation
    return TreeResults(
        lower=trees.bounds.lower,
        upper=trees.bounds.upper,
        cross_share=trees.bounds.cross_share,
        cross_limit=extrapolation.limit.if_known(),
        convergence=extrapolation.curve,
        sample_difficulty=trees.sample_difficulty,
        n_trees=trees.counts.n_counted,
        n_tie_orders=len(trees.counts.orders),
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

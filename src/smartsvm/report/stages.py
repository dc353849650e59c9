"""The stages of a report: each takes the results of earlier ones, and gives a part of the report.

neighbours → classifiers ┐             ┌ errors, labels, models
           → trees       ┘→ copies of  ┤ classes, pairs, trees     → report → its flags
                            units      └ data
"""

from dataclasses import replace

from smartsvm.estimation.class_forest import ClassForest
from smartsvm.presentation.progress import Steps
from smartsvm.report.at_priors import at_priors
from smartsvm.report.classes import ClassResults
from smartsvm.report.conclusions import measure_errors
from smartsvm.report.data import DataResults, subsample_cost
from smartsvm.report.dependence import find_dependent_rows
from smartsvm.report.doubtful_columns import find_doubtful_columns
from smartsvm.report.equal_rows import equal_rows
from smartsvm.report.flags.registry import find_flags
from smartsvm.report.forward_in_time import measure_forward
from smartsvm.report.held_out_stage import try_classifiers
from smartsvm.report.judged_models import headroom_of_models
from smartsvm.report.labels import LabelResults
from smartsvm.report.neighborhood import find_neighbors
from smartsvm.report.pairs import PairResults
from smartsvm.report.ranked_columns import rank_columns
from smartsvm.report.repeated_rows import repeated_rows
from smartsvm.report.repeats import find_repeats
from smartsvm.report.result import DifficultyReport
from smartsvm.report.signal_columns import find_signal_columns
from smartsvm.report.tree_stage import (
    count_edges,
    cross_variance,
    forest_of_cases,
    measure_signal,
    measure_trees,
)


def run_stages(problem, n_trees, classifiers, overlap):
    """The report on a `Problem`, without a verdict."""
    steps, n = Steps(problem.verbose), len(problem.codes)
    # Before the trees: the lists of neighbours need the most memory.
    steps.begin(f"nearest neighbours of {n:,} samples")
    neighborhood = find_neighbors(problem)
    steps.begin("held-out errors")
    held_out = try_classifiers(problem, neighborhood, classifiers)
    steps.begin("spanning trees")
    counts = count_edges(
        problem.points, problem.codes, n_trees, groups=problem.groups, **problem.work
    )
    forest = ClassForest._of_counts(counts, problem.classes, n_trees.made)
    cases = forest_of_cases(problem, neighborhood)
    signal, difficulty = measure_signal(problem, cases, counts, n_trees)
    steps.begin("extrapolation")
    trees, limit = measure_trees(problem, neighborhood, cases, counts, forest, difficulty)
    pairs = PairResults.of(problem, held_out, counts, forest)
    steps.begin("dependent rows")
    equal = equal_rows(counts.forest, neighborhood.distinct, problem.categories)
    dependence = find_dependent_rows(problem, neighborhood, equal, signal)
    steps.begin("label errors and conclusions")
    forward = measure_forward(problem)
    bayes_error, errors = measure_errors(problem, neighborhood, held_out, limit, equal, forward)
    labels = LabelResults.of(problem, neighborhood, held_out, signal, errors, bayes_error, overlap)
    models = headroom_of_models(problem, neighborhood, held_out, limit, equal, errors, labels)
    columns = find_signal_columns(problem, neighborhood, held_out.trials, signal)
    subsample = None
    if n < problem.n_given:
        subsample = subsample_cost(problem, cross_variance(problem, neighborhood, counts))
    data = DataResults(
        n_samples=n,
        n_features=problem.X.shape[1],
        rows=problem.rows,
        row_names=problem.row_names,
        signal=signal,
        signal_columns=columns,
        equal_rows=equal,
        repeats=find_repeats(problem, neighborhood, errors, equal),
        repeated_rows=repeated_rows(problem, neighborhood),
        dependence=dependence,
        doubtful_columns=(),
        ranking=rank_columns(problem, neighborhood, held_out.trials),
        rows_left_out=problem.rows_left_out,
        subsample=subsample,
        splits=None if problem.splits is None else problem.splits.note(),
        preparation=problem.preparation,
    )
    report = DifficultyReport(
        bayes_error=bayes_error,
        verdict=None,
        errors=errors,
        classes=ClassResults.of(problem, neighborhood, held_out, forest),
        pairs=pairs,
        labels=labels,
        trees=trees,
        data=data,
        models=models,
        flags=(),
        settings=problem.settings,
    )
    doubtful = find_doubtful_columns(report, problem, neighborhood)
    report = replace(report, data=replace(data, doubtful_columns=doubtful))
    report = replace(report, flags=find_flags(report, problem))
    return report if problem.priors is None else at_priors(report, problem, neighborhood, held_out)

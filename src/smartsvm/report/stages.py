"""The stages of a report: each takes the results of earlier ones and hands on its own.

samples → neighbours → held-out errors ┐
        → trees (bounds, signal)       ├→ conclusions → label errors → `compose`
        → extrapolation                ┘
"""

from smartsvm.label_errors.suspect_labels import find_label_errors
from smartsvm.presentation.progress import Steps
from smartsvm.report.composition import Measured, compose
from smartsvm.report.conclusions import conclude
from smartsvm.report.dependence import find_dependent_rows
from smartsvm.report.equal_rows import equal_rows
from smartsvm.report.forward_in_time import measure_forward
from smartsvm.report.held_out_stage import measure_held_out_errors
from smartsvm.report.judged_models import headroom_of_models
from smartsvm.report.neighborhood import find_neighbors
from smartsvm.report.pair_separation import pair_separation
from smartsvm.report.problem import Problem
from smartsvm.report.signal_columns import find_signal_columns
from smartsvm.report.tree_stage import extrapolate_trees, grow_trees


def run_stages(samples, settings):
    """The report on some samples, one stage after the other."""
    steps, problem = Steps(settings.verbose), Problem.of(samples, settings)
    # Before the trees: the lists of neighbours need the most memory.
    steps.begin(f"nearest neighbours of {len(problem.codes):,} samples")
    near = find_neighbors(problem)
    steps.begin("held-out errors")
    held_out = measure_held_out_errors(samples, problem, near, settings.classifiers)
    steps.begin("spanning trees")
    trees = grow_trees(problem, near, settings.trees)
    steps.begin("extrapolation")
    extrapolation = extrapolate_trees(problem, near, trees)
    separation = pair_separation(
        problem.points.values,
        problem.codes,
        trees.pair_scores,
        held_out.posterior,
        problem.folds,
        **problem.threads,
    )
    steps.begin("dependent rows")
    equal = equal_rows(trees.counts.forest, near.distinct, problem.categories)
    dependence = find_dependent_rows(samples, problem, near, trees, equal)
    steps.begin("label errors and conclusions")
    forward = measure_forward(samples, problem)
    bayes_error, errors = conclude(
        samples, problem, held_out, trees, extrapolation.limit, equal, forward
    )
    label_errors = find_label_errors(
        held_out.posterior.of(problem.judged),
        problem.codes[problem.judged],
        problem.z,
        overlap=settings.overlap,
        most_wrong=bayes_error.high,
        signal=trees.signal.significant,
        beats_baseline=held_out.errors.gain > 0,
        cases=near.distinct,  # where there are folds, all rows count
        n_jobs=problem.n_jobs,
    ).among(problem.judged, len(problem.codes))
    limit, distributions = extrapolation.limit, errors.distributions
    headroom, given_answers = headroom_of_models(
        samples, problem, near, held_out, trees, limit, distributions, equal, label_errors
    )
    columns = None
    if trees.signal.significant:
        columns = find_signal_columns(problem, near, held_out.trials, samples.names)
    measured = Measured(
        samples=samples,
        problem=problem,
        near=near,
        held_out=held_out,
        trees=trees,
        extrapolation=extrapolation,
        pair_separation=separation,
        equal_rows=equal,
        dependence=dependence,
        signal_columns=columns,
        bayes_error=bayes_error,
        errors=errors,
        label_errors=label_errors,
        headroom=headroom,
        given_answers=given_answers,
    )
    return compose(measured, settings)

"""The stages of a report: each takes the results of earlier ones and hands on its own.

samples → neighbours → held-out errors ┐
        → trees (bounds, signal)       ├→ conclusions → label errors → `compose`
        → extrapolation                ┘
"""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from smartsvm._core.points import Points, scale_points
from smartsvm._core.progress import Steps
from smartsvm._core.validation import tie_seed
from smartsvm.estimation.cross_edges import between_groups, count_by_sample
from smartsvm.estimation.extrapolation import (
    ConvergenceCurve,
    CrossLimit,
    convergence_curve,
    cross_limit,
    extrapolate,
    limit_of_equal_rows,
    rungs_of,
    trees_of_parts,
)
from smartsvm.estimation.friedman_rafsky import (
    LOCAL_NEIGHBORS,
    SignalTest,
    pairwise_tests,
    signal_on_trees,
)
from smartsvm.estimation.number_of_trees import AVERAGED_TREES
from smartsvm.estimation.results import ErrorEstimate, Interval
from smartsvm.estimation.tie_averaged_forest import TieAveragedForest
from smartsvm.held_out.folds import Folds, folds_of_groups
from smartsvm.held_out.mistakes import Mistakes
from smartsvm.held_out.neighbors import (
    labels_of,
    ladder_for,
    n_outside,
    nearest_rows,
    neighbor_mistakes,
)
from smartsvm.held_out.posterior import Posterior, combined_posterior
from smartsvm.held_out.registry import COMBINED, NEIGHBORS, Trials, renumbered
from smartsvm.held_out.scale_choice import choose_scale
from smartsvm.label_errors.suspect_labels import find_label_errors
from smartsvm.report.composition import Measured, compose
from smartsvm.report.conclusions import conclude
from smartsvm.report.confusions import (
    BalancedErrors,
    Confusions,
    balanced_errors,
    count_confusions,
)
from smartsvm.report.copies import (
    COPY_NEIGHBORS,
    UNLIKE_COPIES,
    copies_with_changes,
    jittered_copies,
    label_likeness,
    near_copies,
    one_of_each,
)
from smartsvm.report.dependence import find_dependence
from smartsvm.report.equal_rows import equal_rows
from smartsvm.report.forward_in_time import forward_in_time
from smartsvm.report.held_out_errors import HeldOutErrors, held_out_errors
from smartsvm.report.intervals import (
    BoundIntervals,
    baseline_interval,
    bound_intervals,
)
from smartsvm.report.judged_models import answers_of_models, headroom_of_models, mistakes_of
from smartsvm.report.pair_separation import pair_separation
from smartsvm.report.signal_columns import signal_columns
from smartsvm.tables.dates import PARTS
from smartsvm.tables.unit_columns import is_unit_name
from smartsvm.trees.in_memory.class_trees import SpanningForest

# The signal test has 2,000,000 / (trees · samples) permutations, from 99 to 999: its time then
# hardly grows with the samples.
_PERMUTED_EDGES = 2_000_000
# Smaller probabilities of a label count as this much, so that the log loss is finite.
_LEAST_CHANCE = 1e-12
# With this fraction of equal rows, X is a table of cells: their labels show the limit of the
# errors, and rows that are alike are counts of one cell.
_MANY_EQUAL = 0.5


class Settings(NamedTuple):
    """How a report is computed."""

    trees: object  # `ReportTrees`
    classifiers: tuple
    target_accuracy: float | None
    target_metric: str
    confidence: float
    scale: str
    random_state: int
    n_jobs: int | None
    verbose: int
    device: str  # that computes the trees


class Problem(NamedTuple):
    """The scaled points with what all stages use."""

    points: Points
    scale: str  # of the columns
    codes: np.ndarray
    classes: np.ndarray
    groups: np.ndarray | None
    folds: Folds | None  # of `cv`, or of whole groups
    z: float  # standard errors to each side of an interval
    confidence: float  # of an interval
    n_independent: float  # samples; those of a group count as one
    threads: dict  # seed and n_jobs
    work: dict  # and verbose

    @property
    def judged(self):
        """Rows of the samples that are held out."""
        return np.arange(len(self.codes)) if self.folds is None else self.folds.judged

    @classmethod
    def of(cls, samples, settings):
        """Scale the points; count the samples of a group as one in the intervals."""
        z, n_independent = float(ndtri(0.5 + settings.confidence / 2)), float(len(samples.codes))
        if samples.groups is not None:
            sizes = np.bincount(samples.groups)
            widening = float(np.sqrt(sizes @ sizes / len(samples.codes)))
            z, n_independent = z * widening, n_independent / widening**2
        threads = {"seed": tie_seed(settings.random_state), "n_jobs": settings.n_jobs}
        X, scale = samples.X, settings.scale
        if scale == "auto":
            scale = choose_scale(X, samples.codes, groups=samples.groups, **threads)
        points = scale_points(X, scale, device=settings.device, n_jobs=settings.n_jobs)
        folds = None if samples.groups is None else folds_of_groups(samples.groups)
        if samples.splits is not None:
            folds = samples.splits.folds
        return cls(
            points=points,
            scale=scale,
            codes=samples.codes,
            classes=samples.classes,
            groups=samples.groups,
            folds=folds,
            z=z,
            confidence=settings.confidence,
            n_independent=n_independent,
            threads=threads,
            work=threads | {"verbose": settings.verbose},
        )


class Neighborhood(NamedTuple):
    """Nearest neighbours of all samples."""

    labels: np.ndarray  # their classes, shape (k, n_samples)
    votes: Mistakes
    disagreement: np.ndarray  # fraction of the neighbours with another class
    copies: float  # fraction of the samples that have a near copy
    equal: np.ndarray  # whether a sample's nearest neighbour is equal
    distinct: np.ndarray | None  # one row of each case, if rows are repeated
    stand_ins: np.ndarray | None  # for every sample, its place among these


class HeldOutStage(NamedTuple):
    """Held-out errors and all that later stages take from the classifiers."""

    trials: Trials
    joined: Trials  # by the models that were cross-validated
    errors: HeldOutErrors
    baseline: Interval
    balanced: BalancedErrors
    by_n_neighbors: tuple  # numbers of neighbours and the error of each
    once_by_n_neighbors: tuple  # the same on one row of each case
    posterior: Posterior  # of all samples
    confusions: Confusions
    kernel_gain: float  # by which a quarter of the samples raises the error of kernel ridge
    log_loss: float  # of the combined posterior
    models: tuple  # `Model` with its answers


class TreeStage(NamedTuple):
    """The spanning trees and all that is read off them."""

    forest: TieAveragedForest
    bounds: BoundIntervals
    signal: SignalTest
    sample_difficulty: np.ndarray
    pairwise: ErrorEstimate
    pair_scores: np.ndarray


class Extrapolation(NamedTuple):
    """The fraction of cross edges with more samples."""

    curve: ConvergenceCurve
    limit: CrossLimit


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
    equal = equal_rows(trees.forest, near.distinct)
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
        most_wrong=bayes_error.high,
        signal=trees.signal.significant,
        beats_baseline=held_out.errors.gain > 0,
    ).among(problem.judged, len(problem.codes))
    limit, distributions = extrapolation.limit, errors.distributions
    headroom, given_answers = headroom_of_models(
        samples, problem, near, held_out, trees, limit, distributions, equal, label_errors
    )
    columns = None
    if trees.signal.significant:
        columns = find_signal_columns(problem, near, held_out.trials, samples.feature_names)
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


def find_neighbors(problem):
    """Search the nearest neighbours once, for all that uses them."""
    points, codes, groups = problem.points.values, problem.codes, problem.groups
    n, n_classes = len(codes), len(problem.classes)
    most = n - 1 if groups is None else n_outside(groups)
    ladder = ladder_for(min(n, most + 1))
    k = max(int(ladder[-1]), LOCAL_NEIGHBORS)
    longest = max(k, min(COPY_NEIGHBORS, most))
    more = nearest_rows(problem.points, longest, groups=groups, **problem.work)
    nearest = np.ascontiguousarray(more[:, :k])
    labels, n_jobs = labels_of(nearest, codes), problem.threads["n_jobs"]
    votes = neighbor_mistakes(points, codes, n_classes, nearest, ladder, n_jobs)
    disagreement = 1 - (labels[: ladder[-1]] == codes).sum(axis=0) / float(ladder[-1])
    copies, cases = near_copies(points, more, n_jobs)
    if not copies:
        others = copies_with_changes(points, groups)
        if not others[0]:
            others = jittered_copies(points, more, codes, n_jobs)
        copies, cases = others if others[0] else (copies, cases)
    if copies and label_likeness(codes, cases) >= UNLIKE_COPIES:
        copies = 0.0  # two rows of a day or a year, say, one of each class
    distinct = None, None
    if problem.folds is None and cases is not None:
        distinct = one_of_each(points, codes, cases)
    same = np.flatnonzero(points[nearest[:, 0], 0] == points[:, 0])
    equal = np.zeros(n, dtype=bool)
    equal[same] = (points[nearest[same, 0]] == points[same]).all(axis=1)
    return Neighborhood(labels, votes, disagreement, copies, equal, *distinct)


def measure_held_out_errors(samples, problem, near, classifiers):
    """Fit the classifiers and count their held-out mistakes, on one row of each case."""
    points, codes = problem.points, problem.codes
    votes = near.votes if samples.splits is None else None
    if near.distinct is not None:
        points, codes, votes = points.of(near.distinct), codes[near.distinct], None
    trials = Trials(points, codes, votes, classifiers, folds=problem.folds, **problem.threads)
    seed, n_classes = problem.threads["seed"], len(problem.classes)
    posterior = combined_posterior(trials, codes, n_classes, problem.groups)
    tested, own = posterior.of(trials.judged), codes[trials.judged]
    trials.mistakes[COMBINED] = Mistakes((None,), (tested.answers() != own)[None])
    joined = trials
    log_loss = -float(np.log(np.maximum(tested.of_labels(own), _LEAST_CHANCE)).mean())
    votes = trials.mistakes[NEIGHBORS]
    ladder = near.votes if samples.splits is None else votes
    confusions = count_confusions(tested, own, problem.threads["n_jobs"])
    rows = np.arange(len(codes)) if near.distinct is None else near.distinct
    models = answers_of_models(samples, problem, rows)
    for model in models:
        if not model.is_given:
            joined = joined.joined_by(mistakes_of(model, trials))
    if near.stand_ins is not None:
        posterior = posterior.of(near.stand_ins)
    counts = np.bincount(problem.codes[problem.judged], minlength=n_classes)
    return HeldOutStage(
        trials=trials,
        joined=joined,
        errors=held_out_errors(joined, problem.z, seed),
        baseline=baseline_interval(counts, len(own), problem.z),
        balanced=balanced_errors(confusions, problem.z),
        by_n_neighbors=tuple(zip(ladder.settings, ladder.errors.tolist(), strict=True)),
        once_by_n_neighbors=tuple(zip(votes.settings, votes.errors.tolist(), strict=True)),
        posterior=posterior,
        confusions=confusions,
        kernel_gain=trials.kernel_gain(),
        log_loss=log_loss,
        models=models,
    )


def find_dependent_rows(samples, problem, near, trees, equal):
    """Rows of a unit, or consecutive ones, that are alike; None where the folds are given."""
    if problem.folds is not None or not trees.signal.significant:
        return None
    if equal.in_large_cells >= _MANY_EQUAL:
        return None
    rows = slice(None) if near.distinct is None else near.distinct  # no copies of one case
    units = [each._replace(codes=renumbered(each.codes[rows])) for each in samples.units]
    names = samples.feature_names
    ids = None if names is None else [is_unit_name(str(name)) for name in names]
    given = problem.points.values[rows], problem.codes[rows], units, _may_be_names(samples)
    found = find_dependence(*given, ids, **problem.threads)
    if found is None or not isinstance(found.unit, int) or samples.feature_names is None:
        return found
    return found._replace(unit=samples.feature_names[found.unit])


def _may_be_names(samples):
    """Columns of whole numbers that are not the time: the others are measured on a scale."""
    found = (np.floor(samples.X) == samples.X).all(axis=0)
    if samples.time is not None:
        same_time = np.unique(samples.time, return_inverse=True)[1]
        for j in np.flatnonzero(found):
            same_value = np.unique(samples.X[:, j], return_inverse=True)[1]
            found[j] = not np.array_equal(same_value, same_time)
    return found


def measure_forward(samples, problem):
    """Errors forward in time, or None without times."""
    if samples.time is None:
        return None
    # A date becomes columns that begin with its name; a column of numbers is the time itself.
    names, name = samples.feature_names, str(samples.time_name)
    of_time = [] if names is None else [j for j, each in enumerate(names) if _is_of(each, name)]
    given = problem.points.values, problem.codes, samples.time, of_time
    found = forward_in_time(*given, z=problem.z, **problem.threads)
    if found is None:
        return None
    return found._replace(time=samples.time_name, changing=samples.classes[found.changing])


def _is_of(column, name):
    """Whether a column is that of a date, or a part of it, such as its weekday."""
    parts = (f"{name} {part}" for part in PARTS)
    return str(column) == name or str(column).startswith(tuple(f"{part} " for part in parts))


def find_signal_columns(problem, near, trials, names):
    """The columns that carry the signal, by name, or None if they are unclear."""
    rows = slice(None) if near.distinct is None else near.distinct
    points, codes = problem.points.values[rows], problem.codes[rows]
    found = signal_columns(trials, points, codes, problem.folds, **problem.threads)
    if found is None or names is None:
        return found
    return found._replace(columns=tuple(names[j] for j in found.columns))


def grow_trees(problem, near, n_trees):
    """Compute the trees and all that is read off them."""
    forest = TieAveragedForest(
        problem.points,
        problem.codes,
        problem.classes,
        n_trees=n_trees.made,
        counted_trees=n_trees.counted,
        groups=problem.groups,
        averages_ties=n_trees.averages_ties,
        seed=problem.work["seed"],
        n_jobs=problem.work["n_jobs"],
        verbose=problem.work["verbose"],
    )
    signal, difficulty = _test_signal(problem, near, forest, n_trees)
    return TreeStage(
        forest=forest,
        bounds=bound_intervals(forest, near.labels, problem.z),
        signal=signal,
        sample_difficulty=difficulty,
        pairwise=forest.pairwise(normalize=True),
        pair_scores=pairwise_tests(forest),
    )


def _test_signal(problem, near, forest, n_trees):
    """The signal test and the difficulty of every sample, from more trees if they are cheap."""
    points, codes, groups = problem.points, problem.codes, problem.groups
    edges, difficulty = forest.tree_edges(), forest.sample_difficulty()
    if n_trees.tested > n_trees.made:
        more = SpanningForest(points, codes, n_trees=n_trees.tested, **problem.threads)
        edges = more.tree_edges()
        crossing, total = count_by_sample(between_groups(np.concatenate(edges), groups), codes)
        difficulty = crossing / np.maximum(total, 1)
    if near.distinct is not None:  # edges between copies of one case say nothing
        points, codes = points.of(near.distinct), codes[near.distinct]
        n_tested = min(n_trees.tested, max(1, len(codes) // 2))
        edges = SpanningForest(points, codes, n_trees=n_tested, **problem.threads).tree_edges()
    n_permutations = int(np.clip(_PERMUTED_EDGES / (n_trees.tested * len(codes)), 99, 999))
    signal = signal_on_trees(
        edges, codes, n_permutations, groups=groups, points=points.values, **problem.threads
    )
    return signal, difficulty


def extrapolate_trees(problem, near, trees):
    """Trees of growing parts of the data, and where the fraction of cross edges ends."""
    points, codes, groups = problem.points, problem.codes, problem.groups
    whole = trees.forest.whole()
    parts = trees_of_parts(points, codes, whole, **problem.work)
    curve = convergence_curve(parts, codes, trees.forest.first_tree_cross(), groups)
    if near.distinct is None:
        n_classes = len(problem.classes)
        limit = extrapolate(rungs_of(near.labels, codes, n_classes, parts, whole, groups))
        if near.equal.mean() >= _MANY_EQUAL and groups is None:
            limit = limit_of_equal_rows(points.values, codes, limit)
    else:
        distinct = points.of(near.distinct), codes[near.distinct]
        own = SpanningForest(*distinct, n_trees=AVERAGED_TREES, **problem.threads)
        limit = cross_limit(own, **problem.work)
    return Extrapolation(curve, limit)

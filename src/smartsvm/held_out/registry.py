"""The classifiers of a report: one entry each in `REGISTRY`, which is all that a new one needs.

A `HeldOutClassifier` says how it is named, how its error behaves, what it is fitted to, and has a
function that returns its `Mistakes` on held-out samples. `Trials` runs them on one data set.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from smartsvm._core.blas_threads import single_blas_thread
from smartsvm._core.sampling import shuffled_by_class, stratified_rows
from smartsvm.held_out.boosting import N_ROUNDS, boosting_held_out, boosting_predict
from smartsvm.held_out.categories import (
    PRIOR_ROWS,
    categories_leave_one_out,
    categories_predict,
)
from smartsvm.held_out.columns import normal_scores, telling_ranks
from smartsvm.held_out.extra_trees import N_TREES, extra_trees_out_of_bag, extra_trees_predict
from smartsvm.held_out.folds import group_folds
from smartsvm.held_out.gaussians import gaussians_leave_one_out, gaussians_predict
from smartsvm.held_out.kernel import RIDGES, WIDTHS, kernel_leave_one_out, kernel_predict
from smartsvm.held_out.linear import SHRINKAGES, linear_leave_one_out, linear_predict
from smartsvm.held_out.mistakes import Mistakes, grouped_mistakes, predictions
from smartsvm.held_out.neighbors import neighbors_leave_one_out

NEIGHBORS, COMBINED, BASELINE = "neighbors", "combined", "baseline"
# What a classifier is fitted to: all rows, or at most half of them (see `Trials.rows`) as values,
# as ranks, or as Gaussian quantiles of the ranks.
ALL_ROWS, SOME_ROWS, RANKS, QUANTILES = "all rows", "some rows", "ranks", "quantiles"
LEAST_ROWS, MOST_ROWS = 2500, 10_000
_LEAST_PART = 20  # samples

# A classifier counts as converged when a quarter of the samples already gives the first fraction
# of its improvement over the baseline, and as just begun at the second fraction or less. Parametric
# ones converge at the lower rate at first. Chosen on the families for design.
_CONVERGED, _JUST_BEGUN, _EARLY_RATE = 0.9, 0.7, 0.7
_CHANCE = 2.0  # standard errors by which the errors of two classifiers differ by chance
# Variance of an error over that of independent samples. Votes and the choice of a width make errors
# depend on each other: with two Gaussian classes and 100 or 300 samples, 1.6 and 1.4 times.
_VARIANCE, _OF_VOTES, _OF_KERNELS = 1.1, 1.5, 1.35


@dataclass(frozen=True)
class HeldOutClassifier:
    """One classifier of the report."""

    # held_out(points, codes, n_classes, seed=, n_jobs=) returns `Mistakes`, and
    # predict(points, codes, n_classes, train, settings, seed=, n_jobs=) for each setting the scores
    # of the rows not in `train` by a fit to the others; None where it cannot be fitted.
    name: str  # in classifiers=, in attributes and in JSON
    words: str  # in sentences, after "with"
    rate: float  # with n samples the error exceeds its limit by about n^-rate
    held_out: Callable[..., Mistakes | None] | None
    fitted_to: str = SOME_ROWS
    variance: float = _VARIANCE
    setting: str = ""  # how a row shows the setting, if at all
    # The mistakes that a refit to fewer samples is compared with, and its options.
    for_refit: Callable[[Mistakes], tuple[Mistakes, dict]] = lambda mistakes: (mistakes, {})
    predict: Callable[..., Iterable[np.ndarray] | None] | None = None
    settings: tuple = (None,)  # that `predict` tries where whole groups are held out
    flexible: bool = True  # whether enough samples bring it near the Bayes error of most problems
    refits: int = 4  # at most, to quarters of the samples


def _near_widths(mistakes):
    """With fewer samples the best width or the next wider one is the best, hardly any other."""
    best, _ = mistakes.settings[int(mistakes.errors.argmin())]
    widths = [each for each in WIDTHS if each <= best][-2:]
    return mistakes.only([width in widths for width, _ in mistakes.settings]), {"widths": widths}


_KERNEL = {"variance": _OF_KERNELS, "for_refit": _near_widths, "predict": kernel_predict}
_KERNEL["settings"] = tuple(product(WIDTHS, RIDGES))
_ALL = (
    HeldOutClassifier(
        NEIGHBORS, "k nearest neighbours", 0.25, neighbors_leave_one_out, ALL_ROWS,
        _OF_VOTES, " (k = {})",
    ),
    HeldOutClassifier(
        "linear", "a linear classifier (LDA)", 1.0, linear_leave_one_out, ALL_ROWS,
        predict=linear_predict, settings=SHRINKAGES, flexible=False,
    ),
    HeldOutClassifier(
        "gaussians", "Gaussian classes (QDA)", 1.0, gaussians_leave_one_out,
        predict=gaussians_predict, flexible=False,
    ),
    HeldOutClassifier("kernel", "a kernel ridge classifier", 0.5, kernel_leave_one_out, **_KERNEL),
    HeldOutClassifier(
        "ranks", "a kernel ridge classifier on ranks", 0.5, kernel_leave_one_out, RANKS, **_KERNEL,
    ),
    # Its rate is lower than that of LDA: it also estimates the distribution of every column.
    HeldOutClassifier(
        "linear_ranks", "a linear classifier (LDA) on ranks", 0.5, linear_leave_one_out,
        QUANTILES, predict=linear_predict, settings=SHRINKAGES, flexible=False,
    ),
    HeldOutClassifier(
        "forest", "a random forest", 0.25, extra_trees_out_of_bag, SOME_ROWS,
        _OF_VOTES, predict=extra_trees_predict, settings=(N_TREES,),
    ),
    HeldOutClassifier(
        "boosting", "gradient boosting", 0.5, boosting_held_out,
        for_refit=lambda mistakes: (mistakes, {"screened": False}), predict=boosting_predict,
        settings=(N_ROUNDS,), refits=1,
    ),
    HeldOutClassifier(
        "categories", "repeated values as categories (naive Bayes)", 0.5, categories_leave_one_out,
        ALL_ROWS, predict=categories_predict, settings=PRIOR_ROWS, flexible=False,
    ),
)  # fmt: skip
CLASSIFIERS, KERNELS = tuple(each.name for each in _ALL), ("kernel", "ranks")
REGISTRY = {each.name: each for each in _ALL}
# Not fitted by itself: see `posterior`. It confirms none of those that it combines.
REGISTRY[COMBINED] = HeldOutClassifier(
    COMBINED, "all classifiers combined", 0.25, None, ALL_ROWS, _OF_VOTES, flexible=False
)


def words_of(name):
    """How a sentence names a classifier or the baseline."""
    return "the baseline (largest class)" if name == BASELINE else REGISTRY[name].words


def with_setting(text, name, setting):
    """A name with the setting of the classifier, where that is a number people know."""
    return text + REGISTRY[name].setting.format(setting)


class Excess(NamedTuple):
    """How much of a classifier's error is due to too few samples."""

    value: float = 0.0  # at least 0: (error of quarters - error of all) / (4^rate - 1)
    error: float = 0.0  # its standard error, from the samples on which both disagree
    known: float = 1.0  # 0 while the classifier still learns fast, 1 where it has converged


class Trials:
    """The held-out mistakes of all classifiers on one data set, by name in `mistakes`."""

    # Those of limited work are fitted to and judged on `rows`. `votes` are those of the nearest
    # neighbours, if they are known, `on_device` the points as a tensor on a GPU that computes.
    def __init__(self, points, codes, votes, names, *, groups=None, seed, n_jobs, on_device=None):
        self._points, self._codes, self._groups = points, codes, groups
        self._on_device = on_device
        self._work, self.n_jobs = {"seed": seed, "n_jobs": n_jobs}, n_jobs
        self.rows = stratified_rows(codes, judged_rows(len(codes)), seed)
        self.rest = np.setdiff1d(np.arange(len(codes)), self.rows, assume_unique=True)
        self.mistakes = {} if votes is None else {NEIGHBORS: votes}
        chosen = [REGISTRY[name] for name in CLASSIFIERS if name in (NEIGHBORS, *names)]
        needs_ranks = any(each.fitted_to in (RANKS, QUANTILES) for each in chosen)
        self._ranks = telling_ranks(points[self.rows]) if needs_ranks else None
        self._excesses = {}  # by classifier
        for each in chosen:
            if each.name not in self.mistakes:
                self._run(each)

    def _run(self, classifier):
        """Store the mistakes of a classifier, unless it cannot be fitted."""
        points, codes = self._points, self._codes
        if classifier.fitted_to != ALL_ROWS:
            points, codes = self._some_points(classifier), codes[self.rows]
        if points is None:
            return
        groups = self._groups
        if groups is not None and classifier.fitted_to != ALL_ROWS:
            groups = renumbered(groups[self.rows])
        options = {}
        if self._on_device is not None and groups is None and points is self._points:
            options["on_device"] = self._on_device
        mistakes = self._mistakes(classifier, points, codes, groups, **options)
        if mistakes is not None:
            self.mistakes[classifier.name] = mistakes

    def _mistakes(self, classifier, points, codes, groups, **options):
        """Mistakes of a classifier on samples, or on groups, that it was not fitted to."""
        data, work = (points, codes, int(codes.max()) + 1), self._work | options
        if groups is None:
            return classifier.held_out(*data, **work)
        if not groups.any():
            return None
        if classifier.name == NEIGHBORS:
            return classifier.held_out(*data, groups=groups, **work)
        if classifier.predict is None:
            return None
        with single_blas_thread():  # several threads round in another order
            return grouped_mistakes(classifier, *data, groups, **work)

    def _some_points(self, classifier):
        """`rows` as a classifier sees them; None if it needs ranks and they tell nothing new."""
        if classifier.fitted_to not in (RANKS, QUANTILES):
            return self._points[self.rows]
        if self._ranks is None or classifier.fitted_to == RANKS:
            return self._ranks
        return normal_scores(self._ranks)

    def on_rows(self, name):
        """Mistakes of a classifier on `rows` alone."""
        wrong = self.mistakes[name].wrong
        return wrong if wrong.shape[1] == len(self.rows) else wrong[:, self.rows]

    def scored(self):
        """The classifiers that give scores of all samples."""
        everywhere = not len(self.rest)
        return [
            name
            for name, mistakes in self.mistakes.items()
            if mistakes.scores is not None
            and (everywhere or REGISTRY[name].predict or REGISTRY[name].fitted_to == ALL_ROWS)
        ]

    def scores(self, name, *, rest=False):
        """Scores of `rows`, or of the rest, by the best setting; with groups from other groups."""
        mistakes, classifier = self.mistakes[name], REGISTRY[name]
        if mistakes.wrong.shape[1] == len(self._codes):
            return mistakes.scores(mistakes.best, self.rest if rest else self.rows)
        if not rest:
            return mistakes.scores(mistakes.best)
        if self._groups is None and mistakes.further is not None:
            return mistakes.further(self._points[self.rest])
        points, codes, fitted = self._points, self._codes, np.zeros(len(self._codes), dtype=bool)
        fitted[self.rows] = True
        if classifier.fitted_to in (RANKS, QUANTILES):
            points = rankdata(points, axis=0)
        if classifier.fitted_to == QUANTILES:
            points = normal_scores(points)
        folds = np.zeros(len(codes), dtype=np.intp)
        if self._groups is not None:
            folds = group_folds(self._groups)
        setting, n_classes = (mistakes.settings[mistakes.best],), int(codes.max()) + 1
        out = np.empty((len(self.rest), n_classes), dtype=np.float32)
        for fold in range(folds.max() + 1):
            test = ~fitted & (folds == fold)
            train = fitted if self._groups is None else fitted & (folds != fold)
            used = test | train
            # A copy of all rows would take a while.
            used = slice(None) if used.all() else np.flatnonzero(used)
            data = points[used], codes[used], n_classes, train[used]
            threads = {each: self._work[each] for each in ("seed", "n_jobs")}
            found = predictions(classifier, *data, setting, **threads)
            if found is not None and self._groups is None:
                return next(iter(found))
            # Without a fit to these groups, nothing favours any class.
            out[test[self.rest]] = 0.0 if found is None else next(iter(found))
        return out

    def baseline_mistakes(self):
        """Mistakes of always answering the largest class, on all samples."""
        return self._codes != np.bincount(self._codes).argmax()

    def excess(self, name):
        """How much more samples would lower an error, from refits to quarters of them."""
        if name == COMBINED:  # as for the best of them
            name = min(self.scored(), key=lambda each: float(self.mistakes[each].errors.min()))
        if name not in self._excesses:
            self._excesses[name] = self._excess(name)
        return self._excesses[name]

    def _excess(self, name):
        rows, n = self.rows, len(self._codes)
        n_parts = next((parts for parts in (4, 2) if len(rows) >= parts * _LEAST_PART), None)
        if n_parts is None or name == BASELINE:
            return Excess()
        classifier = REGISTRY[name]
        codes, points = self._codes[rows], self._some_points(classifier)
        of_all, refit, groups = self.mistakes[name], {}, None
        if self._groups is None:
            of_all, refit = classifier.for_refit(of_all)
        else:
            groups = renumbered(self._groups[rows])
        settings = len(of_all.settings)
        wrong, judged = np.zeros((settings, len(rows))), np.zeros(len(rows), dtype=bool)
        in_classes = shuffled_by_class(codes, self._work["seed"])
        for part in range(min(n_parts, classifier.refits)):
            chosen = in_classes[part::n_parts]
            judged[chosen] = True
            classes, own = np.unique(codes[chosen], return_inverse=True)
            if len(classes) > 1:
                within = None if groups is None else renumbered(groups[chosen])
                of_part = self._mistakes(classifier, points[chosen], own, within, **refit)
                if of_part is None:
                    return Excess()
                # Fewer samples have fewer neighbours: the last number of them stands for more.
                available = np.minimum(np.arange(settings), len(of_part.settings) - 1)
                wrong[:, chosen] = of_part.wrong[available]
        if of_all.wrong.shape[1] > len(rows):
            of_all = self._mistakes(classifier, points, codes, groups)
        wrong, of_all = wrong[:, judged], of_all.wrong[of_all.errors.argmin()][judged]
        of_parts = wrong[wrong.mean(axis=1).argmin()]
        more = of_parts - of_all
        baseline = 1 - np.bincount(codes).max() / len(codes)
        gains = baseline - float(of_parts.mean()), baseline - float(of_all.mean())
        rate, known = _rate_and_known(classifier.rate, *gains)
        step = (len(rows) / n) ** rate / (n_parts**rate - 1)
        error = float(more.std()) / np.sqrt(len(more)) * step
        return Excess(max(float(more.mean()), 0.0) * step, error, known)

    def confirmed(self, name, tolerance):
        """How far a flexible classifier confirms the error of another one: 0 to 1."""
        # Fully where its own error is larger by chance at most, not at all where by `tolerance`
        # more. For one of fixed form, it must have converged, too.
        own, found = self._best_on_rows(name), [(0.0, 0.0, None)]
        for other in self.mistakes:
            if other != name and REGISTRY[other].flexible:
                more = self._best_on_rows(other) - own
                beyond = more.mean() - _CHANCE * more.std() / np.sqrt(len(more))
                agrees = float(np.clip(1 - beyond / max(tolerance, 1e-9), 0, 1))
                found.append((agrees, -float(more.mean()), other))
        agrees, _, other = max(found)
        if REGISTRY[name].flexible or not agrees:
            return agrees
        return agrees * self.excess(other).known

    def _best_on_rows(self, name):
        wrong = self.on_rows(name)
        return wrong[wrong.mean(axis=1).argmin()].astype(float)


def judged_rows(n):
    """Of how many of n samples all classifiers are judged."""
    return min(max(n // 2, LEAST_ROWS), MOST_ROWS)


def renumbered(groups):
    """Groups numbered from 0 without gaps."""
    return np.unique(groups, return_inverse=True)[1]


def _rate_and_known(rate, gain_of_parts, gain_of_all):
    """The rate at which an error falls, and how well its limit is known, by gains."""
    # A fixed number of parameters has a known limit and a lower rate at first; other classifiers
    # have one rate, and a limit that is unknown at first.
    known = 1.0
    if gain_of_all > 0:
        fraction = gain_of_parts / gain_of_all
        known = float(np.clip((fraction - _JUST_BEGUN) / (_CONVERGED - _JUST_BEGUN), 0, 1))
    if rate < 1:
        return rate, known
    return _EARLY_RATE + (rate - _EARLY_RATE) * known, 1.0

"""The few columns that carry the signal: held-out classifiers do as well on them as on all."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from smartsvm._core.clearly import CLEAR_OF_MANY, POINT, is_clear, paired_difference
from smartsvm._core.points import Points
from smartsvm._core.sampling import stratified_rows
from smartsvm.held_out.boosting import column_scores
from smartsvm.held_out.registry import COMBINED
from smartsvm.held_out.trials import Trials

# Columns that are named, at most.
_MOST_COLUMNS = 5
# The search is left out with more classes.
_MOST_CLASSES = 30
# Samples of the search and of the final check, at most.
_SEARCHED = 400
_CHECKED = 2000
# The first column is one of the 3 whose class means differ most and the 3 that depend most on the
# classes by a χ² test, a later one of the 4 that came next in the step before.
_FIRST_TRIED = 3
_LATER_TRIED = 4
# The columns are enough if (their error - that of all columns) + 1 standard error is below a point,
# and below this fraction of (error of the baseline - that of all columns).
_CLOSE_SHARE = 0.25


class SignalColumns(NamedTuple):
    """Columns in the order in which they help most."""

    columns: tuple[Any, ...]  # their names, or their numbers if they have none; at most five
    error: float  # held-out error on them alone
    full_error: float  # the same on all columns
    noise: float  # standard error of their difference, or of the second one in the search
    n_samples: int  # that these errors are measured on
    # whether the classifier that is best on all columns was tried on these alone, too, and errs
    # less than a point more, by one standard error
    enough: bool = False

    @property
    def better(self) -> bool:
        """Whether classifiers clearly err less on them alone than on all columns."""
        return self.enough and is_clear(self.full_error - self.error, self.noise, CLEAR_OF_MANY)


def find_signal_columns(problem, neighborhood, trials, signal):
    """The columns that carry the signal, by name; None if they are unclear or there is none."""
    if not signal.significant:
        return None
    rows = slice(None) if neighborhood.distinct is None else neighborhood.distinct
    points, codes = problem.points.values[rows], problem.codes[rows]
    chosen = signal_columns(trials, points, codes, problem.folds, **problem.threads)
    if chosen is None or problem.names is None:
        return chosen
    return chosen._replace(columns=tuple(problem.names[j] for j in chosen.columns))


def signal_columns(trials, points, codes, folds=None, *, seed, n_jobs):
    """The columns that do as well as all, or the best few; None if that remains unclear."""
    # `trials` has the mistakes on all columns, where the best classifier is fitted to at least as
    # many samples as in the check: the check may overstate the error of the few columns.
    if codes.max() >= _MOST_CLASSES:
        return None
    chosen, seems_enough = _search(points, codes, folds, seed=seed, n_jobs=n_jobs)
    if not seems_enough or len(chosen.columns) == points.shape[1]:
        return chosen
    fitted = [name for name in trials.mistakes if name != COMBINED]
    best = min(fitted, key=lambda name: float(trials.on_rows(name).mean(axis=1).min()))
    rows = trials.fitted[stratified_rows(codes[trials.fitted], _CHECKED, seed)]
    within, held_out_rows = None, rows
    if folds is not None:
        within = folds.of(rows)
        held_out_rows = rows[within.held_out_rows]
    of_all = trials.on_rows(best, held_out_rows)
    of_all = of_all[of_all.mean(axis=1).argmin()]
    inside = points[rows][:, list(chosen.columns)]
    of_few = _best_mistakes(inside, codes[rows], (best, "linear"), within, seed, n_jobs)
    (more, noise), full = paired_difference(of_few, of_all), float(of_all.mean())
    gain = 1 - np.bincount(codes[held_out_rows]).max() / len(held_out_rows) - full
    if more + noise >= min(POINT, _CLOSE_SHARE * gain):
        return None
    return SignalColumns(chosen.columns, full + more, full, noise, len(held_out_rows), True)


def _search(points, codes, folds, *, seed, n_jobs):
    """Add the best column until quick classifiers err as little as on all columns."""
    rows = stratified_rows(codes, _SEARCHED, seed)
    points, codes = points[rows], codes[rows]
    folds = None if folds is None else folds.of(rows)

    def error(columns):
        inside = points[:, columns]
        return float(_best_mistakes(inside, codes, ("linear",), folds, seed, n_jobs).mean())

    n, n_columns = points.shape
    full = error(list(range(n_columns)))
    share = (full * n + 1) / (n + 2)
    chosen = SignalColumns((), 1.0, full, float(np.sqrt(share * (1 - share) / n)), n)
    by_means = _by_class_means(points, codes)[:_FIRST_TRIED].tolist()
    by_test = np.argsort(-column_scores(points, codes, int(codes.max()) + 1), kind="stable")
    tried = list(dict.fromkeys([*by_means, *by_test[:_FIRST_TRIED].tolist()]))
    while tried and len(chosen.columns) < _MOST_COLUMNS and chosen.error > full + chosen.noise / 2:
        errors = [error([*chosen.columns, j]) for j in tried]
        order = np.argsort(errors, kind="stable")
        if errors[order[0]] >= chosen.error:
            break
        best = tried[order[0]]
        chosen = chosen._replace(columns=(*chosen.columns, best), error=errors[order[0]])
        tried = [tried[i] for i in order[1 : _LATER_TRIED + 1]]
    return chosen, chosen.error <= full + chosen.noise / 2


def _best_mistakes(points, codes, classifiers, folds, seed, n_jobs):
    """Mistakes of the best of some classifiers and of nearest neighbours."""
    points = Points(np.ascontiguousarray(points))
    trials = Trials(points, codes, None, classifiers, folds=folds, seed=seed, n_jobs=n_jobs)
    mistakes = list(trials.mistakes.values())
    if not mistakes:
        return np.ones(len(trials.held_out_rows))
    best = min(mistakes, key=lambda each: float(each.errors.min()))
    return best.wrong[best.best].astype(float)


def _by_class_means(points, codes):
    """Columns by the variance of their class means over all of their variance."""
    counts = np.bincount(codes)
    centred = points - points.mean(axis=0)
    sums = np.stack([np.bincount(codes, column) for column in centred.T])
    between, total = (sums**2 / counts).sum(axis=1), (centred**2).sum(axis=0)
    # A column that is constant on these rows has no variance but that of rounding.
    varies = np.ptp(points, axis=0) > 0
    shares = np.divide(between, total, out=np.zeros(len(total)), where=varies & (total > 0))
    return np.argsort(-shares, kind="stable")

"""Columns by what classifiers lose without them: each is permuted among held-out samples.

The best quick classifier is fitted to two thirds of the samples. On the others, the probability
that it gives to the right class falls where the values of a column that matters are shuffled.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smartsvm._core.clearly import is_clear
from smartsvm._core.sampling import shuffled_by_class, stratified_rows
from smartsvm.held_out.boosting import column_scores
from smartsvm.held_out.folds import Folds
from smartsvm.held_out.mistakes import predictions
from smartsvm.held_out.registry import NEIGHBORS, QUICK_CLASSIFIERS, REGISTRY
from smartsvm.tables.records import CATEGORY, DATE, GAPS, WORDS

_ROWS = 1000  # samples at most
_FOLDS = 3
_MOST_COLUMNS = 40  # that are permuted: those that depend most on the classes
_MOST_NUMBERS = 2**23  # of a fold with all its permutations
_LINEAR = "linear"
_BINS = 8
_INSIDE = (1, 99)  # percentiles that a small distribution covers

NUMBERS, TEXT, DATES, YES_NO = "number", "text", "date", "0 or 1"


class RankedColumn(NamedTuple):
    """A column of the table, and what is lost without it."""

    name: str
    kind: str  # "number", "text", "date" or "0 or 1"
    n_gaps: int
    loss: float  # by which the mean probability of the right class falls if it is shuffled
    noise: float  # standard error of that
    # of a number, fractions of the samples in eight bins of equal width; of a text, its most
    # frequent values with their fractions
    distribution: tuple
    low: float | None  # where the bins begin and end, None for a text
    high: float | None


class ColumnRanking(NamedTuple):
    """Columns, the one whose loss is largest first."""

    columns: tuple[RankedColumn, ...]
    n_columns: int  # of the table: at most 40 are ranked
    classifier: str  # that lost it
    n_samples: int
    probability: float  # of the right class, with all columns


def rank_columns(problem, neighborhood, trials):
    """The `ColumnRanking`, or None where no classifier can be fitted."""
    rows = np.arange(len(problem.codes)) if neighborhood.distinct is None else neighborhood.distinct
    rows = rows[stratified_rows(problem.codes[rows], _ROWS, problem.seed)]
    points, codes = problem.points.values[rows], problem.codes[rows]
    sources = _places(problem)
    tried = _most_related(sources, points, codes)
    classifier = _best_quick(trials)
    folds = _folds(codes, problem.seed) if problem.folds is None else problem.folds.of(rows)
    measured = _losses(classifier, points, codes, tried, folds, problem.threads)
    if measured is None:
        return None
    whole, losses = measured
    columns = [
        _described(problem, rows, places, name, loss)
        for (name, places), loss in zip(tried, losses, strict=True)
    ]
    columns.sort(key=lambda each: -each.loss)
    return ColumnRanking(tuple(columns), len(sources), classifier.name, len(whole), whole.mean())


def _places(problem):
    """Places of the columns that are made of each column of the table."""
    if problem.columns is None:
        return {f"column {j}": [j] for j in range(problem.X.shape[1])}
    sources = {}
    for j, column in enumerate(problem.columns):
        if column.kind != GAPS or len(column.sources) == 1:
            sources.setdefault(str(column.sources[0]), []).append(j)
    return sources


def _most_related(sources, points, codes):
    """The columns to permute: all, or the ones that depend most on the classes."""
    if len(sources) <= _MOST_COLUMNS:
        return [*sources.items()]
    scores = column_scores(points, codes, int(codes.max()) + 1)
    best = sorted(sources.items(), key=lambda item: -max(scores[j] for j in item[1]))
    return best[:_MOST_COLUMNS]


def _best_quick(trials):
    quick = [name for name in (NEIGHBORS, *QUICK_CLASSIFIERS) if name in trials.mistakes]
    errors = {name: float(trials.mistakes[name].errors.min()) for name in quick}
    best = min(quick, key=errors.get)
    # Where none beats the baseline, errors do not say which of them tells samples apart.
    of_baseline = trials.baseline_mistakes()
    noise = float(of_baseline.std()) / np.sqrt(len(of_baseline))
    if _LINEAR in errors and not is_clear(float(of_baseline.mean()) - errors[best], noise):
        best = _LINEAR
    return REGISTRY[best]


def _folds(codes, seed):
    numbers = np.empty(len(codes), dtype=np.intp)
    numbers[shuffled_by_class(codes, seed)] = np.arange(len(codes)) % _FOLDS
    return Folds(numbers, numbers != np.arange(_FOLDS)[:, None])


def _losses(classifier, points, codes, tried, folds, threads):
    """Probabilities of the right class, and (loss, standard error) of each column."""
    random = np.random.default_rng(threads["seed"])
    whole, fallen = [], []
    for training, held_out in folds.splits():
        train, test = points[training], points[held_out]
        step = max(1, _MOST_NUMBERS // test.size - 1)
        own = codes[held_out]
        fitted = train, codes[training]
        settings = _best_setting(classifier, fitted, (test, own), threads)
        if settings is None:
            return None
        of_fold = []
        for begin in range(0, len(tried), step):
            parts = [test]
            for _, places in tried[begin : begin + step]:
                shuffled = test.copy()
                shuffled[:, places] = test[random.permutation(len(test))][:, places]
                parts.append(shuffled)
            shown = np.vstack(parts), np.tile(own, len(parts))
            found = _right(classifier, fitted, shown, settings, threads)
            if found is None:
                return None
            right = found[0].reshape(len(parts), len(test))
            of_fold.append(right[0] - right[1:])
        whole.append(right[0])
        fallen.append(np.concatenate(of_fold))
    fallen = np.concatenate(fallen, axis=1)
    noise = fallen.std(axis=1) / np.sqrt(fallen.shape[1])
    return np.concatenate(whole), [*zip(fallen.mean(axis=1), noise, strict=True)]


def _best_setting(classifier, fitted, shown, threads):
    """The setting that gives most to the right classes, alone in a tuple; None without a fit."""
    settings = classifier.settings
    if len(settings) == 1:
        return settings
    right = _right(classifier, fitted, shown, settings, threads)
    if right is None:
        return None
    return (settings[int(np.argmax([each.mean() for each in right]))],)


def _right(classifier, fitted, shown, settings, threads):
    """With each setting, the probability of the right class of each row that is not fitted to."""
    codes = np.concatenate([fitted[1], shown[1]])
    points, n_classes = np.vstack([fitted[0], shown[0]]), int(codes.max()) + 1
    train = np.arange(len(codes)) < len(fitted[1])
    scores = predictions(classifier.predict, points, codes, n_classes, train, settings, **threads)
    if scores is None:
        return None
    own = np.arange(len(shown[1])), shown[1]
    return [_probabilities(each)[own] for each in scores]


def _probabilities(scores):
    logs = np.asarray(scores, dtype=float)
    chances = np.exp(logs - logs.max(axis=1, keepdims=True))
    return chances / chances.sum(axis=1, keepdims=True)


def _bins(values, low, high):
    """The bin of each value, of any magnitude: halves do not overflow where a difference does."""
    width = high / 2 - low / 2
    if not width > 0:
        return np.zeros(len(values), dtype=np.intp)
    places = (np.clip(values, low, high) / 2 - low / 2) / width * _BINS
    return np.minimum(places.astype(np.intp), _BINS - 1)


def _described(problem, rows, places, name, loss):
    """A column with its type, gaps and distribution."""
    columns = problem.columns
    marks = [] if columns is None else [j for j in range(len(columns)) if columns[j].kind == GAPS]
    marks = [j for j in marks if name in map(str, columns[j].sources)]
    n_gaps = int((problem.X[:, marks] > problem.X[:, marks].min(axis=0)).any(axis=1).sum())
    shown = [j for j in places if columns is None or columns[j].kind != GAPS] or places
    values = problem.X[:, shown]
    if columns is not None and columns[shown[0]].kind == CATEGORY:
        shares = values.mean(axis=0)
        words = [columns[j].name.split("=", 1)[-1] for j in shown]
        order = np.argsort(-shares, kind="stable")[:3]
        found = tuple((words[j], float(shares[j])) for j in order)
        return RankedColumn(name, TEXT, n_gaps, *map(float, loss), found, None, None)
    if columns is not None and columns[shown[0]].kind == WORDS:
        return RankedColumn(
            name, TEXT, n_gaps, *map(float, loss), (("sentences", 1.0),), None, None
        )
    values = values[:, 0]
    if n_gaps and marks:
        present = ~(problem.X[:, marks] > problem.X[:, marks].min(axis=0)).any(axis=1)
        values = values[present] if present.any() else values
    low, high = np.percentile(values, _INSIDE)
    if low == high:
        low, high = values.min(), values.max()
    counts = np.bincount(_bins(values, low, high), minlength=_BINS)
    kind = NUMBERS
    if columns is not None and columns[shown[0]].kind == DATE:
        kind = DATES
    elif np.isin(values, (0, 1)).all():
        kind = YES_NO
    shares = tuple((counts / len(values)).tolist())
    return RankedColumn(name, kind, n_gaps, *map(float, loss), shares, float(low), float(high))

"""Held-out errors of the classifiers, and the best of them corrected for the choice."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from smartsvm.estimation.results import Interval
from smartsvm.held_out.registry import BASELINE, variance_of
from smartsvm.report.intervals import error_interval

# Parts of the samples on which the choice of classifier and setting is cross-validated.
_FOLDS = 10
# Splits into folds over which the bias of choosing is averaged, so that it hardly varies with the
# seed: 4,000 / n, at least 1 and at most 5. With more samples it hardly varies anyway.
_MOST_SPLITS = 5
_SPLIT_SAMPLES = 4_000
# A classifier clearly beats the baseline if its error is more than 2 standard errors below it.
_CLEAR = 2.0


class ClassifierError(NamedTuple):
    """The held-out error of one classifier."""

    # as in `classifiers`, "combined" for the posterior of all of them, or the name of a model
    classifier: str
    error: Interval  # the setting is chosen without the samples that are counted
    setting: Any  # with the smallest error, such as the number of neighbours


class HeldOutErrors(NamedTuple):
    """Held-out errors of all classifiers, and the smallest of them."""

    classifiers: tuple[ClassifierError, ...]  # one for each classifier that was tried
    classifier: str  # with the smallest error; "baseline" if none is better than that
    # its error, corrected for the choice: on each tenth of the samples, the error of the
    # classifier and setting that are best on the other tenths
    best: Interval
    gain: float  # fraction of the baseline's errors avoided; 0 where it does not clearly beat it
    n_independent: float  # samples on which an error would be as certain as the best one

    def of(self, classifier: str) -> ClassifierError | None:
        """The error of a classifier, or None if it was not tried."""
        return next((each for each in self.classifiers if each.classifier == classifier), None)


def held_out_errors(trials, z, seed):
    """Errors of all classifiers; intervals reach z standard errors to each side."""
    of_baseline = trials.baseline_mistakes()
    baseline = float(of_baseline.mean())
    classifiers = []
    for name, mistakes in trials.mistakes.items():
        value = _selected_error(mistakes.wrong, seed)
        error = error_interval(value, _effective(name, mistakes.wrong.shape[1]), z)
        classifiers.append(ClassifierError(name, error, mistakes.settings[mistakes.best]))
    errors = {name: float(mistakes.errors.min()) for name, mistakes in trials.mistakes.items()}
    # Break ties by lower variance.
    name = min(errors, key=lambda each: (errors[each], -_effective(each, 1)))
    everyone = [*map(trials.on_rows, trials.mistakes), trials.baseline_mistakes(trials.rows)[None]]
    # The bias of choosing, on the rows that all classifiers judge, is added to the error on all.
    n_splits = int(np.clip(_SPLIT_SAMPLES // len(trials.rows), 1, _MOST_SPLITS))
    bias = _selected_error(np.concatenate(everyone), seed, n_splits)
    bias -= float(trials.on_rows(name).mean(axis=1).min())
    corrected = errors[name] + max(bias, 0.0)
    if corrected >= baseline:
        name, corrected = BASELINE, baseline
    n = len(of_baseline) if name == BASELINE else trials.mistakes[name].wrong.shape[1]
    n = _effective(name, n)
    best = error_interval(corrected, n, z)
    chance = np.sqrt(max(corrected * (1 - corrected), 1 / n) / n)
    clearly_better = corrected < baseline - _CLEAR * chance
    gain = 1 - corrected / baseline if clearly_better else 0.0
    return HeldOutErrors(tuple(classifiers), name, best, gain, n)


def _effective(name, n):
    """Independent samples on which an error would be as certain as that on n samples."""
    return n if name == BASELINE else n / variance_of(name)


def _selected_error(wrong, seed, n_splits=1):
    """Error on each tenth of the samples of the setting that is best on the other tenths."""
    n = wrong.shape[1]
    if len(wrong) == 1 or n < _FOLDS:
        return float(wrong.mean(axis=1).min())
    random, total = np.random.default_rng(seed), 0.0
    for _ in range(n_splits):
        order = random.permutation(n)
        sums = np.stack(
            [wrong[:, order[fold::_FOLDS]].sum(axis=1, dtype=float) for fold in range(_FOLDS)]
        )
        chosen = (sums.sum(axis=0) - sums).argmin(axis=1)
        total += float(sums[np.arange(_FOLDS), chosen].sum())
    return total / (n_splits * n)

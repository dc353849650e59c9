"""Held-out errors of the classifiers, and the best of them corrected for the choice."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from smartsvm._core.blas_threads import single_blas_thread
from smartsvm._core.clearly import is_clear
from smartsvm.estimation.results import Interval
from smartsvm.held_out.registry import BASELINE, variance_of
from smartsvm.report.intervals import error_interval

# Splits into two halves over which errors are averaged, so that they hardly vary with the seed:
# 32,000 / n, at least 8 and at most 64.
_SPLIT_SAMPLES = 32_000
_LEAST_SPLITS = 8
_MOST_SPLITS = 64
# Samples from which on settings are compared on halves.
_LEAST_HALVED = 10


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
    # its error, corrected for the choice: on half of the samples, the error of the classifier and
    # setting that are best on the other half; the mean over many halves
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
    classifiers, halves = [], _Halves(seed)
    for name, mistakes in trials.mistakes.items():
        value = _selected_error(mistakes.wrong, halves)
        error = error_interval(value, _effective(name, trials.independent(name)), z)
        classifiers.append(ClassifierError(name, error, mistakes.settings[mistakes.best]))
    errors = {name: float(mistakes.errors.min()) for name, mistakes in trials.mistakes.items()}
    # Break ties by lower variance.
    name = min(errors, key=lambda each: (errors[each], -_effective(each, 1)))
    everyone = [*map(trials.on_rows, trials.mistakes), trials.baseline_mistakes(trials.rows)[None]]
    # The bias of choosing, on the rows that all classifiers judge, is added to the error on all.
    bias = _selected_error(np.concatenate(everyone), halves)
    bias -= float(trials.on_rows(name).mean(axis=1).min())
    corrected = errors[name] + max(bias, 0.0)
    if corrected >= baseline:
        name, corrected = BASELINE, baseline
    n = _effective(name, trials.independent(name))
    best = error_interval(corrected, n, z)
    chance = np.sqrt(max(corrected * (1 - corrected), 1 / n) / n)
    clearly_better = is_clear(baseline - corrected, chance)
    gain = 1 - corrected / baseline if clearly_better else 0.0
    return HeldOutErrors(tuple(classifiers), name, best, gain, n)


def _effective(name, n):
    """Independent samples on which an error would be as certain as that on n samples."""
    return n if name == BASELINE else n / variance_of(name)


class _Halves(dict):
    """For each number of samples n, halves of them as columns of 0 and 1, drawn once."""

    def __init__(self, seed):
        self._seed = seed

    def __missing__(self, n):
        n_splits = int(np.clip(_SPLIT_SAMPLES // n, _LEAST_SPLITS, _MOST_SPLITS))
        half = np.tile(np.arange(n) % 2.0, (n_splits, 1))
        self[n] = np.random.default_rng(self._seed).permuted(half, axis=1).T
        return self[n]


def _selected_error(wrong, halves):
    """Error on half of the samples of the setting that is best on the other half."""
    # Halves, not tenths: of two settings that err equally often on all samples, the one that is
    # best on nine tenths errs far more often on the last.
    n = wrong.shape[1]
    if len(wrong) == 1 or n < _LEAST_HALVED:
        return float(wrong.mean(axis=1).min())
    with single_blas_thread():  # several threads round in another order
        first = wrong.astype(float) @ halves[n]
    second = wrong.sum(axis=1, dtype=float)[:, None] - first
    n_wrong = [
        np.take_along_axis(other_half, chosen.argmin(axis=0)[None], axis=0).sum()
        for chosen, other_half in ((first, second), (second, first))
    ]
    return float(sum(n_wrong) / (n * first.shape[1]))

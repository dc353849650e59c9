"""Held-out errors of the classifiers, and of the best of them with more samples."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from smartsvm.estimation.results import Interval
from smartsvm.held_out.registry import BASELINE, KERNELS, NEIGHBORS, REGISTRY, Excess
from smartsvm.report.intervals import error_interval

MULTIPLES = (1, 2, 10)  # of the samples, in learning curves
_FOLDS = 10
_CLEAR = 2.0  # standard errors below the baseline that show that a classifier has learnt something
_IN_SIGHT = 10.0  # standard errors behind the best, at which a kernel classifier may still pass it


class ClassifierError(NamedTuple):
    """The held-out error of one classifier."""

    classifier: str  # as in `classifiers`, or "combined" for the posterior of all of them
    error: Interval  # the setting is chosen without the samples that are counted
    setting: Any  # with the smallest error, such as the number of neighbours


class HeldOutErrors(NamedTuple):
    """Held-out errors of all classifiers, and of the best one with ever more samples."""

    classifiers: tuple[ClassifierError, ...]  # one for each classifier that was tried
    classifier: str  # with the smallest error; "baseline" if none is better than that
    # its error, corrected for the choice: on each tenth of the samples, the error of the
    # classifier and setting that are best on the other tenths
    best: Interval
    # how much more samples would lower that error, from its error with a quarter of them; of
    # several classifiers that are equally good, the one with the fastest convergence tells
    excess: float
    limit: float  # its error with ever more samples: error · exp(-excess / error)
    # its standard error and the excess; larger where a kernel classifier may pass the limit
    limit_error: float
    gain: float  # fraction of the baseline's errors avoided; 0 where it does not clearly beat it
    # how well the limit is known: 0 if a quarter of the samples gives at most 0.7 of the gain,
    # 1 if it gives 0.9; less if no other flexible classifier errs as little, and 0 if the random
    # forest errs clearly less than all that go by distances
    known: float
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
    # Among equals the one whose error is more certain.
    name = min(errors, key=lambda each: (errors[each], -_effective(each, 1)))
    everyone = [*map(trials.on_rows, trials.mistakes), of_baseline[trials.rows][None]]
    # The bias of choosing, on the rows that all classifiers judge, is added to the error on all.
    bias = _selected_error(np.concatenate(everyone), seed)
    bias -= float(trials.on_rows(name).mean(axis=1).min())
    corrected = errors[name] + max(bias, 0.0)
    errors[BASELINE] = baseline
    if corrected >= baseline:
        name, corrected = BASELINE, baseline
    n = len(of_baseline) if name == BASELINE else trials.mistakes[name].wrong.shape[1]
    n = _effective(name, n)
    best, error = error_interval(corrected, n, z), errors[name]
    chance = np.sqrt(max(error * (1 - error), 1 / n) / n)
    excess, gain, known, limit, limit_error = Excess(), 0.0, 1.0, best.value, chance
    if best.value < baseline - _CLEAR * chance:
        gain = 1 - best.value / baseline
        if error > 0:
            # Of classifiers that are equally good, the one that is nearest to its limit.
            equals = [each for each in trials.mistakes if errors[each] <= error + chance]
            steady = max(equals, key=lambda each: (REGISTRY[each].rate, -errors[each]))
            excess = trials.excess(steady)
            limit, limit_error = _limit(errors[steady], excess, chance)
            known = excess.known and excess.known * trials.confirmed(name, 2 * limit_error)
            # Nothing confirms a forest that sees what distances do not show.
            near = [errors[each] for each in trials.mistakes if each in (NEIGHBORS, *KERNELS)]
            known *= errors.get("forest", 1.0) >= min(near, default=0.0) - _CLEAR * chance
            for each in trials.mistakes:
                if each in KERNELS and errors[each] <= error + _IN_SIGHT * chance:
                    own, own_error = _limit(errors[each], trials.excess(each), chance)
                    limit_error = max(limit_error, (limit - own + own_error) / 2)
    limits = excess.value, float(limit), float(limit_error), gain, known
    return HeldOutErrors(tuple(classifiers), name, best, *limits, n)


def _limit(error, excess, chance):
    """An error with ever more samples, and its standard error."""
    limit = error * np.exp(-excess.value / error) if error else 0.0
    return limit, np.sqrt(chance**2 + excess.value**2 + excess.error**2)


def _effective(name, n):
    """Independent samples on which an error would be as certain as that on n samples."""
    return n if name == BASELINE else n / REGISTRY[name].variance


def _selected_error(wrong, seed):
    """Error on each tenth of the samples of the setting that is best on the other tenths."""
    n = wrong.shape[1]
    if len(wrong) == 1 or n < _FOLDS:
        return float(wrong.mean(axis=1).min())
    order = np.random.default_rng(seed).permutation(n)
    sums = np.stack(
        [wrong[:, order[fold::_FOLDS]].sum(axis=1, dtype=float) for fold in range(_FOLDS)]
    )
    chosen = (sums.sum(axis=0) - sums).argmin(axis=1)
    return float(sums[np.arange(_FOLDS), chosen].sum() / n)


class LearningCurve(NamedTuple):
    """The error of the best classifier now, with twice and with ten times the samples."""

    sizes: tuple[int, ...]  # numbers of samples
    # the held-out error with as many samples; the first is the present one
    errors: tuple[Interval, ...]


def learning_curve(held_out, n_samples):
    """Errors with more samples: the excess falls like n^-rate. None without any gain."""
    if not held_out.gain:
        return None
    now, rate = held_out.best, REGISTRY[held_out.classifier].rate
    limit = min(held_out.limit, now.value)
    errors = [now]
    for times in MULTIPLES[1:]:
        fallen = 1 - times**-rate
        fall = fallen * (now.value - limit)
        # The fall may be twice as large, and more if the classifier still learns fast.
        more = fallen * held_out.excess * (2 - held_out.known)
        low = now.value - fall - np.hypot(now.value - now.low, more)
        high = now.value - fall + np.hypot(now.high - now.value, fall)
        value, low, high = (float(np.clip(each, 0, 1)) for each in (now.value - fall, low, high))
        errors.append(Interval(value, low, high))
    return LearningCurve(tuple(times * n_samples for times in MULTIPLES), tuple(errors))

"""Held-out errors of the classifiers, and the recall of each class."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smartsvm._core.sampling import shuffled_by_class
from smartsvm.estimation.results import Interval
from smartsvm.held_out.registry import BASELINE, FOREST, KERNEL, NEIGHBORS, RANKS, Excess
from smartsvm.report.intervals import error_interval

_FOLDS = 10
# Leave-one-out errors of neighbours depend on the same votes, and out-of-bag errors on which
# trees were grown. Over the simulated problems their variance is up to about one and a half
# times the binomial one; where the classifier mostly answers the largest class, it is the binomial
# one (two normal classes, 100 and 300 samples: 1.6 times if they are of equal size, 1.3 for one in
# five or ten, 1.0 for one in twenty). That of kernel classifiers, whose width is picked, is 1.6,
# 1.4 and 1.2 times the binomial one with 50, 100 and 300 samples of two normal classes; that of
# other classifiers, which every sample has a small part in, hardly more than once.
_DEPENDENCE = {NEIGHBORS: 1.5, FOREST: 1.5, KERNEL: 1.3, RANKS: 1.3, BASELINE: 1.0}
_USUAL_DEPENDENCE = 1.1
_FOUND = (
    0.25  # share of the errors of guessing that a classifier avoids if votes decide its answers
)
_PICKED_WIDTH = 25  # over the number of samples: what picking the width of a kernel classifier adds
_CLEAR = 2.0  # standard errors below guessing that show that a classifier has found something


class ClassifierError(NamedTuple):
    """The error of one classifier.

    Attributes
    ----------
    classifier : str
        "neighbors", "linear", "gaussians", "kernel", "ranks", "linear_ranks" or "forest".
    error : Interval
        Of the classifier, whose setting was picked without the samples that are counted.
    setting : object
        The setting with the smallest error: number of neighbours, shrinkage of the
        straight-line classifier, strength of the pooled covariance, width and ridge of the kernel,
        number of trees.
    """

    classifier: str
    error: Interval
    setting: object


class HeldOutErrors(NamedTuple):
    """Errors that were reached without seeing the label that is judged.

    Attributes
    ----------
    classifiers : tuple of ClassifierError
        One for each classifier that was tried.
    classifier : str
        The classifier with the smallest error; "baseline" if none is better than that.
    best : Interval
        Its error, corrected for having been picked: on each tenth of the samples, the error of
        the classifier and setting that are best on the other tenths.
    excess : float
        How much of its error more samples would take off, from its error with a quarter of
        them; 0 where it does not clearly beat guessing, and there is nothing to extrapolate.
    limit : float
        What it would reach with ever more samples: error · exp(-excess / error), which is
        error - excess where that is small, and never below 0.
    limit_error : float
        Standard error of that: of the count, of the excess, and as much again as the excess.
    gain : float
        Share of the errors of guessing that it avoids; 0 where it does not clearly beat
        guessing.
    known : float
        How nearly it has learnt what it can, from 0, where a quarter of the samples avoids no more
        than .7 of the errors of guessing that all of them avoid, to 1, where it avoids .9, or
        where it is a straight line or normal classes.
    n_independent : float
        Independent samples on which an error would be as sure as that of the best classifier.
    """

    classifiers: tuple
    classifier: str
    best: Interval
    excess: float
    limit: float
    limit_error: float
    gain: float
    known: float
    n_independent: float

    def of(self, classifier):
        """The `ClassifierError` of a classifier, or None if it was not tried."""
        return next((each for each in self.classifiers if each.classifier == classifier), None)


class Recall(NamedTuple):
    """What the classifier with the smallest balanced error reaches, class by class.

    Attributes
    ----------
    classifier : str
        Its name.
    balanced_error : Interval
        Mean of the errors of all classes, however large they are; guessing has 1 - 1/K.
    by_class : ndarray of shape (K,)
        Share of each class that is found.
    limits : ndarray of shape (K, 2)
        Confidence limits of that.
    """

    classifier: str
    balanced_error: Interval
    by_class: np.ndarray
    limits: np.ndarray


def held_out_errors(trials, z, seed):
    """What all classifiers reach.

    Parameters
    ----------
    trials : Trials
        Their mistakes.
    z : float
        Standard errors that an interval reaches to each side.
    seed : int
        Seed of the tenths that classifiers are picked without.

    Returns
    -------
    HeldOutErrors
        Errors and intervals.
    """
    guesses = trials.guesses()
    baseline = float(guesses.mean())
    classifiers = []
    for classifier, found in trials.found.items():
        picked = _picked_error(found.wrong, seed)
        n = _effective(classifier, found.wrong.shape[1], _gain(picked, baseline))
        error = error_interval(picked, n, z)
        # The last among equals: more neighbours, more shrinkage, which varies less.
        best = len(found.settings) - 1 - int(np.argmin(found.errors[::-1]))
        classifiers.append(ClassifierError(classifier, error, found.settings[best]))
    errors = {classifier: float(found.errors.min()) for classifier, found in trials.found.items()}
    # Among equals the one whose error is surer.
    classifier = min(errors, key=lambda each: (errors[each], -_effective(each, 1)))
    errors[BASELINE] = baseline
    together = np.concatenate(
        [*(trials.on_rows(each) for each in trials.found), guesses[trials.rows][None]]
    )
    # Picking says how much it flatters; where a classifier judged all samples, its error is that
    # of all.
    flattered = _picked_error(together, seed) - float(trials.on_rows(classifier).mean(axis=1).min())
    corrected = errors[classifier] + max(flattered, 0.0)
    if corrected >= baseline:
        classifier, corrected = BASELINE, baseline
    n = len(guesses) if classifier == BASELINE else trials.found[classifier].wrong.shape[1]
    n = _effective(classifier, n, _gain(corrected, baseline))
    best = error_interval(corrected, n, z)
    error = errors[classifier]
    chance = np.sqrt(max(error * (1 - error), 1 / n) / n)
    excess, limit, gain = Excess(), best.value, 0.0
    if best.value < baseline - _CLEAR * chance:
        gain = _gain(best.value, baseline)
        if error > 0:
            excess = trials.excess(classifier)
            limit = error * np.exp(-excess.value / error)
    limit_error = float(np.sqrt(chance**2 + excess.value**2 + excess.error**2))
    return HeldOutErrors(
        tuple(classifiers), classifier, best, excess.value, float(limit), limit_error, float(gain),
        excess.known, n,
    )  # fmt: skip


def class_recalls(trials, codes, n_classes, z, seed):
    """Recall of every class by the classifier that is best if all classes count alike.

    Parameters
    ----------
    trials : Trials
        Mistakes of all classifiers.
    codes : ndarray of shape (n_samples,)
        Class of each sample.
    n_classes : int
        Classes K.
    z : float
        Standard errors that an interval reaches to each side.
    seed : int
        Seed of the tenths that classifiers are picked without.

    Returns
    -------
    Recall
        On each tenth of the samples, the errors of the setting that is best on the other tenths.

    Notes
    -----
    The limits of the balanced error are as far from it as those of the classes together:
    squares of independent distances add up.
    """
    codes = codes[trials.rows]
    wrong = {classifier: trials.on_rows(classifier) for classifier in trials.found}
    classifier = min(
        wrong, key=lambda each: _class_errors(wrong[each], codes, n_classes).mean(1).min()
    )
    counts = np.bincount(codes, minlength=n_classes)
    errors = _picked_errors(wrong[classifier], codes, n_classes, seed) / counts
    factor = _dependence(classifier, sum(counts))
    each = [error_interval(e, n / factor, z) for e, n in zip(errors, counts, strict=True)]
    low, high = (np.array([interval[side] for interval in each]) for side in (1, 2))
    value = float(errors.mean())
    balanced = Interval(
        value,
        max(value - float(np.sqrt(((errors - low) ** 2).sum())) / n_classes, 0.0),
        min(value + float(np.sqrt(((high - errors) ** 2).sum())) / n_classes, 1.0),
    )
    return Recall(classifier, balanced, 1 - errors, np.stack([1 - high, 1 - low], axis=1))


def _dependence(classifier, n, gain=1.0):
    """Variance of a classifier's error on n samples over that of as many independent ones.

    ``gain`` is the share of the errors of guessing that the classifier avoids.
    """
    usual = _DEPENDENCE.get(classifier, _USUAL_DEPENDENCE)
    if classifier in (KERNEL, RANKS):
        return max(usual, _USUAL_DEPENDENCE + _PICKED_WIDTH / n)
    if classifier in (NEIGHBORS, FOREST):
        return 1 + (usual - 1) * min(gain / _FOUND, 1.0)
    return usual


def _effective(classifier, n, gain=1.0):
    return n / _dependence(classifier, n, gain)


def _gain(error, baseline):
    return max(1 - error / baseline, 0.0) if baseline > 0 else 0.0


def _picked_error(wrong, seed):
    """Error of the classifier that is the best on other samples, for ten parts of them."""
    n = wrong.shape[1]
    if len(wrong) == 1 or n < _FOLDS:
        return float(wrong.mean(axis=1).min())
    order = np.random.default_rng(seed).permutation(n)
    sums = np.stack(
        [wrong[:, order[fold::_FOLDS]].sum(axis=1, dtype=float) for fold in range(_FOLDS)]
    )
    picked = (sums.sum(axis=0) - sums).argmin(axis=1)
    return float(sums[np.arange(_FOLDS), picked].sum() / n)


def _class_errors(wrong, codes, n_classes):
    """Mistakes of every setting in every class over its samples, shape (m, K)."""
    return _by_class(wrong, codes, n_classes) / np.bincount(codes, minlength=n_classes)


def _by_class(wrong, codes, n_classes):
    return np.stack([np.bincount(codes, each, minlength=n_classes) for each in wrong])


def _picked_errors(wrong, codes, n_classes, seed):
    """Mistakes in every class, in each tenth by the setting that is best on the others."""
    order = shuffled_by_class(codes, seed)
    total = _by_class(wrong, codes, n_classes)
    counts = np.bincount(codes, minlength=n_classes)
    found = np.zeros(n_classes)
    for fold in range(_FOLDS):
        rows = order[fold::_FOLDS]
        inside = _by_class(wrong[:, rows], codes[rows], n_classes)
        left = np.maximum(counts - np.bincount(codes[rows], minlength=n_classes), 1)
        found += inside[((total - inside) / left).mean(axis=1).argmin()]
    return found

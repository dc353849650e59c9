"""How many rows a target accuracy takes, by the learning curve down to the Bayes error.

A report has distributions of four errors of its best classifier: now, with twice and with ten times
the rows (by the fitted model), and with ever more rows, where it is the Bayes error. The quantiles
of one level are a curve, on which the error is linear in 1 / √rows between these four. So each
level needs a number of rows, which may be infinite, and all levels are its distribution.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv

from smartsvm.presentation.wording import about, percent, rounded_repr
from smartsvm.report.fitted_model import ACCURACY, TEN_TIMES, TWICE, fitted_error

# Curves, one for each of as many levels.
_LEVELS = (np.arange(400) + 0.5) / 400
# √(rows now / rows) of the four errors.
_PLACES = np.array([1, 2**-0.5, 10**-0.5, 0])
_CELLS = 1000  # of a grid of errors on which the distribution of the Bayes error is inverted
# What a model of the user errs more than the best classifier is partly its own limit, which stays,
# and partly a lack of rows, which shrinks with 1 / √rows. The part that stays is unknown.
_STAYING = (0.0, 0.25, 0.5, 0.75, 1.0)
_SUFFICES, _NEVER = 0.975, 0.025  # chances that any number suffices, as for the words of a verdict
_FAR = 1000  # times the rows at hand; beyond, a number is not said


class RowsNeeded(NamedTuple):
    """How many rows an accuracy takes, if any number suffices.

    The numbers are infinite where none does. None is below the present number, which then suffices.
    """

    target_accuracy: float
    value: float  # the median number
    low: float  # with the confidence of the report, the number lies between these two
    high: float
    chance: float  # that any number suffices
    present: int  # rows of the report
    __repr__ = rounded_repr

    def sentence(self, subject="the best classifier"):
        """The answer in words, about a classifier of this name."""
        target, present = percent(self.target_accuracy), self.present
        if self.chance <= _NEVER:
            return f"No number of rows takes {subject} to an accuracy of {target}."
        given = "" if self.chance >= _SUFFICES else f" The chance of that is {about(self.chance)}."
        condition = f", if any number suffices.{given}" if given else "."
        begin, most = f"For an accuracy of {target}, {subject} needs", _FAR * present
        if self.high <= present:
            return f"{begin} no more than these rows{condition}"
        if self.value > most:
            least = f"at least {_in_words(min(self.low, most), present)}"
            least = "more than these" if self.low <= present else least
            return f"{begin} {least} rows{condition}"
        low = _in_words(self.low, present)
        ends = f"{low} or more" if self.high > most else f"{low} to {_in_words(self.high, present)}"
        return f"{begin} about {_in_words(self.value, present)} rows ({ends}){condition}"


def _in_words(number, present):
    """A number of rows with two digits, or as it is where it is the present one."""
    return f"{present:,}" if number <= present else f"{int(float(f'{number:.2g}')):,}"


def rows_needed(report, target_accuracy, model=None):
    """The number of rows for a target, of the best classifier or of a model with its headroom."""
    allowed, n = 1 - target_accuracy, report.data.n_samples
    verdict = report.judge(target_accuracy)
    if report.errors.learning_curve is None:
        # Nothing is learnt yet: only the baseline, which needs no rows, can suffice.
        enough = allowed >= report.errors.baseline.high and model is None
        value, high = (float(n),) * 2 if enough else (np.inf,) * 2
        return RowsNeeded(target_accuracy, value, float(n), high, verdict.chance, n)
    errors = report.errors
    given = errors.statistics[ACCURACY], report.data.equal_rows, errors.priors
    curves = error_curves(errors.distributions[ACCURACY], *given)
    found, share = limits(n * multiples(curves, allowed), report.settings.confidence)
    if model is None:
        return RowsNeeded(target_accuracy, *found, verdict.chance, n)
    # Warnings change the chance of the verdict, and so that of a model.
    doubt = verdict.chance / share if share else 0.0
    curves = _of_model(curves, model.error.value - errors.held_out.best.value)
    found, share = limits(n * multiples(curves, allowed), report.settings.confidence)
    return RowsNeeded(target_accuracy, *found, min(doubt * share, 1.0), n)


def limits(numbers, confidence):
    """The median and an interval of the numbers that are finite, and the fraction of these."""
    finite, tail = numbers[np.isfinite(numbers)], (1 - confidence) / 2
    if not len(finite):
        return (np.inf,) * 3, 0.0
    found = np.quantile(finite, (0.5, tail, 1 - tail)).tolist()
    return tuple(found), len(finite) / len(numbers)


def error_curves(measured, statistics, large_cells=None, priors=None):
    """Errors now, at twice and ten times the rows, and at ever more: a row for each level."""
    in_sample = measured if priors is None else priors.in_sample.distributions[ACCURACY]
    best, baseline = in_sample.best.value, in_sample.baseline.value
    later = [
        fitted_error(each, statistics, best, baseline, large_cells) for each in (TWICE, TEN_TIMES)
    ]
    least = _inverted(measured)
    later = [np.interp(_LEVELS, each.levels, each.errors) for each in later]
    if priors is not None:
        later = [priors.of(each) for each in later]
    columns = [_of_measured(measured.best), *later, least]
    # More rows make no classifier worse, and none beats the Bayes error.
    return np.minimum.accumulate(np.maximum(columns, least)).T


def _of_measured(error):
    """Quantiles of an expected error by its count, with Jeffreys' prior."""
    wrong = error.value * error.n_samples
    return betaincinv(wrong + 0.5, max(error.n_samples - wrong, 0) + 0.5, _LEVELS)


def _inverted(error):
    """Quantiles of the Bayes error."""
    errors = np.linspace(0, error.most, _CELLS + 1)
    chances = np.maximum.accumulate([error.chance(each) for each in errors])
    return errors[np.minimum(np.searchsorted(chances, _LEVELS), _CELLS)]


def _of_model(curves, behind):
    """Curves of a model that errs more than the best classifier, now by `behind`."""
    parts = [stays + (1 - stays) * _PLACES for stays in _STAYING]
    found = [curves + behind * (each if behind > 0 else 1) for each in parts]
    return np.maximum(np.concatenate(found), np.tile(curves[:, -1:], (len(parts), 1)))


def multiples(curves, allowed):
    """Times the present rows at which each curve falls to an error; infinite where none does."""
    numbers = np.full(len(curves), np.inf)
    numbers[curves[:, 0] <= allowed] = 1.0
    for place in range(len(_PLACES) - 1):
        before, after = curves[:, place], curves[:, place + 1]
        here = (before > allowed) & (after <= allowed)
        part = (before[here] - allowed) / (before[here] - after[here])
        at = _PLACES[place] + part * (_PLACES[place + 1] - _PLACES[place])
        with np.errstate(divide="ignore"):
            numbers[here] = at**-2.0
    return numbers

"""How much of a model's error can be gained: its expected error less the Bayes error.

Both errors are uncertain, but they share most of that. Write

    model - Bayes error = (best - Bayes error) + (model - best),

where `best` is the report's best classifier. The first part is what the fitted distribution of the
Bayes error describes. The second is measured on the same rows: rows that both get right, or both
get wrong, cancel, so its standard error is far smaller than that of either error. No classifier
beats the Bayes error, so neither the first part nor the sum is below 0.

The expected error is that of a fit to all rows, over samples and over random starts of the model.
A cross-validation differs from it in two ways. Its few fits may differ much, as those of small
networks do: their variance is estimated, too. And each fit sees fewer rows: with n rows, what a
model could avoid shrinks like n^-a, with `a` between 0 and 1.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from smartsvm.estimation.results import Interval
from smartsvm.report.bayes_error import quantile

# Cells of a grid of Bayes errors from 0 to 1 - 1/K: it rounds a gain by at most 1/4000.
_CELLS = 2000
# Variance of a difference of two errors / that of independent rows: folds share most of the rows
# that they are fitted to.
_DEPENDENCE = 1.5
# A model that is fitted to all rows keeps a fraction of its headroom, at least `Fits.share` and at
# most 1. A chance is the mean over this many fractions, evenly spaced.
_SHRINKAGES = 5


class Difference(NamedTuple):
    """How much more a model errs than another on the same rows."""

    value: float
    deviation: float  # its standard error


class Fits(NamedTuple):
    """The fits of a cross-validation."""

    numbers: np.ndarray  # which of them judges each row
    share: float  # of the rows, that a fit sees: the mean over the judged rows


def difference_of_models(wrong, others, independent=1.0, fits=None):
    """The difference of two arrays of mistakes, if this fraction of the rows is independent.

    How much the `fits` of the model differ, beyond what their rows explain, adds to its variance.
    """
    away = np.asarray(wrong, dtype=float) - others
    # Add one disagreement: models that agree on all these rows may still differ on new ones.
    variance = (np.square(away).sum() + 1 - away.sum() ** 2 / len(away)) / len(away) ** 2
    variance *= _DEPENDENCE / independent
    if fits is not None:
        # The best classifier may be the model itself: then its own mistakes show how fits differ.
        own = away if away.any() else np.asarray(wrong, dtype=float)
        variance += variance_of_fits(own, fits, independent)
    return Difference(float(away.mean()), float(variance**0.5))


def variance_of_fits(values, fits, independent=1.0):
    """The part of the variance of a mean that comes from the fits, each of which has some rows."""
    # One-way analysis of variance: the mean square between fits is that within them plus
    # (rows of a fit) · (variance of the fits), whose estimate is cut at 0.
    _, numbers, sizes = np.unique(fits.numbers, return_inverse=True, return_counts=True)
    n, n_fits = len(values), len(sizes)
    if n_fits < 2 or n_fits == n:
        return 0.0
    means = np.bincount(numbers, values) / sizes
    within = np.square(values - means[numbers]).sum() / (n - n_fits) / independent
    between = sizes @ np.square(means - values.mean()) / (n_fits - 1)
    rows = (n - sizes @ sizes / n) / (n_fits - 1)  # of a typical fit
    # Fits share rows. For k folds of one size this is Nadeau and Bengio's factor (Machine Learning
    # 52, 2003), 1/k + (rows held out) / (rows fitted to).
    factor = (sizes @ sizes) / n**2 * (1 + 1 / fits.share)
    return float(max(between - within, 0.0) / rows * factor)


class Gain(NamedTuple):
    """The distribution of the error that a model could avoid."""

    gaps: np.ndarray  # of the best classifier to the Bayes error, at least 0
    weights: np.ndarray  # their probabilities
    difference: Difference  # of the model to the best classifier
    shrinkages: np.ndarray  # (gain of a model fitted to all rows) / (gain of the fits)

    @classmethod
    def of(cls, bayes_error, difference, share=1.0):
        """The gain of a model whose fits see `share` of the rows, given that of the Bayes error.

        It is what data of this size can show: without detail that is too fine for the samples.
        """
        fitted = bayes_error.fitted.without_hidden_structure()
        bayes_error = bayes_error._replace(fitted=fitted)
        errors = np.linspace(0, bayes_error.most, _CELLS + 1)
        # The noise of the best error cancels in the gap: use the error itself, not its limit.
        chances = np.maximum.accumulate([bayes_error.chance_given_best(e) for e in errors])
        weights = np.diff(chances, prepend=0.0)
        centres = np.concatenate([[0.0], (errors[1:] + errors[:-1]) / 2])
        gaps = np.maximum(bayes_error.best.value - centres, 0.0)
        steps = (np.arange(_SHRINKAGES) + 0.5) / _SHRINKAGES
        return cls(gaps, weights, difference, share + (1 - share) * steps)

    def chance(self, gain):
        """The chance that at most `gain` can be gained; never falls."""
        if gain < 0:
            return 0.0
        before = gain / self.shrinkages[:, None]
        away = (before - self.gaps - self.difference.value) / self.difference.deviation
        return float((ndtr(away) @ self.weights).mean())

    def interval(self, confidence):
        """The median, and limits with the same chance to either side."""
        tail = (1 - confidence) / 2
        return Interval(*(quantile(self.chance, level) for level in (0.5, tail, 1 - tail)))

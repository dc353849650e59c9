"""How much of a model's error can be gained: its expected error less the Bayes error.

Both errors are uncertain, but they share most of that. Write

    model - Bayes error = (best - Bayes error) + (model - best),

where `best` is the report's best classifier. The first part is what the fitted distribution of the
Bayes error describes. The second is measured on the same rows: rows that both get right, or both
get wrong, cancel, so its standard error is far smaller than that of either error. A model that
differs much from fit to fit, as small networks do, has an expected error that the few fits of a
cross-validation show less exactly: their variance is estimated, too. No classifier beats the Bayes
error, so neither the first part nor the sum is below 0.
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
# One percentage point.
POINT = 0.01


class Difference(NamedTuple):
    """How much more a model errs than another on the same rows."""

    value: float
    deviation: float  # its standard error


def paired_difference(wrong, others, independent=1.0, fits=None):
    """The difference of two arrays of mistakes, if this fraction of the rows is independent.

    `fits` numbers the fit of the model that answered each row. How much the model differs from fit
    to fit, beyond what its rows explain, makes the difference less certain.
    """
    away = np.asarray(wrong, dtype=float) - others
    # Count one disagreement more than there is: without any, the errors still need not be equal.
    variance = (np.square(away).sum() + 1 - away.sum() ** 2 / len(away)) / len(away) ** 2
    variance *= _DEPENDENCE / independent
    if fits is not None:
        own = away if away.any() else np.asarray(wrong, dtype=float)
        variance += variance_of_fits(own, fits, independent)
    return Difference(float(away.mean()), float(variance**0.5))


def variance_of_fits(values, fits, independent=1.0):
    """The part of the variance of a mean that comes from the fits, each of which has some rows."""
    # One-way analysis of variance: the mean square between fits is that within them plus
    # (rows of a fit) · (variance of the fits), whose estimate is cut at 0.
    _, fits, sizes = np.unique(fits, return_inverse=True, return_counts=True)
    n, n_fits = len(values), len(sizes)
    if n_fits < 2 or n_fits == n:
        return 0.0
    means = np.bincount(fits, values) / sizes
    within = np.square(values - means[fits]).sum() / (n - n_fits) / independent
    between = sizes @ np.square(means - values.mean()) / (n_fits - 1)
    rows = (n - sizes @ sizes / n) / (n_fits - 1)  # of a typical fit
    return float(max(between - within, 0.0) / rows * (sizes @ sizes) / n**2)


class Gain(NamedTuple):
    """The distribution of the error that a model could avoid."""

    gaps: np.ndarray  # of the best classifier to the Bayes error, at least 0
    weights: np.ndarray  # their probabilities
    difference: Difference  # of the model to the best classifier

    @classmethod
    def of(cls, bayes_error, difference):
        """That of a model, from the distribution of the Bayes error."""
        errors = np.linspace(0, bayes_error.most, _CELLS + 1)
        # The noise of the best error cancels in the gap: use the error itself, not its limit.
        chances = np.maximum.accumulate([bayes_error.chance_given_best(e) for e in errors])
        weights = np.diff(chances, prepend=0.0)
        centres = np.concatenate([[0.0], (errors[1:] + errors[:-1]) / 2])
        return cls(np.maximum(bayes_error.best.value - centres, 0.0), weights, difference)

    def chance(self, gain):
        """The chance that at most `gain` can be gained; never falls."""
        if gain < 0:
            return 0.0
        away = (gain - self.gaps - self.difference.value) / self.difference.deviation
        return float(self.weights @ ndtr(away))

    def interval(self, confidence):
        """The median, and limits with the same chance to either side."""
        tail = (1 - confidence) / 2
        return Interval(*(quantile(self.chance, level) for level in (0.5, tail, 1 - tail)))

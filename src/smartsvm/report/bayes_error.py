"""The Bayes error of a report: the fitted distribution within limits that need no model.

An error is never below 0. Any classifier's expected error is an upper bound, so the chance is at
least that of the best held-out error, and of the baseline. Equal rows with different labels prove
that no function of the columns is right on all of them. And where no classifier clearly beats the
baseline, perhaps nothing can: that moves the ends, while the value stays what the model says.
"""

from typing import NamedTuple

from scipy.special import betainc, ndtr

from smartsvm.estimation.results import Interval
from smartsvm.report.fitted_model import FittedError

# Steps of a bisection: an error is found to 2^-40, about 1e-12.
_STEPS = 40
# Let the best error be z standard errors below the baseline. The case that the columns tell nothing
# has the weight 0.5 · max(0, 1 - z / 2.5): at z = 0 both cases are alike, and 2.5 is hardly chance.
# With random labels the interval then holds the truth in 94% of 150 samples of 60 to 300 rows, and
# with 1 for 2.5 in 86%. That widens it where a signal is weak: the interval score of the families
# for evaluation is 0.212, and 0.206 with 1 for 2.5.
_MOST_NOTHING = 0.5
_CLEAR = 2.5


class MeasuredError(NamedTuple):
    """An error with the number of independent samples on which it would be as certain."""

    value: float
    n_samples: float

    def chance(self, error):
        """Confidence that the expected error is at most `error`, by Clopper and Pearson."""
        # Their upper limit at level q is the error at which this is q.
        wrong = self.value * self.n_samples
        right = max(self.n_samples - wrong, 0.5)
        return float(betainc(wrong + 1, right, min(max(error, 0.0), 1.0)))

    def deviation(self):
        """Standard error; that of half a mistake if there is none."""
        n = max(self.n_samples, 1.0)
        value = min(max(self.value, 0.5 / n), 1 - 0.5 / n)
        return (value * (1 - value) / n) ** 0.5


class BayesError(NamedTuple):
    """The distribution of the Bayes error, or of the least balanced error."""

    fitted: FittedError
    best: MeasuredError  # held-out error, corrected for the choice of the classifier
    baseline: MeasuredError
    proven_error: MeasuredError  # error that equal rows with different labels prove
    most: float  # error of guessing among K classes, 1 - 1/K

    def chance(self, error):
        """The chance that the Bayes error is at most `error`; never falls, jumps only at `most`."""
        return self._within_limits(error, self.best.chance(error))

    def chance_given_best(self, error):
        """The same if the expected error of the best classifier is its held-out error."""
        return self._within_limits(error, float(error >= self.best.value))

    def _within_limits(self, error, of_best):
        """The fitted chance, but at least `of_best`, and within the limits that need no model."""
        # No Bayes error is above `most`. Balanced classes whose columns tell nothing have exactly
        # that one, so the chance that the baseline leaves belongs to it.
        if error >= self.most:
            return 1.0
        chance = max(self.fitted.chance(error), of_best)
        # The weight shrinks with `chance`, so the lower tail, that of hidden structure, stays.
        nothing, of_baseline = self.weight_of_nothing() * chance, self.chance_of_baseline(error)
        chance = max((1 - nothing) * chance + nothing * of_baseline, of_baseline)
        if self.proven_error.value > 0:
            away = (error - min(self.proven_error.value, self.most)) / self.proven_error.deviation()
            chance = min(chance, 2 * float(ndtr(away)))
        return chance

    def chance_of_baseline(self, error):
        """Confidence that the expected error of the baseline is at most `error`."""
        return 1.0 if error >= self.most else self.baseline.chance(error)

    def limit_of_baseline(self, level):
        """The error at which that confidence is `level`."""
        return quantile(self.chance_of_baseline, level)

    def weight_of_nothing(self):
        """Weight of the case that the columns tell nothing, so that the baseline is the best."""
        ahead = (self.baseline.value - self.best.value) / self.best.deviation()
        return _MOST_NOTHING * min(max(1 - ahead / _CLEAR, 0.0), 1.0)

    def interval(self, confidence):
        """The value and the limits at which the chance is that of a tail to either side."""
        tail = (1 - confidence) / 2
        low, high = quantile(self.chance, tail), quantile(self.chance, 1 - tail)
        location = min(self.fitted.location, self.best.value)
        return Interval(float(min(max(location, low), high)), low, high)


def quantile(chance, level):
    """The smallest error, from 0 to 1, at which a chance that never falls is `level`."""
    if chance(0.0) >= level:
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if chance(middle) >= level else (middle, high)
    return high

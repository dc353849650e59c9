"""Errors that cannot be measured, from what can: linear models fitted to problems of known answer.

For each target, such as the Bayes error, `fitted_model.json` has a location and a scale to each
side, linear in the statistics of a report and in their products with log n, and tables of quantiles
of the residuals for a few numbers of samples. The residuals are those of families of problems that
a fit has not seen, so that the quantiles hold for new kinds of problems as far as those in
benchmarks/problems are like them. For the Bayes errors, the file also has the chance that the truth
is less than half of the location. ``python -m benchmarks.report.fit_model`` writes the file.
"""

import json
from functools import cache
from importlib import resources
from typing import NamedTuple

import numpy as np
from scipy.special import expit

TARGETS = ACCURACY, BALANCED, TWICE, TEN_TIMES = (
    "bayes_error",
    "balanced_bayes_error",
    "error_with_twice_the_samples",
    "error_with_ten_times_the_samples",
)
_FILE = "fitted_model.json"
# Columns without and with the whole chance of detail too fine for the samples: in a plane, samples
# show all but the finest.
_SHOWN = 2, 4
# Limits of log(scale / baseline): scales from 1e-4 to 4.5 baselines, more than any problem needs.
LOG_SCALES = -9.0, 1.5
LEAST_SCALE = 1e-4


class FittedError(NamedTuple):
    """The distribution of an error, whose chances are linear between some errors."""

    location: float
    errors: np.ndarray  # increasing
    levels: np.ndarray  # chances of at most these errors, from 0 to 1
    hidden: float = 0.0  # chance of detail too fine for the samples
    visible: np.ndarray | None = None  # the chances if there is no such detail

    @classmethod
    def from_scales(cls, location, below, above, residuals, levels):
        """From quantiles of residuals in units of the scale on their side."""
        errors = location + residuals * np.where(residuals < 0, below, above)
        return cls(float(location), errors, levels)

    def chance(self, error):
        """The probability of at most `error`; continuous, never falls."""
        return float(np.interp(error, self.errors, self.levels))

    def quantile(self, level):
        """The error at which the chance is `level`."""
        return float(np.interp(level, self.levels, self.errors))

    def with_hidden_structure(self, chance):
        """With this chance, any error below the location is as likely as any other."""
        if self.location <= 0:
            return self
        errors = np.union1d(self.errors, [0.0, self.location])
        below = np.clip(errors / self.location, 0, 1)
        visible = np.interp(errors, self.errors, self.levels)
        levels = (1 - chance) * visible + chance * below
        return self._replace(errors=errors, levels=levels, hidden=chance, visible=visible)

    def without_hidden_structure(self):
        """The distribution if no detail is too fine for the samples."""
        if self.visible is None:
            return self
        return self._replace(levels=self.visible, hidden=0.0, visible=None)

    def less(self, error):
        """The distribution moved down, but for its location not below 0."""
        return self._replace(location=max(self.location - error, 0.0), errors=self.errors - error)


def chance_of_hidden_structure(coefficients, statistics, ranges):
    """The chance that the truth is less than half of the location, by a logistic regression."""
    # Classes may differ in detail too fine for the samples: fewer samples or classifiers that
    # disagree make it more likely.
    values = standardised(statistics, ranges)
    weights = np.array([coefficients[name] for name in ranges])
    chance = expit(values @ weights + coefficients["constant"])
    n_columns = round(float(np.expm1(statistics["log_columns"])))
    return float(chance * np.interp(n_columns, _SHOWN, [0, 1]))


@cache
def read_model():
    """The stored model."""
    return json.loads(resources.files("smartsvm.report").joinpath(_FILE).read_text("utf-8"))


def standardised(statistics, ranges):
    """The statistics in their ranges, standardised."""
    values = np.stack([np.asarray(statistics[name], dtype=float) for name in ranges], axis=-1)
    least, most, mean, deviation = np.array(list(ranges.values())).T
    return (np.clip(values, least, most) - mean) / deviation


def design_rows(statistics, ranges):
    """Rows of a linear model: each statistic in its range, standardised, and times log n; and 1."""
    values = standardised(statistics, ranges)
    logs = values[..., list(ranges).index("log_samples")]
    ones = np.ones((*logs.shape, 1))
    return np.concatenate([values, values * logs[..., None], ones], axis=-1)


def fitted_error(target, statistics, best, baseline, large_cells=None):
    """The distribution of a target for a report with these statistics, best error and baseline."""
    # The error of `large_cells` of equal rows is added.
    model, cell_error, deviation = read_model(), 0.0, 0.0
    if large_cells is not None:
        cell_error, deviation = large_cells.large_error, large_cells.large_error_deviation
        best, baseline = max(best - cell_error, 0.0), baseline - large_cells.large_baseline
    own = model["targets"][target]
    located = place(own, model["statistics"], statistics, best, max(baseline, 1e-6))
    location, below, above = (float(each) for each in located)
    below, above = np.hypot([below, above], deviation).tolist()
    size, levels = statistics["log_samples"], np.array(own["levels"])
    residuals = residuals_at(own["residuals"], size)
    fitted = FittedError.from_scales(location, below, above, residuals, levels)
    if target in (ACCURACY, BALANCED):  # no classifier of later reports sees such detail, either
        chance = chance_of_hidden_structure(own["hidden"], statistics, model["statistics"])
        fitted = fitted.with_hidden_structure(chance)
    return fitted.less(-cell_error)


def place(own, ranges, statistics, best, baseline):
    """Location, lower and upper scale of a target; arrays if the statistics are."""
    rows = design_rows(statistics, ranges)
    by_baseline, by_best, below, above = (
        rows @ _coefficients(own[part], ranges)
        for part in ("share_of_baseline", "share_of_best", "log_scale_below", "log_scale_above")
    )
    # The mean of two regressions: one suits problems with hardly any error, the other the rest.
    location = (np.maximum(by_baseline, 0) * baseline + np.maximum(by_best, 0) * best) / 2
    below, above = (np.exp(np.clip(each, *LOG_SCALES)) * baseline for each in (below, above))
    return location, np.maximum(below, LEAST_SCALE), np.maximum(above, LEAST_SCALE)


def residuals_at(table, log_samples):
    """Quantiles of the residuals, linear in log n between the sizes of a table."""
    sizes = np.log([row[0] for row in table])
    quantiles = np.array([row[1:] for row in table])
    at = np.clip(log_samples, sizes[0], sizes[-1])
    place = min(int(np.searchsorted(sizes, at, side="right")), len(sizes) - 1)
    part = (at - sizes[place - 1]) / (sizes[place] - sizes[place - 1])
    return (1 - part) * quantiles[place - 1] + part * quantiles[place]


def _coefficients(stored, names):
    """The vector of coefficients: of each statistic, of each times log n, and the constant."""
    pairs = np.array([stored[name] for name in names])
    return np.concatenate([pairs[:, 0], pairs[:, 1], [stored["constant"]]])

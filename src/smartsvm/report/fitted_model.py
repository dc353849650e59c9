"""Errors that cannot be measured, from what can: linear models fitted to problems of known answer.

For each target, such as the Bayes error, `fitted_model.json` has a location and a scale to each
side, linear in the statistics of a report and in their products with log n, and a table of
quantiles of the residuals. The residuals are those of families of problems that a fit has not
seen, so that the quantiles hold for new kinds of problems as far as those in benchmarks/problems
are like them. ``python -m benchmarks.report.fit_model`` writes the file.
"""

import json
from functools import cache
from importlib import resources
from typing import NamedTuple

import numpy as np

TARGETS = ACCURACY, BALANCED, TWICE, TEN_TIMES = (
    "bayes_error",
    "balanced_bayes_error",
    "error_with_twice_the_samples",
    "error_with_ten_times_the_samples",
)
_FILE = "fitted_model.json"
# Limits of log(scale / baseline): scales from 1e-4 to 4.5 baselines, more than any problem needs.
LOG_SCALES = -9.0, 1.5


class FittedError(NamedTuple):
    """The distribution of an error: a location, a scale to each side, quantiles of residuals."""

    location: float
    below: float
    above: float
    levels: np.ndarray  # increasing, from 0 to 1
    residuals: np.ndarray  # quantiles at these levels, in units of the scale on their side

    def chance(self, error):
        """The probability of at most `error`; continuous and increasing."""
        away = error - self.location
        return float(
            np.interp(away / (self.below if away < 0 else self.above), self.residuals, self.levels)
        )

    def quantile(self, level):
        """The error at which the chance is `level`."""
        away = float(np.interp(level, self.levels, self.residuals))
        return self.location + away * (self.below if away < 0 else self.above)


@cache
def read_model():
    """The stored model."""
    return json.loads(resources.files("smartsvm.report").joinpath(_FILE).read_text("utf-8"))


def design_rows(statistics, ranges):
    """Rows of a linear model: each statistic in its range, standardised, and times log n; and 1."""
    values = np.stack([np.asarray(statistics[name], dtype=float) for name in ranges], axis=-1)
    least, most, mean, deviation = np.array(list(ranges.values())).T
    values = (np.clip(values, least, most) - mean) / deviation
    logs = values[..., list(ranges).index("log_samples")]
    ones = np.ones((*logs.shape, 1))
    return np.concatenate([values, values * logs[..., None], ones], axis=-1)


def fitted_error(target, statistics, best, baseline, apart=None):
    """The distribution of a target for a report with these statistics, best error and baseline."""
    # `apart` are large cells of equal rows, whose error is added.
    model, cell_error, deviation = read_model(), 0.0, 0.0
    if apart is not None:
        cell_error, deviation = apart.large_error, apart.large_error_deviation
        best, baseline = max(best - cell_error, 0.0), baseline - apart.large_baseline
    row = design_rows(statistics, model["statistics"])
    own = model["targets"][target]
    by_baseline, by_best, below, above = (
        float(row @ _coefficients(own[part], model["statistics"]))
        for part in ("share_of_baseline", "share_of_best", "log_scale_below", "log_scale_above")
    )
    # The mean of two regressions: one suits problems with hardly any error, the other the rest.
    baseline = max(baseline, 1e-6)
    location = (max(by_baseline, 0.0) * baseline + max(by_best, 0.0) * best) / 2
    scales = np.exp(np.clip([below, above], *LOG_SCALES)) * baseline
    below, above = np.hypot(scales, deviation).tolist()
    levels, residuals = np.array(own["quantiles"]).T
    return FittedError(cell_error + location, below, above, levels, residuals)


def _coefficients(stored, names):
    """The vector of coefficients: of each statistic, of each times log n, and the constant."""
    pairs = np.array([stored[name] for name in names])
    return np.concatenate([pairs[:, 0], pairs[:, 1], [stored["constant"]]])

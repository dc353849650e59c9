"""Time and peak memory of the Bayes-error estimates, and their closeness to a known error."""

import numpy as np
from scipy.stats import norm

from smartsvm import (
    bayes_error,
    class_hierarchy,
    multiclass_bayes_error,
    ovr_bayes_error,
    pairwise_bayes_error,
)

from .data import classes


class Estimates:
    params = ([1000, 4000], [2, 16], [3, 20])
    param_names = ("n", "d", "n_classes")

    def setup(self, n, d, n_classes):
        self.X, self.y = classes(n, d, n_classes)

    def time_pairwise_bayes_error(self, n, d, n_classes):
        pairwise_bayes_error(self.X, self.y)

    def time_ovr_bayes_error(self, n, d, n_classes):
        ovr_bayes_error(self.X, self.y)

    def time_multiclass_bayes_error(self, n, d, n_classes):
        multiclass_bayes_error(self.X, self.y)

    def peakmem_pairwise_bayes_error(self, n, d, n_classes):
        pairwise_bayes_error(self.X, self.y)


class Hierarchy:
    params = (10, 30, 100)
    param_names = ("n_classes",)

    def setup(self, n_classes):
        errors = np.random.default_rng(n_classes).random((n_classes, n_classes))
        self.errors = errors + errors.T

    def time_class_hierarchy(self, n_classes):
        class_hierarchy(self.errors)


class Accuracy:
    """Estimate minus true error of two Gaussians, 2 apart, 1,000 samples, over 20 draws."""

    unit = "error"

    def track_bias(self):
        errors = []
        for seed in range(20):
            random = np.random.default_rng(seed)
            first = random.normal(size=(500, 2))
            second = random.normal((2, 0), 1, size=(500, 2))
            errors.append(bayes_error(first, second).value - norm.cdf(-1))
        return float(np.mean(errors))

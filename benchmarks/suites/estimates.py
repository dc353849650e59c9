"""Time and peak memory of the Bayes-error estimates, and their closeness to a known error."""

import numpy as np
from scipy.stats import norm

from smartsvm import (
    ClassForest,
    bayes_error,
    class_hierarchy,
    ovr_bayes_error,
    pairwise_bayes_error,
    soft_label_bayes_error,
)

from .data import classes


class TwoClasses:
    params = ([1000, 10_000], [2, 16])
    param_names = ("n", "d")

    def setup(self, n, d):
        self.X, self.y = classes(n, d, 2)

    def time_bayes_error(self, n, d):
        bayes_error(self.X, self.y)

    peakmem_bayes_error = time_bayes_error

    def time_scaled_bayes_error(self, n, d):
        bayes_error(self.X, self.y, scale="auto")


class Estimates:
    params = ([1000, 4000], [2, 16], [3, 20])
    param_names = ("n", "d", "n_classes")

    def setup(self, n, d, n_classes):
        self.X, self.y = classes(n, d, n_classes)

    def time_pairwise_bayes_error(self, n, d, n_classes):
        pairwise_bayes_error(self.X, self.y)

    peakmem_pairwise_bayes_error = time_pairwise_bayes_error

    def time_ovr_bayes_error(self, n, d, n_classes):
        ovr_bayes_error(self.X, self.y)

    peakmem_ovr_bayes_error = time_ovr_bayes_error

    def time_bayes_error(self, n, d, n_classes):
        bayes_error(self.X, self.y)

    peakmem_bayes_error = time_bayes_error


class Forest:
    """What a forest that is kept saves: every node of a hierarchy from one."""

    params = ([1000, 4000], [2, 16], [3, 20])
    param_names = ("n", "d", "n_classes")

    def setup(self, n, d, n_classes):
        self.X, self.y = classes(n, d, n_classes)

    def time_ClassForest_nodes(self, n, d, n_classes):
        forest = ClassForest(self.X, self.y)
        tree = class_hierarchy(forest.pairwise())
        for node in range(tree.n_nodes):
            forest.split(*tree.node_classes(node))

    peakmem_ClassForest_nodes = time_ClassForest_nodes


class ManyPairs:
    """The forests of all pairs of 26 classes."""

    def setup(self):
        self.X, self.y = classes(20_000, 3, 26)

    def time_ClassForest_pairwise(self):
        ClassForest(self.X, self.y, n_trees=1).pairwise()

    peakmem_ClassForest_pairwise = time_ClassForest_pairwise


class SoftLabels:
    """Labels of 20 people for each of many rows."""

    params = (10_000, 1_000_000)
    param_names = ("n",)

    def setup(self, n):
        self.counts = np.random.default_rng(0).multinomial(20, np.full(10, 0.1), size=n)

    def time_soft_label_bayes_error(self, n):
        soft_label_bayes_error(self.counts)


class Hierarchy:
    params = (10, 30, 100)
    param_names = ("n_classes",)

    def setup(self, n_classes):
        errors = np.random.default_rng(n_classes).random((n_classes, n_classes))
        self.errors = errors + errors.T

    def time_class_hierarchy(self, n_classes):
        class_hierarchy(self.errors)

    peakmem_class_hierarchy = time_class_hierarchy


class Accuracy:
    """Estimate minus true error of two Gaussians, 2 apart, 1,000 samples, over 20 draws."""

    unit = "error"

    def _errors(self):
        for seed in range(20):
            random = np.random.default_rng(seed)
            X = random.normal(size=(1000, 2))
            X[500:, 0] += 2
            yield X, np.arange(1000) >= 500

    def track_bias(self):
        return float(np.mean([bayes_error(*each).value - norm.cdf(-1) for each in self._errors()]))

    def track_ovr_bias(self):
        found = [ovr_bayes_error(*each).value.mean() - norm.cdf(-1) for each in self._errors()]
        return float(np.mean(found))

    def track_pairwise_bias(self):
        found = [pairwise_bayes_error(*each).value[0, 1] - norm.cdf(-1) for each in self._errors()]
        return float(np.mean(found))

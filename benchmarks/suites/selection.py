"""Feature selection, transformations and weights by Bayes error, where a commit has them."""

import numpy as np
from sklearn.decomposition import PCA

from .data import classes, public


class Selection:
    params = ([500, 2000], [10, 30])
    param_names = ("n", "d")
    timeout = 300

    def setup(self, n, d):
        self.selector = public("BayesErrorSelector")
        X, self.y = classes(n, 4, 3)
        noise = np.random.default_rng(0).normal(size=(n, d - 4))
        self.X = np.hstack([X, noise])

    def time_BayesErrorSelector(self, n, d):
        self.selector(4).fit(self.X, self.y)

    peakmem_BayesErrorSelector = time_BayesErrorSelector

    def track_found(self, n, d):
        """How many of the four features that matter are among the four selected."""
        return int(self.selector(4).fit(self.X, self.y).get_support()[:4].sum())


class Scorer:
    params = ([1000, 4000], [3, 10])
    param_names = ("n", "n_classes")

    def setup(self, n, n_classes):
        self.score = public("bayes_error_scorer")
        self.X, self.y = classes(n, 16, n_classes)
        self.transformer = PCA(4).fit(self.X)

    def time_bayes_error_scorer(self, n, n_classes):
        self.score(self.transformer, self.X, self.y)

    peakmem_bayes_error_scorer = time_bayes_error_scorer


class Weights:
    params = (["bayes_error_class_weight"], [1000, 4000], [3, 10])
    param_names = ("weights", "n", "n_classes")

    def setup(self, weights, n, n_classes):
        self.weigh = public(weights)
        self.X, self.y = classes(n, 16, n_classes)

    def time_weights(self, weights, n, n_classes):
        self.weigh(self.X, self.y)

    peakmem_weights = time_weights

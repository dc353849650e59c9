"""Feature selection, transformations and weights by Bayes error, where a commit has them."""

import numpy as np
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

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

    def peakmem_BayesErrorSelector(self, n, d):
        self.selector(4).fit(self.X, self.y)

    def track_found(self, n, d):
        """How many of the four features that matter are among the four selected."""
        return int(self.selector(4).fit(self.X, self.y).get_support()[:4].sum())


class Transformations:
    params = ([1000, 4000], [3, 10])
    param_names = ("n", "n_classes")
    timeout = 300

    def setup(self, n, n_classes):
        self.rank = public("rank_transformers")
        self.X, self.y = classes(n, 16, n_classes)
        self.transformers = {
            "standard": StandardScaler(),
            "minmax": MinMaxScaler(),
            "pca": make_pipeline(StandardScaler(), PCA(4)),
        }

    def time_rank_transformers(self, n, n_classes):
        self.rank(self.transformers, self.X, self.y)


class Weights:
    params = ([1000, 4000], [3, 10])
    param_names = ("n", "n_classes")

    def setup(self, n, n_classes):
        self.X, self.y = classes(n, 16, n_classes)

    def time_bayes_error_class_weight(self, n, n_classes):
        public("bayes_error_class_weight")(self.X, self.y)

    def time_bayes_error_sample_weight(self, n, n_classes):
        public("bayes_error_sample_weight")(self.X, self.y)

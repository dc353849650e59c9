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

    peakmem_BayesErrorSelector = time_BayesErrorSelector

    def track_found(self, n, d):
        """How many of the four features that matter are among the four selected."""
        return int(self.selector(4).fit(self.X, self.y).get_support()[:4].sum())


class Transformations:
    params = (["rank_transformers", "BayesErrorTransformerSearch"], [1000, 4000], [3, 10])
    param_names = ("how", "n", "n_classes")
    timeout = 300

    def setup(self, how, n, n_classes):
        thing = public(how)
        X, y = classes(n, 16, n_classes)
        candidates = {
            "standard": StandardScaler(),
            "minmax": MinMaxScaler(),
            "pca": make_pipeline(StandardScaler(), PCA(4)),
        }
        if how == "rank_transformers":
            self.call = lambda: thing(candidates, X, y)
        else:
            self.call = lambda: thing(candidates).fit(X, y)

    def time_transformers(self, how, n, n_classes):
        self.call()

    peakmem_transformers = time_transformers


class PairTransformers:
    params = ([1000], [3, 10])
    param_names = ("n", "n_classes")
    timeout = 300

    def setup(self, n, n_classes):
        self.classifier = public("PairwiseTransformerClassifier")
        self.X, self.y = classes(n, 16, n_classes)

    def time_fit(self, n, n_classes):
        self.classifier([StandardScaler(), MinMaxScaler()]).fit(self.X, self.y)

    peakmem_fit = time_fit


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
    params = (["bayes_error_class_weight", "bayes_error_sample_weight"], [1000, 4000], [3, 10])
    param_names = ("weights", "n", "n_classes")

    def setup(self, weights, n, n_classes):
        self.weigh = public(weights)
        self.X, self.y = classes(n, 16, n_classes)

    def time_weights(self, weights, n, n_classes):
        self.weigh(self.X, self.y)

    peakmem_weights = time_weights

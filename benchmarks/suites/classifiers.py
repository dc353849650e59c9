"""SmartSVM beside one-vs-one and one-vs-rest over the same linear SVM, and its tuning."""

import numpy as np
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.svm import LinearSVC

import smartsvm

from .data import classes, public

AS_IN_THE_PAPER = {
    "hierarchy": "min-cut",
    "nodes": "linear",
    "routing": "hard",
    "solver": "liblinear",
}
MODELS = {
    "SmartSVM": lambda: smartsvm.SmartSVM(),
    "SmartSVM, as in the paper": lambda: smartsvm.SmartSVM(**AS_IN_THE_PAPER),
    "one-vs-one": lambda: OneVsOneClassifier(LinearSVC(dual=False)),
    "one-vs-rest": lambda: OneVsRestClassifier(LinearSVC(dual=False)),
}


class Classifiers:
    params = (list(MODELS), [(2000, 16, 5), (4000, 16, 20), (2000, 64, 10)])
    param_names = ("model", "n, d, n_classes")

    def setup(self, model, shape):
        self.X, self.y = classes(*shape)
        self.model = MODELS[model]().fit(self.X, self.y)

    def time_fit(self, model, shape):
        self.model.fit(self.X, self.y)

    peakmem_fit = time_fit

    def time_predict(self, model, shape):
        self.model.predict(self.X)

    def time_decision_function(self, model, shape):
        self.model.decision_function(self.X)


class Accuracy:
    """Share of right answers on held-out samples of overlapping classes."""

    unit = "share"
    params = (list(MODELS), [5, 20])
    param_names = ("model", "n_classes")

    def track_accuracy(self, model, n_classes):
        X, y = classes(4000, 10, n_classes, spread=1.0)
        fitted = MODELS[model]().fit(X[:2000], y[:2000])
        return float(np.mean(fitted.predict(X[2000:]) == y[2000:]))


class Tuning:
    params = ([2000], [16], [5, 20])
    param_names = ("n", "d", "n_classes")
    timeout = 300

    def setup(self, n, d, n_classes):
        public("SmartSVMCV")
        self.X, self.y = classes(n, d, n_classes)

    def time_SmartSVMCV(self, n, d, n_classes):
        smartsvm.SmartSVMCV(Cs=[0.01, 0.1, 1.0, 10.0], cv=3).fit(self.X, self.y)

    peakmem_SmartSVMCV = time_SmartSVMCV


class ManyClasses:
    """K = 200 and 1,000 of few samples each, and a hierarchy of centroids."""

    params = (200, 1000)
    param_names = ("n_classes",)
    timeout = 300

    def setup(self, n_classes):
        self.X, self.y = classes(20 * n_classes, 16, n_classes, spread=6.0)

    def time_centroids(self, n_classes):
        smartsvm.SmartSVM(hierarchy="centroids", nodes="linear").fit(self.X, self.y)

    peakmem_centroids = time_centroids

"""SmartSVM beside one-vs-one and one-vs-rest over the same linear SVM."""

from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.svm import LinearSVC

from smartsvm import SmartSVM

from .data import classes

MODELS = {
    "SmartSVM": SmartSVM(),
    "one-vs-one": OneVsOneClassifier(LinearSVC(dual=False)),
    "one-vs-rest": OneVsRestClassifier(LinearSVC(dual=False)),
}


class Classifiers:
    params = (list(MODELS), [2000, 8000], [5, 20])
    param_names = ("model", "n", "n_classes")

    def setup(self, model, n, n_classes):
        self.X, self.y = classes(n, 16, n_classes)
        self.model = MODELS[model].fit(self.X, self.y)

    def time_fit(self, model, n, n_classes):
        self.model.fit(self.X, self.y)

    def time_predict(self, model, n, n_classes):
        self.model.predict(self.X)

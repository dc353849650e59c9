"""One classifier on one data file, in that classifier's own environment.

    python classifier_worker.py CONTESTANT DATA.npz

Prints JSON: CPU seconds of fit and prediction, and accuracy. Imports nothing of this package
unless the contestant is ours, and takes the shorter of two turns, unless they are long.
"""

import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np

warnings.simplefilter("ignore")
_LONG = 2.0  # seconds: in a first turn this long the imports that it pays for do not matter


def smartsvm_faithful(arrays):
    return _registry().faithful(1.0)


def smartsvm_best(arrays):
    return _registry().best(1.0)


def _registry():
    """The one place that knows how our contestants are spelt."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from benchmarks.paper import methods

    return methods


def one_vs_one(arrays):
    from sklearn.multiclass import OneVsOneClassifier
    from sklearn.svm import LinearSVC

    return OneVsOneClassifier(LinearSVC(dual=False))


def one_vs_rest(arrays):
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.svm import LinearSVC

    return OneVsRestClassifier(LinearSVC(dual=False))


def crammer_singer(arrays):
    from sklearn.svm import LinearSVC

    return LinearSVC(multi_class="crammer_singer", random_state=0)


def output_codes(arrays):
    from sklearn.multiclass import OutputCodeClassifier
    from sklearn.svm import LinearSVC

    return OutputCodeClassifier(LinearSVC(dual=False), random_state=0)


def hiclass(arrays):
    """Local classifiers over a hierarchy that it must be given: ours."""
    from hiclass import LocalClassifierPerParentNode
    from sklearn.svm import LinearSVC

    class Leaves(LocalClassifierPerParentNode):
        def fit(self, X, y):
            return super().fit(X, arrays["paths"])

        def predict(self, X):
            return np.array([row[row != ""][-1] for row in super().predict(X)]).astype(int)

    return Leaves(local_classifier=LinearSVC(dual=False))


def gensvm(arrays):
    from gensvm import GenSVM

    return GenSVM()


def smartsvm_2019(arrays):
    from smartsvm import SmartSVM

    return SmartSVM()


def main():
    contestant, path = sys.argv[1:]
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    X, y = arrays["X_train"], arrays["y_train"]
    model = globals()[contestant.replace("-", "_")](arrays)
    seconds = {"fit": [], "predict": []}
    while len(seconds["fit"]) < 2 and sum(seconds["fit"]) < _LONG:
        for part, call in (
            ("fit", lambda: model.fit(X, y)),
            ("predict", lambda: model.predict(arrays["X_test"])),
        ):
            start = time.process_time()
            result = call()
            seconds[part].append(time.process_time() - start)
    accuracy = float(np.mean(np.asarray(result) == arrays["y_test"]))
    print(json.dumps({part: min(each) for part, each in seconds.items()} | {"accuracy": accuracy}))


if __name__ == "__main__":
    main()
